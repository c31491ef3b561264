//! `jq` is the interpreter's own, but its `del` forgets the order of keys: programs that use it get
//! another one.

use bashkit::hooks::{HookAction, ToolEvent};

/// Deletes as jq does: what is left of an object stays in its order.
const DELETE: &str = "def __del($p): if ($p|length)==0 then null \
    elif ($p|length)==1 then $p[0] as $k | (if type==\"object\" \
    then with_entries(select(.key != $k)) elif type==\"array\" and ($k|type)==\"number\" \
    then (if $k<0 then $k+length else $k end) as $i | .[:$i] + .[$i+1:] \
    else delpaths([$p]) end) elif getpath([$p[0]]) == null then . \
    else .[$p[0]] |= __del($p[1:]) end; \
    def delpaths($ps): reduce ($ps|sort|reverse|.[]) as $p (.; __del($p)); \
    def del(f): delpaths([path(f)]); ";

/// Looks at a command line before it is run.
pub(crate) fn prepare(mut event: ToolEvent) -> HookAction<ToolEvent> {
    if event.name == "jq"
        && let Some(at) = program(&event.args)
        && event.args[at].contains("del")
    {
        event.args[at].insert_str(0, DELETE);
    }
    HookAction::Continue(event)
}

/// Returns which argument is the program, if one is.
pub(crate) fn program(args: &[String]) -> Option<usize> {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += match arg.as_str() {
            "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => 3,
            "--indent" | "-L" => 2,
            "-f" | "--from-file" => return None,
            option if option.starts_with('-') && option.len() > 1 => 1,
            _ => return Some(at),
        };
    }
    None
}
