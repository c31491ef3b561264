//! What the interpreter gets wrong and is mended from outside, in one place.
//!
//! Each file here is one defect of bashkit 0.20.2, the newest version there is, and goes with the
//! first version in which the cases of `tests/cases` agree without it. The crate comes without a
//! list of changes, so no numbers are given:
//!
//! | file | what goes wrong there | the defect of bashkit, in short | how it is mended |
//! |---|---|---|---|
//! | `conditions.rs` | `[[ ]]` takes `-L -h -b -c -p -S -g -u -k -O -G -N -o` for always true and `-x` for `-e`; `-nt -ot -ef` look at the root; there and in `[ ]` an empty name is the working directory | `[[`: file tests that it does not know are true | what is asked goes to `[`, which is right; an empty name becomes one that no file has |
//! | `descriptors.rs` | what is written to `>&3` after `exec 3>&1` is lost, or goes elsewhere, where standard output is caught | `>&N`: not followed to where N was made | it is refused |
//! | `reader/redirections.rs`: `reads` | `read <&3` finds no descriptor that a loop was given | `<&N`: not inherited from a loop | `read -u 3` does |
//! | `reader/words.rs`: `backquoted` | `` x+="`f`" ``, `` x=a y="`f`" `` and `` local x="`f`" `` do not run `f` | backquotes in quotes: not run where they are assigned | it is written `$(f)` |
//! | `reader/redirections.rs`: `output` | of `> a > b` the first is written, and `b` made empty | `> a > b`: the first counts | the first gets a descriptor that nobody uses |
//! | `reader/words.rs`: `element` | `h[k]="a,b"` is `a\,b` | `h[k]=`: a quoted comma gets a backslash | the comma is not quoted |
//! | `reader/words.rs`: `part` | `local p="$1"/$x` is split at the blanks in `$x` | `local`: a word that begins quoted is split | what is not quoted there is quoted |
//! | `reader/words.rs`: `join` | `local x="$@"` and `local x="${a[@]}"` take the first element | `local`: all elements are several words | `$*` and `${a[*]}` stand there |
//! | `reader/commands.rs`: `command_word` | `(kill $$)` ends the part that it stands in alone | `kill $$`: reaches a subshell alone | it is refused |
//! | `reader/brackets.rs`: `arithmetic` | `(( $(f "a") ))` loses the quotes | `(( ))`: quotes within are lost | a condition on `$((…))` keeps them |
//! | `reader/redirections.rs`: `redirected` | `exec > >(f)` loses what is written from then on | `exec > >( )`: what reads ends with `exec` | the rest of the script is a group with that redirection |
//! | `reader/commands.rs`: `begins_command` | the script that `./f` runs is read without being looked at | `./f`: no hook is told of it | it is written `command ./f` |
//! | `concurrency.rs` | commands of a pipe run at the same time, or one after another, but not as is needed | pipes: concurrency is a setting, not a need | a script is looked through before it runs |
//! | `status.rs` | `$?` and what `set` has set are forgotten from call to call | sessions: `$?` and options are not kept | both are set again before the next script |
//! | `splitting.rs` | `$IFS` has no value until a script gives it one | `IFS`: unset at first | it is given its usual one |
//! | `unknown.rs` | an unknown command gets a hint that names what is not there | unknown commands: hints at what is not there | what bash says, and what to do instead |
//! | `definitions.rs` | `jq` has no `INDEX`, `builtins`, `toarray`, `ascii`, and its `del` forgets the order of keys | `jq`: definitions are missing; order of `del` | programs that name them get them |
//! | `../handed.rs`: `of_shell` | `bash -s a b` takes `a` for a file | `bash -s`: its arguments are taken for files | it reads its script as `eval` does |

#[cfg(test)]
mod chance;
mod concurrency;
mod conditions;
mod definitions;
mod descriptors;
mod reader;
mod script;
mod splitting;
mod status;
mod unknown;

pub(crate) use self::concurrency::is_needed as needs_concurrency;
pub(crate) use self::conditions::name_files;
pub(crate) use self::definitions::{completed, place};
pub(crate) use self::script::{Repaired, repaired};
pub(crate) use self::splitting::split_as_usual;
pub(crate) use self::status::{NAME as STATUS, Status, options as set_options, prefix};
pub(crate) use self::unknown::{Unknown, is_offered};
