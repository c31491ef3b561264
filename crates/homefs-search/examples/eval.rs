//! Prints how much of the evidence for questions is found; run it with `cargo xtask eval`.
//!
//! The data is one conversation a line: memories with ids, and questions with the ids of their
//! evidence. Each conversation is a space of its own, each memory a file, made in order.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]
#![expect(clippy::cast_precision_loss, reason = "numbers of a measurement are small")]

use std::{
    collections::{BTreeSet, HashMap},
    path::PathBuf,
};

use homefs_core::{Embedder, HostDisk, Role};
use homefs_search::{
    embed::{Bert, BuiltIn},
    index::{Body, File, HANDLE_DIGITS, Handle, Ignored, Index},
    rank::{FLOOR, Hit, Kind, Question, Scope, meaning, search},
    recall::{Candidate, Count, Counts, Options, Strategy, Tokenizer, recall},
};
use serde::Deserialize;

/// Where the data is if nothing else is said, seen from this package.
const DATA: &str = "../../../shared/recall/data/dev.jsonl";
/// Enough hits for the largest budget.
const LIMIT: usize = 300;
const DEPTHS: [usize; 3] = [5, 10, 20];
const GAIN_DEPTH: usize = 10;
const BUDGETS: [usize; 2] = [500, 2000];
const COLUMNS: [&str; 10] = [
    "R@5",
    "R@10",
    "R@20",
    "nDCG@10",
    "ER@500",
    "ER@2000",
    "packed@500",
    "packed@2000",
    // Questions that are answered here, and those of the other conversations, about the people of
    // this one, to which it is said that nothing is known.
    "lost",
    "refused",
];
/// As many candidates as a recall looks at: at least and at most, and for how many tokens one.
const CANDIDATES: (usize, usize) = (16, 200);
const TOKENS_PER_CANDIDATE: usize = 32;

type Failure = Box<dyn std::error::Error>;

#[derive(Deserialize)]
struct Conversation {
    memories: Vec<Memory>,
    questions: Vec<Asked>,
}

impl Conversation {
    /// Who speaks in it.
    fn people(&self) -> BTreeSet<&str> {
        self.memories.iter().map(|memory| &*memory.speaker).collect()
    }
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
fn print(rows: &[(&str, [f64; 10])], json: bool) {
    if json {
        let row = |values: &[f64; 10]| COLUMNS.into_iter().zip(*values).collect::<HashMap<_, _>>();
        let table: HashMap<_, _> = rows.iter().map(|(name, values)| (*name, row(values))).collect();
        println!("{}", serde_json::json!(table));
        return;
    }
    println!("| method | {} |\n{}|", COLUMNS.join(" | "), "|---".repeat(COLUMNS.len() + 1));
    for (name, values) in rows {
        let values: Vec<String> = values.iter().map(|value| format!("{value:.1}")).collect();
        println!("| {name} | {} |", values.join(" | "));
    }
}

/// The mean measures of a method over all questions, in per cent.
fn measure(conversations: &[Conversation], method: &Method<'_>) -> Result<[f64; 10], Failure> {
    let mut sums = [0.0; 10];
    let (mut count, mut foreign) = (0.0, 0.0);
    for conversation in conversations {
        let index = index(conversation, method.embedder)?;
        let ids: HashMap<&str, usize> =
            conversation.memories.iter().enumerate().map(|(at, one)| (&*one.id, at)).collect();
        let texts: Vec<String> = conversation.memories.iter().map(Memory::text).collect();
        let counts = Counts::default();
        let costs: Vec<usize> =
            texts.iter().map(|text| counts.count(Tokenizer::O200k, text)).collect();
        let ask = |question: &str| -> Result<Answer<'_>, Failure> {
            let vector = method.embedder.embed(question, Role::Query)?;
            let (question, index) = (question.to_owned(), &index);
            Ok(Answer { index, texts: &texts, question, method, vector, counts: &counts })
        };
        for asked in &conversation.questions {
            let evidence: Vec<usize> =
                asked.evidence.iter().filter_map(|id| ids.get(&**id).copied()).collect();
            if evidence.is_empty() {
                continue;
            }
            let answer = ask(&asked.question)?;
            let found = memories(&index, &answer.hits(LIMIT));
            count += 1.0;
            let ranked = score(&found, &evidence, &costs);
            let packed = BUDGETS.map(|budget| answer.packed(budget, &evidence));
            let lost = f64::from(!answer.is_known());
            let values = ranked.into_iter().chain(packed).chain([lost]);
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
        for other in conversations.iter().filter(|other| !std::ptr::eq(*other, conversation)) {
            for asked in &other.questions {
                let question = about(&asked.question, &other.people(), &conversation.people());
                foreign += 1.0;
                sums[9] += f64::from(!ask(&question)?.is_known());
            }
        }
    }
    // The last is of other questions.
    sums[9] *= f64::max(count, 1.0) / f64::max(foreign, 1.0);
    Ok(sums.map(|sum| 100.0 * sum / f64::max(count, 1.0)))
}

/// A question about some people, asked about others.
fn about(question: &str, people: &BTreeSet<&str>, others: &BTreeSet<&str>) -> String {
    let pairs = people.iter().zip(others);
    pairs.fold(question.to_owned(), |text, (one, other)| text.replace(one, other))
}

/// The index of a conversation.
fn index(conversation: &Conversation, embedder: &dyn Embedder) -> Result<Index, Failure> {
    let mut index = Index::new(embedder.name(), embedder.dimensions()?)?;
    for (at, memory) in (0_u32..).zip(&conversation.memories) {
        let text = memory.text();
        let file = File {
            node: u128::from(at),
            lineage: u128::from(at),
            version: 1,
            path: format!("/memory/{at}.md").into(),
            title: "".into(),
            tags: Vec::new(),
            created: i64::from(at) * 1_000_000_000,
            modified: 0,
            importance: 0.5,
            source: "".into(),
            supersedes: None,
            ignored: Ignored::No,
            rules: "".into(),
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

/// A question that is put to an index.
struct Answer<'a> {
    index: &'a Index,
    texts: &'a [String],
    question: String,
    method: &'a Method<'a>,
    vector: Vec<f32>,
    counts: &'a Counts,
}

impl Answer<'_> {
    /// The docs that are found, best first.
    fn hits(&self, limit: usize) -> Vec<Hit> {
        let question = Question {
            text: &self.question,
            kind: self.method.kind,
            plain: true,
            vector: Some(&self.vector),
            ..Question::default()
        };
        search(&[Scope::whole(self.index)], &question, limit)
    }

    /// Whether what is found is held for an answer.
    fn is_known(&self) -> bool {
        self.hits(1).first().is_some_and(|hit| hit.score >= FLOOR)
    }

    /// The share of the evidence in the text that an agent is given for a budget.
    fn packed(&self, max_tokens: usize, evidence: &[usize]) -> f64 {
        let options = Options {
            max_tokens,
            strategy: Strategy::Balanced,
            min_score: 0.0,
            tokenizer: Tokenizer::O200k,
            paths: false,
            now: 0,
        };
        let (least, most) = CANDIDATES;
        let limit = (max_tokens / TOKENS_PER_CANDIDATE).clamp(least, most);
        let pack = |limit| {
            let hits = self.hits(limit);
            let candidates = hits.iter().filter_map(|hit| self.candidate(hit)).collect();
            recall(candidates, &options, &self.question, self.counts)
        };
        let mut packed = pack(limit);
        if packed.tokens <= max_tokens / 4 * 3 {
            packed = pack(most);
        }
        assert!(Tokenizer::O200k.count(&packed.text) <= max_tokens, "the budget holds");
        let is_packed =
            |one: &&usize| packed.items.iter().any(|item| item.text == self.texts[**one]);
        evidence.iter().filter(is_packed).count() as f64 / evidence.len() as f64
    }

    fn candidate(&self, hit: &Hit) -> Option<Candidate> {
        let doc = self.index.doc(hit.doc)?;
        Some(Candidate {
            path: doc.file.path.to_string(),
            handle: Handle::of(doc.file.lineage, HANDLE_DIGITS[0]).to_string(),
            version: doc.file.version,
            lines: doc.lines,
            is_whole: true,
            text: self.texts[usize::try_from(doc.file.node).ok()?].clone(),
            title: String::new(),
            relevance: hit.score,
            importance: doc.file.importance,
            modified: doc.file.modified,
            vector: self.index.vector(hit.doc).map(|(_, vector)| vector),
            digest: doc.digest,
            newer: None,
        })
    }
}

/// The memories of docs, each once.
fn memories(index: &Index, hits: &[Hit]) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for file in hits.iter().filter_map(|hit| index.doc(hit.doc)) {
        let memory = usize::try_from(file.file.node).unwrap_or(usize::MAX);
        if !found.contains(&memory) {
            found.push(memory);
        }
    }
    found
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
