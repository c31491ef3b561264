//! Scripts that nobody thought of: a grammar makes them from seeds, real bash and our shell run each
//! on the same small tree, and standard output, status and the files that are there afterwards must
//! be the same. A script that differs is made smaller as long as it differs.
//!
//! `HOMEFS_SEEDS=5000..6000` tries others than the usual ones, and `HOMEFS_SECONDS=3600` goes on
//! from there for so long. What is known to differ is in `exceptions.txt`.

mod grammar;
mod judge;

use std::env;
use std::ops::Range;
use std::path::Path as HostPath;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use homefs_testkit::say_skipped;
use parking_lot::Mutex;

use self::grammar::{Grammar, Node};
use self::judge::{Exceptions, Judge, Verdict};
use crate::hostile::is_extended;
use crate::oracle;

/// The seeds of every run, and those of an extended one.
const USUAL: Range<u64> = 0..200;
const EXTENDED: Range<u64> = 0..6000;

/// How many differences are made smaller and shown.
const SHOWN_MAX: usize = 40;

/// How many smaller scripts are tried for one that differs.
const SMALLER_MAX: usize = 400;

/// Of scripts, how many per hundred may be refused.
const REFUSED_PERCENT: u64 = 5;

/// Reads a file that stands beside this one, as it is now.
fn read(name: &str) -> String {
    let dir = HostPath::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/random");
    std::fs::read_to_string(dir.join(name)).expect("it is text")
}

fn seeds() -> Range<u64> {
    let asked = env::var("HOMEFS_SEEDS").ok();
    let range = asked.and_then(|text| {
        let (first, end) = text.split_once("..")?;
        Some(first.parse().ok()?..end.parse().ok()?)
    });
    range.unwrap_or(if is_extended() { EXTENDED } else { USUAL })
}

fn seconds() -> Option<Duration> {
    let text = env::var("HOMEFS_SECONDS").ok()?;
    Some(Duration::from_secs(text.parse().expect("a number of seconds")))
}

/// Makes a script smaller as long as it differs.
fn smallest(grammar: &Grammar, judge: &mut Judge<'_>, mut script: Node) -> Node {
    let mut tried = 0;
    'again: loop {
        for smaller in grammar.smaller(&script) {
            tried += 1;
            if tried > SMALLER_MAX {
                return script;
            }
            if let Verdict::Differs(_) = judge.judge(&grammar.text(&smaller)) {
                script = smaller;
                continue 'again;
            }
        }
        return script;
    }
}

#[test]
fn scripts_of_chance_do_what_real_bash_does() {
    if !oracle::has_bash() {
        return say_skipped("there is no bash 5");
    }
    let grammar = Grammar::new();
    let exceptions = Exceptions::read();
    let dir = oracle::quick_directory();
    let missing = oracle::gather_programs(&dir.path().join(oracle::PROGRAMS));
    if let Some(name) = missing.iter().find(|name| grammar::calls(name)) {
        return say_skipped(&format!("there is no {name}, which `cargo xtask test` gets"));
    }
    let (seeds, limit, start) = (seeds(), seconds(), Instant::now());
    let next = AtomicU64::new(seeds.start);
    let (found, refused) = (Mutex::new(Vec::new()), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for worker in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            let (grammar, exceptions, next) = (&grammar, &exceptions, &next);
            let (found, refused) = (&found, &refused);
            let dir: &HostPath = dir.path();
            let seeds = seeds.clone();
            scope.spawn(move || {
                let mut judge = Judge::new(dir, worker, exceptions);
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    let goes_on = match limit {
                        Some(limit) => start.elapsed() < limit,
                        None => seed < seeds.end,
                    };
                    if !goes_on || found.lock().len() >= SHOWN_MAX {
                        return;
                    }
                    let script = grammar.script(seed);
                    match judge.judge(&grammar.text(&script)) {
                        Verdict::Same => {}
                        Verdict::Refused => drop(refused.fetch_add(1, Ordering::Relaxed)),
                        Verdict::Differs(_) => {
                            let text = grammar.text(&smallest(grammar, &mut judge, script));
                            if let Verdict::Differs(how) = judge.judge(&text) {
                                println!("=== seed {seed}\n{text}\n{how}");
                                found.lock().push(seed);
                            }
                        }
                    }
                }
            });
        }
    });
    let tried = next.into_inner().saturating_sub(seeds.start);
    let found = found.into_inner();
    let refused = refused.into_inner();
    println!("{tried} scripts in {:.1} s, {refused} refused", start.elapsed().as_secs_f64());
    assert!(refused * 100 <= tried * REFUSED_PERCENT, "{refused} of {tried} are refused");
    assert!(found.is_empty(), "{} scripts differ: seeds {found:?}", found.len());
}
