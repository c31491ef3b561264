//! Asks a collection which pages it has: by its path tree, or else by what each record says.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use homefs_core::limits::FILE_BYTES_MAX;
use homefs_core::{Digest, Error, ErrorKind, Result};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::catalogue::{Catalogue, Page};
use super::client::{Client, CollectionId, Record};
use super::pages::{EDITION, slug_of};
use super::path_tree::{self, PATH_TREE, WHOLE_LINES};
use super::room::{self, Room};
use super::{ChromaAddress, ChromaSettings, trimmed};

/// Asks which pages a collection has. If nothing is known of it yet (`is_new`), keys that no record
/// has are refused: later, whatever had them may have been removed.
pub(super) fn load(
    client: &Client,
    address: &ChromaAddress,
    settings: &ChromaSettings,
    is_new: bool,
) -> Result<Catalogue> {
    let until = client.last_moment();
    let id = client.find()?;
    let tree = client.one(&id, PATH_TREE, &["documents"], until)?;
    let document = tree.and_then(|record| record.document);
    let (version, pages, whole_lines) = if let Some(document) = document {
        let (mut pages, mut room, mut whole_lines) = (Vec::new(), Room::default(), true);
        path_tree::read(&document, |slug, entry| {
            whole_lines &= entry.get(WHOLE_LINES) == Some(&json!(true));
            let page = page_of(slug, &entry);
            room.take(room::bytes_of(&page))?;
            pages.push(page);
            Ok(())
        })?;
        (Digest::of(document.as_bytes()).to_string(), pages, whole_lines)
    } else {
        let (version, pages, are_numbered) = of_metadata(client, &id, settings, until, is_new)?;
        // What has no number may overlap, and is not joined by the separator then.
        (version, pages, are_numbered && settings.separator.contains('\n'))
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
    let noted = serde_json::to_vec(entry).unwrap_or_default();
    let noted = digest(&[slug.as_bytes(), b"\0", &noted]);
    Page { path: String::new(), slug, access: path_tree::access(entry), edition, noted, size_bytes }
}

/// Returns the beginning of a digest, by which two states are told apart.
fn digest(parts: &[&[u8]]) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&Digest::of(&parts.concat()).0[..16]);
    short
}

/// Finds the pages of a collection that has no path tree: each record names its own. Also tells
/// whether all records of pages have numbers.
fn of_metadata(
    client: &Client,
    id: &CollectionId,
    settings: &ChromaSettings,
    until: Instant,
    is_new: bool,
) -> Result<(String, Vec<Page>, bool)> {
    let (mut pages, mut room) = (BTreeMap::<String, Page>::new(), Room::default());
    // Of what was seen so far, and the next record: so nothing but pages is kept.
    let mut version = Digest::of(b"");
    let (mut found, mut are_numbered) = (KeyCounts::default(), true);
    client.each(id, &json!({ "include": ["metadatas"] }), until, |record| {
        found.note(&record);
        let Some(slug) = slug_of(&record.metadata, settings) else { return Ok(()) };
        are_numbered &= record.metadata.contains_key(&settings.index_key);
        // With all that is noted: who writes a page anew often notes when, or what it is of.
        let noted = serde_json::to_vec(&record.metadata).unwrap_or_default();
        version = Digest::of(&[&version.0, record.id.as_bytes(), b"\0", &noted].concat());
        let access = path_tree::access(&record.metadata);
        match pages.entry(trimmed(slug).to_owned()) {
            Entry::Occupied(known) => {
                let known = known.into_mut();
                known.access.narrow(&access);
                known.noted = digest(&[&known.noted, record.id.as_bytes(), b"\0", &noted]);
            }
            Entry::Vacant(free) => {
                let (path, slug) = (String::new(), slug.to_owned());
                let noted = digest(&[record.id.as_bytes(), b"\0", &noted]);
                let page = Page { path, slug, access, edition: None, noted, size_bytes: None };
                room.take(room::bytes_of(&page))?;
                free.insert(page);
            }
        }
        Ok(())
    })?;
    if is_new {
        if pages.is_empty() {
            found.check_pages(settings)?;
        }
        found.check_numbers(settings, pages.len())?;
    }
    Ok((version.to_string(), pages.into_values().collect(), are_numbered))
}

/// What records have, for whoever names what they do not have.
#[derive(Default)]
struct KeyCounts {
    records: usize,
    /// How many records have each metadata, and whether it is a text there.
    keys: BTreeMap<String, (usize, bool)>,
}

/// Most metadata that are told of.
const KEYS_TOLD: usize = 12;
/// Most metadata that are counted: of any record, the others are more of the same.
const KEYS_COUNTED: usize = 200;

impl KeyCounts {
    fn note(&mut self, record: &Record) {
        self.records += 1;
        for (key, value) in &record.metadata {
            let room = self.keys.len() < KEYS_COUNTED;
            if let Some(known) = self.keys.get_mut(key) {
                known.0 += 1;
            } else if room {
                self.keys.insert(key.clone(), (1, value.is_string()));
            }
        }
    }

    /// Refuses keys of pages that no record has.
    fn check_pages(&self, settings: &ChromaSettings) -> Result<()> {
        if self.records == 0 {
            return Ok(());
        }
        let message = format!(
            "no record of the collection has {}, by which its page is named: {}",
            settings.page_keys.join(", "),
            self.told("page-keys", |(_, is_text)| *is_text)
        );
        Err(Error::new(ErrorKind::Invalid, message))
    }

    /// Refuses a key of numbers that somebody named and no record has.
    fn check_numbers(&self, settings: &ChromaSettings, pages: usize) -> Result<()> {
        let key = &settings.index_key;
        let is_usual = *key == ChromaSettings::default().index_key;
        if is_usual || self.records <= pages || self.keys.contains_key(key) {
            return Ok(());
        }
        let told = self.told("index-key", |_| true);
        let message =
            format!("no record of the collection has {key}, by which parts are in order: {told}");
        Err(Error::new(ErrorKind::Invalid, message))
    }

    /// Says what records have that could be meant, most often had first.
    fn told(&self, setting: &str, may_be: impl Fn(&(usize, bool)) -> bool) -> String {
        let mut keys: Vec<_> = self.keys.iter().filter(|entry| may_be(entry.1)).collect();
        keys.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        let names: Vec<String> = keys
            .iter()
            .take(KEYS_TOLD)
            .map(|(key, _)| key.chars().filter(|c| !c.is_control()).take(60).collect())
            .collect();
        if names.is_empty() {
            return "they have nothing that could be meant".to_owned();
        }
        format!("they have {}; name one by --set {setting}=NAME", names.join(", "))
    }
}

/// Returns what a catalogue depends on beside the collection itself.
pub(super) fn origin(address: &ChromaAddress, settings: &ChromaSettings) -> String {
    let ChromaSettings { page_keys, suffix, index_key, separator, .. } = settings;
    // What an earlier homefs kept begins without the number.
    format!("2 {address} {page_keys:?} {suffix:?} {index_key:?} {separator:?}")
}
