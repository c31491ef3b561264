//! The file that names a store's remote.

use std::path::Path as HostPath;

use homefs_core::{AgentId, Disk, Error, ErrorKind, Result, without_userinfo};
use homefs_remote::{Environment, RemoteAddress};
use serde::{Deserialize, Serialize};

/// Which remote a store has and how to talk to it, without any secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RemoteConfig {
    /// Where it is, such as `s3://bucket/prefix` or `file:///directory`.
    pub address: String,
    /// The server, such as `http://127.0.0.1:9000`; the service's own if not given.
    pub endpoint: Option<String>,
    /// The region of an S3 bucket; from the environment if not given.
    pub region: Option<String>,
    /// Whether an S3 bucket is named in the path (most servers) instead of the host's name.
    pub path_style: bool,
    /// Whether no other machine ever writes there, so that a server that ignores the conditions of
    /// a put will do.
    pub single_writer: bool,
    /// The agent whose home is at the address itself; other spaces are below their own names.
    pub home_at_prefix: Option<AgentId>,
    /// What people call this machine.
    pub machine_name: String,
    /// Whether this machine only reads there, and sends nothing.
    pub read_only: bool,
}

impl Default for RemoteConfig {
    fn default() -> Self {
        Self {
            address: String::new(),
            endpoint: None,
            region: None,
            path_style: true,
            single_writer: false,
            home_at_prefix: None,
            machine_name: String::new(),
            read_only: false,
        }
    }
}

/// Returns what people call this machine unless they say otherwise: its host name.
pub fn machine_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The remote of a store, as its owner knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteInfo {
    /// What the store's file says; `None` if that cannot be read.
    pub config: Option<RemoteConfig>,
    /// Why the owner leaves it alone, if it does.
    pub unused: Option<String>,
}

impl RemoteConfig {
    /// Checks that it names a remote that can last.
    pub fn check(&self) -> Result<()> {
        self.resolve().map(drop)
    }

    /// Returns where the remote is.
    pub(super) fn resolve(&self) -> Result<RemoteAddress> {
        let mut address: RemoteAddress = self.address.parse()?;
        if self.address == "memory:" {
            let message = "what is only in memory is gone when the process ends";
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        address.endpoint.clone_from(&self.endpoint);
        address.region.clone_from(&self.region);
        address.path_style = self.path_style;
        // Also where nobody is asked: what the file says is shown.
        address.checked_endpoint()?;
        Ok(address)
    }

    /// Returns the server, if what is sent there can be read and changed on its way.
    pub fn in_the_open(&self) -> Option<String> {
        self.resolve().ok()?.endpoint_in_the_open(&Environment::of_process())
    }

    /// Returns it as it may be shown, whatever a person wrote into the file.
    #[must_use]
    pub(super) fn shown(&self) -> Self {
        let shown = |text: &String| without_userinfo(text).into_owned();
        let (address, endpoint) = (shown(&self.address), self.endpoint.as_ref().map(shown));
        Self { address, endpoint, ..self.clone() }
    }

    /// Tells whether another names the same remote; what that leaves open is as it is here.
    pub fn is_same_remote(&self, given: &Self) -> bool {
        let alike = |given: &Option<String>, here: &Option<String>| {
            let bare = |text: &str| text.trim_end_matches('/').to_owned();
            given.as_deref().is_none_or(|given| here.as_deref().map(bare) == Some(bare(given)))
        };
        let address = |config: &Self| config.resolve().map(|address| address.to_string()).ok();
        address(self).is_some_and(|here| Some(here) == address(given))
            && alike(&given.endpoint, &self.endpoint)
            && alike(&given.region, &self.region)
    }

    /// Reads the file, if there is one.
    pub(super) fn read(disk: &dyn Disk, file: &HostPath) -> Result<Option<Self>> {
        let at = |error: Error| error.with_path_text(file.display().to_string());
        let failed = |cause| at(Error::io("read which remote the store has", cause));
        if !disk.exists(file).map_err(failed)? {
            return Ok(None);
        }
        let content = disk.read(file).map_err(failed)?;
        serde_json::from_slice(&content).map(Some).map_err(|cause| {
            let message = format!("the file does not name a remote: {cause}");
            at(Error::new(ErrorKind::Invalid, message))
        })
    }

    /// Writes the file; it is durable when this returns.
    pub(super) fn write(&self, disk: &dyn Disk, file: &HostPath) -> Result<()> {
        let content = serde_json::to_vec_pretty(self).map_err(|cause| {
            Error::new(ErrorKind::Internal, "cannot word the remote's file").with_source(cause)
        })?;
        let written = disk.replace(file, &content);
        written.map_err(|cause| Error::io("write which remote the store has", cause))
    }

    /// Removes the file for good.
    pub(super) fn remove(disk: &dyn Disk, file: &HostPath) -> Result<()> {
        let dir = file.parent().unwrap_or(file);
        let removed = disk.remove(file).and_then(|()| disk.sync_dir(dir));
        removed.map_err(|cause| Error::io("forget which remote the store has", cause))
    }
}

#[cfg(test)]
mod tests {
    use homefs_core::HostDisk;

    use super::*;

    #[test]
    fn a_file_reads_back_as_written_and_a_strange_one_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("remote.json");
        assert_eq!(RemoteConfig::read(&HostDisk, &file).unwrap(), None);
        let config = RemoteConfig {
            address: "s3://b/p".to_owned(),
            endpoint: Some("http://h:1".to_owned()),
            machine_name: "laptop".to_owned(),
            ..RemoteConfig::default()
        };
        config.write(&HostDisk, &file).unwrap();
        assert_eq!(RemoteConfig::read(&HostDisk, &file).unwrap(), Some(config));
        RemoteConfig::remove(&HostDisk, &file).unwrap();
        assert_eq!(RemoteConfig::read(&HostDisk, &file).unwrap(), None);
        for strange in ["", "{", "7", r#"{"address":"s3://b","password":"x"}"#] {
            HostDisk.replace(&file, strange.as_bytes()).unwrap();
            let error = RemoteConfig::read(&HostDisk, &file).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{strange}");
        }
    }

    #[test]
    fn a_remote_is_known_again_however_it_is_written() {
        let config = |address: &str, endpoint: Option<&str>| RemoteConfig {
            address: address.to_owned(),
            endpoint: endpoint.map(str::to_owned),
            ..RemoteConfig::default()
        };
        let here = config("s3://b/p", Some("http://h:1"));
        for (address, endpoint, same) in [
            ("s3://b/p", Some("http://h:1"), true),
            ("s3://b/p/", Some("http://h:1/"), true),
            ("s3://b/p", None, true),
            ("s3://b/p", Some("http://h:2"), false),
            ("s3://b/q", None, false),
            ("gs://b/p", None, false),
        ] {
            let given = config(address, endpoint);
            assert_eq!(here.is_same_remote(&given), same, "{address} {endpoint:?}");
        }
    }

    #[test]
    fn an_address_that_cannot_last_is_refused() {
        for address in ["", "memory:", "s3://key:geheim@b", "/srv"] {
            let config = RemoteConfig { address: address.to_owned(), ..RemoteConfig::default() };
            let error = config.resolve().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{address}");
            assert!(!error.to_string().contains("geheim"));
        }
    }
}
