//! Listings come in pages; most callers want them whole.

use homefs_core::{Error, Result};
use homefs_store::model::Page;

/// Entries asked for at a time: few calls for long listings, little memory for one answer.
pub const LIMIT: usize = 1000;

/// Hands every item of a paged listing to `take`.
pub fn each<T, E: From<Error>>(
    mut fetch: impl FnMut(Option<&str>) -> Result<Page<T>>,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let mut after: Option<String> = None;
    loop {
        let page = fetch(after.as_deref())?;
        page.items.into_iter().try_for_each(&mut take)?;
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(()),
        }
    }
}

/// Collects a paged listing.
pub fn all<T>(fetch: impl FnMut(Option<&str>) -> Result<Page<T>>) -> Result<Vec<T>> {
    let mut items = Vec::new();
    each(fetch, |item| -> Result<()> {
        items.push(item);
        Ok(())
    })?;
    Ok(items)
}
