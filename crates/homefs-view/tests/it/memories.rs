//! Remembering, recalling and forgetting.
#![expect(clippy::disallowed_methods, reason = "the tests look into the files of a store")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{Clock as _, Embedder, ErrorKind, Path, Timestamp};
use homefs_search::embed::BuiltIn;
use homefs_testkit::VirtualClock;
use homefs_view::{
    Alike, Components, RecallOptions, RememberOptions, RenameMode, Right, SearchKind,
    SearchOptions, SetMeta, Settings, Store, Subject, Tokenizer, View, WriteOptions,
};

use crate::common::{agent, files_with, open, parents, path, view_of};

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
    let text = recall(&me, "when to exit by RSI?", 200);
    assert!(text.starts_with("- RSI > 70 → exit ^"), "{text:?}");
    assert_eq!(recall(&me, "when to exit by RSI?", 1), "");
    me.write(&path("/rsi.md"), b"Nothing of that kind.\n", &WriteOptions::default()).unwrap();
    assert_eq!(found(&me, "exit"), Vec::<String>::new());
    assert_eq!(found(&me, "kind"), ["/rsi.md"]);
}

#[test]
fn what_nobody_noted_is_not_known() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    assert_eq!(recall(&me, "what does Ann drink?", 200), "nothing known about this\n");
    remember(&me, "RSI above 70: sell half, wait a day");
    remember(&me, "Ann drinks green tea, never coffee");
    let answer = recall(&me, "what does Ann drink?", 200);
    assert!(answer.starts_with("- Ann drinks green tea, never coffee ^"), "{answer}");
    assert_eq!(answer.lines().count(), 1, "one line that answers, and nothing else: {answer}");
    for question in
        ["purple elephants", "tell me about purple elephants", "xxxx", "when did Rome fall?"]
    {
        assert_eq!(recall(&me, question, 200), "nothing known about this\n", "{question}");
        let hits = me.search(question, &SearchOptions::default()).expect("a search");
        assert!(hits.is_empty(), "{question}: {hits:?}");
    }
    // Where there is no room to say so, nothing is said.
    assert_eq!(recall(&me, "purple elephants", 3), "");
}

#[test]
fn a_memory_is_named_in_any_script_and_lives_for_some_time() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let named = |text: &str| remember(&me, text).as_str().to_owned();
    assert_eq!(named("油价上涨"), "/memories/油价上涨.md");
    assert_eq!(
        named("東京タワーの営業時間は九時から二十二時までです"),
        "/memories/東京タワーの営業時間.md"
    );
    assert_eq!(named("…!"), "/memories/memory.md");
    for ttl in ["0s", "2001-01-01"] {
        let options = RememberOptions { ttl: Some(ttl.into()), ..RememberOptions::default() };
        let error = me.remember("gone before it is there", &options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{ttl}");
    }
    assert_eq!(found(&me, "gone"), Vec::<String>::new());
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
    let other = RememberOptions { title: Some("Breakfast!".into()), ..options };
    let second = me.remember("She likes porridge with salt", &other).unwrap();
    assert_eq!(second.path.as_str().len(), "/memories/breakfast-123.md".len(), "{}", second.path);
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
    store.start_indexing(Arc::new(BuiltIn::Encoder)).unwrap();
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
    // What is no text is a memory once somebody has said something about it.
    assert_eq!(found(&me, "tool"), Vec::<String>::new());
    me.set_meta(&path("/tool.bin"), &SetMeta::one("title", "The harvester")).expect("it may");
    assert_eq!(found(&me, "harvester"), ["/tool.bin"]);
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
        for max_tokens in [1, 10, 10_000_000] {
            recall(&me, question, max_tokens);
        }
    }
    let options = SearchOptions { limit: usize::MAX, ..SearchOptions::default() };
    assert_eq!(me.search("protocol", &options).expect("a search").len(), 1);
    let nothing = SearchOptions { limit: 0, ..SearchOptions::default() };
    assert_eq!(me.search("protocol", &nothing).expect("a search").len(), 0);
    let elsewhere = SearchOptions { below: path("/nowhere"), ..SearchOptions::default() };
    assert_eq!(me.search("protocol", &elsewhere).unwrap_err().kind(), ErrorKind::NotFound);
}

/// A memory with a title.
fn titled(title: &str) -> RememberOptions {
    RememberOptions { title: Some(title.into()), ..RememberOptions::default() }
}

#[test]
fn the_same_text_again_makes_its_memory_new() {
    let dir = tempfile::tempdir().expect("a directory");
    let clock = Arc::new(VirtualClock::new(Timestamp(1_769_860_800 * 1_000_000_000)));
    let components = Components { clock: clock.clone(), ..Components::host() };
    let store = Store::open(dir.path(), Settings::default(), components).expect("it opens");
    let me = view_of(&store, "me");
    let text = "Ann drinks green tea, never coffee";
    let tagged = |tag: &str| RememberOptions { tags: vec![tag.into()], ..Default::default() };
    let first = me.remember(text, &tagged("tea")).unwrap();
    clock.advance(Duration::from_hours(48));
    let again = me.remember(&format!("{text}\n"), &tagged("ann")).unwrap();
    assert_eq!(again.path, first.path);
    let stat = me.stat(&first.path).unwrap();
    assert_eq!(stat.modified, clock.now());
    assert_eq!(me.meta(&first.path).unwrap().tags, ["ann", "tea"]);
    assert_eq!(me.log(&first.path, None, 10).unwrap().len(), 1, "nothing else was said");
    // Under a title it is still the same memory, and has one from then on.
    let named = me.remember(text, &titled("Tea")).unwrap();
    assert_eq!(named.path, first.path);
    assert_eq!(me.meta(&first.path).unwrap().title.as_deref(), Some("Tea"));
    // It lives as long as was said last.
    let short = RememberOptions { ttl: Some("1h".into()), ..RememberOptions::default() };
    me.remember(text, &short).unwrap();
    assert!(me.stat(&first.path).unwrap().expires.is_some());
    me.remember(text, &RememberOptions::default()).unwrap();
    assert_eq!(me.stat(&first.path).unwrap().expires, None);
    assert_eq!(me.list(&path("/memories"), None, 10).unwrap().items.len(), 1);
    // Another text that begins so is another memory, wherever the first one went meanwhile.
    let other = remember(&me, "Ann drinks green tea, never coffee, but for Sundays");
    assert_ne!(other, first.path);
    me.forget(&first.path, false).unwrap();
    assert_eq!(remember(&me, "Ann drinks green tea, never coffee, but for Sundays"), other);
    assert_eq!(me.list(&path("/memories"), None, 10).unwrap().items.len(), 1);
    // What has expired is not made new.
    me.remember(text, &short).unwrap();
    clock.advance(Duration::from_hours(2));
    let fresh = remember(&me, text);
    assert_eq!(&me.read(&fresh).unwrap()[..], format!("{text}\n").as_bytes());
}

#[test]
fn a_title_says_anew_what_its_author_said_and_nothing_of_others() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let (ann, bob) = (view_of(&store, "ann"), view_of(&store, "bob"));
    ann.make_dir(&path("/shared/lab"), false).expect("she may");
    ann.grant(&path("/shared/lab"), &Subject::Agent(agent("bob")), Right::Write).expect("she may");
    let there = |title: &str| RememberOptions {
        space: Some("shared/lab".parse().expect("a space")),
        ..titled(title)
    };
    let first = ann.remember("The rent is 900 euros", &there("Rent")).unwrap().path;
    let again = ann.remember("The rent is 950 euros", &there("Rent")).unwrap().path;
    assert_eq!(again, first);
    assert_eq!(&ann.read(&first).unwrap()[..], b"The rent is 950 euros\n");
    assert_eq!(ann.log(&first, None, 10).unwrap().len(), 2, "the old text is in the history");
    let bobs = bob.remember("The rent is too high", &there("Rent")).unwrap().path;
    assert_ne!(bobs, first);
    assert_eq!(&ann.read(&first).unwrap()[..], b"The rent is 950 euros\n");
    let anew = bob.remember("The rent is far too high", &there("Rent")).unwrap().path;
    assert_eq!(anew, bobs);
    // What somebody else has written since is no longer the author's own.
    bob.write(&first, b"The rent is 980 euros\n", &WriteOptions::default()).unwrap();
    let third = ann.remember("The rent is 990 euros", &there("Rent")).unwrap().path;
    assert_ne!(third, first);
    assert_eq!(&ann.read(&first).unwrap()[..], b"The rent is 980 euros\n");
    // The same in a home, and after the store was closed.
    let own = ann.remember("Tea at four", &titled("Tea time")).unwrap().path;
    store.close().expect("it closes");
    let store = open(dir.path());
    let ann = view_of(&store, "ann");
    assert_eq!(ann.remember("Tea at five", &titled("Tea time")).unwrap().path, own);
    assert_eq!(ann.log(&own, None, 10).unwrap().len(), 2);
}

#[test]
fn names_of_memories_that_begin_alike_are_short_and_their_own() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let text = |number: u32| format!("The meeting of the whole team is on day {number}");
    let names: BTreeSet<Path> = (0..300).map(|number| remember(&me, &text(number))).collect();
    assert_eq!(names.len(), 300);
    let longest = names.iter().map(|name| name.as_str().len()).max();
    assert!(longest <= Some("/memories/the-meeting-of-the-whole-team-is-12345.md".len()));
    let again: BTreeSet<Path> = (0..300).map(|number| remember(&me, &text(number))).collect();
    assert_eq!(again, names);
}

#[test]
fn what_takes_the_place_of_a_memory_is_told_first() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let old = remember(&me, "Ann lives in Berlin, in the Bergmannstrasse");
    remember(&me, "Berlin has many lakes");
    let before = recall(&me, "does Ann live in Berlin?", 500);
    assert!(!before.contains("(older)"), "{before}");
    let handle = me.recall("Ann Berlin", &RecallOptions::default()).unwrap().memories[0].clone();
    assert_eq!(handle.path, old);
    let instead = |of: &str| RememberOptions { supersedes: Some(path(of)), ..Default::default() };
    let new = me.remember("She moved to the sea last week", &instead(&handle.handle)).unwrap().path;
    let recalled = me.recall("does Ann live in Berlin?", &RecallOptions::default()).unwrap();
    let told: Vec<_> = recalled.memories.iter().map(|one| (&one.path, one.older)).collect();
    assert_eq!(told[..2], [(&new, false), (&old, true)], "{}", recalled.text);
    assert!(recalled.text.contains("Bergmannstrasse (older) ^"), "{}", recalled.text);
    let context = me.context(2000, Tokenizer::O200k).unwrap().text;
    assert!(context.contains("Bergmannstrasse (older) ^"), "{context}");
    assert!(context.find("the sea") < context.find("Bergmannstrasse"), "{context}");
    // Wherever it is moved, and in another process.
    me.rename(&old, &path("/berlin.md"), RenameMode::Replace).unwrap();
    store.close().expect("it closes");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    assert!(recall(&me, "does Ann live in Berlin?", 500).contains("(older)"));
    // Once the new one is gone the old one is what is known.
    me.forget(&new, false).unwrap();
    assert!(!recall(&me, "does Ann live in Berlin?", 500).contains("(older)"));
    for nothing in ["/nope.md", "^000000"] {
        let error = me.remember("x", &instead(nothing)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{nothing}");
    }
    assert_eq!(me.remember("x", &instead("/memories")).unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn a_memory_in_whose_place_something_hidden_is_stays_as_it_is() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let (ann, bob) = (view_of(&store, "ann"), view_of(&store, "bob"));
    ann.make_dir(&path("/shared/lab"), false).expect("she may");
    ann.write(&path("/shared/lab/open/x.md"), b"The falcon nests on the tower\n", &parents())
        .unwrap();
    ann.grant(&path("/shared/lab/open"), &Subject::Agent(agent("bob")), Right::Read).unwrap();
    let told = |view: &View| format!("{:?}", view.recall("falcon", &RecallOptions::default()));
    let before = told(&bob);
    let options = RememberOptions {
        supersedes: Some(path("/shared/lab/open/x.md")),
        space: Some("shared/lab".parse().expect("a space")),
        ..RememberOptions::default()
    };
    ann.remember("The falcon has left", &options).unwrap();
    assert_eq!(told(&bob), before);
    assert!(told(&ann).contains("older: true"));
}

#[test]
fn what_a_newer_memory_says_otherwise_is_marked_as_older() {
    let dir = tempfile::tempdir().expect("a directory");
    let clock = Arc::new(VirtualClock::new(Timestamp(1_769_860_800 * 1_000_000_000)));
    let components = Components { clock: clock.clone(), ..Components::host() };
    let store = Store::open(dir.path(), Settings::default(), components).expect("it opens");
    let (ann, bob) = (view_of(&store, "ann"), view_of(&store, "bob"));
    ann.make_dir(&path("/shared/lab"), false).expect("she may");
    let say = |below: &str, text: &str| {
        clock.advance(Duration::from_hours(24));
        let path = path(&format!("/shared/lab/{below}/memories/{text}.md").replace(' ', "-"));
        ann.write(&path, text.as_bytes(), &parents()).expect("she may");
    };
    say("open", "The office is on Baker Street");
    say("open", "The office is closed on Sundays");
    ann.grant(&path("/shared/lab/open"), &Subject::Agent(agent("bob")), Right::Read).unwrap();
    say("hidden", "The office moved to Oxford Street");
    let told = recall(&ann, "where is the office?", 500);
    let place = |text: &str| told.find(text).unwrap_or_else(|| unreachable!("{told}"));
    assert!(place("Oxford Street") < place("Baker Street (older) ^"), "{told}");
    assert_eq!(told.matches("(older)").count(), 1, "{told}");
    let context = ann.context(2000, Tokenizer::O200k).unwrap().text;
    assert!(context.contains("Baker Street (older) ^"), "{context}");
    // Who does not see the new one knows the old one alone.
    let told = recall(&bob, "where is the office?", 500);
    assert!(told.contains("Baker Street ^") && !told.contains("Oxford"), "{told}");
}
