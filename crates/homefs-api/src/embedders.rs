//! What gives docs their vectors, as a setting names it.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use homefs_core::{Disk, Embedder, Result, Role, has_userinfo, is_in_the_open};
use homefs_remote::EmbeddingEndpoint;
use homefs_search::embed::{Bert, BuiltIn};
use parking_lot::Mutex;

/// What gives docs their vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EmbedderConfig {
    /// The built-in encoder.
    #[default]
    Encoder,
    /// The built-in static model.
    Static,
    /// A model of BERT's kind in a folder of the host.
    Folder(PathBuf),
    /// A service that speaks as that of `OpenAI` does. It is sent every text.
    Service {
        /// Its address, up to `/v1`.
        url: String,
        /// The model that it is asked for.
        model: String,
        /// The environment variable that holds its key, if it wants one.
        key_variable: Option<String>,
    },
}

impl FromStr for EmbedderConfig {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "encoder" => Ok(Self::Encoder),
            "static" => Ok(Self::Static),
            _ if has_userinfo(text) => {
                Err("a service is written without user and password: embedder_key_env names the \
                 variable that holds its key")
            }
            _ if text.starts_with("https://") || text.starts_with("http://") => {
                match text.split_once('#') {
                    Some((url, model)) if !model.is_empty() => {
                        let (url, model) = (url.to_owned(), model.to_owned());
                        Ok(Self::Service { url, model, key_variable: None })
                    }
                    _ => Err("a service needs its model too, as https://host/v1#model"),
                }
            }
            // A word alone is more likely a mistake than a folder.
            _ if text.contains('/') => Ok(Self::Folder(text.into())),
            _ => Err("write encoder, static, ./folder or https://host/v1#model"),
        }
    }
}

impl EmbedderConfig {
    /// Returns the address of a service, if what is sent there can be read on its way.
    pub fn in_the_open(&self) -> Option<&str> {
        match self {
            Self::Service { url, .. } => Some(&**url).filter(|url| is_in_the_open(url)),
            _ => None,
        }
    }

    /// Makes the embedder; nothing is read or asked yet.
    pub(crate) fn open(&self, disk: &Arc<dyn Disk>) -> Arc<dyn Embedder> {
        let (config, disk) = (self.clone(), disk.clone());
        match self {
            Self::Encoder => Arc::new(BuiltIn::Encoder),
            Self::Static => Arc::new(BuiltIn::Static),
            Self::Folder(_) | Self::Service { .. } => {
                Arc::new(Deferred { config, disk, made: OnceLock::new(), tried: Mutex::new(false) })
            }
        }
    }

    fn make(&self, disk: &dyn Disk) -> Result<Box<dyn Embedder>> {
        Ok(match self {
            Self::Encoder => Box::new(BuiltIn::Encoder),
            Self::Static => Box::new(BuiltIn::Static),
            Self::Folder(dir) => Box::new(Bert::open(disk, dir)?),
            Self::Service { url, model, key_variable } => {
                Box::new(EmbeddingEndpoint::open(url, model, key_variable.as_deref())?)
            }
        })
    }
}

/// An embedder that is made when it is first needed: most commands are over before a model is read.
struct Deferred {
    config: EmbedderConfig,
    disk: Arc<dyn Disk>,
    made: OnceLock<Box<dyn Embedder>>,
    /// Whether it was tried to make it; locked meanwhile.
    tried: Mutex<bool>,
}

impl Deferred {
    fn made(&self) -> Result<&dyn Embedder> {
        let mut tried = self.tried.lock();
        if let Some(made) = self.made.get() {
            return Ok(&**made);
        }
        *tried = true;
        let made = self.config.make(&*self.disk)?;
        Ok(&**self.made.get_or_init(|| made))
    }
}

impl Embedder for Deferred {
    /// One that cannot be made has no name, so that nothing is taken for its own. It is tried again
    /// where its dimensions are asked for, in the background, and not here, where a search waits.
    fn name(&self) -> &str {
        if !*self.tried.lock()
            && let Err(error) = self.made()
        {
            tracing::warn!(%error, "the embedder cannot be opened");
        }
        self.made.get().map_or("", |made| made.name())
    }

    fn dimensions(&self) -> Result<usize> {
        self.made()?.dimensions()
    }

    fn embed(&self, text: &str, role: Role) -> Result<Vec<f32>> {
        self.made()?.embed(text, role)
    }

    fn embed_many(&self, texts: &[&str], role: Role) -> Result<Vec<Vec<f32>>> {
        self.made()?.embed_many(texts, role)
    }
}
