//! Embedding short texts with the models in the binary, beside the usual small model.

use anyhow::Result;
use homefs_core::{Embedder, Role};
use homefs_search::embed::BuiltIn;

use super::{Scenario, memory};
use crate::bench::Bench;
use crate::peers::notes::Speaker;
use crate::peers::searchers::{Searcher, write};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary};

const NAME: &str = "memory-embed";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "embed questions and notes, beside all-MiniLM-L6-v2",
    run,
    child: None,
};

const TEXTS: usize = 500;
/// The models, and how many times as fast as the peer they must be with a short text.
const MODELS: [(&str, BuiltIn, f64); 2] =
    [("static", BuiltIn::Static, 1_000.0), ("encoder", BuiltIn::Encoder, 20.0)];

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let mut speaker = Speaker::new(memory::SEED);
    let count = bench.scaled(TEXTS);
    let questions = speaker.questions(count).into_iter().map(|question| question.text);
    let questions: Vec<String> = questions.collect();
    measure(bench, report, "question", &questions, true)?;
    measure(bench, report, "note", &speaker.notes(count), false)
}

fn measure(
    bench: &Bench,
    report: &mut Report,
    what: &str,
    texts: &[String],
    has_bar: bool,
) -> Result<()> {
    let folder = bench.folder()?;
    write(folder.path(), "texts", texts)?;
    let mut peer = Searcher::minilm(folder.path())?.ready()?;
    let mut rounds: [Vec<Summary>; MODELS.len()] = Default::default();
    let mut peer_rounds = Vec::new();
    for _ in 0..bench.rounds() {
        for ((_, model, _), rounds) in MODELS.iter().zip(&mut rounds) {
            rounds.push(embed_all(*model, texts)?);
        }
        if let Some(peer) = &mut peer {
            peer_rounds.push(peer.round()?);
        }
    }
    let bytes = texts.iter().map(String::len).sum::<usize>() / texts.len();
    for ((name, _, bar), rounds) in MODELS.iter().zip(&rounds) {
        let summary = Summary::of_rounds(rounds);
        report.add_latency(NAME, &format!("{name}, {what}"), bytes, summary);
        let what = format!("embed a {what} of {bytes} bytes, {name}, p50");
        let mut row = Row::new(NAME, &what, summary.p50, Unit::Microseconds);
        if let Some(peer) = &peer {
            row = row.against(peer.name(), Summary::of_rounds(&peer_rounds).p50);
        }
        report.add(if has_bar { row.bar(Bar::TimesAsFast(*bar)) } else { row });
    }
    if let Some(peer) = &peer {
        let name = format!("{}, {what}", peer.name());
        report.add_latency(NAME, &name, bytes, Summary::of_rounds(&peer_rounds));
    }
    Ok(())
}

fn embed_all(model: BuiltIn, texts: &[String]) -> Result<Summary> {
    let mut sample = Sample::with_capacity(texts.len());
    for text in texts {
        sample.time(|| model.embed(text, Role::Query))?;
    }
    Ok(sample.summary())
}
