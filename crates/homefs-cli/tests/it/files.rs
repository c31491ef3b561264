//! Files and directories.

use crate::harness::Home;

#[test]
fn a_file_is_written_read_and_listed() {
    Home::new().check(
        "
        $ write notes/a.md hello
        wrote /notes/a.md, version 1
        $ cat /notes/a.md
        hello
        $ write -n notes/b.md '- item'
        wrote /notes/b.md, version 2
        $ append notes/b.md ' more'
        appended to /notes/b.md, version 3
        $ write notes/c.md <<< from\\nstdin\\n
        wrote /notes/c.md, version 4
        $ cat notes/b.md notes/c.md
        - item more
        from
        stdin
        $ ls
        notes/
        $ ls -l notes
        -rw-r--r--   6 B  v1  TIME  a.md
        -rw-r--r--  12 B  v3  TIME  b.md
        -rw-r--r--  11 B  v4  TIME  c.md
        $ ls notes/a.md
        a.md
        $ -q write notes/d.md quiet
        ",
    );
}

#[test]
fn directories_are_made_moved_copied_and_removed() {
    Home::new().check(
        "
        $ mkdir a/b
        error: /a…
        [1]
        $ mkdir -p a/b
        made /a/b
        $ -q write a/b/x.md x
        $ cp a/b/x.md a/y.md
        copied /a/b/x.md to /a/y.md
        $ cp a/b/x.md a
        copied /a/b/x.md to /a/x.md
        $ cp a c
        error: /a: …
        hint: -r copies whole directories
        [2]
        $ cp -r a c
        copied /a to /c
        $ mv a/y.md c/z.md
        moved /a/y.md to /c/z.md
        $ mv a/x.md c
        moved /a/x.md to /c/x.md
        $ tree
        /
        ├── a/
        │   └── b/
        │       └── x.md
        └── c/
        ├── b/
        │   └── x.md
        ├── x.md
        ├── y.md
        └── z.md
        4 directories, 5 files
        $ mv --no-replace c/x.md c/y.md
        error: /c/y.md: …
        [1]
        $ mv --exchange c/b a/b/x.md
        moved /c/b to /a/b/x.md
        $ stat a/b/x.md/x.md --quiet --json --no-color --deadline 5s
        {…
        $ rm c
        error: /c: …
        hint: -r …
        [2]
        $ rm -r c
        removed /c; `homefs trash restore /c` brings it back
        $ ls
        a/
        ",
    );
}

#[test]
fn links_are_made_and_shown() {
    Home::new().check(
        "
        $ -q write a.md one
        $ ln a.md b.md
        linked /b.md to a.md
        $ ln -s a.md c.md
        linked /c.md to a.md
        $ -q append b.md two
        $ cat c.md
        one
        two
        $ ls -l
        -rw-r--r--  8 B  v4  TIME  a.md
        -rw-r--r--  8 B  v4  TIME  b.md
        lrwxrwxrwx  4 B  v3  TIME  c.md -> a.md
        ",
    );
}

#[test]
fn find_says_no_when_nothing_matches() {
    Home::new().check(
        "
        $ -q write notes/2026/a.md a
        $ -q write notes/b.txt b
        $ find '*.md'
        /notes/2026/a.md
        $ find 'notes/**/*'
        /notes/2026
        /notes/2026/a.md
        /notes/b.txt
        $ find '*.txt' notes
        /notes/b.txt
        $ find '*.rs'
        [1]
        $ find '*.rs' --json
        []
        [1]
        ",
    );
}

#[test]
fn grep_prints_lines_with_their_places() {
    Home::new().check(
        "
        $ -q write notes/a.md <<< one\\ntwo\\nthree\\n
        $ -q write notes/b.txt <<< Two.\\n-x\\n
        $ grep 't[wx]o'
        /notes/a.md:2:two
        $ grep -i two.? notes --glob '*.txt'
        /notes/b.txt:1:Two.
        $ grep -F .
        /notes/b.txt:1:Two.
        $ grep -- -x
        /notes/b.txt:2:-x
        $ grep two -B1 -A 1
        /notes/a.md-1-one
        /notes/a.md:2:two
        /notes/a.md-3-three
        $ grep . --limit 1
        /notes/a.md:1:one
        there may be more; --limit finds them
        $ grep two --json
        [{\"after\":[],\"before\":[],\"line\":2,\"path\":\"/notes/a.md\",\"text\":\"two\"}]
        $ grep four
        [1]
        $ grep two --limit 0
        [1]
        $ grep '('
        error: \"(\" is not a regular expression
        because: …
        [2]
        $ grep x /none
        error: /none: no such file or directory
        [1]
        ",
    );
}

#[test]
fn an_edit_is_exact() {
    Home::new().check(
        "
        $ -q write a.md <<< one\\ntwo\\ntwo\\n
        $ edit a.md --old one --new 1
        edited /a.md, version 2
        $ edit a.md --line 1 --text '- inserted'
        edited /a.md, version 3
        $ cat a.md
        1
        - inserted
        two
        two
        $ edit a.md --old two --new 2
        error: /a.md: the text to replace occurs 2 times, not once
        [2]
        $ edit a.md --old zwei --new 2
        error: /a.md: the text to replace does not occur
        [2]
        $ edit a.md --old two --new 2 --every
        edited /a.md, version 4
        $ edit a.md --old two --new 2 --every
        error: /a.md: the text to replace does not occur
        [2]
        $ cat a.md
        1
        - inserted
        2
        2
        ",
    );
}

#[test]
fn a_conflict_names_the_present_version() {
    let home = Home::new();
    home.check(
        "
        $ write a.md one --create-only
        wrote /a.md, version 1
        $ write a.md two --create-only
        error: /a.md: …
        [1]
        $ write a.md two --if-version 1 --durable
        wrote /a.md, version 2
        $ write a.md three --if-version 0
        error: /a.md: …
        hint: read the file again and repeat with its version as --if-version
        [1]
        ",
    );
    let ran = home.run(&["write", "a.md", "three", "--if-version", "1"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("version 2"), "{}", ran.stderr);
}

#[test]
fn every_listing_is_json_on_request() {
    let home = Home::new();
    home.ok(&["write", "notes/a.md", "hello"]);
    home.ok(&["rm", "notes/a.md"]);
    home.ok(&["write", "notes/a.md", "hello"]);
    home.ok(&["spaces", "create", "market"]);
    home.ok(&["--operator", "group", "add", "team", "me"]);
    for (command, key) in [
        (&["ls", "notes"][..], "path"),
        (&["tree"], "path"),
        (&["find", "*.md"], "node"),
        (&["log", "notes/a.md"], "version"),
        (&["trash"], "time"),
        (&["grants", "shared/market"], "right"),
        (&["--operator", "group", "list"], "members"),
        (&["agents"], "agent"),
        (&["spaces"], "bytes"),
        (&["config"], "origin"),
        (&["doctor"], "state"),
    ] {
        let listed = home.run(&[command, &["--json"]].concat()).json();
        assert!(!listed[0][key].is_null(), "{command:?}: {listed}");
    }
    let stat = home.run(&["stat", "notes/a.md", "--json"]).json();
    assert_eq!((&stat["size"], &stat["mode"]), (&6.into(), &"0644".into()));
    let written = home.run(&["write", "b.md", "x", "--json"]).json();
    assert_eq!(written["path"], "/b.md");
    let failed = home.run(&["cat", "nope", "--json"]);
    let error: serde_json::Value = serde_json::from_str(&failed.stderr).unwrap();
    assert_eq!((failed.code, &error["error"]["kind"]), (1, &"not-found".into()));
    assert!(error["error"]["code"].is_null(), "{error}");
    home.ok(&["ln", "-s", "self", "self"]);
    let failed = home.run(&["cat", "self", "--json"]);
    let error: serde_json::Value = serde_json::from_str(&failed.stderr).unwrap();
    assert_eq!(error["error"]["code"], "too-many-links", "{error}");
}

#[test]
fn any_bytes_of_any_size_come_back() {
    let home = Home::new();
    let content: Vec<u8> = (0..3_000_000_u32).map(|i| (i % 251) as u8).collect();
    assert_eq!(home.run_with(&["write", "big.bin"], &content).code, 0);
    assert_eq!(home.run(&["cat", "big.bin"]).stdout, content);
    assert_eq!(home.run_with(&["append", "big.bin"], b"\0\xff").code, 0);
    assert_eq!(home.run(&["cat", "big.bin"]).stdout, [&content[..], b"\0\xff"].concat());
}
