//! Which pages a collection has, where they are shown, and who may see them.
//!
//! Pages are kept in the order of their paths, so a directory is a range of them: it is found by
//! bisection, and nothing has to be built when a catalogue is read back from disk.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use homefs_core::{Clock, Error, ErrorKind, Path, SOURCE_DIRECTORIES_MAX, SystemClock, Timestamp};
use serde::{Deserialize, Serialize};

/// Most pages that are told of because they cannot be shown.
const UNSHOWN_MAX: usize = 100;
/// So much of the name of such a page is told.
const UNSHOWN_CHARS_MAX: usize = 200;
/// What a page that is also a directory has after its name.
const BESIDE_DIRECTORY: &str = ".md";

/// All pages of a collection, whoever may see them.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Catalogue {
    /// The address and the settings that it was made with.
    pub(super) origin: String,
    /// The id of the collection.
    pub(super) collection: String,
    /// The state of what it was made from.
    pub(super) version: String,
    /// How often it was found to be different.
    pub(super) generation: u64,
    /// Whether it is known that no line of any page is cut into two chunks, if what joins them is
    /// nothing but line ends.
    pub(super) whole_lines: bool,
    // Invariant: in the order of their paths, each once, and none of them a directory of another.
    pages: Vec<Page>,
    unshown: Vec<Unshown>,
    /// When it was last looked who may see what. At the end, so that what was kept before there
    /// was such a time is no catalogue.
    pub(super) looked: Timestamp,
    /// Pages that do not name their state, and were fetched before, are to be fetched again.
    pub(super) outdated: Timestamp,
}

/// One page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Page {
    /// Where it is shown; it passes [`Path::parse`].
    pub(super) path: String,
    /// What the collection calls it.
    pub(super) slug: String,
    /// Who may see it.
    pub(super) access: Access,
    /// Its state, if the collection names it.
    pub(super) edition: Option<String>,
    /// A digest of what its records are called and what is noted about them, as far as that is
    /// looked at: all that tells of a change if there is no edition.
    pub(super) noted: [u8; 16],
    /// Its length, if the collection names it.
    pub(super) size_bytes: Option<u64>,
}

/// Who may see a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Access {
    /// Everybody.
    Public,
    /// Members of any of these groups; without one, nobody.
    Groups(Vec<String>),
}

impl Access {
    /// Tells whether members of these groups may see it; without groups, who may see everything.
    fn allows(&self, groups: Option<&BTreeSet<String>>) -> bool {
        match (self, groups) {
            (Self::Public, _) | (_, None) => true,
            (Self::Groups(allowed), Some(groups)) => {
                allowed.iter().any(|group| groups.contains(group))
            }
        }
    }

    /// Leaves only what the other allows too.
    pub(super) fn narrow(&mut self, other: &Self) {
        match (&mut *self, other) {
            (_, Self::Public) => {}
            (Self::Public, other) => *self = other.clone(),
            (Self::Groups(mine), Self::Groups(other)) => {
                // A set, since it is asked for every record, and both may be long.
                let other: HashSet<&str> = other.iter().map(String::as_str).collect();
                mine.retain(|group| other.contains(group.as_str()));
            }
        }
    }
}

/// A page that has no place in the tree.
#[derive(Debug, Serialize, Deserialize)]
struct Unshown {
    slug: String,
    why: String,
    access: Access,
}

impl Catalogue {
    /// Finds a place for each page. `suffix` is added to their names.
    pub(super) fn new(
        origin: String,
        collection: String,
        version: String,
        pages: impl IntoIterator<Item = Page>,
        suffix: &str,
    ) -> Self {
        let mut placed: BTreeMap<String, Page> = BTreeMap::new();
        let mut unshown = Vec::new();
        let mut leave_out = |page: Page, why: &str| {
            if unshown.len() < UNSHOWN_MAX {
                let slug = page.slug.chars().take(UNSHOWN_CHARS_MAX).collect();
                unshown.push(Unshown { slug, why: why.to_owned(), access: page.access });
            }
        };
        for mut page in pages {
            match path_of(&page.slug, suffix) {
                Err(why) => leave_out(page, &why),
                Ok(path) => match placed.entry(path) {
                    Entry::Occupied(mut other) => {
                        // Both may name the same records, so who may see them is who may see both.
                        other.get_mut().access.narrow(&page.access);
                        leave_out(page, "another page has the same path");
                    }
                    Entry::Vacant(place) => {
                        page.path.clone_from(place.key());
                        place.insert(page);
                    }
                },
            }
        }
        let is_directory = |placed: &BTreeMap<String, Page>, path: &str| {
            let start = format!("{path}/");
            placed.range(start.clone()..).next().is_some_and(|(next, _)| next.starts_with(&start))
        };
        // Asked page by page: of pages with deep names, all directories would fill the memory.
        let both = placed.keys().filter(|path| is_directory(&placed, path));
        let both: Vec<String> = both.cloned().collect();
        for path in both {
            let Some(mut page) = placed.remove(&path) else { continue };
            page.path = format!("{path}{BESIDE_DIRECTORY}");
            if placed.contains_key(&page.path)
                || is_directory(&placed, &page.path)
                || Path::parse(&page.path).is_err()
            {
                leave_out(page, "it is also a directory, and has no other name that is free");
            } else {
                placed.insert(page.path.clone(), page);
            }
        }
        let pages = placed.into_values().collect();
        let looked = SystemClock.now();
        let (generation, whole_lines) = (0, false);
        let outdated = Timestamp(0);
        Self {
            origin,
            collection,
            version,
            generation,
            whole_lines,
            pages,
            unshown,
            looked,
            outdated,
        }
    }

    /// Tells whether it shows the same pages of the same collection to the same.
    pub(super) fn shows_as(&self, other: &Self) -> bool {
        let state = |of: &Self| (of.version.clone(), of.collection.clone());
        state(self) == state(other) && self.pages == other.pages
    }

    /// Tells whether every page names its state.
    pub(super) fn names_editions(&self) -> bool {
        self.pages.iter().all(|page| page.edition.is_some())
    }

    /// Returns all pages.
    pub(super) fn pages(&self) -> &[Page] {
        &self.pages
    }
}

impl Page {
    /// Returns its state: what is kept of it holds while this is the same. It is of this page alone,
    /// so that a change of one leaves the others as they are kept.
    pub(super) fn state(&self) -> String {
        match &self.edition {
            Some(edition) => edition.clone(),
            None => format!("{:032x}", u128::from_be_bytes(self.noted)),
        }
    }
}

/// What members of some groups see of a catalogue.
pub(super) struct Visible {
    /// What it is a part of.
    pub(super) catalogue: Arc<Catalogue>,
    groups: Option<BTreeSet<String>>,
    // Invariant: rising, so that the pages are in the order of their paths.
    pages: Vec<usize>,
}

/// An entry of a directory.
pub(super) enum Child<'a> {
    Directory,
    Page(&'a Page),
}

impl Visible {
    /// Leaves out what members of these groups may not see; without groups, nothing.
    pub(super) fn new(catalogue: Arc<Catalogue>, groups: Option<&BTreeSet<String>>) -> Self {
        let allowed = |(_, page): &(usize, &Page)| page.access.allows(groups);
        let pages = catalogue.pages.iter().enumerate().filter(allowed);
        let pages = pages.map(|(index, _)| index).collect();
        Self { catalogue, groups: groups.cloned(), pages }
    }

    /// Iterates over the pages after a path, in the order of their paths.
    pub(super) fn pages_after(&self, path: &str) -> impl Iterator<Item = &Page> {
        let from = self.first_from(path);
        let pages = self.pages[from..].iter().map(|index| &self.catalogue.pages[*index]);
        pages.filter(move |page| page.path != path)
    }

    /// Iterates over the pages in the order of their paths.
    pub(super) fn pages(&self) -> impl ExactSizeIterator<Item = &Page> {
        self.pages.iter().map(|index| &self.catalogue.pages[*index])
    }

    /// Returns what a path names.
    pub(super) fn find(&self, path: &Path) -> Option<Child<'_>> {
        if path.is_root() {
            return Some(Child::Directory);
        }
        let at = self.first_from(path.as_str());
        if let Some(page) = self.at(at).filter(|page| page.path == path.as_str()) {
            return Some(Child::Page(page));
        }
        let start = format!("{path}/");
        let below =
            self.at(self.first_from(&start)).is_some_and(|page| page.path.starts_with(&start));
        below.then_some(Child::Directory)
    }

    /// Returns what a directory holds, by name.
    pub(super) fn children(&self, dir: &Path) -> BTreeMap<&str, Child<'_>> {
        let start = if dir.is_root() { "/".to_owned() } else { format!("{dir}/") };
        let mut children = BTreeMap::new();
        let mut at = self.first_from(&start);
        while let Some(rest) = self.at(at).and_then(|page| page.path.strip_prefix(&start)) {
            at = match rest.split_once('/') {
                None => {
                    children.insert(rest, Child::Page(&self.catalogue.pages[self.pages[at]]));
                    at + 1
                }
                Some((name, _)) => {
                    children.insert(name, Child::Directory);
                    // `0` is the character after `/`: what it starts comes after the directory.
                    self.first_from(&format!("{start}{name}0"))
                }
            };
        }
        children
    }

    /// Returns what cannot be shown, as far as it may be known.
    pub(super) fn unshown(&self) -> Vec<Error> {
        let known =
            self.catalogue.unshown.iter().filter(|page| page.access.allows(self.groups.as_ref()));
        known
            .map(|page| {
                Error::new(ErrorKind::Unsupported, page.why.clone())
                    .with_path_text(page.slug.clone())
            })
            .collect()
    }

    /// Returns the place of the first page whose path is not before this text.
    fn first_from(&self, text: &str) -> usize {
        self.pages.partition_point(|index| *self.catalogue.pages[*index].path < *text)
    }

    fn at(&self, place: usize) -> Option<&Page> {
        self.pages.get(place).map(|index| &self.catalogue.pages[*index])
    }
}

/// Returns where a page is shown: `https://a.org//b` at `/a.org/b`.
fn path_of(slug: &str, suffix: &str) -> Result<String, String> {
    let slug = slug.split_once("://").map_or(slug, |(_, rest)| rest);
    let parts = slug.split('/').filter(|part| !matches!(*part, "" | "."));
    let joined: String = parts.flat_map(|part| ["/", part]).collect();
    if joined.is_empty() {
        return Err("the path is empty".to_owned());
    }
    let path =
        Path::parse(&format!("{joined}{suffix}")).map_err(|error| error.message().to_owned())?;
    if path.names().count() > SOURCE_DIRECTORIES_MAX + 1 {
        return Err(format!("it is below more than {SOURCE_DIRECTORIES_MAX} directories"));
    }
    Ok(path.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue(slugs: &[&str], suffix: &str) -> Arc<Catalogue> {
        let page = |slug: &&str| {
            let secret = slug.contains("secret");
            let access = if secret { Access::Groups(vec!["staff".into()]) } else { Access::Public };
            Page {
                path: String::new(),
                slug: (*slug).into(),
                access,
                edition: None,
                noted: [0; 16],
                size_bytes: None,
            }
        };
        let pages: Vec<Page> = slugs.iter().map(page).collect();
        Arc::new(Catalogue::new(String::new(), String::new(), String::new(), pages, suffix))
    }

    fn names(visible: &Visible, dir: &str) -> Vec<String> {
        let dir = Path::parse(dir).unwrap();
        let slash = |child: &Child<'_>| if matches!(child, Child::Directory) { "/" } else { "" };
        visible
            .children(&dir)
            .iter()
            .map(|(name, child)| format!("{name}{}", slash(child)))
            .collect()
    }

    #[test]
    fn who_two_allow_is_found_in_one_go() {
        let groups = |from: usize, to: usize| {
            Access::Groups((from..to).map(|number| number.to_string()).collect())
        };
        // Compared one by one these would take minutes.
        let mut access = groups(0, 300_000);
        access.narrow(&groups(299_998, 600_000));
        assert_eq!(access, groups(299_998, 300_000));
        access.narrow(&Access::Public);
        assert_eq!(access, groups(299_998, 300_000));
    }

    #[test]
    fn a_directory_has_each_child_once_whatever_sorts_between() {
        let slugs =
            ["a", "b/x", "b/y/z", "b-c", "b.d/q", "b0", "/abs/", "https://h.org//p?q", "c//d"];
        let all = Visible::new(catalogue(&slugs, ""), Some(&BTreeSet::new()));
        assert_eq!(names(&all, "/"), ["a", "abs", "b/", "b-c", "b.d/", "b0", "c/", "h.org/"]);
        assert_eq!(names(&all, "/b"), ["x", "y/"]);
        assert_eq!(names(&all, "/h.org"), ["p?q"]);
        assert_eq!(names(&all, "/none"), Vec::<String>::new());
    }

    #[test]
    fn what_has_no_place_is_told_and_what_is_both_gets_another_name() {
        let all = Visible::new(
            catalogue(&["g", "g/q", "h", "h/q", "h.md", "..", "", "a/../b", "x", "/x/"], ""),
            Some(&BTreeSet::new()),
        );
        assert_eq!(names(&all, "/"), ["g/", "g.md", "h/", "h.md", "x"]);
        assert_eq!(all.unshown().len(), 5);
        let all = Visible::new(catalogue(&["g", "g/q"], ".mdx"), Some(&BTreeSet::new()));
        assert_eq!(names(&all, "/"), ["g/", "g.mdx"]);
    }

    #[test]
    fn a_page_that_is_too_deep_is_told_and_has_no_place() {
        let deep = |directories: usize| "d/".repeat(directories) + "x";
        let shown = deep(SOURCE_DIRECTORIES_MAX);
        let slugs = [&*shown, &deep(SOURCE_DIRECTORIES_MAX + 1), &deep(1900)];
        let all = Visible::new(catalogue(&slugs, ""), Some(&BTreeSet::new()));
        let paths: Vec<&str> = all.pages().map(|page| &*page.path).collect();
        assert_eq!(paths, [format!("/{shown}")]);
        let unshown = all.unshown();
        assert_eq!(unshown.len(), 2);
        assert!(unshown.iter().all(|error| error.message().contains("directories")), "{unshown:?}");
    }

    #[test]
    fn what_may_not_be_seen_is_nowhere() {
        let whole = catalogue(&["a", "secret/b", "c/secret", "c/d", "secret//.."], "");
        let public = Visible::new(Arc::clone(&whole), Some(&BTreeSet::new()));
        assert_eq!(names(&public, "/"), ["a", "c/"]);
        assert_eq!(names(&public, "/c"), ["d"]);
        assert!(public.find(&Path::parse("/secret").unwrap()).is_none());
        assert!(public.unshown().is_empty());
        let staff = Visible::new(whole, Some(&["staff".to_owned()].into()));
        assert_eq!(names(&staff, "/"), ["a", "c/", "secret/"]);
        assert_eq!(staff.unshown().len(), 1);
        assert!(staff.pages().len() > public.pages().len());
    }
}
