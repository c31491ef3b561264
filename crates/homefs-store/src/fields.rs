//! Optional fields of what is stored: room for what later homefs add.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// Most fields of one thing, and most bytes of one of them.
const FIELDS_MAX: usize = 64;
const FIELD_BYTES_MAX: usize = 4096;

/// Optional fields by number; `docs/formats.md` says which number means what. Whoever does not know
/// one carries it on when they write the thing anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fields(pub BTreeMap<u16, Bytes>);

impl Fields {
    /// Says what is wrong with them, if anything is.
    pub fn check(&self) -> Result<(), &'static str> {
        let is_short = self.0.values().all(|value| value.len() <= FIELD_BYTES_MAX);
        if self.0.len() > FIELDS_MAX || !is_short {
            return Err("it has too many or too long fields");
        }
        Ok(())
    }
}
