//! The store: how it is, its remote, its sources.

use std::collections::BTreeMap;
use std::time::Duration;

use homefs_api::{json, source_address};
use homefs_engine::{Direction, Side};

use crate::files::parse;
use crate::home::Home;
use crate::methods::methods;
use crate::options::{AttachOptions, BarrierOptions, SyncOptions, duration, word};
use crate::records::{Conflict, Source, SourceChange, Status, Synced, record, records};

/// How long to wait if nobody says: longer than any outage.
const WAIT: Duration = Duration::from_hours(24 * 365);

methods! {
    "Tells how the store is."
    soon status status_sync |core| -> [Status] {
        let (status, remote) = (core.client.status()?, core.client.remote()?);
        let scripts = core.client.abandoned_scripts()?;
        let mut value = json::status(&status, remote.as_ref(), &[], scripts);
        // The owner's mounts are not known here.
        value.as_object_mut().map(|fields| fields.remove("mounts"));
        record(value)
    }

    "Makes spaces and their remote agree."
    late sync sync_sync |core, options: [Option<SyncOptions>]| -> [Vec<Synced>] {
        let SyncOptions { direction, space, wait, timeout, signal: _ } =
            options.unwrap_or_default();
        let waits = wait.unwrap_or(timeout.is_some());
        let timeout = timeout.map(duration).transpose()?;
        let options = homefs_engine::SyncOptions {
            direction: direction.map_or(Ok(Direction::Both), |text| word("direction", &text))?,
            space: space.map(|space| space.parse()).transpose()?,
            agent: None,
            one_home: false,
            wait: waits.then(|| timeout.unwrap_or(WAIT)),
            copies: true,
        };
        records(&core.client.sync(&options)?, json::synced)
    }

    "Returns when everything acknowledged so far survives power loss."
    late barrier barrier_sync |core, _options: [Option<BarrierOptions>]| -> [()] {
        core.client.barrier()
    }

    "Lists the conflicts that nobody has resolved, oldest first."
    soon conflicts conflicts_sync |core| -> [Vec<Conflict>] {
        records(&core.client.conflicts()?, json::conflict)
    }

    "Closes conflicts by number, path or pattern, and makes one of their contents, `ours` or"
    "`theirs`, the file's if asked."
    late resolve resolve_sync |core, which: [String], take: [Option<String>]| -> [Vec<Conflict>] {
        let take: Option<Side> = take.map(|side| word("take", &side)).transpose()?;
        records(&core.changing()?.resolve(&which, take)?, json::conflict)
    }

    "Keeps everything at and below a path on this machine."
    late pin pin_sync |core, path: [String]| -> [()] {
        core.client.pin(&parse(&path)?, true)
    }

    "Keeps a path on this machine no longer."
    late unpin unpin_sync |core, path: [String]| -> [()] {
        core.client.pin(&parse(&path)?, false)
    }

    "Lists the paths that are kept on this machine."
    soon pins pins_sync |core| -> [Vec<String>] {
        Ok(core.client.pins()?.iter().map(ToString::to_string).collect())
    }

    "Shows a folder of the host, a bucket or a Chroma collection below a path."
    ""
    "What is changed there stays in the home and never touches the source."
    late attach attach_sync
    |core, source: [String], path: [String], options: [Option<AttachOptions>]| -> [()] {
        let AttachOptions { read_only, settings, signal: _ } = options.unwrap_or_default();
        let address = source_address(&source)?;
        let settings: BTreeMap<_, _> = settings.unwrap_or_default().into_iter().collect();
        let path = parse(&path)?;
        core.changing()?.attach_source(&path, &address, &settings, read_only.unwrap_or(false))
    }

    "Shows a source no longer; what the space has itself stays."
    soon detach detach_sync |core, path: [String]| -> [()] {
        core.changing()?.detach_source(&parse(&path)?)
    }

    "Lists the sources that are attached."
    soon sources sources_sync |core| -> [Vec<Source>] {
        records(&core.client.sources()?, json::source)
    }

    "Lists what was changed over a source."
    late changes changes_sync |core, path: [String]| -> [Vec<SourceChange>] {
        records(&core.client.source_changes(&parse(&path)?)?, json::source_change)
    }

    "Does to a source what was changed over it, and lists that."
    late write_back write_back_sync |core, path: [String]| -> [Vec<SourceChange>] {
        records(&core.changing()?.write_back(&parse(&path)?)?, json::source_change)
    }

    "Gives up what was changed over a source."
    late discard_changes discard_changes_sync |core, path: [String]| -> [()] {
        core.changing()?.discard_source_changes(&parse(&path)?)
    }

    "Ends the use of the store; what it owned is synced to disk, and later calls fail."
    late close close_sync |core| -> [()] {
        core.close()
    }
}
