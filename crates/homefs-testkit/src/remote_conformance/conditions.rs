//! What conditions promise: a put happens if the object is as was expected, under any race.

use std::thread;

use homefs_core::{Condition, ErrorKind, Remote, RemoteAnswer, RemoteRequest, Result, Tag};

use super::{
    Case, cases, content, delete, expect_error, get, keys, object, put, run, stored, stored_tag,
};

/// How many race.
const WRITERS: usize = 6;

/// How often they race.
const ROUNDS: usize = 40;

pub(super) const CASES: &[Case] = cases![
    absent_stores_once,
    absent_stores_again_after_a_delete,
    unchanged_stores_while_the_tag_holds,
    a_stale_tag_is_a_conflict,
    unchanged_on_a_missing_object_is_a_conflict,
    any_replaces_whatever_is_there,
    unless_saves_an_unchanged_object,
    unless_on_a_missing_object_is_not_found,
    unless_comes_before_the_range,
    another_content_has_another_tag,
    equal_bytes_may_keep_their_tag_but_it_holds,
    one_of_several_creators_wins,
    one_of_several_writers_wins,
    one_of_a_batch_wins,
];

fn absent_stores_once(remote: &dyn Remote) {
    stored_tag(run(remote, put("a", "first", Condition::Absent)));
    expect_error(run(remote, put("a", "second", Condition::Absent)), ErrorKind::Conflict);
    // Not even equal bytes: whoever creates must know that nobody else did.
    expect_error(run(remote, put("a", "first", Condition::Absent)), ErrorKind::Conflict);
    assert_eq!(content(remote, "a"), "first");
}

fn absent_stores_again_after_a_delete(remote: &dyn Remote) {
    stored(remote, "a", "first");
    assert_eq!(run(remote, delete("a")).ok(), Some(RemoteAnswer::Deleted));
    stored_tag(run(remote, put("a", "second", Condition::Absent)));
    assert_eq!(content(remote, "a"), "second");
}

fn unchanged_stores_while_the_tag_holds(remote: &dyn Remote) {
    let mut tag = stored(remote, "a", "0");
    for step in 1..5 {
        let text = step.to_string();
        tag = stored_tag(run(remote, put("a", text.clone(), Condition::Unchanged(tag))));
        assert_eq!(object(run(remote, get("a"))), (text.into(), tag.clone()));
    }
}

fn a_stale_tag_is_a_conflict(remote: &dyn Remote) {
    let stale = stored(remote, "a", "first");
    stored(remote, "a", "second");
    let late = put("a", "third", Condition::Unchanged(stale));
    expect_error(run(remote, late), ErrorKind::Conflict);
    assert_eq!(content(remote, "a"), "second");
}

fn unchanged_on_a_missing_object_is_a_conflict(remote: &dyn Remote) {
    let tag = stored(remote, "a", "first");
    assert!(run(remote, delete("a")).is_ok());
    for key in ["a", "never"] {
        let late = put(key, "second", Condition::Unchanged(tag.clone()));
        expect_error(run(remote, late), ErrorKind::Conflict);
        expect_error(run(remote, get(key)), ErrorKind::NotFound);
    }
    assert_eq!(keys(remote, "", None), Vec::<String>::new());
}

fn any_replaces_whatever_is_there(remote: &dyn Remote) {
    stored(remote, "a", "first and longer");
    let tag = stored(remote, "a", "second");
    assert_eq!(object(run(remote, get("a"))), ("second".into(), tag));
}

/// A get with `unless`.
fn get_unless(key: &str, tag: &Tag) -> RemoteRequest {
    RemoteRequest::Get { key: key.to_owned(), range: None, unless: Some(tag.clone()) }
}

fn unless_saves_an_unchanged_object(remote: &dyn Remote) {
    let first = stored(remote, "a", "first");
    assert_eq!(run(remote, get_unless("a", &first)).ok(), Some(RemoteAnswer::Unchanged));
    let second = stored(remote, "a", "second");
    assert_eq!(object(run(remote, get_unless("a", &first))), ("second".into(), second.clone()));
    assert_eq!(run(remote, get_unless("a", &second)).ok(), Some(RemoteAnswer::Unchanged));
}

fn unless_on_a_missing_object_is_not_found(remote: &dyn Remote) {
    let tag = stored(remote, "a", "first");
    assert!(run(remote, delete("a")).is_ok());
    expect_error(run(remote, get_unless("a", &tag)), ErrorKind::NotFound);
}

fn unless_comes_before_the_range(remote: &dyn Remote) {
    let first = stored(remote, "a", "first");
    let part = |tag: &Tag| RemoteRequest::Get {
        key: "a".to_owned(),
        range: Some(1..3),
        unless: Some(tag.clone()),
    };
    assert_eq!(run(remote, part(&first)).ok(), Some(RemoteAnswer::Unchanged));
    let second = stored(remote, "a", "other");
    assert_eq!(object(run(remote, part(&first))), ("th".into(), second));
}

fn another_content_has_another_tag(remote: &dyn Remote) {
    let first = stored(remote, "a", "first");
    let second = stored(remote, "a", "secon");
    assert_ne!(first, second, "equally long and stored within one moment");
}

fn equal_bytes_may_keep_their_tag_but_it_holds(remote: &dyn Remote) {
    stored(remote, "a", "same");
    let again = stored(remote, "a", "same");
    assert_eq!(object(run(remote, get("a"))), ("same".into(), again.clone()));
    stored_tag(run(remote, put("a", "new", Condition::Unchanged(again))));
}

fn one_of_several_creators_wins(remote: &dyn Remote) {
    for round in 0..ROUNDS {
        let key = format!("round-{round}");
        let winner = race(remote, &key, &Condition::Absent);
        assert_eq!(content(remote, &key), winner);
    }
}

fn one_of_several_writers_wins(remote: &dyn Remote) {
    let mut tag = stored(remote, "head", "start");
    for _ in 0..ROUNDS {
        let winner = race(remote, "head", &Condition::Unchanged(tag.clone()));
        let (found, present) = object(run(remote, get("head")));
        assert_eq!(found, winner);
        // The same writers' names come again, so the state in between must differ from both.
        tag = stored_tag(run(remote, put("head", "between", Condition::Unchanged(present))));
    }
}

/// Lets several threads put under one condition and returns what the only winner stored.
fn race(remote: &dyn Remote, key: &str, condition: &Condition) -> String {
    let answers: Vec<_> = thread::scope(|scope| {
        let start = |writer: usize| {
            scope.spawn(move || run(remote, put(key, name(writer), condition.clone())))
        };
        let writers: Vec<_> = (0..WRITERS).map(start).collect();
        writers.into_iter().map(|writer| writer.join().expect("a put does not panic")).collect()
    });
    only_winner(answers)
}

fn one_of_a_batch_wins(remote: &dyn Remote) {
    let puts = (0..WRITERS).map(|writer| put("a", name(writer), Condition::Absent)).collect();
    let winner = only_winner(remote.run(puts));
    assert_eq!(content(remote, "a"), winner);
}

/// What a writer writes.
fn name(writer: usize) -> String {
    format!("writer {writer}")
}

/// Returns the content of the one put that happened; all others must be conflicts.
fn only_winner(answers: Vec<Result<RemoteAnswer>>) -> String {
    let mut winners = Vec::new();
    for (writer, answer) in answers.into_iter().enumerate() {
        match answer {
            Ok(RemoteAnswer::Stored { .. }) => winners.push(name(writer)),
            other => expect_error(other, ErrorKind::Conflict),
        }
    }
    assert_eq!(winners.len(), 1, "{winners:?}");
    winners.remove(0)
}
