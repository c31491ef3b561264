//! Prints how much of the evidence for questions is found; run it with `cargo xtask eval`.
//!
//! The data is one conversation a line: memories with ids, and questions with the ids of their
//! evidence. Each conversation is a space of its own, each memory a file, made in order.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]
#![expect(clippy::cast_precision_loss, reason = "numbers of a measurement are small")]

use std::{collections::HashMap, path::PathBuf};

use homefs_core::{Embedder, HostDisk, Role};
use homefs_search::{
    embed::{Bert, BuiltIn},
    index::{Body, File, Index},
    rank::{Kind, Question, Scope, meaning, search},
    recall::Tokenizer,
};
use serde::Deserialize;

/// Where the data is if nothing else is said, seen from this package.
const DATA: &str = "../../../shared/recall/data/dev.jsonl";
/// Enough hits for the largest budget.
const LIMIT: usize = 300;
const DEPTHS: [usize; 3] = [5, 10, 20];
const GAIN_DEPTH: usize = 10;
const BUDGETS: [usize; 2] = [500, 2000];
const COLUMNS: [&str; 6] = ["R@5", "R@10", "R@20", "nDCG@10", "ER@500", "ER@2000"];

type Failure = Box<dyn std::error::Error>;

#[derive(Deserialize)]
struct Conversation {
    memories: Vec<Memory>,
    questions: Vec<Asked>,
}

#[derive(Deserialize)]
struct Memory {
    id: String,
    date: String,
    speaker: String,
    text: String,
    caption: Option<String>,
}

impl Memory {
    fn text(&self) -> String {
        let Self { date, speaker, text, .. } = self;
        let image = self.caption.iter().map(|caption| format!(" [image: {caption}]"));
        format!("[{date}] {speaker}: {text}{}", image.collect::<String>())
    }
}

#[derive(Deserialize)]
struct Asked {
    question: String,
    evidence: Vec<String>,
}

/// A way to search.
struct Method<'a> {
    name: &'static str,
    kind: Kind,
    embedder: &'a dyn Embedder,
}

/// Every way, and those of a model that is given.
fn methods(model: Option<&Bert>) -> Vec<Method<'_>> {
    let (fast, good) = (&BuiltIn::Static, &BuiltIn::Encoder);
    let mut methods = vec![
        Method { name: "text", kind: Kind::Text, embedder: fast },
        Method { name: "vector, static", kind: Kind::Vector, embedder: fast },
        Method { name: "vector, encoder", kind: Kind::Vector, embedder: good },
        Method { name: "hybrid, static", kind: Kind::Hybrid, embedder: fast },
        Method { name: "hybrid, encoder", kind: Kind::Hybrid, embedder: good },
    ];
    if let Some(model) = model {
        methods.push(Method { name: "vector, model", kind: Kind::Vector, embedder: model });
        methods.push(Method { name: "hybrid, model", kind: Kind::Hybrid, embedder: model });
    }
    methods
}

fn main() -> Result<(), Failure> {
    let (mut data, mut json) = (PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(DATA), false);
    let mut model = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--data" => data = arguments.next().ok_or("--data needs a file")?.into(),
            "--json" => json = true,
            "--model" => {
                let folder = PathBuf::from(arguments.next().ok_or("--model needs a folder")?);
                model = Some(Bert::open(&HostDisk, &folder)?);
            }
            other => {
                let known = "--data FILE, --model FOLDER or --json";
                return Err(format!("expected {known}, found: {other}").into());
            }
        }
    }
    let Ok(text) = std::fs::read_to_string(&data) else {
        println!("skipped: there is no evaluation data at {}", data.display());
        return Ok(());
    };
    let lines = text.lines().map(serde_json::from_str).collect::<Result<Vec<_>, _>>()?;
    let methods = methods(model.as_ref());
    let rows = methods.iter().map(|method| Ok((method.name, measure(&lines, method)?)));
    let rows: Vec<_> = rows.collect::<Result<_, Failure>>()?;
    print(&rows, json);
    Ok(())
}

/// Prints the table.
fn print(rows: &[(&str, [f64; 6])], json: bool) {
    if json {
        let row = |values: &[f64; 6]| COLUMNS.into_iter().zip(*values).collect::<HashMap<_, _>>();
        let table: HashMap<_, _> = rows.iter().map(|(name, values)| (*name, row(values))).collect();
        println!("{}", serde_json::json!(table));
        return;
    }
    println!("| method | {} |\n|---|---|---|---|---|---|---|", COLUMNS.join(" | "));
    for (name, values) in rows {
        let values: Vec<String> = values.iter().map(|value| format!("{value:.1}")).collect();
        println!("| {name} | {} |", values.join(" | "));
    }
}

/// The mean measures of a method over all questions, in per cent.
fn measure(conversations: &[Conversation], method: &Method<'_>) -> Result<[f64; 6], Failure> {
    let mut sums = [0.0; 6];
    let mut count = 0.0;
    for conversation in conversations {
        let index = index(conversation, method.embedder)?;
        let ids: HashMap<&str, usize> =
            conversation.memories.iter().enumerate().map(|(at, one)| (&*one.id, at)).collect();
        let costs: Vec<usize> =
            conversation.memories.iter().map(|one| Tokenizer::O200k.count(&one.text())).collect();
        for asked in &conversation.questions {
            let evidence: Vec<usize> =
                asked.evidence.iter().filter_map(|id| ids.get(&**id).copied()).collect();
            if evidence.is_empty() {
                continue;
            }
            let found = answer(&index, &asked.question, method)?;
            count += 1.0;
            for (sum, value) in sums.iter_mut().zip(score(&found, &evidence, &costs)) {
                *sum += value;
            }
        }
    }
    Ok(sums.map(|sum| 100.0 * sum / f64::max(count, 1.0)))
}

/// The index of a conversation.
fn index(conversation: &Conversation, embedder: &dyn Embedder) -> Result<Index, Failure> {
    let mut index = Index::new(embedder.name(), embedder.dimensions()?)?;
    for (at, memory) in (0_u32..).zip(&conversation.memories) {
        let text = memory.text();
        let file = File {
            node: u128::from(at),
            version: 1,
            path: format!("/memory/{at}.md").into(),
            title: "".into(),
            tags: Vec::new(),
            created: i64::from(at) * 1_000_000_000,
            modified: 0,
            importance: 0.5,
            source: "".into(),
        };
        index.put(file, Body::Text(text.as_bytes()));
    }
    for doc in index.waiting(usize::MAX) {
        let Some(known) = index.doc(doc) else { continue };
        let (digest, at) = (known.digest, usize::try_from(known.file.node)?);
        let text = conversation.memories[at].text();
        let vector = embedder.embed(meaning(&text), Role::Memory)?;
        index.embed(doc, digest, &vector)?;
    }
    Ok(index)
}

/// The memories that are found, best first.
fn answer(index: &Index, text: &str, method: &Method<'_>) -> Result<Vec<usize>, Failure> {
    let vector = method.embedder.embed(text, Role::Query)?;
    let kind = method.kind;
    let question = Question { text, kind, plain: true, vector: Some(&vector), former: None };
    let hits = search(&[Scope::whole(index)], &question, LIMIT);
    let mut found: Vec<usize> = Vec::new();
    for file in hits.iter().filter_map(|hit| index.doc(hit.doc)) {
        let memory = usize::try_from(file.file.node).unwrap_or(usize::MAX);
        if !found.contains(&memory) {
            found.push(memory);
        }
    }
    Ok(found)
}

/// The measures of one answer.
fn score(found: &[usize], evidence: &[usize], costs: &[usize]) -> [f64; 6] {
    let share = |ranks: &dyn Fn(usize) -> bool| {
        let places = evidence.iter().filter_map(|one| found.iter().position(|it| it == one));
        places.filter(|place| ranks(*place)).count() as f64 / evidence.len() as f64
    };
    let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
    let gained =
        (0..GAIN_DEPTH).filter(|at| found.get(*at).is_some_and(|it| evidence.contains(it)));
    let ideal: f64 = (0..evidence.len().min(GAIN_DEPTH)).map(gain).sum();
    let cost = |place: usize| found[..=place].iter().map(|it| costs[*it]).sum::<usize>();
    let [five, ten, twenty] = DEPTHS.map(|depth| share(&|place| place < depth));
    let [small, large] = BUDGETS.map(|budget| share(&|place| cost(place) <= budget));
    [five, ten, twenty, gained.map(gain).sum::<f64>() / ideal, small, large]
}
