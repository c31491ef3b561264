//! Files and directories, what is noted about them, and who may do what.

use homefs_core::{Error, ErrorKind, Path, Result, Version};
use homefs_view::{Edit, Entry, GrepOptions, Kind, RenameMode, SetMeta, WriteOptions};
use homefs_wire::words::Durability;
use homefs_wire::{methods, records};

use super::{Call, all, calls, or_root};
use crate::client::Client;
use crate::{json, pages};

impl Call for methods::StatOf {
    fn call(self, client: &Client) -> Result<records::Stat> {
        Ok(json::stat(&self.path, &client.stat(&self.path)?))
    }

    #[inline]
    fn at_once(&self, client: &Client) -> Option<Result<records::Stat>> {
        let stat = client.at_once(&self.path, |view| view.stat(&self.path))?;
        Some(stat.map(|stat| json::stat(&self.path, &stat)))
    }
}

/// Declares methods that ask what is at a path, where a link leads included.
macro_rules! kinds {
    ($($method:ident |$kind:ident| $is:expr;)*) => {
        $(impl Call for methods::$method {
            fn call(self, client: &Client) -> Result<bool> {
                client.kind(&self.path).map(|$kind| $is)
            }

            #[inline]
            fn at_once(&self, client: &Client) -> Option<Result<bool>> {
                // A link is followed by asking, which may take long.
                let $kind = match client.at_once(&self.path, |view| view.stat(&self.path))? {
                    Ok(stat) if stat.kind == Kind::Link => return None,
                    Ok(stat) => Some(stat.kind),
                    Err(error) if is_nothing(&error) => None,
                    Err(_) => return None,
                };
                Some(Ok($is))
            }
        })*
    };
}

/// Tells whether an error says that nothing is there.
fn is_nothing(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

kinds! {
    Exists |kind| kind.is_some();
    IsFile |kind| kind == Some(Kind::File);
    IsDir |kind| kind == Some(Kind::Directory);
}

calls! {
    Edit |given, client| {
        let methods::Edit { path, old, new, all, expected_version, durability } = given;
        let edit = if all { Edit::ReplaceAll { old, new } } else { Edit::Replace { old, new } };
        client.edit(&path, &edit, &how(expected_version, durability))
    };
    Insert |given, client| {
        let methods::Insert { path, line, text, expected_version, durability } = given;
        client.edit(&path, &Edit::Insert { line, text }, &how(expected_version, durability))
    };
    Ls |given, client| ls(client, &or_root(given.path));
    Tree |given, client| client.tree(&or_root(given.path), given.depth);
    Find |given, client| {
        let path = or_root(given.path);
        let found = pages::all(|after| client.find(&path, &given.pattern, after, pages::LIMIT))?;
        Ok(found.into_iter().map(|found| found.path).collect())
    };
    Walk |given, client| {
        let path = or_root(given.path);
        let found = pages::all(|after| client.walk(&path, after, pages::LIMIT))?;
        Ok(all(&found, json::found))
    };
    Grep |given, client| {
        let methods::Grep { pattern, path, glob, ignore_case, literal, limit, before, after } =
            given;
        let below = or_root(path);
        let options =
            GrepOptions { below, glob, literal, ignore_case, before, after, limit, since: None };
        Ok(client.grep_all(&pattern, &options)?.lines)
    };
    Mv |given, client| {
        let methods::Mv { source, target, no_replace, exchange } = given;
        let source = client.path_meant(&source)?;
        match (exchange, no_replace) {
            (true, _) => client.rename(&source, &target, RenameMode::Exchange),
            (_, true) => client.move_to(&source, &target, RenameMode::NoReplace),
            _ => {
                let target = client.into_directory(source.name(), target)?;
                client.move_to(&source, &target, RenameMode::Replace)
            }
        }
    };
    Cp |given, client| {
        let source = client.path_meant(&given.source)?;
        let target = client.into_directory(source.name(), given.target)?;
        client.copy(&source, &target, given.recursive)
    };
    SetMeta |given, client| {
        let named = [
            ("importance", given.importance.map(|importance| importance.to_string())),
            ("title", given.title),
            ("source", given.source),
            ("ttl", given.ttl),
            ("tags", given.tags.map(|tags| tags.join(","))),
        ];
        let named = named.into_iter().filter(|(_, value)| value.is_some());
        let mut values = given.other;
        values.extend(named.map(|(key, value)| (key.to_owned(), value)));
        let set =
            SetMeta { values, add_tags: given.add_tags, remove_tags: given.remove_tags };
        client.set_meta(&given.path, &set)
    };
    GrantTo |given, client| client.grant(&given.path, &given.who.parse()?, given.right);
    Revoke |given, client| client.revoke(&given.path, &given.who.parse()?);
    Grants |given, client| Ok(all(&client.grants(&or_root(given.path))?, json::grant));
    Spaces |_given, client| Ok(all(&client.spaces()?, json::space));
}

/// Returns how a text is edited.
fn how(expected_version: Option<u64>, durability: Durability) -> WriteOptions {
    let if_version = expected_version.map(Version);
    WriteOptions { if_version, durability, ..WriteOptions::default() }
}

fn ls(client: &Client, path: &Path) -> Result<Vec<records::Stat>> {
    let entries = match pages::all(|after| client.list(path, after, pages::LIMIT)) {
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Ok(vec![json::stat(path, &client.stat(path)?)]);
        }
        entries => entries?,
    };
    let shown = |Entry { name, stat }: Entry| Ok(json::stat(&path.join(&name)?, &stat));
    entries.into_iter().map(shown).collect()
}
