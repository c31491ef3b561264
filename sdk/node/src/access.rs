//! Notes about files, and who may do what.

use homefs_api::json;

use crate::files::{number, parse, parse_or_root};
use crate::home::Home;
use crate::methods::methods;
use crate::options::{SetMeta, word};
use crate::records::{Grant, Metadata, Space, record, records};

methods! {
    "Returns what is noted about a file or directory."
    soon meta meta_sync |core, path: [String]| -> [Metadata] {
        let path = parse(&path)?;
        record(json::metadata(&path, &core.client.meta(&path)?))
    }

    "Notes something about a file or directory; returns the version."
    soon set_meta set_meta_sync |core, path: [String], notes: [SetMeta]| -> [i64] {
        core.changing()?.set_meta(&parse(&path)?, &set_meta(notes)).map(number)
    }

    "Gives an agent, or a group as `group:NAME`, a right below a path: `read`, `write` or `manage`."
    soon grant grant_sync |core, path: [String], who: [String], right: [String]| -> [i64] {
        let right = word("right", &right)?;
        core.changing()?.grant(&parse(&path)?, &who.parse()?, right).map(number)
    }

    "Takes the rights of an agent or group at a path away."
    soon revoke revoke_sync |core, path: [String], who: [String]| -> [i64] {
        core.changing()?.revoke(&parse(&path)?, &who.parse()?).map(number)
    }

    "Lists the rules of access that hold at a path."
    soon grants grants_sync |core, path: [Option<String>]| -> [Vec<Grant>] {
        records(&core.client.grants(&parse_or_root(path)?)?, json::grant)
    }

    "Lists the spaces that the agent sees."
    soon spaces spaces_sync |core| -> [Vec<Space>] {
        records(&core.client.spaces()?, json::space)
    }

    "Lists the agents that have a home."
    soon agents agents_sync |core| -> [Vec<String>] {
        Ok(core.client.agents()?.iter().map(ToString::to_string).collect())
    }
}

fn set_meta(notes: SetMeta) -> homefs_engine::SetMeta {
    let named = [
        ("importance", notes.importance.map(|importance| importance.to_string())),
        ("title", notes.title),
        ("source", notes.source),
        ("ttl", notes.ttl),
        ("tags", notes.tags.map(|tags| tags.join(" "))),
    ];
    let named = named.into_iter().filter_map(|(key, value)| Some((key.to_owned(), Some(value?))));
    let other = notes.other.unwrap_or_default();
    homefs_engine::SetMeta {
        values: named.chain(other).collect(),
        add_tags: notes.add_tags.unwrap_or_default(),
        remove_tags: notes.remove_tags.unwrap_or_default(),
    }
}
