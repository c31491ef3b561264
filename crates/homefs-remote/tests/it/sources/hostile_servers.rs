//! Servers that mean harm: whatever they answer, the error comes in time, costs little, and
//! nothing leads out of where the collection is shown.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use homefs_core::limits::FILE_BYTES_MAX;
use homefs_core::{
    Clock, Disk, Error, ErrorKind, HostDisk, Path, Source, SourceKind, SystemClock, check_name,
};
use homefs_remote::{ChromaAddress, ChromaSettings, ChromaSource, Environment};
use serde_json::{Value, json};

use super::broken_servers::{FOUND, http, serve_streams};

/// How long one answer may take that comes; several of one question take at most four times as long.
const DEADLINE: Duration = Duration::from_secs(10);
/// How long one may take that does not come.
const SHORT: Duration = Duration::from_millis(400);
/// How long a whole call may take on a machine that is busy with other things; what waits for what
/// never ends takes longer.
const PATIENCE: Duration = Duration::from_mins(2);
/// Deeper than any stack goes.
const DEEP: usize = 100_000;

/// Opens a collection with a token that nobody else may see.
fn open(address: &ChromaAddress) -> Result<Arc<dyn Source>, Error> {
    open_within(address, DEADLINE)
}

/// As [`open`], with other patience.
fn open_within(address: &ChromaAddress, deadline: Duration) -> Result<Arc<dyn Source>, Error> {
    let cache = tempfile::tempdir().expect("there is room");
    let settings = ChromaSettings { deadline, ..ChromaSettings::default() };
    let environment: Environment = [("CHROMA_API_KEY", "geheim")].into_iter().collect();
    let disk: Arc<dyn Disk> = Arc::new(HostDisk);
    let begun = SystemClock.steady();
    let opened = ChromaSource::open(address, &settings, disk, cache.path(), &environment);
    assert!(SystemClock.steady().since(begun) < PATIENCE, "it waits too long");
    opened.map(|source| Arc::new(source) as Arc<dyn Source>)
}

/// Checks that a collection is given up whose answers do not come.
#[track_caller]
fn check_given_up(address: &ChromaAddress) {
    let error = open_within(address, SHORT).err().expect("it cannot be opened");
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
}

#[track_caller]
fn check(address: &ChromaAddress, kind: ErrorKind, word: &str) {
    let error = open(address).err().expect("it cannot be opened");
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(word), "{error}");
}

/// Finds the collection, and then does this.
fn found_then(mut answer: impl FnMut(TcpStream) + Send + 'static) -> ChromaAddress {
    serve_streams(move |line, mut stream| {
        if line.starts_with("get") {
            drop(stream.write_all(http(200, FOUND).as_bytes()));
        } else {
            answer(stream);
        }
    })
}

/// Writes the same again and again, as long as somebody reads.
fn write_for_ever(mut stream: TcpStream, begin: &str, part: &[u8], pause: Duration) {
    let begin = begin.to_owned();
    let part = part.to_vec();
    std::thread::spawn(move || {
        if stream.write_all(begin.as_bytes()).is_ok() {
            while stream.write_all(&part).is_ok() {
                std::thread::park_timeout(pause);
            }
        }
    });
}

#[test]
fn an_answer_that_never_ends_is_given_up() {
    let quick = Duration::ZERO;
    let much = vec![b' '; 1 << 20];
    for head in ["", "Content-Length: 1000000000000000000\r\n"] {
        let much = much.clone();
        let address = found_then(move |stream| {
            write_for_ever(stream, &format!("HTTP/1.1 200 X\r\n{head}\r\n"), &much, quick);
        });
        // By its length, or by the time that it takes on a slow machine.
        let error = open_within(&address, SHORT).err().expect("it cannot be opened");
        let kinds = [ErrorKind::LimitExceeded, ErrorKind::Unavailable];
        assert!(kinds.contains(&error.kind()), "{error}");
    }
    let drip = Duration::from_millis(20);
    for (begin, part) in [
        ("HTTP/1.1 200 X\r\n\r\n", " "),
        ("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"),
        ("HTTP/1.1 200 X\r\n", "A: b\r\n"),
        ("", "HTTP/1.1 100 Continue\r\n\r\n"),
    ] {
        let address =
            found_then(move |stream| write_for_ever(stream, begin, part.as_bytes(), drip));
        check_given_up(&address);
    }
    let address = found_then(|stream| {
        write_for_ever(stream, "HTTP/1.1 200 X\r\n", &b"A: b\r\n".repeat(1000), Duration::ZERO);
    });
    check_given_up(&address);
}

/// Returns an answer with as many records as one may have.
fn records(first: &str, count: usize) -> String {
    let mut ids = vec![String::new(); count];
    first.clone_into(&mut ids[0]);
    http(200, &json!({ "ids": ids }).to_string())
}

#[test]
fn answers_that_do_not_end_are_given_up() {
    let same = found_then(|mut stream| {
        drop(stream.write_all(records("a", 5000).as_bytes()));
    });
    check(&same, ErrorKind::Unsupported, "do not end");
    let step = AtomicUsize::new(0);
    let other = found_then(move |mut stream| {
        let step = step.fetch_add(1, Ordering::Relaxed);
        drop(stream.write_all(records(&step.to_string(), 5000).as_bytes()));
    });
    check_given_up(&other);
    let many = found_then(|mut stream| {
        drop(stream.write_all(records("a", 5001).as_bytes()));
    });
    check(&many, ErrorKind::Unsupported, "as Chroma does");
}

#[test]
fn a_search_that_takes_too_long_is_given_up() {
    // Each answer comes in time, though several are asked for at once and given one after another,
    // and there are many of them.
    let deadline = Duration::from_secs(1);
    let mut tree: serde_json::Map<String, Value> =
        (0..20_000).map(|page| (format!("p{page}"), json!({}))).collect();
    tree.insert("private".to_owned(), json!({ "isPublic": false }));
    let tree = Value::Object(tree).to_string();
    let first = json!({ "ids": ["__path_tree__"], "documents": [tree] }).to_string();
    let mut answers = vec![first];
    let address = found_then(move |mut stream| match answers.pop() {
        Some(answer) => drop(stream.write_all(http(200, &answer).as_bytes())),
        // Several are asked for at the same time.
        None => drop(std::thread::spawn(move || {
            std::thread::park_timeout(deadline / 2);
            drop(stream.write_all(http(200, r#"{"ids": []}"#).as_bytes()));
        })),
    });
    let source = open_within(&address, deadline).expect("it can be opened");
    let names = source.list_all(&Path::root()).unwrap().entries;
    let paths: Vec<Path> = names.iter().map(|(name, _)| Path::root().join(name).unwrap()).collect();
    assert_eq!(paths.len(), 20_000);
    let error = source.prefetch(&paths).expect_err("it takes too long");
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.to_string().contains("too long"), "{error}");
}

#[test]
fn a_tree_is_asked_for_in_one_answer() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let address = found_then(move |mut stream| {
        let step = counted.fetch_add(1, Ordering::Relaxed);
        let mut ids = vec![step.to_string(); 5000];
        let mut documents = vec![Value::Null; 5000];
        "__path_tree__".clone_into(&mut ids[7]);
        documents[7] = json!(r#"{"a": {}}"#);
        let body = json!({ "ids": ids, "documents": documents }).to_string();
        drop(stream.write_all(http(200, &body).as_bytes()));
    });
    let source = open(&address).expect("it can be opened");
    assert_eq!(source.list_all(&Path::root()).unwrap().entries.len(), 1);
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[test]
fn an_answer_that_nests_is_no_answer() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = open.repeat(DEEP) + "1" + &close.repeat(DEEP);
        for body in [
            deep.clone(),
            format!("{{\"ids\": {deep}}}"),
            format!("{{\"ids\": [\"a\"], \"documents\": [{deep}]}}"),
            format!("{{\"ids\": [\"a\"], \"metadatas\": [{{\"path\": {deep}}}]}}"),
            format!("{{\"ids\": [], \"more\": {deep}}}"),
        ] {
            let address = found_then(move |mut stream| {
                drop(stream.write_all(http(200, &body).as_bytes()));
            });
            shows_nothing(&address);
        }
        for key in ["groups", "isPublic"] {
            shows_nothing(&with_tree(&format!("{{\"a\": {{\"{key}\": {deep}}}}}")));
        }
        let body = deep.clone();
        let refused = serve_streams(move |_, mut stream| {
            drop(stream.write_all(http(400, &body).as_bytes()));
        });
        check(&refused, ErrorKind::Invalid, "400");
    }
}

/// What is nested where nobody looks is passed over; elsewhere it is no answer.
#[track_caller]
fn shows_nothing(address: &ChromaAddress) {
    match open(address) {
        Ok(source) => {
            let listed = source.list_all(&Path::root()).expect("it can be listed");
            assert!(listed.entries.is_empty());
        }
        Err(error) => {
            let kinds = [ErrorKind::Unsupported, ErrorKind::Corrupt, ErrorKind::Invalid];
            assert!(kinds.contains(&error.kind()), "{error}");
        }
    }
}

/// Serves a collection that says this of its pages.
fn with_tree(tree: &str) -> ChromaAddress {
    let body = json!({ "ids": ["__path_tree__"], "documents": [tree] }).to_string();
    found_then(move |mut stream| drop(stream.write_all(http(200, &body).as_bytes())))
}

/// Packs a tree as small as it gets.
fn packed(parts: impl IntoIterator<Item = Vec<u8>>) -> String {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    for part in parts {
        packer.write_all(&part).expect("there is memory");
    }
    STANDARD.encode(packer.finish().expect("there is memory"))
}

#[test]
fn a_tree_that_unpacks_to_more_than_it_may_is_refused() {
    let spaces = std::iter::repeat_n(vec![b' '; 1 << 20], 129);
    let bomb = packed([b"{\"a\": null".to_vec()].into_iter().chain(spaces));
    assert!(bomb.len() < 1 << 20, "{}", bomb.len());
    check(&with_tree(&bomb), ErrorKind::LimitExceeded, "bytes");
    let pages = (0..1_000_001).map(|page| format!(",\"{page:x}\":0").into_bytes());
    let many = packed([b"{\"a/b\":0".to_vec()].into_iter().chain(pages).chain([b"}".to_vec()]));
    check(&with_tree(&many), ErrorKind::LimitExceeded, "pages");
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let place = elsewhere.local_addr().unwrap();
    for status in [301, 302, 303, 307, 308] {
        let address = serve_streams(move |_, mut stream| {
            let answer = format!(
                "HTTP/1.1 {status} X\r\nLocation: http://{place}/latest/meta-data\r\n\
                 Content-Length: 0\r\nConnection: close\r\n\r\n"
            );
            drop(stream.write_all(answer.as_bytes()));
        });
        check(&address, ErrorKind::Unsupported, "elsewhere");
        assert!(elsewhere.accept().is_err(), "it was followed: {status}");
    }
}

/// Walks everything that a source shows; each path once.
fn walk(source: &dyn Source, dir: &Path, seen: &mut BTreeSet<String>) {
    for (name, node) in source.list_all(dir).expect("a directory can be listed").entries {
        check_name(&name).expect("it is a name");
        let path = dir.join(&name).expect("it is a path");
        assert!(seen.insert(path.to_string()), "{path} is there twice");
        assert_eq!(source.stat(&path).expect("it is there"), node);
        assert!(node.size_bytes.is_none_or(|size| size <= FILE_BYTES_MAX), "{node:?}");
        match node.kind {
            SourceKind::Directory => walk(source, &path, seen),
            SourceKind::File => {
                for offset in [0, 1, u64::MAX] {
                    // Whether there is a page of that name is up to the server.
                    let read = source.read(&path, offset, usize::MAX);
                    assert!(
                        read.map_or_else(|error| error.kind() != ErrorKind::Internal, |_| true)
                    );
                }
            }
            SourceKind::Link { .. } => unreachable!("a collection has no links"),
        }
    }
}

#[test]
fn odd_pages_stay_where_the_collection_is_shown() {
    let long = "x".repeat(1 << 20);
    let deep = vec!["d"; DEEP].join("/");
    let odd = [
        "..",
        "../../etc/passwd",
        "a/../../b",
        "a/..",
        "/",
        "",
        ".",
        "//",
        "http://",
        "http://..",
        "a\0b",
        "a\nb",
        "\u{7f}\u{1b}[31m",
        "\u{202e}txt.exe",
        "a",
        "/a",
        "a/",
        "//a//",
        "a/b",
        "a.md",
        "a.md/c",
        "a/./b",
        "~/x",
        "/dev/zero",
        "C:\\x",
        "a:b",
        "__path_tree__",
        &long,
        &deep,
        "x/\u{d7ff}",
        "__proto__",
    ];
    let odd_sizes = [json!(u64::MAX), json!(-1), json!(1e300), json!("9"), json!(null)];
    let mut tree = serde_json::Map::new();
    for (at, slug) in odd.iter().enumerate() {
        let size = odd_sizes[at % odd_sizes.len()].clone();
        let entry = json!({ "isPublic": true, "size": size, "edition": format!("{slug}") });
        tree.insert((*slug).to_owned(), entry);
    }
    for text in [Value::from(tree).to_string(), format!("{{{}}}", ["\"a\": {}"; 3].join(","))] {
        let source = open(&with_tree(&text)).expect("it can be opened");
        let mut seen = BTreeSet::new();
        walk(&*source, &Path::root(), &mut seen);
        assert!(seen.contains("/a") || seen.contains("/a.md"), "{seen:?}");
        assert!(!seen.iter().any(|path| path.contains("passwd")), "{seen:?}");
        for error in source.list(&Path::root(), None).unwrap().unshown {
            assert!(error.to_string().len() < 2000, "{error}");
        }
    }
}

#[test]
fn a_page_that_is_said_twice_is_seen_by_whom_both_allow() {
    let all = BTreeSet::from(["staff".to_owned()]);
    for (first, second) in [("a", "/a"), ("a", "a/"), ("a", "a"), ("a//b", "a/b"), ("a", "x://a")] {
        for flip in [false, true] {
            let [public, private] = [r#"{"isPublic": true}"#, r#"{"groups": ["staff"]}"#];
            let [one, other] = if flip { [public, private] } else { [private, public] };
            let tree = format!("{{\"{first}\": {one}, \"{second}\": {other}}}");
            let source = open(&with_tree(&tree)).unwrap();
            assert!(source.list_all(&Path::root()).unwrap().entries.is_empty(), "{tree}");
            let staff = source.whole().seen_by(&all);
            assert_eq!(staff.list_all(&Path::root()).unwrap().entries.len(), 1, "{tree}");
        }
    }
}
