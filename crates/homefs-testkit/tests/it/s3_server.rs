//! The S3 server answers as S3 does, also under races.

use std::sync::Arc;
use std::thread;

use homefs_core::Timestamp;
use homefs_testkit::{RemoteOperation, S3Flaw, S3Server, VirtualClock};
use object_store::aws::Checksum;
use object_store::{Error, GetOptions, GetRange, PutMode};

use crate::s3_client::{Client, unchanged};

const WRITERS: usize = 6;
const ROUNDS: usize = 40;

/// Returns the status of the last answer.
#[track_caller]
fn status(server: &S3Server) -> u16 {
    server.log().last().expect("there was a request").status.expect("there was an answer")
}

fn unless(tag: &str) -> GetOptions {
    GetOptions { if_none_match: Some(tag.to_owned()), ..GetOptions::default() }
}

fn range(range: impl Into<GetRange>) -> GetOptions {
    GetOptions { range: Some(range.into()), ..GetOptions::default() }
}

#[test]
fn conditions_have_their_exact_statuses() {
    let server = S3Server::start().unwrap();
    let client = Client::new(&server);
    assert!(matches!(client.read("a"), Err(Error::NotFound { .. })));
    assert_eq!(status(&server), 404);
    let first = client.put("a", "first", PutMode::Create).unwrap();
    assert_eq!(status(&server), 200);
    assert!(matches!(client.put("a", "x", PutMode::Create), Err(Error::AlreadyExists { .. })));
    assert_eq!(status(&server), 412);
    let second = client.put("a", "second", unchanged(&first)).unwrap();
    assert!(matches!(client.put("a", "x", unchanged(&first)), Err(Error::Precondition { .. })));
    assert_eq!(status(&server), 412);
    client.put("missing", "x", unchanged(&first)).unwrap_err();
    assert_eq!(status(&server), 404);
    assert!(matches!(client.get("a", unless(&second)), Err(Error::NotModified { .. })));
    assert_eq!((status(&server), server.log().last().unwrap().bytes_down), (304, 0));
    assert_eq!(client.get("a", unless(&first)).unwrap(), ("second".to_owned(), second));
    assert_eq!(status(&server), 200);
    client.delete("a").unwrap();
    client.delete("a").unwrap();
    assert_eq!(status(&server), 200);
    assert!(server.objects().is_empty());
}

#[test]
fn ranges_are_parts_or_refused() {
    let server = S3Server::start().unwrap();
    let client = Client::new(&server);
    client.put("a", "0123456789", PutMode::Overwrite).unwrap();
    assert_eq!(client.get("a", range(3..7)).unwrap().0, "3456");
    assert_eq!(status(&server), 206);
    assert_eq!(client.get("a", range(7..99)).unwrap().0, "789");
    assert_eq!(client.get("a", range(GetRange::Suffix(2))).unwrap().0, "89");
    client.get("a", range(10..11)).unwrap_err();
    assert_eq!(status(&server), 416);
    client.put("empty", "", PutMode::Overwrite).unwrap();
    assert_eq!(client.read("empty").unwrap(), "");
}

#[test]
fn one_of_several_writers_wins_each_round() {
    let server = S3Server::start().unwrap();
    let clients: Vec<_> = (0..WRITERS).map(|_| Client::new(&server)).collect();
    let race = |key: &str, mode: &PutMode, round: usize| {
        let winners: Vec<_> = thread::scope(|scope| {
            let put = |(writer, client)| {
                let content = format!("{round}: writer {writer}");
                scope.spawn(move || {
                    let client: &Client = client;
                    client.put(key, &content, mode.clone()).ok().map(|tag| (content, tag))
                })
            };
            let writers: Vec<_> = clients.iter().enumerate().map(put).collect();
            writers.into_iter().filter_map(|writer| writer.join().unwrap()).collect()
        });
        let [(content, tag)] = winners.as_slice() else { panic!("winners: {winners:?}") };
        assert_eq!(server.objects()[key], content);
        tag.clone()
    };
    let mut tag = clients[0].put("head", "start", PutMode::Create).unwrap();
    for round in 0..ROUNDS {
        race(&format!("key-{round}"), &PutMode::Create, round);
        tag = race("head", &unchanged(&tag), round);
    }
    let puts = server.log().into_iter().map(|seen| seen.status).collect::<Vec<_>>();
    let lost = puts.iter().filter(|status| **status == Some(412)).count();
    assert_eq!(lost, 2 * ROUNDS * (WRITERS - 1), "a lost race is a 412");
}

#[test]
fn a_listing_has_pages_and_folders() {
    let server = S3Server::start().unwrap();
    let client = Client::new(&server);
    let keys: Vec<_> = (0..2_500).map(|number| format!("k/{number:05}")).collect();
    for key in &keys {
        server.put(key, "x");
    }
    server.put("k/deep/1", "x");
    server.put("k/deep/2", "x");
    let all = client.list("k").unwrap();
    assert_eq!(all.len(), keys.len() + 2);
    assert!(all.is_sorted());
    assert_eq!(server.counts()[&RemoteOperation::List], 3);
    assert_eq!(client.list("k/02497").unwrap(), ["k/02498", "k/02499", "k/deep/1", "k/deep/2"]);
    let (inside, folders) = client.folder("k").unwrap();
    assert_eq!((inside, folders), (keys, vec!["k/deep".to_owned()]));
}

#[test]
fn keys_come_as_they_went() {
    let server = S3Server::start().unwrap();
    let client = Client::new(&server);
    for key in ["a b", "a+b", "50%", "%2F", "é/日本", "a&b=c?d#e", "it's (1)"] {
        client.put(key, key, PutMode::Create).unwrap();
        assert_eq!(server.log().last().unwrap().key, key);
        assert_eq!(server.objects()[key], key);
        assert_eq!(client.read(key).unwrap(), key);
        assert_eq!(client.list("!").unwrap(), [key]);
        client.delete(key).unwrap();
        assert_eq!(server.log().last().unwrap().key, key);
        assert!(server.objects().is_empty());
    }
}

#[test]
fn wrong_credentials_and_a_missing_bucket_are_refused() {
    let server = S3Server::start().unwrap();
    for (access_key, secret) in [(S3Server::ACCESS_KEY, "wrong"), ("wrong", S3Server::SECRET_KEY)] {
        let client = Client::with(&server, |builder| {
            builder.with_access_key_id(access_key).with_secret_access_key(secret)
        });
        client.put("a", "x", PutMode::Overwrite).unwrap_err();
        assert_eq!(status(&server), 403);
    }
    let other = Client::with(&server, |builder| builder.with_bucket_name("other"));
    other.put("a", "x", PutMode::Overwrite).unwrap_err();
    assert_eq!(status(&server), 404);
    let client = Client::new(&server);
    client.put("a", "x", PutMode::Overwrite).unwrap();
    server.delete_bucket();
    client.put("a", "x", PutMode::Overwrite).unwrap_err();
    assert_eq!(status(&server), 404);
    client.list("a").unwrap_err();
}

#[test]
fn content_that_matches_its_checksum_is_taken() {
    let server = S3Server::start().unwrap();
    let client = Client::with(&server, |builder| builder.with_checksum_algorithm(Checksum::SHA256));
    client.put("a", "x", PutMode::Overwrite).unwrap();
    assert_eq!(server.objects()["a"], "x");
}

#[test]
fn flaws_are_those_of_real_servers() {
    let server = S3Server::start().unwrap();
    let client = Client::new(&server);
    let tag = client.put("a", "first", PutMode::Create).unwrap();
    server.set_flaws(&[S3Flaw::IgnoresIfNoneMatch]);
    client.put("a", "second", PutMode::Create).unwrap();
    client.put("a", "third", unchanged(&tag)).unwrap_err();
    server.set_flaws(&[S3Flaw::IgnoresIfMatch]);
    let tag = client.put("a", "fourth", unchanged(&tag)).unwrap();
    client.put("missing", "x", unchanged(&tag)).unwrap();
    client.put("a", "fifth", PutMode::Create).unwrap_err();
    server.set_flaws(&[S3Flaw::IgnoresUnless]);
    assert_eq!(client.get("a", unless(&tag)).unwrap().0, "fourth");
    server.set_flaws(&[S3Flaw::MissingIsPreconditionFailed]);
    client.put("gone", "x", unchanged(&tag)).unwrap_err();
    assert_eq!(status(&server), 412);
    server.set_flaws(&[]);
    client.put("gone", "x", unchanged(&tag)).unwrap_err();
    assert_eq!(status(&server), 404);
}

#[test]
fn a_hand_behind_the_clients_back_is_seen() {
    let clock = Arc::new(VirtualClock::new(Timestamp(0)));
    let server = S3Server::start_with(clock).unwrap();
    let client = Client::new(&server);
    server.put("note.md", "edited outside");
    assert_eq!(client.read("note.md").unwrap(), "edited outside");
    server.remove("note.md");
    assert!(matches!(client.read("note.md"), Err(Error::NotFound { .. })));
    assert_eq!(server.counts()[&RemoteOperation::Get], 2);
    server.clear_log();
    assert!(server.counts().is_empty());
}
