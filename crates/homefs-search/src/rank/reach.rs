//! What ranking asks of an index.

use homefs_core::Embedder;

use crate::{
    embed::StaticModel,
    index::{Index, Source},
};

/// Whether the vectors of a source are the static model's, which may be the embedder too.
pub(super) fn is_static(index: &Index, source: Source) -> bool {
    let is_embedder = || index.embedder() == StaticModel::built_in().name();
    source == Source::Static || source == Source::Embedder && is_embedder()
}
