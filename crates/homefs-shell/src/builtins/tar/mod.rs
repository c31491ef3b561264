//! `tar` is the interpreter's own, with what it lacks: what it names goes to standard output, as
//! GNU's does unless the archive goes there; `-r`, `-u` and `--transform`; and no name is cut off.

mod members;

use std::io::{Read as _, Write as _};

use async_trait::async_trait;
use bashkit::{Command, CommandContext, CommandStatus};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use homefs_core::Path;

use self::members::Change;
use super::engines_own;
use super::tool::Ground;
use crate::files::reason;
use crate::memory::read_all;

/// What begins what was packed with gzip, and by what is not here.
const GZIP: &[u8] = &[0x1f, 0x8b];
const UNKNOWN: [(&[u8], &str); 2] = [(b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd")];

/// The command.
pub(crate) struct Tar {
    pub(crate) ground: Ground,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// The interpreter's own says what is missing.
    #[default]
    Unsaid,
    Create,
    Append,
    Update,
    Extract,
    List,
}

/// A command line.
#[derive(Debug, Default, PartialEq, Eq)]
struct Line {
    mode: Mode,
    names: bool,
    gzip: bool,
    bzip: bool,
    /// The archive; `None` is standard input or standard output.
    archive: Option<String>,
    changes: Vec<String>,
    /// What is left for the interpreter's own, without the mode, the archive and how it is packed.
    rest: Vec<String>,
}

impl Line {
    fn read(args: &[String]) -> Self {
        let mut line = Self::default();
        let mut args = args.iter().enumerate();
        while let Some((at, arg)) = args.next() {
            if arg == "--" {
                line.rest.push(arg.clone());
                line.rest.extend(args.by_ref().map(|(_, arg)| arg.clone()));
            } else if let Some(long) = arg.strip_prefix("--") {
                line.long(long, &mut args.by_ref().map(|(_, arg)| arg));
            } else if at == 0 || arg.len() > 1 && arg.starts_with('-') {
                let letters = arg.strip_prefix('-');
                // What follows a letter of the first word is not its value: that is the next word.
                let is_new = letters.is_some();
                let next = &mut args.by_ref().map(|(_, arg)| arg);
                line.letters(letters.unwrap_or(arg), is_new, next);
            } else {
                line.rest.push(arg.clone());
            }
        }
        line.archive = line.archive.filter(|archive| archive != "-");
        line
    }

    fn long<'a>(&mut self, long: &str, next: &mut impl Iterator<Item = &'a String>) {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (long, None),
        };
        let mut value = || value.clone().or_else(|| next.next().cloned());
        match name {
            "create" => self.mode = Mode::Create,
            "append" => self.mode = Mode::Append,
            "update" => self.mode = Mode::Update,
            "extract" | "get" => self.mode = Mode::Extract,
            "list" => self.mode = Mode::List,
            "verbose" => self.names = true,
            "gzip" | "gunzip" => self.gzip = true,
            "bzip2" => self.bzip = true,
            "file" => self.archive = value(),
            "transform" | "xform" => self.changes.extend(value()),
            _ => self.rest.push(format!("--{long}")),
        }
    }

    fn letters<'a>(
        &mut self,
        letters: &str,
        is_new: bool,
        next: &mut impl Iterator<Item = &'a String>,
    ) {
        for (at, letter) in letters.char_indices() {
            let after = &letters[at + letter.len_utf8()..];
            let attached = is_new && !after.is_empty();
            match letter {
                'c' => self.mode = Mode::Create,
                'r' => self.mode = Mode::Append,
                'u' => self.mode = Mode::Update,
                'x' => self.mode = Mode::Extract,
                't' => self.mode = Mode::List,
                'v' => self.names = true,
                'z' => self.gzip = true,
                'j' => self.bzip = true,
                'f' | 'C' | 'T' | 'X' => {
                    let value =
                        if attached { Some(after.to_owned()) } else { next.next().cloned() };
                    if letter == 'f' {
                        self.archive = value;
                    } else {
                        self.rest.extend([Some(format!("-{letter}")), value].into_iter().flatten());
                    }
                    if attached {
                        return;
                    }
                }
                other => self.rest.push(format!("-{other}")),
            }
        }
    }

    /// Returns the command line for the interpreter's own, which leaves the packing to us.
    fn args(&self, archive: Option<&str>) -> Vec<String> {
        let mode = match self.mode {
            Mode::Unsaid => "",
            Mode::Create | Mode::Append | Mode::Update => "-c",
            Mode::Extract => "-x",
            Mode::List => "-t",
        };
        let options = [(mode, !mode.is_empty()), ("-v", self.names), ("-j", self.bzip)];
        let options = options.into_iter().filter(|(_, asked)| *asked).map(|(option, _)| option);
        let file = ["-f", archive.unwrap_or("-")];
        let args = options.chain(file).map(str::to_owned);
        args.chain(self.rest.iter().cloned()).collect()
    }
}

#[async_trait]
impl Command for Tar {
    async fn execute(&self, context: CommandContext<'_>) -> bashkit::Result<CommandStatus> {
        if matches!(context.args, [only] if matches!(only.as_str(), "--help" | "--version")) {
            return engines_own::run(&self.ground, &context, context.args, Vec::new(), false).await;
        }
        let line = Line::read(context.args);
        let mut stdin = Vec::new();
        let through = line.archive.is_none() || line.rest.iter().any(|arg| arg == "-");
        if through {
            stdin = read_all(&context.stdin, self.ground.limits.memory_bytes).await?;
        }
        let done = match line.mode {
            Mode::Create | Mode::Append | Mode::Update => {
                self.write(&context, &line, stdin).await?
            }
            _ => self.read(&context, &line, stdin).await?,
        };
        match done {
            Ok(status) => Ok(CommandStatus::with_code(status)),
            Err(why) => {
                let said = format!("tar: {why}\ntar: Error is not recoverable: exiting now\n");
                context.stderr.write_all(said.as_bytes()).await?;
                Ok(CommandStatus::with_code(2))
            }
        }
    }
}

/// A status, or why there is none.
type Done = Result<i32, String>;

impl Tar {
    /// Makes an archive, or puts something behind one.
    async fn write(
        &self,
        context: &CommandContext<'_>,
        line: &Line,
        stdin: Vec<u8>,
    ) -> bashkit::Result<Done> {
        let own = engines_own::result(&self.ground, context, &line.args(None), stdin).await?;
        if own.exit_code != 0 {
            context.stderr.write_all(own.stderr.as_bytes()).await?;
            return Ok(Ok(own.exit_code));
        }
        let made = own.stdout.as_bytes().to_vec();
        let (whole, names) = match self.whole(context, line, made) {
            Ok(whole) => whole,
            Err(why) => return Ok(Err(why)),
        };
        let path = line.archive.as_deref().map(|name| resolved(context, name)).transpose();
        let written = path.and_then(|path| match path {
            None => Ok(None),
            Some(path) => {
                let files = &self.ground.files;
                files.prepare_scratch(&path)?;
                files.home.write(&path, &whole, &files.mask.of_files()).map(|_| Some(path))
            }
        });
        let names = match names {
            None => own.stderr.to_string(),
            Some(names) if line.names => names.iter().flat_map(|name| [name, "\n"]).collect(),
            Some(_) => String::new(),
        };
        match written {
            Err(error) => Ok(Err(format!("Cannot open: {}", reason(&error)))),
            Ok(None) => {
                context.stdout.write_all(&whole).await?;
                context.stderr.write_all(names.as_bytes()).await?;
                Ok(Ok(0))
            }
            Ok(Some(_)) => {
                let (notes, names): (Vec<&str>, Vec<&str>) =
                    names.split_inclusive('\n').partition(|line| line.starts_with("tar: "));
                context.stderr.write_all(notes.concat().as_bytes()).await?;
                context.stdout.write_all(names.concat().as_bytes()).await?;
                Ok(Ok(0))
            }
        }
    }

    /// Returns the archive as it is to be written of what was made, and the names of what was added
    /// to one.
    fn whole(
        &self,
        context: &CommandContext<'_>,
        line: &Line,
        mut made: Vec<u8>,
    ) -> Result<(Vec<u8>, Option<Vec<String>>), String> {
        let changes = changes(line)?;
        if line.bzip {
            let plain = changes.is_empty() && line.mode == Mode::Create;
            return if plain { Ok((made, None)) } else { Err(PACKED.into()) };
        }
        members::check_names(&made)?;
        if !changes.is_empty() {
            made = members::renamed(&made, &changes)?;
        }
        if line.mode == Mode::Create {
            if !line.gzip {
                return Ok((made, None));
            }
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            let packed = encoder.write_all(&made).and_then(|()| encoder.finish());
            return Ok((packed.map_err(|error| error.to_string())?, None));
        }
        let archive =
            line.archive.as_deref().ok_or("Options '-Aru' are incompatible with '-f -'")?;
        let there = resolved(context, archive).and_then(|path| self.ground.files.read(&path));
        let there = there.unwrap_or_default();
        if line.gzip || there.starts_with(GZIP) || there.starts_with(b"BZh") {
            return Err(PACKED.into());
        }
        let (whole, names) = members::appended(&there, &made, line.mode == Mode::Update)?;
        Ok((whole, Some(names)))
    }

    /// Lists or unpacks an archive.
    async fn read(
        &self,
        context: &CommandContext<'_>,
        line: &Line,
        stdin: Vec<u8>,
    ) -> bashkit::Result<Done> {
        let mut archive = line.archive.as_deref();
        let mut given = stdin;
        let file = archive.map(|name| resolved(context, name));
        let file = file.and_then(|path| self.ground.files.read(&path.ok()?).ok());
        let head = file.as_deref().unwrap_or(&given);
        if let Some((_, kind)) = UNKNOWN.iter().find(|(magic, _)| head.starts_with(magic)) {
            return Ok(Err(format!("the archive is packed with {kind}, which is not here")));
        }
        let changes = match changes(line) {
            Ok(changes) => changes,
            Err(why) => return Ok(Err(why)),
        };
        // A list shows the names as they are.
        if !changes.is_empty() && line.mode == Mode::Extract && !head.is_empty() {
            let plain = self.unpacked(head).and_then(|plain| members::renamed(&plain, &changes));
            given = match plain {
                Ok(plain) => plain,
                Err(why) => return Ok(Err(why)),
            };
            archive = None;
        }
        let own = engines_own::result(&self.ground, context, &line.args(archive), given).await?;
        context.stdout.write_all(own.stdout.as_bytes()).await?;
        let to_stdout = line.rest.iter().any(|arg| matches!(arg.as_str(), "-O" | "--to-stdout"));
        let told = line.names && line.archive.is_some() && own.exit_code == 0 && !to_stdout;
        let told = if told { &context.stdout } else { &context.stderr };
        told.write_all(own.stderr.as_bytes()).await?;
        Ok(Ok(own.exit_code))
    }

    /// Returns an archive that may be packed as it was before.
    fn unpacked(&self, archive: &[u8]) -> Result<Vec<u8>, String> {
        let most = self.ground.limits.memory_bytes;
        if archive.starts_with(b"BZh") {
            return Err(PACKED.into());
        }
        if !archive.starts_with(GZIP) {
            return Ok(archive.to_vec());
        }
        let mut plain = Vec::new();
        let mut decoder = MultiGzDecoder::new(archive).take(most as u64 + 1);
        decoder.read_to_end(&mut plain).map_err(|error| error.to_string())?;
        if plain.len() > most {
            return Err(format!("the archive has more than {most} bytes"));
        }
        Ok(plain)
    }
}

/// Why a packed archive is not changed.
const PACKED: &str = "Cannot update compressed archives";

fn changes(line: &Line) -> Result<Vec<Change>, String> {
    line.changes.iter().flat_map(|text| text.split(';')).map(Change::read).collect()
}

fn resolved(context: &CommandContext<'_>, name: &str) -> homefs_core::Result<Path> {
    Path::resolve(&context.cwd.to_string_lossy(), name)
}

#[cfg(test)]
mod tests {
    use super::{Line, Mode};

    #[test]
    fn a_command_line_is_read_in_all_its_forms() {
        for (text, mode, names, archive, rest) in [
            ("xvf a.tar", Mode::Extract, true, Some("a.tar"), ""),
            ("-xvf a.tar d", Mode::Extract, true, Some("a.tar"), "d"),
            ("-x -v -f a.tar", Mode::Extract, true, Some("a.tar"), ""),
            ("cf a.tar -C d x", Mode::Create, false, Some("a.tar"), "-C d x"),
            ("cCf d a.tar x", Mode::Create, false, Some("a.tar"), "-C d x"),
            ("-cvf - dir", Mode::Create, true, None, "dir"),
            ("cv dir", Mode::Create, true, None, "dir"),
            ("-rfa.tar x", Mode::Append, false, Some("a.tar"), "x"),
            (
                "--update --verbose --file=a.tar --exclude=x y",
                Mode::Update,
                true,
                Some("a.tar"),
                "--exclude=x y",
            ),
            ("-tf a.tar -- -v", Mode::List, false, Some("a.tar"), "-- -v"),
        ] {
            let args: Vec<String> = text.split(' ').map(str::to_owned).collect();
            let line = Line::read(&args);
            let found = (line.mode, line.names, line.archive.as_deref(), line.rest.join(" "));
            assert_eq!(found, (mode, names, archive, rest.to_owned()), "{text}");
        }
    }
}
