//! `gzip` and `gunzip` are the interpreter's own, with what they lack: `-t`, `-l`, `-v` and `-r`.

use async_trait::async_trait;
use bashkit::{Command, CommandContext, CommandStatus};
use homefs_core::{Path, Result};
use homefs_view::Kind;

use super::engines_own;
use super::tool::Ground;
use crate::memory::read_all;

/// The ending of names of what is compressed.
const ENDING: &str = ".gz";

/// The command.
pub(crate) struct Gzip {
    pub(crate) ground: Ground,
}

/// What is asked for, besides what the interpreter's own does.
#[derive(Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a command line has as many switches")]
struct Asked {
    test: bool,
    list: bool,
    verbose: bool,
    recursive: bool,
    decompress: bool,
    /// The options that are left.
    options: Vec<String>,
    operands: Vec<String>,
}

fn read(name: &str, args: &[String]) -> Asked {
    let mut asked = Asked { decompress: name == "gunzip", ..Asked::default() };
    let mut only_operands = false;
    for arg in args {
        match arg.as_str() {
            arg if only_operands && arg.starts_with('-') && arg != "-" => {
                asked.operands.push(format!("./{arg}"));
            }
            arg if only_operands || arg == "-" || !arg.starts_with('-') => {
                asked.operands.push(arg.to_owned());
            }
            "--" => only_operands = true,
            "--test" => asked.test = true,
            "--list" => asked.list = true,
            "--verbose" => asked.verbose = true,
            "--recursive" => asked.recursive = true,
            long if long.starts_with("--") => {
                asked.decompress |= matches!(long, "--decompress" | "--uncompress");
                asked.options.push(long.to_owned());
            }
            letters => {
                asked.test |= letters.contains('t');
                asked.list |= letters.contains('l');
                asked.verbose |= letters.contains('v');
                asked.recursive |= letters.contains('r');
                asked.decompress |= letters.contains('d');
                let left: String =
                    letters.chars().filter(|letter| !"tlvr".contains(*letter)).collect();
                if left != "-" {
                    asked.options.push(left);
                }
            }
        }
    }
    asked
}

#[async_trait]
impl Command for Gzip {
    async fn execute(&self, context: CommandContext<'_>) -> bashkit::Result<CommandStatus> {
        let mut asked = read(context.name, context.args);
        if asked.recursive {
            let cwd = context.cwd.to_string_lossy();
            let mut files = Vec::new();
            for operand in &asked.operands {
                let found = Path::resolve(&cwd, operand)
                    .and_then(|path| self.below(&path, operand, asked.decompress, &mut files));
                if found.is_err() {
                    files.push(operand.clone());
                }
            }
            asked.operands = files;
        }
        let through_pipe = asked.operands.iter().all(|operand| operand == "-");
        let mut stdin = Vec::new();
        if through_pipe && !asked.recursive {
            stdin = read_all(&context.stdin, self.ground.limits.memory_bytes).await?;
        }
        if asked.test || asked.list {
            return self.look(&context, &asked, stdin).await;
        }
        let args = [asked.options, asked.operands.clone()].concat();
        if asked.recursive && asked.operands.is_empty() {
            return Ok(CommandStatus::with_code(0));
        }
        let result = engines_own::result(&self.ground, &context, &args, stdin).await?;
        context.stdout.write_all(result.stdout.as_bytes()).await?;
        context.stderr.write_all(result.stderr.as_bytes()).await?;
        if asked.verbose && result.exit_code == 0 {
            for operand in asked.operands.iter().filter(|operand| *operand != "-") {
                context.stderr.write_all(format!("{operand}: done\n").as_bytes()).await?;
            }
        }
        Ok(CommandStatus::with_code(result.exit_code))
    }
}

impl Gzip {
    /// Unpacks each file and says whether it could be, or how long it is.
    async fn look(
        &self,
        context: &CommandContext<'_>,
        asked: &Asked,
        stdin: Vec<u8>,
    ) -> bashkit::Result<CommandStatus> {
        let (mut status, mut listed, mut totals) = (0, 0, (0, 0));
        let operands =
            if asked.operands.is_empty() { &["-".to_owned()][..] } else { &asked.operands };
        for operand in operands {
            let mut args = vec!["-dc".to_owned()];
            args.extend(Some(operand.clone()).filter(|operand| operand != "-"));
            let packed = match Path::resolve(&context.cwd.to_string_lossy(), operand) {
                Ok(path) if operand != "-" => {
                    self.ground.files.home.stat(&path).map_or(0, |stat| stat.size)
                }
                _ => stdin.len() as u64,
            };
            let result = engines_own::result(&self.ground, context, &args, stdin.clone()).await?;
            if result.exit_code != 0 {
                status = 1;
                context.stderr.write_all(result.stderr.as_bytes()).await?;
            } else if asked.list {
                let bytes = result.stdout.len() as u64;
                let name = operand.strip_suffix(ENDING).unwrap_or("stdout");
                let head = if listed == 0 { HEAD } else { "" };
                let line = head.to_owned() + &line_of_list(packed, bytes, name);
                context.stdout.write_all(line.as_bytes()).await?;
                (listed, totals) = (listed + 1, (totals.0 + packed, totals.1 + bytes));
            } else if asked.verbose {
                context.stderr.write_all(format!("{operand}: OK\n").as_bytes()).await?;
            }
        }
        if listed > 1 {
            let line = line_of_list(totals.0, totals.1, "(totals)");
            context.stdout.write_all(line.as_bytes()).await?;
        }
        Ok(CommandStatus::with_code(status))
    }

    /// Collects the files below a directory that are not yet as they shall be.
    fn below(&self, path: &Path, name: &str, packed: bool, files: &mut Vec<String>) -> Result<()> {
        let (_, stat) = self.ground.files.stat_followed(path)?;
        if stat.kind != Kind::Directory {
            files.push(name.to_owned());
            return Ok(());
        }
        for entry in self.ground.files.children(path)? {
            let name = format!("{}/{}", name.trim_end_matches('/'), entry.name);
            match entry.stat.kind {
                Kind::Directory => self.below(&path.join(&entry.name)?, &name, packed, files)?,
                Kind::File if entry.name.ends_with(ENDING) == packed => files.push(name),
                _ => {}
            }
        }
        Ok(())
    }
}

/// What stands above a list.
const HEAD: &str = "         compressed        uncompressed  ratio uncompressed_name\n";

/// Writes what is packed, what comes of it and how much is saved.
fn line_of_list(packed: u64, bytes: u64, name: &str) -> String {
    let saved = bytes.saturating_sub(packed) * 1000 / bytes.max(1);
    format!("{packed:>19} {bytes:>19} {:>3}.{}% {name}\n", saved / 10, saved % 10)
}

#[cfg(test)]
mod tests {
    use super::{Asked, read};

    #[test]
    fn what_the_interpreter_lacks_is_taken_out_of_the_options() {
        let args = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (options, operands) = (args("-k"), args("a"));
        let expected = Asked { verbose: true, options, operands, ..Asked::default() };
        assert_eq!(read("gzip", &args("-kv a")), expected);
        let expected = Asked { test: true, operands: args("a.gz"), ..Asked::default() };
        assert_eq!(read("gzip", &args("-t -- a.gz")), expected);
        assert!(read("gunzip", &args("-r d")).decompress);
    }
}
