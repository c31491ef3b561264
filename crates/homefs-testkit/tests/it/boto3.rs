//! Amazon's own client for Python agrees that the server speaks S3.

use std::process::{Command, Output};

use homefs_testkit::{S3Server, python_with};

/// What the client does.
const SCRIPT: &str = include_str!("boto3_client.py");

#[test]
fn the_client_of_amazon_agrees() {
    let Some(python) = python_with("boto3") else { return };
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
