//! What ranking asks of an index.

use std::ops::Range;

use homefs_core::Embedder;

use crate::{
    embed::StaticModel,
    index::{DocVectors, File, Index, Source},
};

/// The file of a doc.
pub(super) fn file_of(index: &Index, doc: u32) -> Option<&File> {
    index.doc(doc).map(|doc| doc.file)
}

/// The summed rarity of a doc's tokens.
pub(super) fn weight(index: &Index, doc: u32) -> f32 {
    index.doc(doc).map_or(0.0, |doc| doc.weight)
}

/// The docs of a doc's file.
pub(super) fn siblings(index: &Index, doc: u32) -> Range<u32> {
    file_of(index, doc).map_or(0..0, |file| index.docs_of(file.node))
}

/// The vectors by one model.
pub(super) fn vectors_of(index: &Index, source: Source) -> Option<&DocVectors> {
    match source {
        Source::Static => Some(index.static_vectors()),
        Source::Embedder => Some(index.vectors()),
        Source::Former => index.former_vectors(),
    }
}

/// Whether the vectors of a source are the static model's, which may be the embedder too.
pub(super) fn is_static(index: &Index, source: Source) -> bool {
    let is_embedder = || index.embedder() == StaticModel::built_in().name();
    source == Source::Static || source == Source::Embedder && is_embedder()
}
