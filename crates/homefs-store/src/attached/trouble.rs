//! Why a source does not answer: what was last heard of it, for whoever asks how it is.

use homefs_core::{Error, ErrorCode, ErrorKind, NodeId, Result};

use crate::space::Space;

impl Space {
    /// Notes what a source answered, and hands it on. What is wrong with a single file of it is no
    /// trouble of the source.
    pub fn heard<T>(&self, root: NodeId, answer: Result<T>) -> Result<T> {
        match &answer {
            Ok(_) => self.note_trouble(root, None),
            Err(error)
                if error.kind() == ErrorKind::Unavailable
                    && error.code() != Some(ErrorCode::NotWhole) =>
            {
                self.note_trouble(root, Some(error));
            }
            Err(_) => {}
        }
        answer
    }

    /// As [`Self::heard`], of an answer that is about the source as a whole.
    pub fn heard_of_all<T>(&self, root: NodeId, answer: Result<T>) -> Result<T> {
        self.note_trouble(root, answer.as_ref().err());
        answer
    }

    /// Returns why a source did not answer when it was last asked; it is not asked now.
    pub(super) fn trouble(&self, root: NodeId) -> Option<String> {
        // One that answers from what it keeps knows best whether anybody else answers it.
        let own = self.attached.opened(root).and_then(|source| source.trouble());
        let trouble = own.or_else(|| self.attached.troubles.lock().get(&root).cloned());
        trouble.map(|trouble| trouble.message().to_owned())
    }

    /// Notes why a source does not answer, or that it does.
    fn note_trouble(&self, root: NodeId, trouble: Option<&Error>) {
        let mut troubles = self.attached.troubles.lock();
        match trouble {
            Some(error) => drop(troubles.insert(root, error.clone())),
            None => drop(troubles.remove(&root)),
        }
    }
}
