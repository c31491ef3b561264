//! Where a remote is, as a person writes it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use homefs_core::{
    Error, ErrorKind, Result, check_key, has_userinfo, is_in_the_open, without_userinfo,
};

use crate::Environment;
use crate::cloud::s3_endpoint;

/// Where a remote is and how to talk to it; it never holds credentials.
///
/// Written `s3://bucket/prefix`, `gs://bucket/prefix`, `az://container/prefix`, `file:///directory`
/// or `memory:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteAddress {
    pub(crate) place: Location,
    // Invariant: empty, or a key by the rules of `check_key`.
    pub(crate) prefix: String,
    /// The server, such as `http://127.0.0.1:9000`; the service's own if not given.
    pub endpoint: Option<String>,
    /// The region of an S3 bucket; from the environment or `us-east-1` if not given.
    pub region: Option<String>,
    /// Whether an S3 bucket is named in the path (most servers) instead of the host's name.
    pub path_style: bool,
    /// How long a small request may take; a large content gets more.
    pub deadline: Duration,
}

/// What kind of place it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// A bucket of S3, or of a server that speaks like it.
    S3 { bucket: String },
    /// A bucket of Google Cloud Storage.
    Google { bucket: String },
    /// A container of Azure Blob Storage.
    Azure { container: String },
    /// A directory of the host, which may be a network file system.
    Directory(PathBuf),
    /// The memory of this process, gone when it is closed.
    Memory,
}

impl RemoteAddress {
    /// How long a small request may take unless the address says otherwise.
    pub const DEADLINE: Duration = Duration::from_secs(30);

    fn new(place: Location, prefix: &str) -> Result<Self> {
        let prefix = prefix.trim_end_matches('/').to_owned();
        if !prefix.is_empty() {
            check_key(&prefix)?;
        }
        let (endpoint, region) = (None, None);
        Ok(Self { place, prefix, endpoint, region, path_style: true, deadline: Self::DEADLINE })
    }

    /// Names the server.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: impl Into<String>) -> Self {
        self.endpoint = Some(endpoint.into());
        self
    }

    /// Returns the endpoint without a final slash, after checking that it is one.
    ///
    /// # Errors
    ///
    /// `Invalid` if it is none, or holds credentials.
    pub fn checked_endpoint(&self) -> Result<Option<&str>> {
        let Some(endpoint) = &self.endpoint else { return Ok(None) };
        let host = endpoint.strip_prefix("https://").or_else(|| endpoint.strip_prefix("http://"));
        match host {
            _ if endpoint.contains('@') => Err(secret("endpoint")),
            Some(host) if !host.is_empty() => Ok(Some(endpoint.trim_end_matches('/'))),
            _ => Err(invalid(format!(
                "endpoint {endpoint:?} starts with neither http:// nor https://"
            ))),
        }
    }

    /// Returns the server, if what is sent there can be read and changed on its way; an S3 server
    /// may be named by the environment.
    pub fn endpoint_in_the_open(&self, environment: &Environment) -> Option<String> {
        let endpoint = match (&self.endpoint, &self.place) {
            (None, Location::S3 { .. }) => s3_endpoint(environment),
            (endpoint, _) => endpoint.clone(),
        };
        let shown = endpoint.filter(|endpoint| is_in_the_open(endpoint))?;
        Some(without_userinfo(&shown).into_owned())
    }

    /// Returns the address one part above the prefix; `None` at the top of a bucket.
    #[must_use]
    pub fn above(&self) -> Option<Self> {
        if self.prefix.is_empty() {
            return None;
        }
        let prefix = self.prefix.rsplit_once('/').map_or("", |(above, _)| above).to_owned();
        Some(Self { prefix, ..self.clone() })
    }

    /// Returns where an object is, as a person would write it.
    pub(crate) fn of_object(&self, key: &str) -> String {
        if key.is_empty() { self.to_string() } else { format!("{self}/{key}") }
    }

    /// Returns the whole key of an object below the prefix.
    pub(crate) fn full_key(&self, key: &str) -> String {
        if self.prefix.is_empty() { key.to_owned() } else { format!("{}/{key}", self.prefix) }
    }
}

impl FromStr for RemoteAddress {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "memory:" {
            return Self::new(Location::Memory, "");
        }
        let Some((kind, rest)) = text.split_once("://") else { return Err(unknown(text)) };
        if kind == "file" {
            return match rest.strip_prefix('/') {
                Some(_) => Self::new(Location::Directory(PathBuf::from(rest)), ""),
                None => Err(invalid("a directory is written file:///absolute/path".to_owned())
                    .with_path_text(text)),
            };
        }
        let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        // A secret is not shown again: the text is not part of the message.
        if name.contains('@') {
            return Err(secret("address"));
        }
        if name.is_empty() {
            return Err(invalid("the address names no bucket".to_owned()).with_path_text(text));
        }
        let name = name.to_owned();
        match kind {
            "s3" => Self::new(Location::S3 { bucket: name }, prefix),
            "gs" => Self::new(Location::Google { bucket: name }, prefix),
            "az" => Self::new(Location::Azure { container: name }, prefix),
            _ => Err(unknown(text)),
        }
    }
}

impl fmt::Display for RemoteAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Location::S3 { bucket } => write!(f, "s3://{}", self.below(bucket)),
            Location::Google { bucket } => write!(f, "gs://{}", self.below(bucket)),
            Location::Azure { container } => write!(f, "az://{}", self.below(container)),
            Location::Directory(root) => write!(f, "file://{}", root.display()),
            Location::Memory => f.write_str("memory:"),
        }
    }
}

impl RemoteAddress {
    /// Returns the bucket with the prefix.
    fn below(&self, bucket: &str) -> String {
        format!("{bucket}/{}", self.prefix).trim_end_matches('/').to_owned()
    }
}

fn unknown(text: &str) -> Error {
    let kinds = "s3://bucket/prefix, gs://bucket/prefix, az://container/prefix, file:///directory";
    let error = invalid(format!("the address of a remote is one of {kinds}, or memory:"));
    // What may hold a secret is not shown again.
    if text.is_empty() || has_userinfo(text) { error } else { error.with_path_text(text) }
}

fn secret(what: &str) -> Error {
    invalid(format!("the {what} holds credentials: put them into the environment or a profile"))
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_back_as_written() {
        for text in ["s3://b", "s3://b/a/c", "gs://b/p", "az://c/p", "file:///srv/x", "memory:"] {
            assert_eq!(text.parse::<RemoteAddress>().unwrap().to_string(), text);
        }
        assert_eq!("s3://b/p/".parse::<RemoteAddress>().unwrap().to_string(), "s3://b/p");
    }

    #[test]
    fn what_is_no_address_is_invalid_and_shows_no_secret() {
        for text in
            ["", "s3", "s3://", "s3:///p", "ftp://b", "file://x", "s3://b/../c", "s3://b//c"]
        {
            let error = text.parse::<RemoteAddress>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{text}");
        }
        let error = "s3://key:geheim@bucket/p".parse::<RemoteAddress>().unwrap_err();
        assert!(!format!("{error} {error:?}").contains("geheim"));
    }

    #[test]
    fn above_a_prefix_is_a_shorter_one_up_to_the_bucket() {
        let mut address: RemoteAddress = "s3://b/a/c".parse().unwrap();
        let mut above = Vec::new();
        while let Some(next) = address.above() {
            above.push(next.to_string());
            address = next;
        }
        assert_eq!(above, ["s3://b/a", "s3://b"]);
        assert_eq!("file:///srv/x".parse::<RemoteAddress>().unwrap().above(), None);
    }

    #[test]
    fn an_endpoint_is_a_server_without_credentials() {
        let check = |endpoint: &str| {
            let address: RemoteAddress = "s3://b".parse().unwrap();
            address.with_endpoint(endpoint).checked_endpoint().map(|text| text.map(str::to_owned))
        };
        assert_eq!(check("http://h:1/").unwrap().unwrap(), "http://h:1");
        for bad in ["h:1", "ftp://h", "https://", "http://u:geheim@h", "ftp://u:geheim@h"] {
            let error = check(bad).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{bad}");
            assert!(!format!("{error:?}").contains("geheim"));
        }
    }
}
