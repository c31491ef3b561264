//! Remembering, recalling and forgetting.
#![expect(clippy::disallowed_methods, reason = "the tests look into the files of a store")]

use homefs_core::{Embedder, ErrorKind, Path};
use homefs_engine::{
    Alike, RecallOptions, RememberOptions, SearchKind, SearchOptions, View, WriteOptions,
};
use homefs_search::embed::BuiltIn;

use crate::common::{files_with, open, parents, path, view_of};

fn remember(view: &View, text: &str) -> Path {
    view.remember(text, &RememberOptions::default()).expect("it is remembered").path
}

fn found(view: &View, query: &str) -> Vec<String> {
    let options = SearchOptions { kind: SearchKind::Text, ..SearchOptions::default() };
    let hits = view.search(query, &options).expect("a search");
    hits.into_iter().map(|hit| hit.path.as_str().to_owned()).collect()
}

fn recall(view: &View, question: &str, max_tokens: usize) -> String {
    let options = RecallOptions { max_tokens, ..RecallOptions::default() };
    let recalled = view.recall(question, &options).expect("a recall");
    assert!(recalled.tokens <= max_tokens, "{} tokens", recalled.tokens);
    recalled.text
}

#[test]
fn a_note_is_recalled_as_soon_as_it_is_written() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    me.write(&path("/rsi.md"), "RSI > 70 → exit\n".as_bytes(), &parents()).unwrap();
    let text = recall(&me, "when to sell", 200);
    assert!(text.starts_with("- RSI > 70 → exit (/rsi.md@"), "{text:?}");
    assert_eq!(recall(&me, "when to sell", 0), "");
    me.write(&path("/rsi.md"), b"Nothing of that kind.\n", &WriteOptions::default()).unwrap();
    assert_eq!(found(&me, "exit"), Vec::<String>::new());
    assert_eq!(found(&me, "kind"), ["/rsi.md"]);
}

#[test]
fn a_memory_has_a_name_of_its_own_and_what_is_known_about_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let options = RememberOptions {
        title: Some("Breakfast".into()),
        importance: Some(0.9),
        tags: vec!["food".into()],
        source: Some("chat".into()),
        ..RememberOptions::default()
    };
    let first = me.remember("She likes porridge", &options).unwrap();
    assert_eq!(first.path.as_str(), "/memories/breakfast.md");
    let second = me.remember("She likes porridge with salt", &options).unwrap();
    assert_ne!(second.path, first.path);
    assert_eq!(&me.read(&first.path).unwrap()[..], b"She likes porridge\n");
    let noted = me.meta(&first.path).unwrap();
    assert_eq!((noted.importance, noted.tags), (Some(0.9), vec!["food".to_owned()]));
    assert_eq!(found(&me, "tag:food salt"), [second.path.as_str()]);
    assert_eq!(remember(&me, "→ → →").as_str(), "/memories/memory.md");
    for bad in ["", " \n"] {
        let error = me.remember(bad, &RememberOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
    let error = me.remember(&"x".repeat(1 << 20), &RememberOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

#[test]
fn what_is_known_already_is_merged_or_linked_if_asked() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let old = remember(&me, "The deploy key of the staging cluster is kept in the vault");
    let text = "The deploy key of the staging cluster is kept in the vault.";
    let with = |alike| RememberOptions { alike: Some(alike), ..RememberOptions::default() };
    let merged = me.remember(text, &with(Alike::Merge)).unwrap();
    assert_eq!((&merged.path, merged.alike.as_ref()), (&old, Some(&old)));
    let linked = me.remember(text, &with(Alike::Link)).unwrap();
    assert_eq!(linked.alike.as_ref(), Some(&old));
    assert_ne!(linked.path, old);
    let content = me.read(&linked.path).unwrap();
    assert!(String::from_utf8_lossy(&content).contains("[[the-deploy-key"));
    // Another number is another thing.
    let other = me.remember("The rent is 900 euros a month", &with(Alike::Merge)).unwrap();
    let more = me.remember("The rent is 950 euros a month", &with(Alike::Merge)).unwrap();
    assert_ne!(other.path, more.path);
    assert_eq!(more.alike, None);
}

#[test]
fn what_is_forgotten_for_good_is_in_no_file_of_the_store() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let kept = remember(&me, "The cat is called Felix");
    let secret = remember(&me, "The launch word is zanzibarquux");
    assert_eq!(found(&me, "zanzibarquux"), [secret.as_str()]);
    // Written down, by closing the store.
    store.close().unwrap();
    let store = open(dir.path());
    let me = view_of(&store, "me");
    assert_eq!(found(&me, "zanzibarquux"), [secret.as_str()]);
    let receipt = me.forget(&secret, true).unwrap();
    assert_eq!((receipt.nodes, receipt.in_trash_until), (1, None));
    assert!(receipt.erased_from.iter().any(|place| place == "index"));
    assert_eq!(found(&me, "zanzibarquux"), Vec::<String>::new());
    store.close().unwrap();
    assert_eq!(files_with(dir.path(), b"zanzibarquux"), Vec::<String>::new());
    assert_eq!(files_with(dir.path(), b"zanzibar"), Vec::<String>::new());
    let store = open(dir.path());
    assert_eq!(found(&view_of(&store, "me"), "cat"), [kept.as_str()]);
}

#[test]
fn docs_get_their_vectors_in_the_background_and_keep_them() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    store.start_indexing(std::sync::Arc::new(BuiltIn::Encoder)).unwrap();
    let me = view_of(&store, "me");
    for number in 0..20 {
        remember(&me, &format!("Memory number {number} is about the garden"));
    }
    assert_eq!(found(&me, "garden").len(), 10);
    let start = std::time::Instant::now();
    loop {
        let index = store.status().indexes.remove(0);
        if index.embedder == BuiltIn::Encoder.name() && index.waiting == 0 {
            break;
        }
        assert!(start.elapsed().as_secs() < 60, "{} docs wait", index.waiting);
        std::thread::yield_now();
    }
    store.close().unwrap();
    let store = open(dir.path());
    assert_eq!(found(&view_of(&store, "me"), "garden").len(), 10);
    assert_eq!(store.status().indexes[0].waiting, 0);
}

#[test]
fn odd_files_are_found_by_what_can_be_read_of_them() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let write = |at: &str, content: &[u8]| {
        me.write(&path(at), content, &parents()).expect("it is written");
    };
    write("/tool.bin", b"\0\x01secretword\0");
    write("/latin.md", b"caf\xe9 near the harbour \xff");
    write("/empty.md", b"");
    let mut large = "filler of a very long log\n".repeat(800_000).into_bytes();
    large[..9].copy_from_slice(b"beginning");
    large.extend_from_slice(b"theveryend\n");
    assert!(large.len() > 16 << 20);
    write("/large.log", &large);
    assert_eq!(found(&me, "secretword"), Vec::<String>::new());
    assert_eq!(found(&me, "tool"), ["/tool.bin"]);
    assert_eq!(found(&me, "harbour"), ["/latin.md"]);
    assert_eq!(found(&me, "empty"), ["/empty.md"]);
    assert_eq!(found(&me, "beginning"), ["/large.log"]);
    // Of a text so long only the beginning is searched.
    assert_eq!(found(&me, "theveryend"), Vec::<String>::new());
    assert_eq!(found(&me, "large.log").first().map(String::as_str), Some("/large.log"));
}

#[test]
fn a_damaged_file_keeps_no_other_from_being_found() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let large = "a long tale of the harbour\n".repeat(10_000);
    me.write(&path("/tale.md"), large.as_bytes(), &parents()).expect("it is written");
    remember(&me, "The harbour master is called Ines");
    store.close().expect("it closes");
    let space = dir.path().join("spaces/agents/me");
    for chunk in files_with(&space.join("chunks"), b"harbour") {
        std::fs::write(chunk, b"rubbish").expect("it can be damaged");
    }
    let store = open(dir.path());
    let me = view_of(&store, "me");
    assert_eq!(found(&me, "harbour"), ["/memories/the-harbour-master-is-called.md"]);
    assert_eq!(found(&me, "tale"), ["/tale.md"]);
    assert!(recall(&me, "harbour", 500).contains("Ines"));
}

#[test]
fn every_question_has_an_answer() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    remember(&me, "The NEAR protocol and the NOT gate: 100% of \"quotes\" 🦀");
    let long = "porridge AND (salt OR \"sugar\" ".repeat(3600);
    assert!(long.len() > 100 << 10);
    let questions = [
        "",
        " ",
        "\0",
        "the of and",
        "AND",
        "NEAR/3",
        "\"",
        "(((",
        "a:b",
        "tag:",
        "-",
        "-gate",
        "*",
        "🦀",
        "ﬁ\u{301}",
        "{near protocol}^2",
        "'; DROP TABLE docs; --",
        &long,
    ];
    for question in questions {
        for kind in [SearchKind::Text, SearchKind::Vector, SearchKind::Hybrid] {
            let options = SearchOptions { kind, ..SearchOptions::default() };
            me.search(question, &options).expect("a search");
        }
        for max_tokens in [0, 1, 10, 10_000_000] {
            recall(&me, question, max_tokens);
        }
    }
    let options = SearchOptions { limit: usize::MAX, ..SearchOptions::default() };
    assert_eq!(me.search("protocol", &options).expect("a search").len(), 1);
    let nothing = SearchOptions { limit: 0, ..SearchOptions::default() };
    assert_eq!(me.search("protocol", &nothing).expect("a search").len(), 0);
    let elsewhere = SearchOptions { below: path("/nowhere"), ..SearchOptions::default() };
    assert_eq!(me.search("protocol", &elsewhere).expect("a search").len(), 0);
}
