//! Markdown pages that shells explore: the same for all, and in every run.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::notes::Speaker;

/// A word of one page only, and one that is in each.
pub(crate) const RARE_WORD: &str = "zanzibar";
pub(crate) const COMMON_WORD: &str = "lorem";

/// The number of the page that has the rare word, in parts of a hundred of all.
const RARE_PLACE: usize = 77;
const PAGES_PER_DIRECTORY: usize = 100;
const PARAGRAPHS: usize = 12;
/// The common word is in one paragraph of so many.
const COMMON_EVERY: usize = 4;
const SEED: u64 = 6;

/// A page.
pub(crate) struct Page {
    /// Where it is, without a slash before it.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Returns so many pages of about two kilobytes, a hundred in each directory.
pub(crate) fn pages(count: usize) -> Vec<Page> {
    let mut speaker = Speaker::new(SEED);
    let page = |number: usize| {
        let mut text = format!("# Page {number}\n");
        for (place, note) in speaker.notes(PARAGRAPHS).iter().enumerate() {
            text.push('\n');
            if place % COMMON_EVERY == 0 {
                text += COMMON_WORD;
                text.push(' ');
            }
            text += note;
        }
        if number == count * RARE_PLACE / 100 {
            text = format!("{text}\nThe needle is here: {RARE_WORD}\n");
        }
        Page { path: path(number), text }
    };
    (0..count).map(page).collect()
}

/// Returns so many pages that are a note each.
pub(crate) fn notes(count: usize) -> Vec<Page> {
    let notes = Speaker::new(SEED).notes(count).into_iter().enumerate();
    notes.map(|(number, text)| Page { path: path(number), text }).collect()
}

/// Returns where the page with a number is.
pub(crate) fn path(number: usize) -> String {
    format!("docs/d{:02}/page{number:04}.md", number / PAGES_PER_DIRECTORY)
}

/// Writes pages below a directory of the host.
pub(crate) fn write(dir: &Path, pages: &[Page]) -> Result<()> {
    for page in pages {
        let path = dir.join(&page.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, &page.text)?;
    }
    Ok(())
}
