//! Asks a collection which pages it has: by its path tree, or else by what each record says.

use std::collections::BTreeMap;

use homefs_core::limits::FILE_BYTES_MAX;
use homefs_core::{Digest, Result};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::catalogue::{Catalogue, Page};
use super::client::{Client, CollectionId};
use super::pages::{EDITION, slug_of};
use super::path_tree::{self, PATH_TREE, WHOLE_LINES};
use super::{ChromaAddress, ChromaSettings, trimmed};

/// Asks which pages a collection has.
pub(super) fn load(
    client: &Client,
    address: &ChromaAddress,
    settings: &ChromaSettings,
) -> Result<Catalogue> {
    let until = client.last_moment();
    let id = client.find()?;
    let tree = client.one(&id, PATH_TREE, &["documents"], until)?;
    let mut whole_lines = false;
    let (version, pages) = match tree.and_then(|record| record.document) {
        Some(document) => {
            let mut pages = Vec::new();
            whole_lines = true;
            path_tree::read(&document, |slug, entry| {
                whole_lines &= entry.get(WHOLE_LINES) == Some(&json!(true));
                pages.push(page_of(slug, &entry));
            })?;
            (Digest::of(document.as_bytes()).to_string(), pages)
        }
        None => of_metadata(client, &id, settings, until)?,
    };
    let origin = origin(address, settings);
    let mut catalogue = Catalogue::new(origin, id.0, version, pages, &settings.suffix);
    catalogue.whole_lines = whole_lines;
    Ok(catalogue)
}

/// Takes a page of a path tree.
fn page_of(slug: String, entry: &Map<String, Value>) -> Page {
    let edition = entry.get(EDITION).and_then(Value::as_str).map(str::to_owned);
    // Others write there how long the page was before it was cut into chunks. What no file can be
    // is believed of nobody.
    let size_bytes = edition.as_ref().and_then(|_| entry.get("size")?.as_u64());
    let size_bytes = size_bytes.filter(|size| *size <= FILE_BYTES_MAX);
    Page { path: String::new(), slug, access: path_tree::access(entry), edition, size_bytes }
}

/// Finds the pages of a collection that has no path tree: each record names its own.
fn of_metadata(
    client: &Client,
    id: &CollectionId,
    settings: &ChromaSettings,
    until: Instant,
) -> Result<(String, Vec<Page>)> {
    let mut pages: BTreeMap<String, Page> = BTreeMap::new();
    // Of what was seen so far, and the next record: so nothing but pages is kept.
    let mut version = Digest::of(b"");
    client.each(id, &json!({ "include": ["metadatas"] }), until, |record| {
        let Some(slug) = slug_of(&record.metadata, settings) else { return Ok(()) };
        let seen = [&version.0, record.id.as_bytes(), b"\0", slug.as_bytes()].concat();
        version = Digest::of(&seen);
        let access = path_tree::access(&record.metadata);
        let page = || Page {
            path: String::new(),
            slug: slug.to_owned(),
            access: access.clone(),
            edition: None,
            size_bytes: None,
        };
        pages.entry(trimmed(slug).to_owned()).or_insert_with(page).access.narrow(&access);
        path_tree::check_count(pages.len())
    })?;
    Ok((version.to_string(), pages.into_values().collect()))
}

/// Returns what a catalogue depends on beside the collection itself.
pub(super) fn origin(address: &ChromaAddress, settings: &ChromaSettings) -> String {
    format!("{address} {:?} {:?}", settings.page_keys, settings.suffix)
}
