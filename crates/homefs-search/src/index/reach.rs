//! What ranking asks of an index, doc by doc.

use std::borrow::Cow;

use super::{DocVectors, File, Index, Source};
use crate::{embed::Query, rank::Form};

impl Index {
    /// The file of a doc.
    #[inline]
    pub(crate) fn file_of(&self, doc: u32) -> Option<&File> {
        let record = self.files[self.docs.get(doc as usize)?.file as usize].as_ref()?;
        Some(&record.file)
    }

    /// The summed rarity of a doc's tokens.
    #[inline]
    pub(crate) fn weight(&self, doc: u32) -> f32 {
        self.docs.get(doc as usize).map_or(0.0, |record| record.weight)
    }

    /// What the form of a doc says.
    #[inline]
    pub(crate) fn form(&self, doc: u32) -> Form {
        self.docs.get(doc as usize).map_or(Form::default(), |record| record.form)
    }

    /// Whose vector a doc has.
    pub(crate) fn source_of(&self, doc: u32) -> Option<Source> {
        Some(self.docs.get(doc as usize)?.held?.source)
    }

    /// The vectors of a source.
    pub(crate) fn vectors_of(&self, source: Source) -> Option<&DocVectors> {
        match source {
            Source::Former => self.vectors.former(),
            source => Some(self.vectors.of(source)),
        }
    }

    /// The dot product of the vector of a doc with a query of the same model.
    pub(crate) fn dot(&self, doc: u32, query: &Query) -> Option<f32> {
        let held = self.docs.get(doc as usize)?.held?;
        self.vectors.of(held.source).dot(held.slot, query)
    }

    /// The docs written before a doc and behind it, the nearest first; `path_of` tells where a file
    /// is for who asks.
    pub(crate) fn around<'a>(
        &'a self,
        doc: u32,
        path_of: impl Fn(&'a File) -> Cow<'a, str>,
    ) -> Option<(impl Iterator<Item = u32>, impl Iterator<Item = u32>)> {
        let record = self.files[self.docs.get(doc as usize)?.file as usize].as_ref()?;
        let find = |doc| self.file_of(doc).map(|file| (file, path_of(file)));
        Some(self.order.around((&record.file, &record.docs), doc, &find))
    }
}
