//! The trees on which scripts run, the same on disk and in a view.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path as HostPath;
use std::time::{Duration, SystemTime};

use homefs_core::{Path, Timestamp};
use homefs_view::{SetAttrs, View, WriteOptions};

/// What a node of a tree is.
pub(crate) enum Body {
    /// A file with this content and these permission bits.
    File(Vec<u8>, u32),
    /// An empty directory.
    Directory,
    /// A symbolic link.
    Link(&'static str),
}

/// A node and where it is below the tree.
pub(crate) struct Node {
    pub(crate) path: String,
    pub(crate) body: Body,
}

/// When the first node was modified; each later one a minute after the one before.
const FIRST_MODIFIED_SECONDS: u64 = 1_767_322_000;

/// Returns a tree by its name.
pub(crate) fn tree(name: &str) -> Vec<Node> {
    match name {
        "project" => project(),
        "small" => small(),
        "empty" => Vec::new(),
        other => unreachable!("there is no tree {other}"),
    }
}

/// Makes a tree in a directory of the host.
pub(crate) fn make_on_disk(nodes: &[Node], root: &HostPath) {
    fs::create_dir_all(root).expect("a directory is made");
    for node in nodes {
        let path = root.join(&node.path);
        fs::create_dir_all(path.parent().expect("it is below the root")).expect("made");
        match &node.body {
            Body::File(content, mode) => {
                fs::write(&path, content).expect("written");
                fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).expect("set");
            }
            Body::Directory => fs::create_dir_all(&path).expect("made"),
            Body::Link(target) => std::os::unix::fs::symlink(target, &path).expect("made"),
        }
    }
    for (path, seconds) in times(nodes) {
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let file = fs::File::open(root.join(path)).expect("it opens");
        file.set_modified(at).expect("the time is set");
    }
}

/// Makes a tree in a view.
pub(crate) fn make_in_view(nodes: &[Node], view: &View, root: &str) {
    let at = |path: &str| Path::parse(&format!("{root}/{path}")).expect("it is a path");
    view.make_dir(&Path::parse(root).expect("it is a path"), true).expect("made");
    for node in nodes {
        let path = at(&node.path);
        match &node.body {
            Body::File(content, mode) => {
                let options =
                    WriteOptions { parents: true, mode: Some(*mode), ..WriteOptions::default() };
                view.write(&path, content, &options).expect("written");
            }
            Body::Directory => drop(view.make_dir(&path, true).expect("made")),
            Body::Link(target) => {
                view.make_dir(&path.parent().expect("it has one"), true).expect("made");
                view.symlink(target, &path).expect("made");
            }
        }
    }
    for (path, seconds) in times(nodes) {
        let nanos = i64::try_from(seconds).expect("it fits") * 1_000_000_000;
        let modified = Some(Timestamp(nanos));
        let set = SetAttrs { modified, ..SetAttrs::default() };
        view.set_attrs(&at(&path), &set).expect("set");
    }
}

/// Returns the modification times of files, then of the directories that hold them.
fn times(nodes: &[Node]) -> Vec<(String, u64)> {
    let mut times = Vec::new();
    let mut directories = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let seconds = FIRST_MODIFIED_SECONDS + 60 * index as u64;
        match node.body {
            Body::File(..) => times.push((node.path.clone(), seconds)),
            Body::Directory => directories.push(node.path.clone()),
            Body::Link(_) => {}
        }
        let mut above = node.path.as_str();
        while let Some((parent, _)) = above.rsplit_once('/') {
            directories.push(parent.to_owned());
            above = parent;
        }
    }
    directories.sort();
    directories.dedup();
    let from = FIRST_MODIFIED_SECONDS + 100_000;
    times.extend(directories.into_iter().zip(0..).map(|(path, index)| (path, from + 60 * index)));
    times
}

fn file(path: &str, content: &str) -> Node {
    Node { path: path.into(), body: Body::File(content.as_bytes().to_vec(), 0o644) }
}

/// A few nodes of each kind, for scripts that a seed makes.
fn small() -> Vec<Node> {
    let runs = b"echo \"ran $#: $*\"\nexit 3\n".to_vec();
    vec![
        file("a.txt", "a one\nb two\nc c c\n"),
        file("b.txt", "Hello\nfoo b c\n10\n9\n"),
        file("sub/c.txt", "c\n"),
        file("sub/d", "no end"),
        file("x y", "blank\n"),
        file("empty", ""),
        file(".hidden", "h\n"),
        Node { path: "run.sh".into(), body: Body::File(runs, 0o755) },
        Node { path: "link".into(), body: Body::Link("a.txt") },
        Node { path: "broken".into(), body: Body::Link("none") },
    ]
}

fn log() -> String {
    let levels = ["INFO", "DEBUG", "INFO", "WARN", "ERROR"];
    let mut text = String::new();
    for index in 0..120_usize {
        let level = levels[index * 7 % 5];
        let line = format!(
            "2026-01-{:02}T{:02}:{:02}:00Z {level} [worker-{}] request id={} took {}ms status={}\n",
            1 + index / 40,
            index % 24,
            index * 13 % 60,
            index % 4,
            1000 + index,
            index * 37 % 500,
            if index % 11 == 0 { 500 } else { 200 },
        );
        text.push_str(&line);
    }
    text
}

fn project() -> Vec<Node> {
    let mut nodes = text_files();
    nodes.extend(data_files());
    nodes.push(file("logs/app.log", &log()));
    nodes.push(file("logs/error.log", "error: disk full\nERROR: retry failed\nwarn: slow\n"));
    nodes.push(file("logs/old/2025.log", "old line one\nold line two\n"));
    nodes.push(file("empty.txt", ""));
    nodes.push(file("no_newline.txt", "last line has no newline"));
    nodes.push(file("with space/my file.txt", "hello from a file with spaces\nsecond line\n"));
    nodes.push(file("unicode/naïve-日本.txt", "naïve café\n日本語テキスト\nplain\n"));
    let lines: Vec<String> = (1..=200).map(|number| format!("line {number}\n")).collect();
    nodes.push(file("long.txt", &lines.concat()));
    let binary: Vec<u8> = (0..=255_u8).chain(*b"text inside binary LATER\n").collect();
    nodes.push(Node { path: "assets/logo.bin".into(), body: Body::File(binary, 0o644) });
    nodes.push(Node { path: "build".into(), body: Body::Directory });
    nodes.push(Node { path: "latest".into(), body: Body::Link("docs/guide.md") });
    nodes.push(Node { path: "docs-link".into(), body: Body::Link("docs") });
    nodes.push(Node { path: "broken".into(), body: Body::Link("missing/target") });
    let script = b"#!/bin/bash\necho \"args: $# first=$1\"\nexit 3\n".to_vec();
    nodes.push(Node { path: "scripts/run.sh".into(), body: Body::File(script, 0o755) });
    nodes.push(file("scripts/lib.sh", "greet() { echo \"hello $1\"; }\nVERSION=1.2.3\n"));
    nodes
}

fn text_files() -> Vec<Node> {
    vec![
        file(
            "README.md",
            "# Demo Project\n\nA small project used for tests.\n\n## Install\n\n```sh\nmake install\n\
             ```\n\n## Usage\n\nRun `demo --help`.\n\n## License\n\nMIT\n\n- LATER: write more docs\n",
        ),
        file(
            "docs/guide.md",
            "# Guide\n\nOAuth tokens expire after 3600 seconds.\nUse `oauth refresh` to renew.\n\n\
             ## Setup\n\n1. Install\n2. Configure oauth\n3. Run\n\nSee [api](api.md).\n",
        ),
        file(
            "docs/api.md",
            "# API\n\n## GET /users\n\nReturns users.\n\n## POST /users\n\nCreates a user. \
             Requires OAuth.\n\n## DELETE /users/{id}\n\nLATER: document errors\n",
        ),
        file(
            "docs/internal/notes.md",
            "# Notes\n\nsecret plan: none\nLATER fix oauth bug\nfoo bar\n",
        ),
        file("docs/internal/todo.txt", "buy milk\nwrite tests\nLATER: nothing\nfix bugs\n"),
        file(
            "src/main.py",
            "import os\nimport sys\n\n\ndef main():\n    # LATER: parse arguments\n    \
             print(\"hello\")\n    return 0\n\n\nclass Server:\n    def start(self):\n        \
             self.port = 8080\n\n    def stop(self):\n        pass\n\n\nif __name__ == \
             \"__main__\":\n    sys.exit(main())\n",
        ),
        file(
            "src/util.py",
            "import re\n\n\ndef slug(text):\n    return re.sub(r\"[^a-z0-9]+\", \"-\", \
             text.lower())\n\n\ndef add(a, b):\n    return a + b\n",
        ),
        file(
            "src/app.js",
            "const http = require('http');\nconst PORT = process.env.PORT || 8080;\n\n// LATER: \
             handle errors\nfunction handler(req, res) {\n  res.end('ok');\n}\n\n\
             http.createServer(handler).listen(PORT);\n",
        ),
        file("src/lib/mod.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n// LATER\n"),
        file(
            "src/lib/tests/test_mod.rs",
            "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
        ),
        file(".env", "API_KEY=abc123\nDEBUG=true\nPORT=8080\n"),
        file(".gitignore", "target/\n*.log\nnode_modules/\n"),
        file(".config/settings.toml", "[server]\nport = 8080\nhost = \"localhost\"\n"),
        file("Makefile", "all: build\n\nbuild:\n\techo building\n\nclean:\n\trm -rf build\n"),
    ]
}

fn data_files() -> Vec<Node> {
    vec![
        file(
            "data/users.csv",
            "id,name,age,city\n1,Alice,30,Berlin\n2,Bob,25,Paris\n3,Carol,35,London\n\
             4,Dave,30,Berlin\n5,Eve,22,Madrid\n6,Frank,41,Paris\n",
        ),
        file(
            "data/users.json",
            "[\n  {\"id\": 1, \"name\": \"Alice\", \"age\": 30, \"tags\": [\"admin\", \"dev\"]},\n  \
             {\"id\": 2, \"name\": \"Bob\", \"age\": 25, \"tags\": []},\n  {\"id\": 3, \"name\": \
             \"Carol\", \"age\": 35, \"tags\": [\"dev\"]}\n]\n",
        ),
        file(
            "data/config.json",
            "{\"name\":\"demo\",\"version\":\"1.0.0\",\"server\":{\"port\":8080,\"hosts\":[\"a\",\
             \"b\"]},\"debug\":true,\"ratio\":0.5,\"nothing\":null}\n",
        ),
        file("data/numbers.txt", "10\n9\n2\n33\n1\n20\n100\n3\n"),
        file("data/fruits.txt", "banana\napple\ncherry\napple\nbanana\napple\ndate\n"),
        file("data/words.txt", "the quick brown fox\njumps over the lazy dog\nthe end\n"),
        file("data/table.tsv", "name\tqty\tprice\npen\t10\t1.50\nbook\t3\t12.00\nbag\t1\t45.25\n"),
        file("data/a.txt", "one\ntwo\nthree\nfour\n"),
        file("data/b.txt", "one\n2\nthree\nfour\nfive\n"),
        file(
            "data/events.jsonl",
            "{\"t\":1,\"e\":\"start\"}\n{\"t\":2,\"e\":\"tick\"}\n{\"t\":3,\"e\":\"stop\"}\n",
        ),
    ]
}
