//! Directories, and looking for files.

use homefs_api::{json, pages};
use homefs_engine::{Entry, Kind, RenameMode};

use crate::files::{number, parse, parse_or_root};
use crate::home::Home;
use crate::methods::methods;
use crate::options::{GrepOptions, MkdirOptions, MvOptions, RecursiveOptions};
use crate::records::{Match, Stat, record, records};

methods! {
    "Lists a directory; a file is listed as itself."
    soon ls ls_sync |core, path: [Option<String>]| -> [Vec<Stat>] {
        let path = parse_or_root(path)?;
        let stat = core.client.stat(&path)?;
        if stat.kind != Kind::Directory {
            return Ok(vec![record(json::stat(&path, &stat))?]);
        }
        let entries = pages::all(|after| core.client.list(&path, after, pages::LIMIT))?;
        entries
            .into_iter()
            .map(|Entry { name, stat }| record(json::stat(&path.join(&name)?, &stat)))
            .collect()
    }

    "Shows everything below a directory as a tree of text."
    soon tree tree_sync
    |core, path: [Option<String>], depth: [Option<u32>]| -> [String] {
        core.client.tree(&parse_or_root(path)?, depth.map(|depth| depth as usize))
    }

    "Finds paths below a directory by a pattern, `**` if not given."
    ""
    "A pattern without `/` matches names at any depth; with `/` it matches the path below the"
    "directory, where `**` stands for any number of directories."
    soon find find_sync
    |core, pattern: [Option<String>], path: [Option<String>]| -> [Vec<String>] {
        let (path, glob) = (parse_or_root(path)?, pattern.as_deref().unwrap_or("**"));
        let found = pages::all(|after| core.client.find(&path, glob, after, pages::LIMIT))?;
        Ok(found.into_iter().map(|found| found.path.to_string()).collect())
    }

    "Lists everything below a directory, with what is known of it."
    soon walk walk_sync |core, path: [Option<String>]| -> [Vec<Stat>] {
        let path = parse_or_root(path)?;
        let found = pages::all(|after| core.client.walk(&path, after, pages::LIMIT))?;
        records(&found, json::found)
    }

    "Makes a directory, and those on its way; returns the version."
    soon mkdir mkdir_sync |core, path: [String], options: [Option<MkdirOptions>]| -> [i64] {
        let parents = options.and_then(|options| options.parents).unwrap_or(true);
        core.changing()?.make_dir(&parse(&path)?, parents).map(number)
    }

    "Moves a file or directory, also into a directory that exists; returns the version."
    ""
    "That is one step within a space; to another space it is a copy and a removal."
    soon mv mv_sync
    |core, source: [String], target: [String], options: [Option<MvOptions>]| -> [i64] {
        let MvOptions { no_replace, exchange } = options.unwrap_or_default();
        let (client, from, to) = (core.changing()?, parse(&source)?, parse(&target)?);
        let (mode, to) = match (exchange, no_replace) {
            (Some(true), _) => (RenameMode::Exchange, to),
            (_, Some(true)) => (RenameMode::NoReplace, to),
            _ => (RenameMode::Replace, client.into_directory(from.name(), to)?),
        };
        client.move_to(&from, &to, mode).map(number)
    }

    "Copies a file or directory, also into a directory that exists; returns the version."
    soon cp cp_sync
    |core, source: [String], target: [String], options: [Option<RecursiveOptions>]| -> [i64] {
        let recursive = options.and_then(|options| options.recursive).unwrap_or(false);
        let (client, from) = (core.changing()?, parse(&source)?);
        let to = client.into_directory(from.name(), parse(&target)?)?;
        client.copy(&from, &to, recursive).map(number)
    }

    "Makes a symbolic link to a target; returns the version."
    soon symlink symlink_sync |core, target: [String], path: [String]| -> [i64] {
        core.changing()?.symlink(&target, &parse(&path)?).map(number)
    }

    "Gives a file one more name; returns the version."
    soon link link_sync |core, existing: [String], path: [String]| -> [i64] {
        core.changing()?.link(&parse(&existing)?, &parse(&path)?).map(number)
    }

    "Returns where a symbolic link points."
    soon readlink readlink_sync |core, path: [String]| -> [String] {
        core.client.read_link(&parse(&path)?)
    }

    "Returns where a path leads when every link on it is followed."
    ""
    "@internal"
    soon realpath realpath_sync |core, path: [String]| -> [String] {
        core.client.real_path(&parse(&path)?).map(|path| path.to_string())
    }

    "Finds the lines of text files that match a regular expression, or contain a text."
    soon grep grep_sync
    |core, pattern: [String], path: [Option<String>], options: [Option<GrepOptions>]|
    -> [Vec<Match>] {
        let given = options.unwrap_or_default();
        let usual = homefs_engine::GrepOptions::default();
        let options = homefs_engine::GrepOptions {
            below: parse_or_root(path)?,
            glob: given.glob,
            literal: given.literal.unwrap_or(false),
            ignore_case: given.ignore_case.unwrap_or(false),
            limit: given.limit.map_or(usual.limit, |limit| limit as usize),
            before: given.before.unwrap_or(0) as usize,
            after: given.after.unwrap_or(0) as usize,
            ..usual
        };
        records(&core.client.grep_all(&pattern, &options)?.lines, json::grep_line)
    }
}
