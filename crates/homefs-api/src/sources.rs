//! Sources by their addresses: folders, buckets and collections.

use std::collections::BTreeMap;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{Disk, Error, ErrorKind, Result, Source, SourceTarget};
use homefs_remote::{
    BucketSource, ChromaSettings, ChromaSource, Environment, FolderSource, FolderTarget,
    RemoteAddress,
};
use homefs_view::{OpenSource, Settings};

/// The folder in the store's directory for what is kept of sources.
const FOLDER: &str = "sources";

/// Opens sources with the credentials of this process.
pub(crate) struct Sources {
    disk: Arc<dyn Disk>,
    store: PathBuf,
    /// Folders below which agents may attach folders.
    roots: Vec<PathBuf>,
    /// How old what is known of a source may be.
    age_max: Duration,
}

/// What an address names.
enum Address<'a> {
    Folder(&'a HostPath),
    Bucket,
    Collection,
}

/// Returns the address of a source as every process understands it: a folder is named from the
/// root of the host, without links on the way, and any other place stays as it is.
pub fn source_address(text: &str) -> Result<String> {
    let folder = text.strip_prefix("file://").filter(|folder| folder.starts_with('/'));
    let text = folder.unwrap_or(text);
    if text.contains("://") {
        return Ok(text.to_owned());
    }
    let failed = |error| Error::io("follow a path of the host", error).with_path_text(text);
    let folder = HostPath::new(text).canonicalize().map_err(failed)?;
    let not_text = |_| Error::new(ErrorKind::Invalid, "the folder's path is not UTF-8");
    folder.into_os_string().into_string().map_err(not_text)
}

impl Sources {
    /// Opens sources for the store in a directory.
    pub(crate) fn new(disk: Arc<dyn Disk>, store: &HostPath, settings: &Settings) -> Self {
        let age_max = Duration::from_secs(settings.source_age_max_seconds);
        let roots = settings
            .source_roots
            .split(':')
            .filter(|root| !root.is_empty())
            .map(PathBuf::from)
            .collect();
        Self { disk, store: store.to_owned(), roots, age_max }
    }

    /// Returns where what is kept of an attachment is.
    fn dir_of(&self, place: &str) -> PathBuf {
        self.store.join(FOLDER).join(place)
    }
}

impl OpenSource for Sources {
    fn check_allowed(&self, address: &str, by_operator: bool) -> Result<()> {
        let Address::Folder(folder) = Address::of(address)? else { return Ok(()) };
        let real = |path: &HostPath| {
            let failed = |error| Error::io("follow a path of the host", error);
            path.canonicalize()
                .map_err(|error| failed(error).with_path_text(path.to_string_lossy()))
        };
        let denied = |message: &str| {
            Err(Error::new(ErrorKind::Denied, message).with_path_text(folder.to_string_lossy()))
        };
        let (folder, store) = (real(folder)?, real(&self.store)?);
        if folder.starts_with(&store) || store.starts_with(&folder) {
            return denied("the store itself is there, with the homes of all agents");
        }
        let is_below = |root: &PathBuf| real(root).is_ok_and(|root| folder.starts_with(root));
        if by_operator || self.roots.iter().any(is_below) {
            return Ok(());
        }
        denied("folders of the host are attached by an operator, or below `source_roots`")
    }

    fn open(
        &self,
        address: &str,
        settings: &BTreeMap<String, String>,
        place: &str,
    ) -> Result<Arc<dyn Source>> {
        let environment = Environment::of_process();
        Ok(match Address::of(address)? {
            Address::Folder(folder) => {
                check_known(settings, &[])?;
                Arc::new(FolderSource::open(folder)?)
            }
            Address::Bucket => {
                check_known(settings, &["endpoint", "region", "virtual-host"])?;
                let mut address: RemoteAddress = address.parse()?;
                address.endpoint = settings.get("endpoint").cloned();
                address.region = settings.get("region").cloned();
                address.path_style = settings.get("virtual-host").is_none_or(|yes| yes != "yes");
                Arc::new(BucketSource::open(&address, &environment)?)
            }
            Address::Collection => {
                let settings =
                    ChromaSettings { age_max: self.age_max, ..chroma_settings(settings)? };
                let dir = self.dir_of(place);
                let disk = Arc::clone(&self.disk);
                Arc::new(ChromaSource::open(
                    &address.parse()?,
                    &settings,
                    disk,
                    &dir,
                    &environment,
                )?)
            }
        })
    }

    fn open_target(&self, address: &str) -> Result<Arc<dyn SourceTarget>> {
        match Address::of(address)? {
            Address::Folder(folder) => Ok(Arc::new(FolderTarget::open(folder)?)),
            Address::Bucket | Address::Collection => {
                let message = format!("{address} takes no changes: only folders do");
                Err(Error::new(ErrorKind::Unsupported, message))
            }
        }
    }

    fn forget(&self, place: &str) {
        let dir = self.dir_of(place);
        // What stays costs room and nothing else.
        if let Ok(names) = self.disk.list(&dir) {
            for name in names {
                self.disk.remove(&dir.join(name)).ok();
            }
        }
    }
}

impl<'a> Address<'a> {
    fn of(address: &'a str) -> Result<Self> {
        let folder = address.strip_prefix("file://").unwrap_or(address);
        if folder.starts_with('/') {
            return Ok(Self::Folder(HostPath::new(folder)));
        }
        match address.split_once("://") {
            Some(("chroma" | "chromas", _)) => Ok(Self::Collection),
            Some(("s3" | "gs" | "az", _)) => Ok(Self::Bucket),
            _ => {
                let message = "a source is a folder, s3://bucket/prefix, gs://…, az://… or \
                               chroma://host:port/collection";
                Err(Error::new(ErrorKind::Invalid, message))
            }
        }
    }
}

/// Reads how a collection is read.
fn chroma_settings(given: &BTreeMap<String, String>) -> Result<ChromaSettings> {
    check_known(given, &["page-keys", "index-key", "separator", "suffix"])?;
    let mut settings = ChromaSettings::default();
    if let Some(keys) = given.get("page-keys") {
        settings.page_keys = keys.split(',').map(|key| key.trim().to_owned()).collect();
    }
    let text = |key: &str, usual: String| given.get(key).cloned().unwrap_or(usual);
    settings.index_key = text("index-key", settings.index_key);
    settings.separator = text("separator", settings.separator);
    settings.suffix = text("suffix", settings.suffix);
    Ok(settings)
}

/// Refuses settings that such a source does not have.
fn check_known(settings: &BTreeMap<String, String>, known: &[&str]) -> Result<()> {
    match settings.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) if known.is_empty() => {
            let message = format!("a folder has no settings such as {key:?}");
            Err(Error::new(ErrorKind::Invalid, message))
        }
        Some(key) => {
            let message = format!("such a source has {}, not {key:?}", known.join(", "));
            Err(Error::new(ErrorKind::Invalid, message))
        }
    }
}
