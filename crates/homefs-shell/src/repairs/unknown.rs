//! What is said of a command that there is not: what bash says, and what to do instead.
//!
//! The interpreter itself says nothing or names what is not there either, such as its own name of a
//! feature, and it takes `curl` and `wget` for commands that are there.

use std::sync::Arc;

use async_trait::async_trait;
use bashkit::{Builtin, BuiltinContext, CommandResolver, ExecResult, ExecutionPlan, SubCommand};

/// Commands of the interpreter that can only fail: a script that asks learns that they are missing.
const MISSING: &[&str] = &["curl", "wget", "http"];

/// What agents reach for, and what they can do instead.
const INSTEAD: &[(&[&str], &str)] = &[
    (
        &["curl", "wget", "http", "ssh", "scp", "sftp", "rsync", "nc", "ping"],
        "there is no network here: fetch it with another tool and write it to a file, \
         or let somebody attach it (homefs attach)",
    ),
    (
        &["git", "hg", "svn"],
        "every version of a file is kept: homefs log PATH, homefs diff PATH, \
         homefs restore PATH MOMENT",
    ),
    (
        &[
            "python", "python2", "python3", "node", "deno", "bun", "perl", "ruby", "php", "lua",
            "java",
        ],
        "no other languages run here: awk, jq, sed, bc and bash do",
    ),
    (
        &[
            "pip", "pip2", "pip3", "npm", "npx", "yarn", "pnpm", "uv", "apt", "apt-get", "apk",
            "brew",
        ],
        "nothing can be installed: help lists the commands that there are",
    ),
    (
        &["gcc", "g++", "clang", "cc", "make", "cmake", "cargo", "rustc", "go", "javac", "docker"],
        "no programs are built or started here: help lists the commands that there are",
    ),
    (
        &["vi", "vim", "nano", "emacs", "ed", "code"],
        "there is no editor: sed -i, patch, or cat > FILE <<'END' change files",
    ),
    (
        &[
            "xz",
            "unxz",
            "xzcat",
            "lzma",
            "unlzma",
            "zstd",
            "unzstd",
            "zstdcat",
            "7z",
            "7za",
            "rar",
            "unrar",
            "compress",
            "uncompress",
        ],
        "gzip, bzip2, tar and zip pack and unpack here: nothing of another form can be read, so let \
         somebody unpack it before it comes here",
    ),
    (&["sudo", "su", "doas"], "nobody has more rights here than the agent: leave it out"),
];

/// What is said of all others.
const USUAL: &str = "help lists the commands that there are";

/// Tells whether a command of the interpreter is offered.
pub(crate) fn is_offered(name: &str) -> bool {
    !MISSING.contains(&name)
}

/// Answers for names that nobody else knows.
pub(crate) struct Unknown;

impl CommandResolver for Unknown {
    fn resolve(&self, name: &str) -> Option<Arc<dyn Builtin>> {
        Some(Arc::new(Refusal(name.to_owned())))
    }
}

struct Refusal(String);

#[async_trait]
impl Builtin for Refusal {
    async fn execute(&self, _: BuiltinContext<'_>) -> bashkit::Result<ExecResult> {
        Ok(ExecResult::with_code("", 127))
    }

    // What is printed goes where the output of the command would have gone.
    async fn execution_plan(
        &self,
        _: &BuiltinContext<'_>,
    ) -> bashkit::Result<Option<ExecutionPlan>> {
        let instead = INSTEAD.iter().find(|(names, _)| names.contains(&self.0.as_str()));
        let instead = instead.map_or(USUAL, |(_, instead)| instead);
        let quoted = |text: &str| text.replace('\'', r"'\''");
        let (name, instead) = (quoted(&self.0), quoted(instead));
        let script = format!(
            "echo \"${{BASH_SOURCE:-bash}}: line $LINENO: \"'{name}: command not found' >&2; \
             echo 'homefs: {instead}' >&2; (exit 127)"
        );
        let args = vec![script];
        let command =
            SubCommand { name: "eval".into(), args, stdin: None, assignments: Vec::new() };
        Ok(Some(ExecutionPlan::Batch { commands: vec![command] }))
    }
}
