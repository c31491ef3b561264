//! Reading and searching a collection of Chroma that others filled, beside bare requests to it.

use std::collections::BTreeMap;
use std::path::Path as HostPath;

use anyhow::{Result, ensure};
use homefs_api::Client;
use homefs_core::Path;
use serde_json::{Map, json};

use super::Scenario;
use super::shell::{open, run as run_script};
use crate::bench::Bench;
use crate::clock;
use crate::peers::chroma::Chroma;
use crate::peers::pages::{self, COMMON_WORD, Page};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::median;

const NAME: &str = "chroma-read";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "cat and grep over a collection of 4,000 pages, beside bare requests to Chroma",
    run,
    child: None,
};

const PAGES: usize = 4000;
/// Pages of a directory, all of which `cat` reads.
const DIRECTORY: usize = 500;
/// Words of one page each, which are searched for in each round.
const WORDS: usize = 10;
/// Records of one request that fills a collection.
const AT_ONCE: usize = 500;
const PATH_TREE: &str = "__path_tree__";
const PLACE: &str = "/kb";
/// `cat` takes at most twice as long as its request, and `grep` three times.
const CAT: Bar = Bar::TimesAsFast(1.0 / 2.0);
const FOUND: Bar = Bar::TimesAsFast(1.0 / 3.0);
/// How long all pages may take, in milliseconds.
const ALL_MAX: f64 = 5000.0;

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let Some(mut chroma) = Chroma::start()? else { return Ok(()) };
    let count = bench.scaled(PAGES);
    let directory = DIRECTORY.min(count);
    let shown = fill(&mut chroma, "shown", count, |_| true)?;
    let hiding = fill(&mut chroma, "hiding", count, |page| page % 2 == 0)?;
    let folder = bench.folder()?;
    let (mut cats, mut requests) = (Vec::new(), Vec::new());
    let (mut counts, mut commons) = (Vec::new(), Vec::new());
    let (mut greps, mut contains) = (Vec::new(), Vec::new());
    for round in 0..bench.rounds() {
        let slugs: Vec<String> = (0..directory).map(path).collect();
        let all = json!({ "where": { "path": { "$in": slugs } },
            "include": ["documents", "metadatas"] });
        requests.push(timed(|| chroma.query(&shown, &all), directory)?);
        let session = Session::new(&folder.path().join(format!("cat-{round}")), &chroma, "shown")?;
        cats.push(timed(|| session.headings(), directory)?);
        session.client.close()?;

        let every = json!({ "where_document": { "$contains": COMMON_WORD },
            "include": ["documents", "metadatas"] });
        commons.push(timed(|| chroma.query(&shown, &every), count)?);
        let session = Session::new(&folder.path().join(format!("all-{round}")), &chroma, "shown")?;
        counts.push(timed(|| session.counted(), count)?);
        session.client.close()?;

        let session = Session::new(&folder.path().join(format!("one-{round}")), &chroma, "hiding")?;
        let mut shell = session.client.shell();
        for at in 0..WORDS {
            // A page that may be seen, and that nothing has read yet.
            let word = word(2 * ((round * WORDS + at) * 7 % (count / 2)));
            let one = json!({ "where_document": { "$contains": word }, "include": ["metadatas"] });
            contains.push(timed(|| chroma.query(&hiding, &one), 1)?);
            let script = format!("grep -rl {word} kb");
            greps.push(timed(|| Ok(run_script(&mut shell, &script)?.lines().count()), 1)?);
        }
        drop(shell);
        session.client.close()?;
    }
    let middle = |times: Vec<f64>| median(times.into_iter());
    let row = |what: &str, own: f64| Row::new(NAME, what, own, Unit::Milliseconds);
    let what = format!("first cat of a directory of {directory} pages, of {count}");
    let peer = "one request for all of them";
    report.add(row(&what, middle(cats)).against(peer, middle(requests)).bar(CAT));
    let what = format!("first grep -rc of a word of every page, {count} pages");
    let peer = "one request for all of them";
    let counted = row(&what, middle(counts)).against(peer, middle(commons));
    report.add(counted.bar(Bar::AtMost(ALL_MAX)));
    let what = format!("grep -rl of a word of one page, {count} pages, half of them hidden");
    let peer = "one $contains";
    report.add(row(&what, middle(greps)).against(peer, middle(contains)).bar(FOUND));
    Ok(())
}

/// A store that has a collection attached, of which it has read nothing.
struct Session {
    client: Client,
}

impl Session {
    /// Makes the store.
    fn new(store: &HostPath, chroma: &Chroma, collection: &str) -> Result<Self> {
        let client = open(store)?;
        let address = chroma.address(collection);
        client.attach_source(&Path::parse(PLACE)?, &address, &BTreeMap::new(), false)?;
        Ok(Self { client })
    }

    /// Reads a directory; returns how many pages it has.
    fn headings(&self) -> Result<usize> {
        let text = run_script(&mut self.client.shell(), "cat kb/d0/*")?;
        Ok(text.lines().filter(|line| line.starts_with("# Page ")).count())
    }

    /// Searches all pages; returns how many have the word.
    fn counted(&self) -> Result<usize> {
        let told = run_script(&mut self.client.shell(), &format!("grep -rc {COMMON_WORD} kb"))?;
        Ok(told.lines().filter(|line| !line.ends_with(":0")).count())
    }
}

/// Makes a collection of pages that are a record each; who may see which is said by its tree.
fn fill(
    chroma: &mut Chroma,
    name: &str,
    count: usize,
    is_public: fn(usize) -> bool,
) -> Result<String> {
    let id = chroma.collection(name)?;
    let (mut tree, mut records) = (Map::new(), Vec::new());
    for (number, page) in pages::pages(count).into_iter().enumerate() {
        tree.insert(path(number), json!({ "isPublic": is_public(number), "groups": [] }));
        let text = format!("{}\n{}\n", page.text, word(number));
        records.push(Page { path: path(number), text });
    }
    records.push(Page { path: PATH_TREE.to_owned(), text: serde_json::to_string(&tree)? });
    for part in records.chunks(AT_ONCE) {
        chroma.add(&id, part, &vec![vec![1.0, 0.0]; part.len()])?;
    }
    Ok(id)
}

/// Returns where a page is.
fn path(number: usize) -> String {
    format!("d{}/page{number:04}.md", number / DIRECTORY)
}

/// Returns the word that only one page has.
fn word(number: usize) -> String {
    format!("token_{number:05}")
}

/// Does something that finds so many pages; returns the milliseconds that it took.
fn timed(work: impl FnOnce() -> Result<usize>, expected: usize) -> Result<f64> {
    let start = clock::now();
    let found = work()?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    ensure!(found == expected, "{found} pages are found, not {expected}");
    Ok(milliseconds)
}
