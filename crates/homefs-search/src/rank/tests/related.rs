//! Files that are like a file.

use std::borrow::Cow;

use super::{file, index};
use crate::{
    index::{Body, File, Index},
    rank::{Names, Related, Scope, related},
};

fn put(index: &mut Index, path: &str, tags: &[&str], text: &str) {
    let node = index.file_count() as u128 + 1;
    let mut file = file(node, path, 0);
    file.tags = tags.iter().map(|tag| Box::from(*tag)).collect();
    index.put(file, Body::Text(text.as_bytes()));
}

fn store() -> Index {
    let mut index = index();
    put(
        &mut index,
        "/garden.md",
        &["home"],
        "Tomatoes and beans grow in the garden. See [[soup]].",
    );
    put(&mut index, "/plants.md", &[], "The beans in the garden need water, and the tomatoes too.");
    put(&mut index, "/recipes/Soup.md", &[], "Ask grandmother.");
    put(&mut index, "/heating.md", &["home"], "The boiler is serviced in spring.");
    put(&mut index, "/taxes.md", &["office"], "Declare the income of last year.");
    index
}

fn nodes(found: &[Related]) -> Vec<u128> {
    found.iter().map(|related| related.node).collect()
}

#[test]
fn files_are_related_by_meaning_links_and_tags() {
    let index = store();
    let scopes = [Scope::whole(&index)];
    let mut found = nodes(&related(&scopes, 0, 1, 3));
    found.sort_unstable();
    assert_eq!(found, [2, 3, 4]);
    assert!(nodes(&related(&scopes, 0, 3, 2)).contains(&1), "a link counts in both directions");
}

/// Who asks knows names that the index does not tell: the later a file was put, the earlier.
struct Known;

impl Names for Known {
    fn path_of<'a>(&self, file: &'a File) -> Cow<'a, str> {
        format!("/{}", 9 - file.node).into()
    }
}

#[test]
fn equal_files_stand_by_the_paths_that_who_asks_knows() {
    let mut index = index();
    for _ in 0..5 {
        put(&mut index, "", &[], "The boiler is serviced in spring.");
    }
    let scopes = [Scope { names: Some(&Known), ..Scope::whole(&index) }];
    assert_eq!(nodes(&related(&scopes, 0, 1, 10)), [5, 4, 3, 2]);
    assert_eq!(nodes(&related(&scopes, 0, 1, 2)), [5, 4]);
}

#[test]
fn what_is_hidden_is_not_related() {
    let index = store();
    let shown = |file: &File| &*file.path != "/plants.md";
    let scopes = [Scope { index: &index, admits: Some(&shown), names: None, counts: false }];
    assert!(!nodes(&related(&scopes, 0, 1, 10)).contains(&2));
}

#[test]
fn other_spaces_are_related_too() {
    let (one, other) = (store(), store());
    let scopes = [Scope::whole(&one), Scope::whole(&other)];
    let found = related(&scopes, 0, 1, 10);
    assert_eq!((found[0].scope, found[0].node), (1, 1));
    assert!(found.iter().all(|related| (related.scope, related.node) != (0, 1)));
}
