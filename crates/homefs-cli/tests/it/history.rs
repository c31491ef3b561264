//! Versions, trash, purge and watch.

use crate::harness::Home;

#[test]
fn old_versions_are_read_compared_and_restored() {
    Home::new().check(
        "
        $ -q write a.md one
        $ diff a.md
        error: /a.md: the file has one version only
        [1]
        $ -q write a.md two
        $ log a.md
        2  TIME  AGE  me  4 B
        1  TIME  AGE  me  4 B
        $ cat a.md --version 1
        one
        $ cat a.md --at 1
        one
        $ cat a.md --at '1h ago'
        error: /a.md: …
        [1]
        $ diff a.md
        --- …
        +++ …
        @@ -1 +1 @@
        -one
        +two
        [1]
        $ diff a.md --from 2
        $ restore a.md
        error: say which version to restore: --version or --at
        hint: `homefs log /a.md` lists them
        [2]
        $ restore a.md --version 1
        restored /a.md, now version 3
        $ cat a.md
        one
        $ log a.md -n 1
        3  TIME  AGE  me  4 B
        $ log a.md --before 2
        1  TIME  AGE  me  4 B
        ",
    );
}

#[test]
fn what_was_removed_can_be_brought_back() {
    Home::new().check(
        "
        $ -q write notes/a.md one
        $ -q rm -r notes
        $ cat notes/a.md
        error: /notes/a.md: …
        hint: it was removed; `homefs trash restore /notes/a.md` brings it back
        [1]
        $ trash
        AGE  me  directory  0 B  /notes
        AGE  me  file       4 B  /notes/a.md
        $ log notes/a.md
        1  TIME  AGE  me  4 B
        $ trash restore notes
        brought back /notes
        $ cat notes/a.md
        one
        $ -q rm notes/a.md
        $ trash restore notes/a.md --to b.md
        brought back /b.md
        $ cat b.md
        one
        $ trash restore nope
        error: /nope: …
        [1]
        ",
    );
}

#[test]
fn a_purge_asks_first_and_leaves_nothing() {
    Home::new().check(
        "
        $ -q write a.md secret
        $ -q write a.md public
        $ purge a.md
        error: nothing was erased
        hint: --yes erases without asking
        [1]
        $ purge a.md --yes
        erased /a.md: 1 node, 7 B
        $ cat a.md
        error: /a.md: …
        [1]
        $ log a.md
        error: /a.md: …
        [1]
        $ trash
        ",
    );
}

#[test]
fn a_watch_goes_on_from_its_cursor() {
    let home = Home::new();
    home.ok(&["write", "before.md", "x"]);
    let cursor = home.ok(&["watch", "--cursor"]);
    let cursor = cursor.trim();
    home.ok(&["write", "notes/a.md", "x"]);
    home.ok(&["rm", "notes/a.md"]);
    home.ok(&["write", "other.md", "x"]);
    let ran = home.run(&["watch", "notes/a.md", "--since", cursor, "--once", "--json"]);
    let text = ran.text();
    let events: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.last().unwrap()["path"], "/notes/a.md", "{text}");
    assert_eq!(events.last().unwrap()["action"], "removed", "{text}");
    let next = events.last().unwrap()["cursor"].as_str().unwrap();
    let again = home.run(&["watch", "notes", "--since", next, "--once"]);
    assert_eq!((again.code, again.text().as_str()), (0, ""));
    assert_eq!(home.run(&["watch", "--since", "nonsense"]).code, 2);
    // The file and its directory were made by one change.
    let all = home.ok(&["watch", "--since", cursor, "--count", "1"]);
    assert_eq!(all.lines().count(), 2);
}
