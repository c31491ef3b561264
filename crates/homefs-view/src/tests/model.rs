//! Random operations on a store and on the naive model agree, also after crashes.

use homefs_core::Path;
use homefs_testkit::{Bulk, Clash, Expect, Operation, script};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::rig::Rig;
use crate::Settings;
use homefs_testkit::cases;

/// Cases and their longest; half of it on average makes 20,000 operations in all.
const CASES: u32 = 160;
const OPERATIONS_MAX: usize = 256;

/// Small bounds, so that memory is given back, segments roll and contents settle all the time.
fn settings(flush: bool, crowded: bool) -> Settings {
    Settings {
        flush_interval_ms: if flush { 5 } else { 3_600_000 },
        segment_bytes: 64 << 10,
        journal_bytes_max: if crowded { 1 << 20 } else { 64 << 20 },
        memory_bytes_max: if crowded { 16 << 10 } else { 1 << 20 },
        staging_bytes_max: 2 << 20,
        settle_ms: 20,
        history_versions_max: 10_000,
        ..Settings::default()
    }
}

fn run(operations: &[Operation], settings: Settings) -> Result<(), TestCaseError> {
    let mut rig = Rig::new(settings);
    for (at, operation) in operations.iter().enumerate() {
        let told = |error| TestCaseError::fail(format!("step {at}, {operation:?}: {error}"));
        rig.step(operation).map_err(told)?;
        if at % 10 == 9 {
            rig.check().map_err(told)?;
        }
    }
    let told = |error| TestCaseError::fail(format!("at the end: {error}"));
    rig.check_past().map_err(told)?;
    rig.step(&Operation::Reopen).map_err(told)?;
    rig.check_past().map_err(told)
}

proptest! {
    #![proptest_config(cases(CASES))]

    #[test]
    fn a_store_agrees_with_a_naive_model_also_after_crashes(
        script in script(OPERATIONS_MAX),
        flush in any::<bool>(),
        crowded in any::<bool>(),
    ) {
        run(&script.0, settings(flush, crowded))?;
    }
}

#[test]
fn chunks_lost_to_power_take_the_records_that_name_them() {
    let content = Bulk { letter: 'a', len: 100_000 };
    for seed in 0..50 {
        let mut rig = Rig::new(settings(false, false));
        let append = Operation::Append { path: at("/a"), content, parents: false };
        rig.step(&append).unwrap();
        rig.step(&Operation::CrashPower(seed)).unwrap();
    }
}

fn at(text: &str) -> Path {
    Path::parse(text).expect("a good path")
}

fn write(path: &str, len: usize) -> Operation {
    let content = Bulk { letter: 'a', len };
    let (path, expect) = (at(path), Expect::Anything);
    let (create_only, parents, durable) = (false, true, false);
    Operation::Write { path, content, expect, create_only, parents, durable }
}

fn copy(from: &str, to: &str) -> Operation {
    Operation::Copy { from: at(from), to: at(to), recursive: true }
}

/// Waits for the fold on the way, so that the base has what was done so far.
fn restore(path: &str) -> Operation {
    Operation::Restore { path: at(path), back: 0 }
}

fn untrash(path: &str) -> Operation {
    Operation::Untrash { path: at(path), to: None }
}

fn remove(path: &str) -> Operation {
    Operation::Remove { path: at(path), recursive: true }
}

/// What random scripts have found, cut down to what matters.
#[test]
fn what_was_wrong_once_stays_right() {
    let added = Bulk { letter: 'b', len: 7 };
    let append = |path| Operation::Append { path: at(path), content: added, parents: false };
    let scripts = [
        // A node was counted twice where its record sets its attributes again.
        vec![write("/a", 9), copy("/a", "/b"), remove("/b"), untrash("/b")],
        // A replayed change of attributes took an existing file for a new and empty one.
        vec![
            write("/a", 9),
            restore("/a"),
            Operation::SetAttrs { path: at("/a"), mode: Some(0o600), xattr: None },
            Operation::CrashProcess,
        ],
        // A small append to a file that memory has no room for never ended.
        vec![write("/a", 60_000), restore("/a"), Operation::Reopen, append("/a")],
        // Nor did one to a copy that was not folded yet.
        vec![write("/a", 9), Operation::Reopen, copy("/a", "/b"), append("/b")],
        // What was written in ranges was lost when the file was removed at once.
        vec![
            write("/a", 0),
            Operation::Truncate { path: at("/a"), size: 19 },
            remove("/a"),
            untrash("/a"),
        ],
        // Records name contents that power loss takes from the base.
        vec![
            write("/a", 9),
            restore("/a"),
            copy("/a", "/b"),
            Operation::WriteAt { path: at("/b"), offset: 3, content: added },
            Operation::Barrier,
            Operation::CrashPower(1),
        ],
        // A directory that was removed and brought back had what the base still knew of it.
        vec![
            write("/b/b/c", 0),
            Operation::Reopen,
            Operation::Rename { from: at("/b/b"), to: at("/a"), clash: Clash::Replace },
            remove("/b"),
            untrash("/b"),
            Operation::Barrier,
            Operation::CrashPower(0),
        ],
        // A store that was opened and closed without a look lost what was written in ranges.
        vec![
            write("/a", 9),
            Operation::Reopen,
            Operation::WriteAt { path: at("/a"), offset: 3, content: added },
            Operation::Quiet,
            write("/b", 9),
            Operation::CrashProcess,
            Operation::CrashProcess,
        ],
    ];
    for (flush, crowded) in [(false, false), (false, true), (true, false), (true, true)] {
        for script in &scripts {
            run(script, settings(flush, crowded)).expect("the store agrees with the model");
        }
    }
}
