//! Probes of a view. What is really there comes first: a probe is asked only where nothing is.

use bytes::Bytes;
use homefs_core::{Error, ErrorKind, NodeId, Path, Result, SpaceName, Version, not_found};
use homefs_store::model::{Kind, Stat, WriteOptions};

use super::View;
use crate::probes::{Name, mistyped};

/// The longest text that is written to a probe.
const WRITTEN_BYTES_MAX: usize = 64 << 10;

/// What a probe answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    /// The answer; reading the probe again may give another one.
    pub content: Bytes,
    /// Whether it can be written.
    pub writable: bool,
    /// What it is about: a node, or a directory with everything below it.
    pub path: Path,
}

impl View {
    /// Asks a probe; `None` if the name in that directory means none.
    pub fn probe(&self, directory: &Path, name: &str) -> Result<Option<Probed>> {
        let Some((name, path)) = self.find_probe(directory, name)? else { return Ok(None) };
        let content = name.arguments().and_then(|asked| (name.probe.read)(self, &path, &asked));
        let content = content.map_err(|error| error.with_path(&path))?.into();
        Ok(Some(Probed { content, writable: name.probe.write.is_some(), path }))
    }

    /// Writes to a probe.
    pub fn write_probe(&self, directory: &Path, name: &str, content: &[u8]) -> Result<Version> {
        let (name, path) = self.find_probe(directory, name)?.ok_or_else(not_found)?;
        let word = name.probe.word;
        let refuse = |kind, message: String| Err(Error::new(kind, message).with_path(&path));
        let Some(write) = name.probe.write else {
            return refuse(ErrorKind::Denied, format!(":{word} can only be read"));
        };
        match std::str::from_utf8(content) {
            _ if content.len() > WRITTEN_BYTES_MAX => {
                let message = format!(":{word} takes at most {WRITTEN_BYTES_MAX} bytes");
                refuse(ErrorKind::LimitExceeded, message)
            }
            Ok(text) => write(self, &path, text).map_err(|error| error.with_path(&path)),
            Err(_) => refuse(ErrorKind::Invalid, format!(":{word} takes UTF-8 text")),
        }
    }

    /// Finds the probe that a name means, and what it is about.
    fn find_probe<'a>(&self, directory: &Path, name: &'a str) -> Result<Option<(Name<'a>, Path)>> {
        let Some(found) = Name::parse(name) else { return Ok(None) };
        if self.if_known(&directory.join(name)?)?.is_some() {
            return Ok(None);
        }
        let path = match found.node {
            "" => directory.clone(),
            // What cannot be a name is the name of nothing.
            node => match directory.join(node) {
                Ok(path) => self.meant(&path)?,
                Err(_) => return Ok(None),
            },
        };
        let kind = self.if_known(&path)?;
        Ok(kind.filter(|&kind| found.probe.on.fits(kind)).map(|_| (found, path)))
    }

    /// Returns what a path names, if it names anything.
    fn if_known(&self, path: &Path) -> Result<Option<Kind>> {
        match self.known(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            known => known.map(|stat| Some(stat.kind)),
        }
    }

    /// Answers by a probe where nothing was found and the path means one.
    pub(super) fn or_probe<T>(
        &self,
        path: &Path,
        found: Result<T>,
        answer: impl FnOnce(Probed) -> T,
    ) -> Result<T> {
        let error = match found {
            Err(error) if error.kind() == ErrorKind::NotFound => error,
            found => return found,
        };
        match (path.parent(), path.name()) {
            (Some(directory), Some(name)) if name.contains(':') => {
                self.probe(&directory, name)?.map(answer).ok_or(error)
            }
            _ => Err(error),
        }
    }

    /// Writes to a probe if the path means one. Who wants nothing to be there means a file.
    pub(super) fn write_if_probe(
        &self,
        path: &Path,
        content: &[u8],
        options: &WriteOptions,
    ) -> Result<Option<Version>> {
        match self.meant_probe(path, options)? {
            Some((directory, name)) => self.write_probe(&directory, name, content).map(Some),
            None => Ok(None),
        }
    }

    /// Refuses what would make a file in the place of a probe by mistake.
    pub(super) fn refuse_probe(&self, path: &Path, options: &WriteOptions) -> Result<()> {
        if self.meant_probe(path, options)?.is_none() {
            return Ok(());
        }
        let message = "is a probe, which is written as a whole";
        Err(Error::new(ErrorKind::Unsupported, message).with_path(path))
    }

    /// Refuses to make a file whose name is nearly that of a probe of something that is there.
    pub(super) fn refuse_mistyped(&self, path: &Path, options: &WriteOptions) -> Result<()> {
        if options.create_only || options.if_version.is_some() {
            return Ok(());
        }
        let Some((probe, node)) = path.name().and_then(Name::nearly) else { return Ok(()) };
        let directory = path.parent().unwrap_or_else(Path::root);
        let about = if node.is_empty() { Ok(directory) } else { directory.join(node) };
        let Ok(about) = about else { return Ok(()) };
        let fits = self.if_known(&about)?.is_some_and(|kind| probe.on.fits(kind));
        if !fits || self.if_known(path)?.is_some() {
            return Ok(());
        }
        Err(mistyped(probe, node).with_path(path))
    }

    fn meant_probe<'a>(
        &self,
        path: &'a Path,
        options: &WriteOptions,
    ) -> Result<Option<(Path, &'a str)>> {
        let Some(name) = path.name().filter(|name| name.contains(':')) else { return Ok(None) };
        if options.create_only || options.if_version.is_some() {
            return Ok(None);
        }
        let directory = path.parent().unwrap_or_else(Path::root);
        let found = self.find_probe(&directory, name)?;
        Ok(found.map(|_| (directory, name)))
    }

    /// Tells of a probe what is told of a file.
    pub(super) fn probe_stat(&self, probed: &Probed) -> Stat {
        let now = self.store.ground.clock.now();
        Stat {
            space: SpaceName::Home(self.who.agent.clone()),
            // No node has this id.
            node: NodeId(0),
            kind: Kind::File,
            size: probed.content.len() as u64,
            mode: if probed.writable { 0o644 } else { 0o444 },
            uid: self.store.ground.uid,
            gid: self.store.ground.gid,
            links: 1,
            created: now,
            modified: now,
            changed: now,
            accessed: now,
            expires: None,
            version: Version(0),
        }
    }
}
