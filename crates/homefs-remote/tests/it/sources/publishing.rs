//! A collection is kept up to date with files, and what is published is read back as it was.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use homefs_core::{Digest, Embedder, Error, ErrorKind, Path, Result, Role, Source};
use homefs_remote::{ChromaSettings, ChromaTarget, Environment, Published, PublishedFile};
use serde_json::json;

use super::collection::Collection;
use super::conformance::{path, walk};

/// The files of a space.
type Files = BTreeMap<String, Vec<u8>>;

/// Makes vectors that have to do with their texts.
fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    let vector = |text: &&str| {
        let digest = Digest::of(text.as_bytes()).0;
        digest[..8].iter().map(|byte| f32::from(*byte) / 255.0 + 0.01).collect()
    };
    texts.iter().map(vector).collect()
}

/// Makes vectors as a function says.
pub(crate) struct Model<F> {
    pub(crate) name: &'static str,
    pub(crate) dimensions: usize,
    pub(crate) make: F,
}

type Make = fn(&[&str]) -> Result<Vec<Vec<f32>>>;

pub(crate) const MODEL: Model<Make> =
    Model { name: "digest", dimensions: 8, make: |texts| Ok(embed(texts)) };

impl<F: Fn(&[&str]) -> Result<Vec<Vec<f32>>> + Send + Sync> Embedder for Model<F> {
    fn name(&self) -> &str {
        self.name
    }

    fn dimensions(&self) -> Result<usize> {
        Ok(self.dimensions)
    }

    fn embed(&self, text: &str, role: Role) -> Result<Vec<f32>> {
        Ok(self.embed_many(&[text], role)?.remove(0))
    }

    fn embed_many(&self, texts: &[&str], _role: Role) -> Result<Vec<Vec<f32>>> {
        (self.make)(texts)
    }
}

/// Lists files as they are published.
pub(crate) fn listed(files: &Files) -> Vec<PublishedFile> {
    let file = |(name, content): (&String, &Vec<u8>)| {
        let is_public = !name.contains("secret");
        let groups = if is_public { Vec::new() } else { vec!["staff".to_owned()] };
        PublishedFile { path: path(name), digest: Digest::of(content), is_public, groups }
    };
    files.iter().map(file).collect()
}

pub(crate) fn publish(
    collection: &Collection,
    files: &Files,
    model: &dyn Embedder,
) -> Result<Published> {
    let target = ChromaTarget::open(&collection.address(), &Environment::default())?;
    target.publish(&listed(files), &|path| Ok(files[path.as_str()].clone().into()), model)
}

fn text(content: &str) -> Vec<u8> {
    content.as_bytes().to_vec()
}

/// Returns what a member of `staff` reads in the collection.
fn read_back(collection: &Collection) -> Files {
    let cache = tempfile::tempdir().expect("there is room");
    let source = collection.open(&ChromaSettings::default(), cache.path()).expect("it is there");
    let source = source.seen_by(&["staff".to_owned()].into());
    walk(&*source, &Path::root())
        .into_iter()
        .map(|(file, content)| (file, content.into_bytes()))
        .collect()
}

#[test]
fn files_are_read_back_as_they_were_after_every_change() {
    let Some(collection) = Collection::absent() else { return };
    let mut files = Files::from([
        ("/a.md".to_owned(), text("# A\n\"quoted\" \\ %\r\n")),
        ("/dir/empty".to_owned(), text("")),
        ("/dir/long.md".to_owned(), text(&"a line of some length\n".repeat(1000))),
        ("/one line".to_owned(), text(&"é".repeat(5000))),
        ("/secret/plan.md".to_owned(), text("of staff")),
    ]);
    let done = publish(&collection, &files, &MODEL).unwrap();
    assert_eq!((done.sent, done.unchanged, done.removed), (5, 0, 0));
    assert_eq!(read_back(&collection), files);
    let done = publish(&collection, &files, &MODEL).unwrap();
    assert_eq!((done.sent, done.unchanged, done.removed), (0, 5, 0));
    // One shrinks, one grows, two change places, one goes, one comes.
    files.insert("/dir/long.md".to_owned(), text("short now\n"));
    files.insert("/a.md".to_owned(), text(&"grown\n".repeat(2000)));
    files.insert("/dir/empty".to_owned(), files["/one line"].clone());
    files.insert("/one line".to_owned(), text(""));
    files.remove("/secret/plan.md");
    files.insert("/new".to_owned(), text("new"));
    let done = publish(&collection, &files, &MODEL).unwrap();
    assert_eq!((done.sent, done.unchanged, done.removed), (5, 0, 1));
    assert_eq!(read_back(&collection), files);
    let done = publish(&collection, &Files::new(), &MODEL).unwrap();
    assert_eq!(done.removed, 5);
    assert_eq!(collection.count(), 1, "only the tree is left");
}

#[test]
fn who_may_see_a_file_changes_without_sending_it() {
    let Some(collection) = Collection::absent() else { return };
    let files = Files::from([("/secret".to_owned(), text("x"))]);
    publish(&collection, &files, &MODEL).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let source = collection.open(&ChromaSettings::default(), cache.path()).unwrap();
    assert!(source.stat(&path("/secret")).is_err());
    let mut open = listed(&files);
    open[0].is_public = true;
    let target = ChromaTarget::open(&collection.address(), &Environment::default()).unwrap();
    let done = target.publish(&open, &|_| unreachable!("nothing is read"), &MODEL).unwrap();
    assert_eq!((done.sent, done.unchanged), (0, 1));
    assert!(source.refresh().unwrap());
    assert_eq!(source.read(&path("/secret"), 0, 1).unwrap(), "x");
    assert!(!source.refresh().unwrap(), "editions say that nothing has changed");
}

#[test]
fn a_run_that_ends_early_is_made_good_by_the_next() {
    let Some(collection) = Collection::absent() else { return };
    let old = Files::from([
        ("/kept".to_owned(), text("kept")),
        ("/gone".to_owned(), text(&"gone\n".repeat(900))),
    ]);
    publish(&collection, &old, &MODEL).unwrap();
    let mut more = old.clone();
    more.insert("/lost".to_owned(), text(&"lost\n".repeat(900_000)));
    // It fails after the first batch, so that pages are there that no tree names.
    let calls = AtomicUsize::new(0);
    let failing = |texts: &[&str]| {
        if calls.fetch_add(1, Ordering::Relaxed) > 0 {
            Err(Error::new(ErrorKind::Unavailable, "no model"))
        } else {
            Ok(embed(texts))
        }
    };
    let failing = Model { name: "digest", dimensions: 8, make: failing };
    let error = publish(&collection, &more, &failing).unwrap_err();
    assert_eq!(error.message(), "no model");
    assert!(collection.count() > 900);
    let files = Files::from([("/kept".to_owned(), text("kept"))]);
    let done = publish(&collection, &files, &MODEL).unwrap();
    assert_eq!((done.sent, done.unchanged, done.removed), (0, 1, 2));
    assert_eq!(collection.count(), 2);
    assert_eq!(read_back(&collection), files);
}

#[test]
fn records_that_others_removed_are_sent_again() {
    let Some(collection) = Collection::create() else { return };
    let files =
        Files::from([("/a".to_owned(), text(&"a\n".repeat(3000))), ("/b".to_owned(), text("b"))]);
    publish(&collection, &files, &MODEL).unwrap();
    collection.delete(&json!({ "ids": ["a#1"] }));
    let done = publish(&collection, &files, &MODEL).unwrap();
    assert_eq!((done.sent, done.unchanged), (1, 1));
    assert_eq!(read_back(&collection), files);
}

#[test]
fn another_embedder_embeds_everything_anew() {
    let Some(collection) = Collection::absent() else { return };
    let files = Files::from([("/a".to_owned(), text("a"))]);
    publish(&collection, &files, &MODEL).unwrap();
    let done = publish(&collection, &files, &Model { name: "other", ..MODEL }).unwrap();
    assert_eq!(done.sent, 1);
    let make: Make = |texts| Ok(vec![vec![1.0; 9]; texts.len()]);
    let longer = Model { name: "longer", dimensions: 9, make };
    let error = publish(&collection, &files, &longer).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    let make: Make = |_| Ok(Vec::new());
    let lying = Model { name: "lying", dimensions: 8, make };
    assert_eq!(publish(&collection, &files, &lying).unwrap_err().kind(), ErrorKind::Internal);
    assert_eq!(publish(&collection, &files, &MODEL).unwrap().sent, 1);
    assert_eq!(read_back(&collection), files);
}

#[test]
fn what_is_no_text_is_skipped_and_told() {
    let Some(collection) = Collection::absent() else { return };
    let mut files = Files::from([
        ("/a".to_owned(), text("a")),
        ("/binary".to_owned(), vec![0xff, 0xfe]),
        ("/nul".to_owned(), text("a\0b")),
    ]);
    let done = publish(&collection, &files, &MODEL).unwrap();
    let skipped: Vec<_> = done.skipped.iter().filter_map(Error::path).collect();
    assert_eq!((done.sent, skipped), (1, vec!["/binary", "/nul"]));
    files.insert("/a".to_owned(), vec![0xff]);
    assert_eq!(publish(&collection, &files, &MODEL).unwrap().removed, 1);
    assert!(read_back(&collection).is_empty());
}

#[test]
fn a_collection_of_others_is_not_touched() {
    let Some(collection) = Collection::create() else { return };
    collection.page("path", "theirs.md", &["text"]);
    let files = Files::from([("/a".to_owned(), text("a"))]);
    assert_eq!(publish(&collection, &files, &MODEL).unwrap_err().kind(), ErrorKind::Conflict);
    collection.tree("{}");
    assert_eq!(publish(&collection, &files, &MODEL).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(collection.count(), 2);
}
