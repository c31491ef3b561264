//! Publishing files to a collection of Chroma, beside adding them to it one by one.

use anyhow::{Result, ensure};
use homefs_api::{Client, ClientOptions, EmbedderConfig};
use homefs_core::{Embedder, Path, Role};
use homefs_search::embed::BuiltIn;

use super::Scenario;
use super::shell::{settle, write};
use crate::bench::Bench;
use crate::clock;
use crate::home::who;
use crate::peers::chroma::Chroma;
use crate::peers::pages::{self, Page};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::median;

const NAME: &str = "chroma-publish";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "publish 100 files to a collection, beside 100 single adds to Chroma",
    run,
    child: None,
};

const FILES: usize = 100;
const TIMES_AS_FAST: f64 = 20.0;
const SINGLE: &str = "single adds, vectors given";
const AT_ONCE: &str = "one add of all, vectors given";

/// An embedder, and whether there is a bar: with the encoder it takes most of the time.
const EMBEDDERS: [(&str, EmbedderConfig, BuiltIn, bool); 2] = [
    ("static vectors", EmbedderConfig::Static, BuiltIn::Static, true),
    ("encoder", EmbedderConfig::Encoder, BuiltIn::Encoder, false),
];

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let Some(mut chroma) = Chroma::start()? else { return Ok(()) };
    for (kind, pages) in [("notes", pages::notes(FILES)), ("pages", pages::pages(FILES))] {
        let bytes = pages.iter().map(|page| page.text.len()).sum::<usize>() / FILES;
        for (name, config, embedder, has_bar) in EMBEDDERS {
            let folder = bench.folder()?;
            let options = ClientOptions::new(folder.path().join("store"), who());
            let client = Client::open(ClientOptions { embedder: config, ..options })?;
            write(&client, &pages)?;
            settle(&client)?;
            let vector = |page: &Page| Ok(embedder.embed(&page.text, Role::Memory)?);
            let vectors: Vec<Vec<f32>> = pages.iter().map(vector).collect::<Result<_>>()?;
            let (mut own, mut single, mut at_once) = (Vec::new(), Vec::new(), Vec::new());
            for round in 0..bench.rounds() {
                let collection = format!("{kind}-{}-{round}", name.replace(' ', "-"));
                own.push(publish(&client, &chroma.address(&collection))?);
                single.push(add(&mut chroma, &format!("{collection}-s"), &pages, &vectors, 1)?);
                at_once.push(add(
                    &mut chroma,
                    &format!("{collection}-a"),
                    &pages,
                    &vectors,
                    FILES,
                )?);
            }
            let [own, single, at_once] =
                [own, single, at_once].map(|times| median(times.into_iter()));
            let what = format!("publish {FILES} {kind} of {bytes} bytes, {name}");
            let row = || Row::new(NAME, &what, own, Unit::Milliseconds);
            let compared = row().against(SINGLE, single);
            report.add(if has_bar {
                compared.bar(Bar::TimesAsFast(TIMES_AS_FAST))
            } else {
                compared
            });
            report.add(row().against(AT_ONCE, at_once));
            client.close()?;
        }
    }
    Ok(())
}

/// Publishes everything to a new collection; returns the milliseconds that it took.
fn publish(client: &Client, address: &str) -> Result<f64> {
    let start = clock::now();
    let publication = client.publish(address, &Path::parse("/docs")?, true)?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    ensure!(publication.sent == FILES, "{publication:?}");
    Ok(milliseconds)
}

/// Adds so many at once to a new collection, until all are there; returns the milliseconds that it
/// took.
fn add(
    chroma: &mut Chroma,
    collection: &str,
    pages: &[Page],
    vectors: &[Vec<f32>],
    at_once: usize,
) -> Result<f64> {
    let id = chroma.collection(collection)?;
    let start = clock::now();
    for (pages, vectors) in pages.chunks(at_once).zip(vectors.chunks(at_once)) {
        chroma.add(&id, pages, vectors)?;
    }
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
