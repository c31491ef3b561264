//! `homefs`: what a home can do beyond what other file systems can.

use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::time::{Here, Moment};
use homefs_core::{Clock as _, Path, Result, SystemClock, Timestamp};
use homefs_view::{Attachment, SetMeta, Tokenizer};

use super::date::zone_of;
use super::memory::{self, finish, invalid};
use super::times;
use super::tool::Run;

/// Runs one of the commands on its arguments.
type Act = fn(&mut Run<'_>, &[String]) -> Result<i32>;

/// The commands: name, arguments, what it does, and what does it.
const COMMANDS: &[(&str, &str, &str, Act)] = &[
    ("status", "", "who you are and which spaces you see", status),
    ("log", "PATH", "versions of a file, newest first", log),
    ("diff", "PATH [FROM [TO]]", "how a file changed between moments: a version, 2h ago", diff),
    ("restore", "PATH MOMENT", "make an old version the present one", restore),
    ("trash", "", "what was removed and can be brought back", trash),
    ("untrash", "PATH", "bring back what was removed", untrash),
    ("meta", "PATH [KEY=VALUE]...", "show or set notes: importance, title, source, ttl", meta),
    ("tag", "PATH [TAG|-TAG]...", "show, add and take away tags", tag),
    ("tags", "[PATH]", "count the tags below a path", tags),
    ("related", "PATH", "files that are most like a file", related),
    ("context", "[TOKENS]", "what to know at the start of a task", context),
    ("forget", "PATH", "move a memory to the trash", forget),
    ("sources", "[--refresh PATH]", "what is attached, and look at once what changed", sources),
];

/// How many tokens `context` has at most if nothing else is said.
const CONTEXT_TOKENS: usize = 2000;

/// How many versions `log` and how many files `related` list.
const SHOWN: usize = 20;

/// Runs the command.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    let args = run.args;
    let (name, rest) = args.split_first().map_or(("help", args), |(name, rest)| (name, rest));
    match (name, COMMANDS.iter().find(|command| command.0 == name)) {
        (_, Some(&(_, _, _, act))) => finish(run, |run| act(run, rest)),
        ("recall" | "search" | "remember", _) => {
            let mut inner = Run { name, args: rest, ..take(run) };
            let status = match name {
                "recall" => memory::recall(&mut inner),
                "search" => memory::search(&mut inner),
                _ => memory::remember(&mut inner),
            };
            (run.out, run.err) = (inner.out, inner.err);
            status
        }
        ("help" | "-h" | "--help", _) => {
            help(run);
            0
        }
        _ => {
            run.complain(&format!("there is no command '{name}' in this shell; see homefs help"));
            2
        }
    }
}

/// Makes a run of another name of a run.
fn take<'a>(run: &Run<'a>) -> Run<'a> {
    Run {
        stdin: run.stdin,
        devices: run.devices.clone(),
        ..Run::new(run.ground, run.name, run.args, run.directory, run.environment)
    }
}

fn help(run: &mut Run<'_>) {
    for (name, arguments, about, _) in COMMANDS {
        let usage = format!("homefs {name} {arguments}");
        run.line(&format!("  {usage:<34} {about}"));
    }
    run.line("  recall, search and remember are commands of their own; -b PATH narrows them");
}

/// Returns the path that must be the first argument.
fn first(run: &Run<'_>, args: &[String]) -> Result<Path> {
    run.path(args.first().ok_or_else(|| invalid("a path is missing"))?)
}

/// Reads a moment as every face does; what names no zone is of the session's, as for `date`.
fn moment(run: &Run<'_>, text: &str) -> Result<Moment> {
    homefs_core::time::moment(text, &Here { now: SystemClock.now(), zone: zone_of(run) })
}

/// Returns a time as commands print it.
fn time(moment: Timestamp) -> String {
    times::format(moment, "%Y-%m-%d %H:%M")
}

fn status(run: &mut Run<'_>, _: &[String]) -> Result<i32> {
    let home = &run.ground.files.home;
    let (agent, spaces) = (home.who().agent.to_string(), home.spaces()?);
    run.line(&format!("agent  {agent}"));
    for space in spaces {
        let usage = format!("{} nodes, {} bytes", space.usage.nodes, space.usage.bytes);
        run.line(&format!("space  {}  {}  {usage}", space.path, space.name));
    }
    Ok(0)
}

fn log(run: &mut Run<'_>, args: &[String]) -> Result<i32> {
    let path = first(run, args)?;
    for edition in run.ground.files.home.log(&path, None, SHOWN)? {
        let (version, when) = (edition.version, time(edition.time));
        run.line(&format!("{version}  {when}  {}  {} bytes", edition.agent, edition.size));
    }
    Ok(0)
}

fn diff(run: &mut Run<'_>, args: &[String]) -> Result<i32> {
    let (path, home) = (first(run, args)?, &run.ground.files.home);
    let from = match args.get(1) {
        None => match home.log(&path, None, 2)?.get(1) {
            Some(before) => Moment::Version(before.version),
            None => return Ok(0),
        },
        Some(from) => moment(run, from)?,
    };
    let to = args.get(2).map_or(Ok(Moment::Now), |to| moment(run, to))?;
    let text = home.diff(&path, from, to)?;
    run.out.extend_from_slice(text.as_bytes());
    Ok(i32::from(!text.is_empty()))
}

fn restore(run: &mut Run<'_>, args: &[String]) -> Result<i32> {
    let path = first(run, args)?;
    let to = args.get(1).ok_or_else(|| invalid("a version is missing; see homefs log"))?;
    let to = moment(run, to)?;
    run.ground.files.home.restore(&path, to)?;
    Ok(0)
}

fn trash(run: &mut Run<'_>, _: &[String]) -> Result<i32> {
    for removed in run.ground.files.home.trash(None, PAGE_ENTRIES_MAX)?.items {
        run.line(&format!("{}  {}  {}", time(removed.time), removed.agent, removed.path));
    }
    Ok(0)
}

fn untrash(run: &mut Run<'_>, args: &[String]) -> Result<i32> {
    run.ground.files.home.untrash(&first(run, args)?, None)?;
    Ok(0)
}

fn meta(run: &mut Run<'_>, args: &[String]) -> Result<i32> {
    let (path, home) = (first(run, args)?, &run.ground.files.home);
    let mut set = SetMeta::default();
    for arg in &args[1..] {
        let (key, value) = arg.split_once('=').ok_or_else(|| invalid("write KEY=VALUE"))?;
        set.values.insert(key.to_owned(), Some(value.to_owned()));
    }
    if !set.values.is_empty() {
        home.set_meta(&path, &set)?;
        return Ok(0);
    }
    let metadata = home.meta(&path)?;
    for (key, value) in metadata.lines().into_iter().filter(|(_, value)| !value.is_empty()) {
        run.line(&format!("{key}={value}"));
    }
    Ok(0)
}

fn tag(run: &mut Run<'_>, args: &[String]) -> Result<i32> {
    let (path, home) = (first(run, args)?, &run.ground.files.home);
    let mut set = SetMeta::default();
    for tag in &args[1..] {
        match tag.strip_prefix('-') {
            Some(tag) => set.remove_tags.push(tag.to_owned()),
            None => set.add_tags.push(tag.strip_prefix('+').unwrap_or(tag).to_owned()),
        }
    }
    if args.len() > 1 {
        home.set_meta(&path, &set)?;
        return Ok(0);
    }
    for tag in home.meta(&path)?.tags {
        run.line(&tag);
    }
    Ok(0)
}

fn tags(run: &mut Run<'_>, args: &[String]) -> Result<i32> {
    let path = run.path(args.first().map_or(".", String::as_str))?;
    for (tag, count) in run.ground.files.home.tags(&path)? {
        run.line(&format!("{count:>7} {tag}"));
    }
    Ok(0)
}

fn related(run: &mut Run<'_>, args: &[String]) -> Result<i32> {
    let hits = run.ground.files.home.related(&first(run, args)?, SHOWN)?;
    memory::show(run, &hits);
    Ok(i32::from(hits.is_empty()))
}

fn context(run: &mut Run<'_>, args: &[String]) -> Result<i32> {
    let tokens = args.first().map_or(Ok(CONTEXT_TOKENS), |text| text.parse());
    let tokens = tokens.map_err(|_| invalid("the budget is a number of tokens"))?;
    let standing = run.ground.files.home.context(tokens, Tokenizer::O200k)?;
    run.out.extend_from_slice(standing.text.as_bytes());
    Ok(0)
}

fn sources(run: &mut Run<'_>, args: &[String]) -> Result<i32> {
    let home = &run.ground.files.home;
    match args {
        [] => {
            for Attachment { path, source, read_only, trouble, .. } in home.sources()? {
                let how = if read_only { "read-only" } else { "copy-on-write" };
                let trouble = trouble.map_or_else(String::new, |trouble| format!("  {trouble}"));
                run.line(&format!("{path}  {source}  {how}{trouble}"));
            }
        }
        [option, path] if option == "--refresh" => home.refresh_source(&run.path(path)?)?,
        _ => return Err(invalid("sources takes nothing, or --refresh and a path")),
    }
    Ok(0)
}

fn forget(run: &mut Run<'_>, args: &[String]) -> Result<i32> {
    run.ground.files.home.forget(&first(run, args)?, false)?;
    Ok(0)
}
