//! The files of a model in a folder of the host.

use std::path::Path as HostPath;

use homefs_core::{Disk, Error, ErrorKind, Result};

/// The tensors.
const MODEL_FILE: &str = "model.safetensors";
/// The pieces of words, one to a line.
const VOCABULARY_FILE: &str = "vocab.txt";

/// What a model is read from.
pub(crate) struct ModelFiles {
    /// The tensors.
    pub(crate) model: Vec<u8>,
    /// The pieces of words, one to a line.
    pub(crate) vocabulary: String,
}

impl ModelFiles {
    /// Reads both files.
    pub(crate) fn read(disk: &dyn Disk, dir: &HostPath) -> Result<Self> {
        let read = |name: &str| {
            let path = dir.join(name);
            disk.read(&path).map_err(|cause| {
                Error::io("read the model", cause).with_path_text(path.to_string_lossy())
            })
        };
        let model = read(MODEL_FILE)?;
        let vocabulary = String::from_utf8(read(VOCABULARY_FILE)?).map_err(|cause| {
            Error::new(ErrorKind::Corrupt, "the vocabulary is not UTF-8")
                .with_source(cause)
                .with_path_text(dir.join(VOCABULARY_FILE).to_string_lossy())
        })?;
        Ok(Self { model, vocabulary })
    }
}
