//! Writing a file of any size as a stream.

use std::sync::Arc;

use homefs_core::{Error, ErrorKind, Path, Result, Version};
use homefs_store::chunks::ChunkWriter;
use homefs_store::model::{Right, WriteOptions};
use homefs_store::space::Space;

use super::View;

/// Takes the content of a file piece by piece; the file changes when it is finished.
pub struct Writer {
    view: View,
    path: Path,
    options: WriteOptions,
    space: Arc<Space>,
    chunks: ChunkWriter,
}

impl View {
    /// Starts writing a file as a stream: any size, constant memory, one change at the end.
    pub fn writer(&self, path: &Path, options: &WriteOptions) -> Result<Writer> {
        let (view, path) = self.to_make(path)?;
        let (space, chunks) = view.chunk_writer(&path)?;
        let (view, path, options) = (view.into_owned(), path.into_owned(), options.clone());
        Ok(Writer { view, path, options, space, chunks })
    }
}

impl Writer {
    /// Adds bytes at the end.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.chunks.push(bytes).map_err(|error| self.view.named(error, &self.path))
    }

    /// Makes what was pushed the content of the file.
    pub fn finish(self) -> Result<Version> {
        let Self { view, path, options, space, chunks } = self;
        let (content, pins) = chunks.finish().map_err(|error| view.named(error, &path))?;
        let mut pins = Some(pins);
        let done = view.at(&path, Right::Write, |place, permit| {
            place.space.pass_links(permit, &place.path)?;
            if !Arc::ptr_eq(&place.space, &space) {
                // A link on the way was changed to lead into another space meanwhile.
                let message = "leads to another space than when writing began";
                return Err(Error::new(ErrorKind::Conflict, message).into());
            }
            view.put_stored(place, permit, &content, &mut pins, &options)
        })?;
        view.finish(done, options.durability)
    }
}
