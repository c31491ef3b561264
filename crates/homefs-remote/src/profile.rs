//! The profile files of the AWS tools, as far as they hold keys.

use std::collections::BTreeMap;
use std::path::{Path as HostPath, PathBuf};

use homefs_core::{Error, ErrorKind, Result};

use crate::Environment;

/// What a profile says; the credentials file goes before the config file.
#[derive(Default)]
pub(crate) struct Profile {
    /// What it is called.
    pub(crate) name: String,
    values: BTreeMap<String, String>,
}

/// Ways to credentials that only the AWS tools know.
const FOREIGN: &[&str] = &["credential_process", "sso_session", "sso_start_url", "source_profile"];

impl Profile {
    /// Reads the profile that the environment names, or the default one; nothing if there is none.
    pub(crate) fn read(environment: &Environment) -> Result<Self> {
        let name = environment.get("AWS_PROFILE").unwrap_or("default");
        let place = |variable: &str, usual: &str| {
            environment.get(variable).map(PathBuf::from).or_else(|| environment.in_home(usual))
        };
        let config = place("AWS_CONFIG_FILE", ".aws/config");
        let credentials = place("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials");
        let mut values = section(config.as_deref(), &[name, &format!("profile {name}")])?;
        values.extend(section(credentials.as_deref(), &[name])?);
        Ok(Self { name: name.to_owned(), values })
    }

    /// Returns a value that the profile has.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// Returns the id, the secret and the session token of a key, if the profile has one.
    pub(crate) fn key(&self) -> Result<Option<(&str, &str, Option<&str>)>> {
        match (self.get("aws_access_key_id"), self.get("aws_secret_access_key")) {
            (Some(id), Some(secret)) => Ok(Some((id, secret, self.get("aws_session_token")))),
            (None, None) if self.values.is_empty() && self.name != "default" => {
                Err(invalid(format!("there is no profile {:?} (AWS_PROFILE)", self.name)))
            }
            (None, None) => match FOREIGN.iter().find(|key| self.values.contains_key(**key)) {
                Some(key) => Err(invalid(format!(
                    "profile {:?} gets its credentials by {key}, which only the AWS tools know: \
                     run `aws configure export-credentials --format env`",
                    self.name
                ))),
                None => Ok(None),
            },
            _ => Err(invalid(format!("profile {:?} has only half of a key", self.name))),
        }
    }
}

/// Reads the sections of these names from a file; a missing file has none.
fn section(file: Option<&HostPath>, names: &[&str]) -> Result<BTreeMap<String, String>> {
    let Some(file) = file else { return Ok(BTreeMap::new()) };
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(parse(&text, names)),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(cause) => {
            let error = Error::io("read the profile file", cause);
            Err(error.with_path_text(file.display().to_string()))
        }
    }
}

/// Takes `key = value` lines of the sections of these names; indented lines belong to the value
/// before them and hold nothing that is needed here.
fn parse(text: &str, names: &[&str]) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    let mut wanted = false;
    for line in text.lines() {
        if let Some(header) = line.trim().strip_prefix('[') {
            wanted = header.split(']').next().is_some_and(|name| names.contains(&name.trim()));
        } else if wanted
            && !line.starts_with([' ', '\t', '#', ';'])
            && let Some((key, value)) = line.split_once('=')
        {
            values.insert(key.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    values
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "[default]\nregion = eu-west-1\n[profile work]\nregion=eu-north-1\n\
        s3 =\n  region = no\n[profile away]\nsso_session = x\n";
    const CREDENTIALS: &str = "# keys\n[default]\naws_access_key_id = A\n\
        aws_secret_access_key = B\n[ work ]\naws_access_key_id=C\naws_secret_access_key=D=\n\
        aws_session_token=E\n[half]\naws_access_key_id=F\n";

    fn read(name: Option<&str>) -> Result<Profile> {
        let dir = tempfile::tempdir().unwrap();
        let files = [("AWS_CONFIG_FILE", CONFIG), ("AWS_SHARED_CREDENTIALS_FILE", CREDENTIALS)];
        let mut variables = Vec::new();
        for (variable, text) in files {
            let path = dir.path().join(variable);
            write(&path, text);
            variables.push((variable, path.to_str().unwrap().to_owned()));
        }
        variables.extend(name.map(|name| ("AWS_PROFILE", name.to_owned())));
        Profile::read(&variables.into_iter().collect())
    }

    #[expect(clippy::disallowed_methods, reason = "a file of the host, as the AWS tools write it")]
    fn write(path: &HostPath, text: &str) {
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn the_named_profile_is_read_from_both_files() {
        let profile = read(None).unwrap();
        assert_eq!(profile.get("region"), Some("eu-west-1"));
        assert_eq!(profile.key().unwrap(), Some(("A", "B", None)));
        let profile = read(Some("work")).unwrap();
        assert_eq!(profile.get("region"), Some("eu-north-1"));
        assert_eq!(profile.key().unwrap(), Some(("C", "D=", Some("E"))));
    }

    #[test]
    fn a_profile_without_a_usable_key_says_why() {
        let expected =
            [("half", "half of a key"), ("away", "export-credentials"), ("none", "no profile")];
        for (name, word) in expected {
            let error = read(Some(name)).unwrap().key().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            assert!(error.message().contains(word), "{error}");
        }
        assert!(Profile::read(&Environment::default()).unwrap().key().unwrap().is_none());
    }
}
