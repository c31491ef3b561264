//! Probes through the mount: ordinary files for every program that reads or writes them.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use crate::harness::{Mounted, is_plain};
use crate::mapped::Mapped;
use crate::tools::{both, program, run};

/// Every probe, where [`mount`] leaves something to tell.
const PROBES: &[&str] = &[
    ":help",
    ":stats",
    ":recent",
    ":tags",
    "dir/:stats",
    "dir:meta",
    "note.md:meta",
    "note.md:tags",
    "note.md:ttl",
    "note.md:history",
    "note.md:diff",
];

#[test]
fn a_probe_has_the_length_that_every_program_reads() {
    let Some(mounted) = mount() else { return };
    for name in PROBES {
        let path = mounted.path(name);
        let expected = shell(&mounted, &format!("cat {name}"));
        let length = expected.len();
        assert!(length > 0, "{name} is empty");
        assert_eq!(fs::metadata(&path).unwrap().len(), length as u64, "{name}");
        for line in [
            format!("head -c 1000000 {name}"),
            format!("tail -c +1 {name}"),
            format!("tail -c {length} {name}"),
            format!("dd status=none if={name} bs=7"),
            format!("tar cf - {name} | tar xOf -"),
            format!("test -s {name} && grep '' {name}"),
        ] {
            assert_eq!(shell(&mounted, &line), expected, "{line}");
        }
        let mut file = File::open(&path).unwrap();
        assert_eq!(file.seek(SeekFrom::End(0)).unwrap(), length as u64, "{name}");
        file.seek(SeekFrom::End(-3)).unwrap();
        let mut end = String::new();
        file.read_to_string(&mut end).unwrap();
        assert_eq!(end, expected[length - 3..], "{name}");
        let mapped = Mapped::new(&file, length, false).unwrap();
        assert_eq!(mapped.read(0, length), expected.as_bytes(), "{name} mapped");
    }
}

#[test]
fn an_answer_is_frozen_for_who_has_it_open() {
    let Some(mounted) = mount() else { return };
    for name in [":stats", ":recent", "note.md:history", "note.md:tags", "note.md:diff"] {
        let before = fs::read(mounted.path(name)).unwrap();
        let held = File::open(mounted.path(name)).unwrap();
        let mut start = vec![0; before.len() / 2];
        held.read_exact_at(&mut start, 0).unwrap();
        fs::write(mounted.path("note.md"), format!("for {name}\n")).unwrap();
        File::open(mounted.path("note.md")).unwrap().sync_all().unwrap();
        mounted.homefs(&["append", "note.md", "more"]);
        mounted.homefs(&["tag", "note.md", &name.replace([':', '.'], "-")]);
        let mut again = vec![0; before.len() + 100];
        let length = held.read_at(&mut again, 0).unwrap();
        assert_eq!(again[..length], before, "{name} changed under its reader");
        assert_eq!(held.metadata().unwrap().len(), before.len() as u64, "{name}");
        assert_eq!(start, before[..start.len()], "{name}");
        assert_ne!(fs::read(mounted.path(name)).unwrap(), before, "{name} is asked anew");
    }
}

#[test]
fn arguments_of_a_probe_are_spelt_in_two_ways_and_decoded() {
    let Some(mounted) = mount() else { return };
    fs::write(mounted.path("dir/a b?.md"), "blank").unwrap();
    let answer = |name: &str| fs::read_to_string(mounted.path(name)).unwrap();
    let paths = |name: &str| {
        let rows: serde_json::Value = serde_json::from_str(&answer(name)).unwrap();
        let path = |row: &serde_json::Value| row["path"].as_str().unwrap().to_owned();
        rows.as_array().unwrap().iter().map(path).collect::<Vec<_>>()
    };
    for (name, expected) in [
        (":recent?limit=1&format=json", "/dir/a b?.md"),
        (":recent,limit=1,format=json", "/dir/a b?.md"),
        (":recent?q=a+b%3F&format=json", "/dir/a b?.md"),
        (":recent,a%20b%3F,format=json", "/dir/a b?.md"),
        (":recent?query=dir%2Fdee%70&format=json", "/dir/deep.md"),
        ("dir/:recent,deep,format=json", "/dir/deep.md"),
    ] {
        assert_eq!(paths(name), [expected], "{name}");
    }
    assert!(answer("note.md:diff,from=now,to=now").is_empty());
    for name in [":recent?colour=red", ":recent?q=%zz", ":recent,limit=0", "note.md:tags?x"] {
        check_errno(File::open(mounted.path(name)), Errno::INVAL, name);
    }
}

#[test]
fn a_probe_is_in_no_listing_of_the_mount() {
    let Some(mounted) = mount() else { return };
    for name in PROBES {
        fs::read(mounted.path(name)).unwrap();
    }
    fs::write(mounted.path("note.md:tags"), "new").unwrap();
    let found = shell(&mounted, "find . | sort");
    assert_eq!(found, ".\n./dir\n./dir/deep.md\n./note.md\n");
    // It cannot be removed, moved or linked, and there is no room for a directory of its name.
    let path = mounted.path("note.md:tags");
    check_errno(fs::remove_file(&path), Errno::NOENT, "remove");
    check_errno(fs::rename(&path, mounted.path("x")), Errno::NOENT, "rename");
    check_errno(fs::hard_link(&path, mounted.path("x")), Errno::PERM, "link");
    check_errno(fs::create_dir(&path), Errno::EXIST, "mkdir");
}

#[test]
fn what_a_program_writes_to_a_probe_is_noted() {
    let Some(mounted) = mount() else { return };
    for (line, probe, expected) in [
        ("echo b,a > note.md:tags", "note.md:tags", "a\nb\n"),
        ("printf 'one\\ntwo\\n' > note.md:tags", "note.md:tags", "one\ntwo\n"),
        // Opening for writing empties a file; of a probe, only what is written counts.
        (": > note.md:tags", "note.md:tags", "one\ntwo\n"),
        ("(echo x; echo y) > note.md:tags", "note.md:tags", "x\ny\n"),
        ("echo x > dir:tags", "dir:tags", "x\n"),
        ("echo > note.md:tags", "note.md:tags", ""),
        // What is added to nothing is the whole.
        ("echo z >> note.md:tags", "note.md:tags", "z\n"),
        ("echo 2200-01-31T12:00:00Z > note.md:ttl", "note.md:ttl", "2200-01-31T12:00:00Z\n"),
        ("echo never > note.md:ttl", "note.md:ttl", "never\n"),
        ("echo q | tee note.md:tags", "note.md:tags?", "q\n"),
    ] {
        shell(&mounted, line);
        assert_eq!(fs::read_to_string(mounted.path(probe)).unwrap(), expected, "{line}");
    }
    assert_eq!(mounted.homefs(&["tag", "note.md"]), "q\n");
    shell(&mounted, "printf 'importance: 0.7\\ntitle: A note\\n' > note.md:meta");
    let noted = fs::read_to_string(mounted.path("note.md:meta")).unwrap();
    for line in ["importance: 0.7\n", "title: A note\n", "tags: q\n"] {
        assert!(noted.contains(line), "{noted}");
    }
    assert!(mounted.homefs(&["meta", "note.md"]).contains("A note"));
    shell(&mounted, "echo title: > note.md:meta");
    assert!(!mounted.homefs(&["meta", "note.md"]).contains("A note"));
    assert_eq!(fs::read_to_string(mounted.path("note.md")).unwrap(), "two\n", "the content");
}

#[test]
fn a_bad_value_is_an_error_for_the_program_that_writes_it() {
    let Some(mounted) = mount() else { return };
    let before = fs::read_to_string(mounted.path("note.md:meta")).unwrap();
    let long = "\n".repeat(64 << 10) + "title: long\n";
    for (name, text, expected) in [
        ("note.md:ttl", "soon\n", Errno::INVAL),
        ("note.md:ttl", "-1d\n", Errno::INVAL),
        ("note.md:meta", "importance: 7\n", Errno::INVAL),
        ("note.md:meta", "no colon\n", Errno::INVAL),
        ("note.md:meta", &long, Errno::NOSPC),
        ("note.md:tags", &"tag,".repeat(50_000), Errno::NOSPC),
        ("note.md:history", "x\n", Errno::ACCESS),
        (":help", "x\n", Errno::ACCESS),
    ] {
        check_errno(fs::write(mounted.path(name), text), expected, name);
    }
    // A probe is written as a whole: there is nothing to add to.
    for (name, text) in [("note.md:tags", "c\n"), ("note.md:ttl", "1d\n")] {
        let mut file = File::options().append(true).open(mounted.path(name)).unwrap();
        check_errno(file.write_all(text.as_bytes()), Errno::INVAL, name);
    }
    let output = program(Path::new("sh"), &mounted.root())
        .args(["-c", "echo soon > note.md:ttl"])
        .output()
        .unwrap();
    assert!(!output.status.success(), "a shell sees it too: {}", both(&output));
    assert_eq!(fs::read_to_string(mounted.path("note.md:meta")).unwrap(), before);
}

#[test]
fn a_real_file_comes_before_a_probe_in_the_mount() {
    let Some(mounted) = mount() else { return };
    let real = mounted.path("note.md:tags");
    let tags = |name: &str| fs::read_to_string(mounted.path(name)).unwrap();
    assert_eq!(tags("note.md:tags"), "a\nb\n");
    fs::write(mounted.path("real"), "real\n").unwrap();
    fs::rename(mounted.path("real"), &real).unwrap();
    assert_eq!(tags("note.md:tags"), "real\n");
    assert_eq!(tags("note.md:tags?"), "a\nb\n");
    fs::write(&real, "changed\n").unwrap();
    fs::write(mounted.path("note.md:tags?"), "c\n").unwrap();
    assert_eq!((tags("note.md:tags"), tags("note.md:tags,")), ("changed\n".into(), "c\n".into()));
    assert_eq!(mounted.homefs(&["tag", "note.md"]), "c\n");
    assert_eq!(shell(&mounted, "ls"), "dir\nnote.md\nnote.md:tags\n");
    fs::remove_file(&real).unwrap();
    assert_eq!(tags("note.md:tags"), "c\n");
}

#[test]
fn a_probe_sees_what_was_changed_a_moment_before() {
    let Some(mounted) = mount() else { return };
    let answer = |name: &str| fs::read_to_string(mounted.path(name)).unwrap();
    for round in 0..20 {
        let (name, tag) = (format!("file-{round}"), format!("tag-{round}"));
        fs::write(mounted.path(&name), "12345").unwrap();
        assert!(answer(":recent,limit=1").contains(&format!("| 5 | /{name} |")), "round {round}");
        assert!(answer(":stats").contains(&format!("| files | {} |", round + 3)), "round {round}");
        fs::write(mounted.path(&format!("{name}:tags")), &tag).unwrap();
        assert!(answer(":tags").contains(&tag), "round {round}");
    }
    for round in 0..3 {
        let (name, tag) = (format!("other-{round}"), format!("other-tag-{round}"));
        assert!(!mounted.path(&format!("{name}:tags")).exists());
        mounted.homefs(&["write", &name, "1234567"]);
        assert!(answer(":recent,limit=1").contains(&format!("| 8 | /{name} |")), "round {round}");
        mounted.homefs(&["tag", &name, &tag]);
        assert_eq!(answer(&format!("{name}:tags")), format!("{tag}\n"));
        mounted.homefs(&["rm", &name]);
        assert!(!mounted.path(&format!("{name}:tags")).exists());
    }
}

#[test]
fn a_probe_can_be_copied_and_what_is_written_to_it_shows_in_the_file() {
    let Some(mounted) = mount() else { return };
    let copied = shell(&mounted, "cp note.md:history copy && cat copy");
    assert_eq!(copied, shell(&mounted, "cat note.md:history"));
    let changed = || fs::metadata(mounted.path("note.md")).unwrap().ctime_nsec();
    let before = changed();
    shell(&mounted, "echo copied > note.md:tags");
    // The kernel is told a moment later.
    let patience = Instant::now() + Duration::from_secs(10);
    while changed() == before {
        assert!(Instant::now() < patience, "the kernel was not told");
        std::thread::yield_now();
    }
}

#[test]
fn a_name_with_a_colon_that_is_no_probe_is_a_file() {
    let Some(mounted) = mount() else { return };
    for mistyped in ["note.md:tagz", "dir:tag", ":recnt"] {
        check_errno(fs::write(mounted.path(mistyped), "x"), Errno::INVAL, mistyped);
    }
    // A directory does not expire, and what is missing has no tags.
    for name in ["12:30:00.md", "a:b", "note.md:word", ":x", "x:", "missing:tags", "dir:ttl"] {
        let path = mounted.path(name);
        check_errno(fs::metadata(&path), Errno::NOENT, name);
        fs::write(&path, name).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), name);
        assert_eq!(mounted.homefs(&["cat", name]), name);
        fs::write(mounted.path(&format!("{name}:tags")), "tag").unwrap();
        assert_eq!(mounted.homefs(&["tag", name]), "tag\n", "{name}");
        fs::rename(&path, mounted.path("moved:name")).unwrap();
        assert_eq!(fs::read_to_string(mounted.path("moved:name:tags")).unwrap(), "tag\n");
        fs::remove_file(mounted.path("moved:name")).unwrap();
        check_errno(fs::metadata(&path), Errno::NOENT, name);
    }
}

/// Mounts a home with something that each probe can tell of; a plain directory has no probes.
fn mount() -> Option<Mounted> {
    if is_plain() {
        return None;
    }
    let mounted = Mounted::new(60)?;
    mounted.homefs(&["write", "note.md", "one"]);
    mounted.homefs(&["write", "note.md", "two"]);
    mounted.homefs(&["tag", "note.md", "a", "b"]);
    fs::create_dir(mounted.path("dir")).unwrap();
    fs::write(mounted.path("dir/deep.md"), "deep\n").unwrap();
    Some(mounted)
}

fn shell(mounted: &Mounted, line: &str) -> String {
    run(program(Path::new("sh"), &mounted.root()).args(["-c", line]))
}

fn check_errno<T>(outcome: io::Result<T>, expected: Errno, what: &str) {
    let found = outcome.map(drop).map_err(|error| error.raw_os_error());
    assert_eq!(found, Err(Some(expected.raw_os_error())), "{what}");
}
