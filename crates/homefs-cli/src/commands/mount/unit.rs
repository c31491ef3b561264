//! `homefs mount --print-unit`.

use std::path::Path as HostPath;

use homefs_core::{AgentId, Error};

use super::Args;
use crate::context::Context;
use crate::error::Result;

/// Prints a systemd user unit that mounts as the arguments say, whatever its environment.
pub(super) fn print(args: &Args, context: &Context) -> Result<()> {
    let settings = context.settings()?;
    let who = context.who()?;
    let homefs = std::env::current_exe()
        .map_err(|error| Error::io("find the program of this process", error))?;
    let dir = absolute(&args.dir)?;
    let mut words = vec![quoted(&absolute(&homefs)?), "mount".into(), "--foreground".into()];
    words.extend(["--store".into(), quoted(&absolute(&settings.store)?)]);
    words.extend(["--agent-id".into(), quoted(who.agent.as_str())]);
    for (given, flag) in [
        (who.operator, "--operator"),
        (who.all, "--all"),
        (args.read_only, "--read-only"),
        (args.allow_other, "--allow-other"),
        (args.special, "--special"),
    ] {
        words.extend(given.then(|| flag.to_owned()));
    }
    if let Some(groups) = context.groups() {
        let names: Vec<&str> = groups.iter().map(AgentId::as_str).collect();
        words.extend(["--groups".into(), quoted(&names.join(","))]);
    }
    if let Some(log) = &args.log {
        words.extend(["--log".into(), quoted(&absolute(log)?)]);
    }
    words.extend(["--".into(), quoted(&dir)]);
    let (shown, command) = (dir.replace('%', "%%"), words.join(" "));
    context.output.line(format_args!(
        "# Save as ~/.config/systemd/user/homefs.service, then\n\
         # systemctl --user enable --now homefs\n\
         [Unit]\n\
         Description=homefs at {shown}\n\
         \n\
         [Service]\n\
         Type=simple\n\
         ExecStart={command}\n\
         Restart=on-failure\n\
         \n\
         [Install]\n\
         WantedBy=default.target"
    ))
}

fn absolute(path: &HostPath) -> Result<String> {
    let path = std::path::absolute(path)
        .map_err(|error| Error::io("find the present directory", error))?;
    Ok(path.to_string_lossy().into_owned())
}

/// Writes a word so that systemd reads it as it is.
fn quoted(word: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in word.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '%' | '$' => quoted.extend([letter, letter]),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systemd_reads_a_quoted_word_as_it_is() {
        for (word, expected) in [
            ("/a/my memory", "\"/a/my memory\""),
            ("100%", "\"100%%\""),
            ("$HOME", "\"$$HOME\""),
            ("a\"b\\c", "\"a\\\"b\\\\c\""),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
