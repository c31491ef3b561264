//! Versions and the trash.

use homefs_api::{json, pages};
use homefs_engine::Moment;
use napi::bindgen_prelude::Either;

use crate::files::{number, parse};
use crate::home::Home;
use crate::methods::methods;
use crate::options::{LogOptions, UntrashOptions, moment, version};
use crate::records::{Edition, Forgotten, Trashed, record, records};

/// Editions that a log shows if nobody says how many.
const LOG_LIMIT: u32 = 100;

methods! {
    "Lists the versions of a file, newest first, also of a removed one."
    soon log log_sync |core, path: [String], options: [Option<LogOptions>]| -> [Vec<Edition>] {
        let LogOptions { limit, before } = options.unwrap_or_default();
        let limit = limit.unwrap_or(LOG_LIMIT) as usize;
        let before = before.map(version).transpose()?;
        records(&core.client.log(&parse(&path)?, before, limit)?, json::edition)
    }

    "Shows how a file differs between two moments, as a unified diff; empty if it does not."
    ""
    "A moment is a version, or a time such as `2h ago`, `yesterday` or RFC 3339. The earlier one"
    "is the version before the last if not given, the later one now."
    soon diff diff_sync
    |core, path: [String], from: [Option<Either<i64, String>>], to: [Option<Either<i64, String>>]|
    -> [String] {
        let path = parse(&path)?;
        let from = from.map_or_else(|| core.client.previous(&path), moment)?;
        core.client.diff(&path, from, to.map_or(Ok(Moment::Now), moment)?)
    }

    "Makes an old content of a file the present one; returns the new version."
    soon restore restore_sync
    |core, path: [String], version: [Either<i64, String>]| -> [i64] {
        core.changing()?.restore(&parse(&path)?, moment(version)?).map(number)
    }

    "Lists what was removed and can be brought back, newest first."
    soon trash trash_sync |core| -> [Vec<Trashed>] {
        let items = pages::all(|after| core.client.trash(after, pages::LIMIT))?;
        records(&items, json::trashed)
    }

    "Brings back what was removed, to where it was or to another path; returns the version."
    soon untrash untrash_sync
    |core, path: [String], options: [Option<UntrashOptions>]| -> [i64] {
        let to = options.and_then(|options| options.to);
        let to = to.map(|to| parse(&to)).transpose()?;
        core.changing()?.untrash(&parse(&path)?, to.as_ref()).map(number)
    }

    "Erases a file or directory from the tree, the history and the trash, for ever."
    soon purge purge_sync |core, path: [String]| -> [Forgotten] {
        record(json::forgotten(&core.changing()?.forget(&parse(&path)?, true)?))
    }
}
