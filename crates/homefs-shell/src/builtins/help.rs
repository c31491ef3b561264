//! `help`: which commands there are.

use super::tool::Run;

/// What there is besides the shell's own words, by what it is for.
const COMMANDS: &[(&str, &str)] = &[
    ("look", "ls tree cat head tail less stat file du wc find"),
    ("search", "grep egrep fgrep rg zgrep"),
    ("text", "sort uniq cut tr sed awk paste join comm column fold fmt nl tac rev tee split"),
    ("data", "jq yq csv base64 xxd od md5sum sha256sum bc expr seq date numfmt"),
    ("files", "cp mv rm mkdir rmdir ln touch chmod mktemp truncate tar zip unzip gzip gunzip zcat"),
    ("compare", "diff cmp patch"),
    ("run", "xargs env timeout bash sh source eval"),
];

/// What no other shell has, and what for.
const OURS: &[(&str, &str)] = &[
    ("recall", "QUESTION: the memories that answer it best, with where they are from"),
    ("search", "WORDS: files by words and meaning, the best first"),
    ("remember", "TEXT: keep it as a memory; --title, --tag, --importance, --ttl"),
    ("homefs", "help: versions, trash, notes and tags of files"),
];

/// Runs the command.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    run.line(
        "This shell runs bash scripts on your home. It starts no programs and has no network.",
    );
    run.line("The working directory, variables and functions stay from call to call.");
    for (purpose, names) in COMMANDS {
        run.line(&format!("  {purpose:<8} {names}"));
    }
    let added = run.ground.added.iter().map(|command| (command.name(), command.about()));
    let mut others: Vec<(&str, &str)> = OURS.to_vec();
    others.retain(|(name, _)| added.clone().all(|(taken, _)| taken != *name));
    let lines: Vec<String> = others
        .into_iter()
        .chain(added)
        .map(|(name, about)| format!("  {name:<8} {about}"))
        .collect();
    for line in lines {
        run.line(&line);
    }
    run.line(
        "Words of bash work, too: if, for, while, case, functions, arrays, pipes, redirections.",
    );
    0
}
