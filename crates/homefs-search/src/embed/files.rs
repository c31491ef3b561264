//! The files of a model in a folder of the host.

use std::borrow::Cow;
use std::path::Path as HostPath;

use homefs_core::{Disk, Error, ErrorKind, Result};
use serde::de::DeserializeOwned;

use super::tensors::Tensors;
use super::vocabulary::Vocabulary;

/// The tensors.
pub(super) const MODEL_FILE: &str = "model.safetensors";
/// The pieces of words, one to a line.
pub(super) const VOCABULARY_FILE: &str = "vocab.txt";

/// A folder with a model. Every error names the file that it is about.
#[derive(Clone, Copy)]
pub(super) struct Folder<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) dir: &'a HostPath,
}

impl Folder<'_> {
    /// Tells whether a file is there.
    pub(super) fn has(self, file: &str) -> Result<bool> {
        let found = self.disk.exists(&self.dir.join(file));
        self.about(file, found.map_err(|cause| Error::io("look for the model", cause)))
    }

    /// Reads a file.
    pub(super) fn read(self, file: &str) -> Result<Vec<u8>> {
        let content = self.disk.read(&self.dir.join(file));
        self.about(file, content.map_err(|cause| Error::io("read the model", cause)))
    }

    /// Reads a file of JSON.
    pub(super) fn json<T: DeserializeOwned>(self, file: &str) -> Result<T> {
        let parsed = serde_json::from_slice(&self.read(file)?).map_err(|cause| {
            // It is JSON, but of something else, if it lacks what is looked for.
            let kind = if cause.is_data() { ErrorKind::Invalid } else { ErrorKind::Corrupt };
            Error::new(kind, format!("the file is not as a model has it: {cause}"))
        });
        self.about(file, parsed)
    }

    /// As [`Self::json`], but a file that is not there says nothing.
    pub(super) fn json_or_default<T: DeserializeOwned + Default>(self, file: &str) -> Result<T> {
        if self.has(file)? { self.json(file) } else { Ok(T::default()) }
    }

    /// Makes something of the tensors.
    pub(super) fn tensors<T>(self, read: impl FnOnce(&Tensors) -> Result<T>) -> Result<T> {
        let tensors = Tensors::parse(Cow::Owned(self.read(MODEL_FILE)?));
        self.about(MODEL_FILE, tensors.and_then(|tensors| read(&tensors)))
    }

    /// Reads a vocabulary that has a piece to each line.
    pub(super) fn vocabulary(self, count: usize) -> Result<Vocabulary> {
        let text = String::from_utf8(self.read(VOCABULARY_FILE)?).map_err(|cause| {
            Error::new(ErrorKind::Corrupt, "the vocabulary is not UTF-8").with_source(cause)
        });
        let parsed = text.and_then(|mut text| {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            Vocabulary::parse(Cow::Owned(text), count)
        });
        self.about(VOCABULARY_FILE, parsed)
    }

    /// Names the file that an error is about.
    pub(super) fn about<T>(self, file: &str, result: Result<T>) -> Result<T> {
        result.map_err(|error| error.with_path_text(self.dir.join(file).to_string_lossy()))
    }
}
