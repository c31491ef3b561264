//! What batches promise: an answer for each request, in their order, and honest counters.

use homefs_core::{Condition, ErrorKind, Remote, RemoteAnswer, RemoteRequest};

use super::{Case, cases, delete, expect_error, get, object, put, run, stored, stored_tag};

/// How many requests a large batch has.
const BATCH: usize = 200;

pub(super) const CASES: &[Case] = cases![
    an_empty_batch_has_no_answers,
    answers_come_in_the_order_of_the_requests,
    a_failed_request_leaves_the_others_alone,
    batches_of_several_threads_do_not_mix,
    counters_count_requests_and_bytes,
    the_description_stays,
];

fn an_empty_batch_has_no_answers(remote: &dyn Remote) {
    assert!(remote.run(Vec::new()).is_empty());
}

/// The content of one object of a batch; their sizes differ, so that some answer earlier.
fn text(number: usize) -> String {
    format!("{number} ").repeat(1 + number * 37 % 500)
}

fn answers_come_in_the_order_of_the_requests(remote: &dyn Remote) {
    let key = |number: usize| format!("folder-{}/{number}", number % 7);
    let puts = (0..BATCH).map(|number| put(&key(number), text(number), Condition::Absent));
    let tags: Vec<_> = remote.run(puts.collect()).into_iter().map(stored_tag).collect();
    assert_eq!(tags.len(), BATCH);
    let answers = remote.run((0..BATCH).map(|number| get(&key(number))).collect());
    assert_eq!(answers.len(), BATCH);
    for (number, (answer, tag)) in answers.into_iter().zip(tags).enumerate() {
        assert_eq!(object(answer), (text(number).into(), tag));
    }
}

fn a_failed_request_leaves_the_others_alone(remote: &dyn Remote) {
    stored(remote, "there", "x");
    let request = |number: usize| match number % 4 {
        0 => get("there"),
        1 => get("missing"),
        2 => put("there", "y", Condition::Absent),
        _ => delete("gone"),
    };
    let answers = remote.run((0..BATCH).map(request).collect());
    for (number, answer) in answers.into_iter().enumerate() {
        match number % 4 {
            0 => assert_eq!(object(answer).0, "x"),
            1 => expect_error(answer, ErrorKind::NotFound),
            2 => expect_error(answer, ErrorKind::Conflict),
            _ => assert_eq!(answer.ok(), Some(RemoteAnswer::Deleted)),
        }
    }
}

fn batches_of_several_threads_do_not_mix(remote: &dyn Remote) {
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let key = |number: usize| format!("thread-{thread}/{number}");
                let puts = (0..50).map(|number| put(&key(number), key(number), Condition::Absent));
                assert!(remote.run(puts.collect()).iter().all(Result::is_ok));
                let answers = remote.run((0..50).map(|number| get(&key(number))).collect());
                for (number, answer) in answers.into_iter().enumerate() {
                    assert_eq!(object(answer).0, key(number));
                }
            });
        }
    });
}

fn counters_count_requests_and_bytes(remote: &dyn Remote) {
    let before = remote.counters();
    let tag = stored(remote, "a", "0123456789");
    let conflict = put("a", "01234", Condition::Absent);
    let part = RemoteRequest::Get { key: "a".to_owned(), range: Some(2..5), unless: None };
    let unchanged = RemoteRequest::Get { key: "a".to_owned(), range: None, unless: Some(tag) };
    let list = RemoteRequest::List { prefix: String::new(), after: None };
    remote.run(vec![conflict, get("a"), part, unchanged, get("missing"), list]);
    assert!(run(remote, delete("a")).is_ok());
    let after = remote.counters();
    assert_eq!(after.puts - before.puts, 2);
    assert_eq!(after.gets - before.gets, 4);
    assert_eq!(after.deletes - before.deletes, 1);
    assert_eq!(after.lists - before.lists, 1);
    assert_eq!(after.failures - before.failures, 0, "missing and conflict are answers");
    assert_eq!(after.sent_bytes - before.sent_bytes, 15);
    assert_eq!(after.received_bytes - before.received_bytes, 13);
}

fn the_description_stays(remote: &dyn Remote) {
    let described = remote.describe();
    stored(remote, "a", "x");
    assert!(!described.is_empty() && described == remote.describe(), "{described}");
}
