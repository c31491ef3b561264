//! What fuzz targets call: bytes that come from a disk, a bucket or a model, and who reads them
//! first.
//!
//! Each function takes any bytes and returns. What it asserts holds for whatever can be read.

use homefs_search::index::{Body, File, Ignored, Index};
use homefs_search::rank::{Kind, Question, Scope, search};
use homefs_store::record::Record;
use homefs_sync::format;
use homefs_sync::merge::merge_content;
use homefs_sync::projection::{project, unproject};

use crate::Glob;

/// Reads a record of the journal, and writes it again.
pub fn record(data: &[u8]) {
    drop(Record::space_of(data));
    if let Ok(record) = Record::decode(data) {
        let mut stored = Vec::new();
        record.encode(&mut stored).expect("what was read can be written");
        assert_eq!(Record::decode(&stored).ok(), Some(record), "it reads back");
    }
}

/// Reads what stands in a bucket beside packs: the first byte says what.
pub fn commit(data: &[u8]) {
    format::fuzzing::commit(data);
}

/// Reads a pack and its pieces.
pub fn pack(data: &[u8]) {
    format::fuzzing::pack(data);
}

/// Takes frontmatter out of a readable copy, puts it in again, and merges texts, which zeros part.
pub fn frontmatter(data: &[u8]) {
    let copy = unproject(data);
    if let Some(written) = copy.written
        && let Some(again) = project(&copy.content, &written.frontmatter)
    {
        assert_eq!(unproject(&again).content, copy.content, "every text comes back");
    }
    let mut texts = data.split(|byte| *byte == 0);
    let [base, head, pushed] = [(); 3].map(|()| texts.next().unwrap_or_default());
    merge_content("a.md", Some(base), head, pushed);
    merge_content("a.md", None, head, pushed);
    merge_content("a.json", Some(base), head, pushed);
}

/// Reads a pattern, which a line feed parts from a path that is matched with it.
pub fn glob(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (pattern, path) = text.split_once('\n').unwrap_or((&text, "notes/2026-11.md"));
    if let Ok(glob) = Glob::new(pattern) {
        glob.matches(path);
    }
}

/// Asks a small index, whose text a zero parts from the query.
pub fn query(data: &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == 0);
    let text = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let content = parts.next().unwrap_or(b"# Plan\n\nBuy apples, and pears: today.\n");
    let file = File {
        node: 7,
        lineage: 7,
        version: 1,
        path: "/notes/plan.md".into(),
        title: "Plan".into(),
        tags: vec!["fruit".into()],
        created: 0,
        modified: 1_700_000_000_000,
        importance: 0.5,
        source: "".into(),
        supersedes: None,
        ignored: Ignored::No,
        rules: "".into(),
    };
    let mut index = Index::new("none", 1).expect("one dimension is a length");
    index.put(file, Body::Text(content));
    for (kind, plain) in [(Kind::Hybrid, false), (Kind::Text, false), (Kind::Text, true)] {
        let question = Question { text: &text, kind, plain, ..Question::default() };
        let hits = search(&[Scope::whole(&index)], &question, 10);
        assert!(hits.iter().all(|hit| hit.score.is_finite()), "a score is a number");
    }
}

#[cfg(test)]
mod tests {
    use homefs_testkit::replay;

    #[test]
    fn what_was_found_by_fuzzing_is_read() {
        replay("record", super::record);
        replay("commit", super::commit);
        replay("pack", super::pack);
        replay("frontmatter", super::frontmatter);
        replay("glob", super::glob);
        replay("query", super::query);
    }
}
