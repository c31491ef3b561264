//! Amazon's own client for Python agrees that the server speaks S3.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use homefs_testkit::S3Server;

/// Which client; its installation is kept below `target/` and used again.
const PACKAGE: &str = "boto3==1.40.0";

/// What the client does.
const SCRIPT: &str = include_str!("boto3_client.py");

#[test]
fn the_client_of_amazon_agrees() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("boto3");
    let python = folder.join("bin/python");
    let is_there = run(Command::new(&python).args(["-c", "import boto3"]));
    if is_there.is_err() {
        let made = run(Command::new("python3").args(["-m", "venv"]).arg(&folder));
        let pip = ["-m", "pip", "install", "--quiet", PACKAGE];
        if let Err(reason) = made.and_then(|_| run(Command::new(&python).args(pip))) {
            let line = format!("skipped: cannot install {PACKAGE}: {reason}\n");
            // Not by a macro, whose output the test runner hides.
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            return;
        }
    }
    let server = S3Server::start().unwrap();
    let said = run(Command::new(&python)
        .args(["-c", SCRIPT, &server.endpoint(), server.bucket()])
        .args([S3Server::ACCESS_KEY, S3Server::SECRET_KEY]));
    let last = said.expect("every check holds");
    assert!(last.contains("checks passed"), "{last}");
}

/// Runs a program and returns what it printed, or how it failed.
fn run(command: &mut Command) -> Result<String, String> {
    let Output { status, stdout, stderr } = command.output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if status.success() { Ok(text(&stdout)) } else { Err(text(&stdout) + &text(&stderr)) }
}
