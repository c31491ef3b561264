//! Changing places in a text.

use homefs_core::{Error, ErrorKind, Path, Result, Version};
use homefs_store::contents::ContentSnapshot;
use homefs_store::model::{Edit, Right, WriteOptions};
use homefs_store::tree::fail;

use super::View;
use super::files::{WHOLE_BYTES_MAX, too_large};

impl View {
    /// Changes places in a text.
    pub fn edit(&self, path: &Path, edit: &Edit, options: &WriteOptions) -> Result<Version> {
        let (view, path) = self.meant_once(path)?;
        view.edit_meant(&path, edit, options)
    }

    fn edit_meant(&self, path: &Path, edit: &Edit, options: &WriteOptions) -> Result<Version> {
        loop {
            // A text that was edited does not fit the edit any more.
            if let Some(version) = self.answered(path)? {
                return Ok(version);
            }
            let (bytes, seen) = self.at(path, Right::Write, |place, permit| {
                let (held, seen) = place.space.look(permit, |tree| {
                    let node = tree.find(&place.path, true)?;
                    Ok((ContentSnapshot::of(tree, node)?.0, tree.node(node)?.version))
                })?;
                if held.size() > WHOLE_BYTES_MAX {
                    return Err(fail(ErrorKind::LimitExceeded, "is too long to be edited"));
                }
                let len = usize::try_from(held.size()).map_err(|_| too_large())?;
                Ok((place.space.read_held(&held, 0, len)?, seen))
            })?;
            let text = std::str::from_utf8(&bytes).map_err(|cause| {
                Error::new(ErrorKind::Invalid, "is not UTF-8 text")
                    .with_source(cause)
                    .with_path(path)
            })?;
            let edited = edited(text, edit).map_err(|error| error.with_path(path))?;
            let expected = options.if_version.unwrap_or(seen);
            let guarded = WriteOptions { if_version: Some(expected), ..options.clone() };
            match self.write(path, edited.as_bytes(), &guarded) {
                Err(error)
                    if error.kind() == ErrorKind::Conflict && options.if_version.is_none() => {}
                written => return written,
            }
        }
    }
}

/// Applies an edit to a text.
fn edited(text: &str, edit: &Edit) -> Result<String> {
    let invalid = |message: String| Err(Error::new(ErrorKind::Invalid, message));
    match edit {
        Edit::Replace { old, .. } | Edit::ReplaceAll { old, .. } if old.is_empty() => {
            invalid("the text to replace is empty".into())
        }
        Edit::Replace { old, new } => {
            // Overlapping occurrences count too: replacing either would be a guess.
            let mut places = (0..text.len())
                .filter(|&at| text.is_char_boundary(at) && text[at..].starts_with(old.as_str()));
            match (places.next(), places.next()) {
                (Some(at), None) => Ok([&text[..at], new, &text[at + old.len()..]].concat()),
                (None, _) => invalid("the text to replace does not occur".into()),
                (Some(_), Some(_)) => {
                    let count = 2 + places.count();
                    invalid(format!("the text to replace occurs {count} times, not once"))
                }
            }
        }
        Edit::ReplaceAll { old, new } => {
            let count = text.matches(old.as_str()).count();
            let added = new.len().saturating_sub(old.len()).saturating_mul(count);
            match (count, text.len().saturating_add(added) as u64) {
                (0, _) => invalid("the text to replace does not occur".into()),
                (_, ..=WHOLE_BYTES_MAX) => Ok(text.replace(old.as_str(), new)),
                _ => Err(Error::new(ErrorKind::LimitExceeded, "becomes too long to be edited")),
            }
        }
        Edit::Insert { line, text: inserted } => {
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            if *line > lines.len() {
                return invalid(format!("there is no line {line}, only {}", lines.len()));
            }
            let (before, after) = lines.split_at(*line);
            let mut out = before.concat();
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(inserted);
            if !inserted.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(&after.concat());
            Ok(out)
        }
    }
}
