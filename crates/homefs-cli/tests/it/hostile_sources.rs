//! Sources that mean harm, through commands: none of them ends or hangs, takes more memory than a
//! small machine has, or leads out of where the source is attached.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use homefs_testkit::program;
use serde_json::json;

use crate::harness::{Home, PROGRAM, Ran, put, ran};

/// How much address space a command has, in KiB.
const ADDRESS_KIB: u64 = 1 << 20;
/// How long a command may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs a command in little memory; it must end by itself, and in time.
#[track_caller]
fn run(home: &Home, arguments: &[&str]) -> Ran {
    let mut command = home.command_of(&program("sh").expect("every machine has sh"));
    let limited = format!("ulimit -v {ADDRESS_KIB}; exec \"$@\"");
    command.args(["-c", &limited, "sh", PROGRAM]).args(arguments);
    let begun = Instant::now();
    let output = command.output().expect("run sh");
    assert!(begun.elapsed() < PATIENCE, "{arguments:?} took {:?}", begun.elapsed());
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code().is_some_and(|code| code <= 2), "{arguments:?}: {stderr}");
    assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
    ran(output)
}

/// Asks everything that an agent may ask about a source.
fn explore(home: &Home, files: &[&str]) -> String {
    let mut said = String::new();
    let mut ask = |arguments: &[&str]| {
        let ran = run(home, arguments);
        said += &String::from_utf8_lossy(&ran.stdout);
        said += &ran.stderr;
    };
    for arguments in [
        &["ls", "-l", "/src"] as &[&str],
        &["tree", "/src"],
        &["find", "**", "/src"],
        &["grep", "geheim", "/src"],
        &["search", "geheim"],
        &["recall", "geheim"],
        &["sources"],
        &["changes", "/src"],
        &["sh", "-c", "cd /src; ls -laR | head -c 100000; find . | head -c 100000; du -s . "],
        &["sh", "-c", "cd /src; grep -rl geheim . ; wc -c * | tail -n 1; cat * | head -c 100"],
    ] {
        ask(arguments);
    }
    for file in files {
        let at = format!("/src/{file}");
        ask(&["stat", &at]);
        ask(&["sh", "-c", &format!("head -c 100 '{at}'; tail -c 100 '{at}'; cp '{at}' /copy")]);
        ask(&["append", &at, "more"]);
    }
    said
}

#[test]
fn a_folder_that_means_harm_is_shown_as_far_as_it_can_be() {
    let home = Home::new();
    let folder = home.path("folder");
    put(&home.path("outside/secret"), "geheim");
    put(&folder.join("good"), "fine words\n");
    let at = |name: &[u8]| folder.join(std::ffi::OsStr::from_bytes(name));
    symlink(home.path("outside"), at(b"out")).unwrap();
    symlink(home.path("outside/secret"), at(b"secret")).unwrap();
    symlink("../outside/secret", at(b"up")).unwrap();
    symlink("loop", at(b"loop")).unwrap();
    symlink(".", at(b"self")).unwrap();
    let _listener = UnixListener::bind(at(b"socket")).unwrap();
    let pipe = rustix::fs::mknodat(
        rustix::fs::CWD,
        at(b"pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    );
    pipe.unwrap();
    File::create(at(b"sparse")).unwrap().set_len(10 << 40).unwrap();
    for name in
        [&b"new\nline"[..], b"\x1b[31mred\x07", b"bad\xff", b"\xe2\x80\xaetxt", b"-rf", b"a b'"]
    {
        fs::write(at(name), "words").unwrap();
    }
    put(&folder.join(vec!["d"; 1500].join("/")).join("deep"), "words");
    home.ok(&["--operator", "attach", folder.to_str().unwrap(), "/src"]);
    let said =
        explore(&home, &["good", "sparse", "secret", "out/secret", "up", "loop", "self/good"]);
    assert!(said.contains("good"), "{said}");
    assert!(
        !said.lines().any(|line| line.contains("geheim") && !line.contains("nothing")),
        "{said}"
    );
    assert_eq!(fs::read_to_string(home.path("outside/secret")).unwrap(), "geheim");
    assert!(home.ok(&["fsck"]).contains("sound") || home.run(&["fsck"]).code == 0);
}

#[test]
fn a_link_in_the_place_of_an_attached_folder_is_not_followed() {
    let mut home = Home::new();
    put(&home.path("outside/secret"), "geheim");
    put(&home.path("allowed/dir/page"), "words");
    let allowed = home.path("allowed").canonicalize().unwrap();
    home.set("HOMEFS_SOURCE_ROOTS", allowed.to_str().unwrap());
    home.ok(&["attach", allowed.to_str().unwrap(), "/all"]);
    home.ok(&["attach", allowed.join("dir").to_str().unwrap(), "/one"]);
    // Written back, the agent's link would stand where its other source is.
    let outside = home.path("outside");
    home.ok(&["sh", "-c", &format!("rm -r /all/dir && ln -s {} /all/dir", outside.display())]);
    home.ok(&["write-back", "/all", "--yes"]);
    assert!(home.path("allowed/dir").is_symlink());
    for arguments in [&["cat", "/one/secret"] as &[&str], &["ls", "/one"], &["changes", "/one"]] {
        let ran = home.run(arguments);
        assert!(!ran.text().contains("geheim") && !ran.text().contains("secret"), "{}", ran.text());
    }
}

/// Starts a server of a collection that answers queries as this does; it ends with the test.
fn serve(mut answer: impl FnMut(&str, &mut TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("chroma://{}/c", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let Some((line, body)) = read_request(&stream) else { continue };
            if line.starts_with("GET") {
                reply(&mut stream, r#"{"id": "0000-1111"}"#);
            } else {
                answer(&body, &mut stream);
            }
        }
    });
    address
}

fn read_request(stream: &TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        lines.push(line);
    }
    let length = lines.iter().find_map(|line| {
        line.to_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok()
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some((lines.into_iter().next()?, String::from_utf8(body).ok()?))
}

fn reply(stream: &mut TcpStream, body: &str) {
    // Who does not wait for the end is not answered.
    drop(write!(
        stream,
        "HTTP/1.1 200 X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    ));
}

/// Packs a tree as small as it gets.
fn packed(begin: &str, part: &str, times: usize, end: &str) -> String {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    let part = part.repeat(1000);
    packer.write_all(begin.as_bytes()).expect("there is memory");
    for _ in 0..times / 1000 {
        packer.write_all(part.as_bytes()).expect("there is memory");
    }
    packer.write_all(end.as_bytes()).expect("there is memory");
    STANDARD.encode(packer.finish().expect("there is memory"))
}

#[test]
fn a_collection_that_swells_takes_little_memory() {
    // Kept as values, each of these would be more than there is.
    let many = 24_000_000;
    for tree in [
        packed("{\"a\": [0", ",0", many, "]}"),
        packed("{\"a\": {\"groups\": [\"\"", ",\"\"", many / 2, "]}}"),
        packed("{\"a\": {\"x\": [", "{},", many / 2, "0]}}"),
        packed("{\"a\": \"", "\\u0000", many / 6, "\"}"),
    ] {
        let home = Home::new();
        let body = json!({ "ids": ["__path_tree__"], "documents": [tree] }).to_string();
        let address = serve(move |_, stream| reply(stream, &body));
        run(&home, &["attach", &address, "/src"]);
        run(&home, &["ls", "/src"]);
    }
    for (begin, part, end) in [
        (r#"{"ids": ["__path_tree__"], "metadatas": [{"a": [0"#, ",0", "]}]}"),
        (r#"{"ids": [""#, "\",\"", "\"]}"),
        (r#"{"ids": [], "x": [0"#, ",[]", "]}"),
        ("[{}", ",{}", "]"),
    ] {
        let home = Home::new();
        let times = (40 << 20) / part.len();
        let body = [begin, &part.repeat(times), end].concat();
        let address = serve(move |_, stream| reply(stream, &body));
        run(&home, &["attach", &address, "/src"]);
    }
}

#[test]
fn a_collection_that_means_harm_stays_where_it_is_attached() {
    let home = Home::new();
    put(&home.path("outside"), "untouched");
    let slugs = [
        "good",
        "..",
        "../outside",
        "a/../../outside",
        "/etc/passwd",
        "a\0b",
        "new\nline",
        "/",
        "",
        "\u{1b}[31mred\u{7}",
        "\u{202e}txt",
        "good/below",
        "good.md",
        "https://x/../y",
        "long",
    ];
    let entry = |slug: &&str| {
        let said = json!({ "isPublic": true, "edition": "e", "size": u64::MAX, "groups": [".."] });
        ((*slug).to_owned(), said)
    };
    let tree: serde_json::Map<_, _> = slugs.iter().map(entry).collect();
    let tree = serde_json::Value::from(tree).to_string();
    let address = serve(move |body, stream| {
        let body = if body.contains("__path_tree__") {
            json!({ "ids": ["__path_tree__"], "documents": [tree] })
        } else {
            // Every page is of every name, and twice.
            let metadata = |slug: &str| json!({ "path": slug, "chunk_index": 0 });
            json!({ "ids": ["1", "1", "2"], "documents": ["words", "words", "other"],
                "metadatas": [metadata("good"), metadata("../outside"), metadata("long")] })
        };
        reply(stream, &body.to_string());
    });
    let attached = run(&home, &["attach", &address, "/src"]);
    assert_eq!(attached.code, 0, "{}", attached.stderr);
    let said = explore(&home, &["good.md", "long", "etc/passwd", "../outside"]);
    assert!(said.contains("good"), "{said}");
    assert!(!said.contains("untouched") && !said.contains("root:"), "{said}");
    assert_eq!(fs::read_to_string(home.path("outside")).unwrap(), "untouched");
    assert_eq!(home.run(&["fsck"]).code, 0);
}
