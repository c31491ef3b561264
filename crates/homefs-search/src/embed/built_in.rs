//! The models in the binary, loaded when they are first needed.

use homefs_core::{Embedder, Result, Role};

use super::{Encoder, StaticModel, encoder, static_model};

/// A model that is part of the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltIn {
    /// Microseconds a text.
    Static,
    /// A fraction of a millisecond a text, and better.
    Encoder,
}

impl BuiltIn {
    /// Finds a model by its name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Static, Self::Encoder].into_iter().find(|model| model.name() == name)
    }
}

impl Embedder for BuiltIn {
    fn name(&self) -> &str {
        match self {
            Self::Static => static_model::NAME,
            Self::Encoder => encoder::NAME,
        }
    }

    fn dimensions(&self) -> Result<usize> {
        Ok(match self {
            Self::Static => static_model::DIMENSIONS,
            Self::Encoder => encoder::DIMENSIONS,
        })
    }

    fn embed(&self, text: &str, role: Role) -> Result<Vec<f32>> {
        match self {
            Self::Static => Embedder::embed(StaticModel::built_in(), text, role),
            Self::Encoder => Embedder::embed(Encoder::built_in(), text, role),
        }
    }
}
