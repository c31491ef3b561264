//! The shape of memories as JSON.

use homefs_engine::{
    Explained, Forgotten, Hit, IndexStatus, Links, Noted, Outcome, Recalled, Recollection,
    Remembered, Standing,
};
use serde_json::{Value, json};

use crate::time::rfc3339;

/// One doc that was found.
pub fn hit(hit: &Hit) -> Value {
    json!({
        "path": hit.path,
        "version": hit.version,
        "lines": hit.lines,
        "title": hit.title,
        "score": hit.score,
        "text_score": hit.text_score,
        "vector_score": hit.vector_score,
        "excerpt": hit.excerpt,
        "modified": rfc3339(hit.modified),
    })
}

/// What was recalled, and every candidate if asked.
pub fn recalled(recalled: &Recalled, explain: bool) -> Value {
    let mut value = json!({
        "text": recalled.text,
        "tokens": recalled.tokens,
        "unseen": recalled.unseen,
        "memories": recalled.memories.iter().map(recollection).collect::<Vec<_>>(),
    });
    if explain {
        value["explained"] = recalled.explained.iter().map(explained).collect();
    }
    value
}

fn recollection(memory: &Recollection) -> Value {
    json!({
        "path": memory.path,
        "version": memory.version,
        "lines": memory.lines,
        "text": memory.text,
        "score": memory.score,
        "modified": rfc3339(memory.modified),
        "tokens": memory.tokens,
    })
}

fn explained(explained: &Explained) -> Value {
    let (outcome, of) = match &explained.outcome {
        Outcome::Kept => ("kept", None),
        Outcome::Excerpted => ("excerpted", None),
        Outcome::Duplicate(of) => ("duplicate", Some(of)),
        Outcome::BelowMinimum => ("below_minimum", None),
        Outcome::NoRoom => ("no_room", None),
        Outcome::Empty => ("empty", None),
    };
    json!({
        "path": explained.path,
        "lines": explained.lines,
        "relevance": explained.relevance,
        "importance": explained.importance,
        "recency": explained.recency,
        "score": explained.score,
        "tokens": explained.tokens,
        "outcome": outcome,
        "duplicate_of": of,
    })
}

/// A memory that was kept.
pub fn remembered(kept: &Remembered) -> Value {
    json!({ "path": kept.path, "version": kept.version, "alike": kept.alike })
}

/// What forgetting took away.
pub fn forgotten(receipt: &Forgotten) -> Value {
    json!({
        "path": receipt.path,
        "nodes": receipt.nodes,
        "bytes": receipt.bytes,
        "erased_from": receipt.erased_from,
        "in_trash_until": receipt.in_trash_until.map(rfc3339),
        "remote": receipt.remote,
    })
}

/// What a note links to, and what links to it.
pub fn links(links: &Links) -> Value {
    let to = links.to.iter().map(|link| json!({ "target": link.target, "path": link.path }));
    json!({ "to": to.collect::<Vec<_>>(), "from": links.from })
}

/// One file of a timeline.
pub fn noted(file: &Noted) -> Value {
    json!({
        "path": file.path,
        "title": file.title,
        "modified": rfc3339(file.modified),
        "importance": file.importance,
        "tags": file.tags,
        "read": file.read.map(rfc3339),
        "node": file.node.to_string(),
    })
}

/// How one index is doing.
pub fn index(index: &IndexStatus) -> Value {
    json!({
        "space": index.space,
        "files": index.files,
        "docs": index.docs,
        "waiting": index.waiting,
        "embedder": index.embedder,
        "memory_bytes": index.memory_bytes,
        "file_bytes": index.file_bytes,
        "searches": index.searches,
    })
}

/// One tag, and how many files have it.
pub fn tag((tag, count): &(String, u64)) -> Value {
    json!({ "tag": tag, "count": count })
}

/// What an agent should know at its start.
pub fn standing(standing: &Standing) -> Value {
    json!({ "text": standing.text, "tokens": standing.tokens })
}
