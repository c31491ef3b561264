//! Archives that somebody damaged, or made to fill the memory.

use std::fmt::Write as _;
use std::sync::Arc;

use homefs_core::Path;
use homefs_shell::{Limits, Output, Shell, Workers};
use homefs_view::WriteOptions;

use crate::common::Home;

fn run(home: &Home, script: &str, limits: &Limits) -> Output {
    let mut shell = Shell::new(home.view.clone(), &Arc::new(Workers::default()));
    shell.run(script, limits).expect("it runs")
}

fn path(name: &str) -> Path {
    Path::parse(name).expect("it is a path")
}

/// Makes an archive of a script's file `a` and returns it.
fn packed(home: &Home, script: &str) -> Vec<u8> {
    let output =
        run(home, &format!("cd /; rm -f a.zip; {script}; zip -q a.zip a"), &Limits::default());
    assert_eq!(output.status, 0, "{output:?}");
    home.view.read(&path("/a.zip")).expect("it was made").to_vec()
}

#[test]
fn a_damaged_archive_is_refused_wherever_it_is_damaged() {
    let home = Home::new();
    let archive = packed(&home, "for i in 1 2 3; do echo some content; done > a");
    let mut script = String::from("cd /\n");
    for (at, byte) in archive.iter().enumerate() {
        for (kind, damaged) in [
            ("flipped", [&archive[..at], &[byte ^ 1], &archive[at + 1..]].concat()),
            ("turned", [&archive[..at], &[byte ^ 0xff], &archive[at + 1..]].concat()),
            ("cut", archive[..at].to_vec()),
        ] {
            let name = format!("{kind}{at}.zip");
            home.view
                .write(&path(&format!("/{name}")), &damaged, &WriteOptions::default())
                .expect("written");
            writeln!(script, "if x=$(unzip -p {name} 2> /dev/null); then echo \"{kind} $x\"; fi")
                .expect("a string grows");
        }
    }
    let output = run(&home, &script, &Limits::default());
    let text = String::from_utf8_lossy(&output.stdout);
    // What is no part of the content, such as a time, may be another: then all of it is there.
    let whole = "some content\nsome content\nsome content\n";
    let others =
        text.replace(&format!("flipped {whole}"), "").replace(&format!("turned {whole}"), "");
    assert_eq!((others.as_str(), output.status), ("", 0));
    assert!(text.contains("flipped"), "{text}");
}

#[test]
fn a_content_is_never_longer_than_it_says_and_than_is_allowed() {
    let home = Home::new();
    let mut archive = packed(&home, "head -c 5000000 /dev/zero > a");
    assert!(archive.len() < 50_000, "{}", archive.len());
    let limits = Limits { memory_bytes: 4_000_000, ..Limits::default() };
    let tried =
        |how: &str| run(&home, &format!("cd /; rm a; unzip {how} a.zip; echo; ls a"), &limits);
    let output = tried("-o");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("has more than 4000000 bytes"),
        "{output:?}"
    );
    // The list says less than there is.
    let listed = archive.windows(4).position(|four| four == b"PK\x01\x02").expect("it has a list");
    archive[listed + 24..][..4].copy_from_slice(&100_u32.to_le_bytes());
    home.view.write(&path("/a.zip"), &archive, &WriteOptions::default()).expect("written");
    for how in ["-o", "-p", "-t"] {
        let output = tried(how);
        let said = [output.stdout, output.stderr].concat();
        assert!(String::from_utf8_lossy(&said).contains("bad CRC"), "{how}");
    }
}

#[test]
fn nothing_is_written_outside_of_the_directory() {
    let home = Home::new();
    let script =
        "mkdir -p /in/deep /out; echo x > /in/up; cd /in/deep; zip -q /up.zip ../up; rm /in/up
        cd /out; mkdir sub; unzip -o /up.zip -d sub; echo $?; find / -name up";
    let output = run(&home, script, &Limits::default());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Archive:  /up.zip\n2\n", "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("../up: leads out"), "{output:?}");
}
