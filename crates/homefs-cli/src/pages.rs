//! Listings come in pages; a command wants them whole.

use homefs_engine::Page;

use crate::error::Result;

/// Entries asked for at a time: few calls for long listings, little memory for one answer.
pub(crate) const LIMIT: usize = 1000;

/// Hands every item of a paged listing to `take`.
pub(crate) fn each<T>(
    mut fetch: impl FnMut(Option<&str>) -> homefs_core::Result<Page<T>>,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
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
pub(crate) fn all<T>(
    fetch: impl FnMut(Option<&str>) -> homefs_core::Result<Page<T>>,
) -> Result<Vec<T>> {
    let mut items = Vec::new();
    each(fetch, |item| {
        items.push(item);
        Ok(())
    })?;
    Ok(items)
}
