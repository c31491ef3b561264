//! Who sees what of a source whose pages are for groups: the tree that the groups may see, whatever
//! is asked and whatever was done before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use homefs_core::{
    AgentId, Error, ErrorKind, Path, Result, Source, SourceKind, SourceNode, SourcePage,
};
use proptest::prelude::*;
use tempfile::TempDir;

use super::path;
use crate::OpenSource;
use crate::{
    CLAIMANTS, Components, Cursor, Kind, NodeRef, Nodes, RenameMode, Right, SearchOptions,
    Settings, Store, Subject, View, Who, WriteOptions,
};

const DOCS: &str = "/shared/team/docs";
const GROUPS: [&str; 2] = ["red", "blue"];
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Paths, and the groups that may see the page there; everybody without any.
type Pages = BTreeMap<String, Option<BTreeSet<String>>>;

/// Pages in memory.
struct Wiki {
    pages: Arc<Pages>,
    groups: Option<BTreeSet<String>>,
}

impl Wiki {
    fn seen(&self) -> impl Iterator<Item = &String> {
        let may = |allowed: &Option<BTreeSet<String>>| match (allowed, &self.groups) {
            (None, _) | (_, None) => true,
            (Some(allowed), Some(groups)) => !allowed.is_disjoint(groups),
        };
        self.pages.iter().filter(move |(_, allowed)| may(allowed)).map(|(page, _)| page)
    }
}

/// Returns what a page says: nothing else says it.
fn content(page: &str) -> String {
    format!("secret of {}.\n", page.replace('/', "_"))
}

impl Source for Wiki {
    fn stat(&self, path: &Path) -> Result<SourceNode> {
        let below = |page: &&String| Path::parse(page).is_ok_and(|page| page.starts_with(path));
        match self.seen().find(below) {
            Some(page) if page == path.as_str() => Ok(SourceNode {
                kind: SourceKind::File,
                size_bytes: Some(content(page).len() as u64),
                modified: None,
                tag: None,
            }),
            Some(_) => Ok(SourceNode::directory()),
            None if path.is_root() => Ok(SourceNode::directory()),
            None => Err(Error::new(ErrorKind::NotFound, "no such page")),
        }
    }

    fn list(&self, dir: &Path, _after: Option<&str>) -> Result<SourcePage> {
        if self.stat(dir)?.kind != SourceKind::Directory {
            return Err(Error::new(ErrorKind::NotADirectory, "a page"));
        }
        let depth = dir.names().count();
        let below = self.seen().filter_map(|page| {
            let page = Path::parse(page).ok().filter(|page| page.starts_with(dir))?;
            page.names().nth(depth).map(str::to_owned)
        });
        let names: BTreeSet<String> = below.collect();
        let entry = |name: String| Ok((name.clone(), self.stat(&dir.join(&name)?)?));
        let entries = names.into_iter().map(entry).collect::<Result<_>>()?;
        Ok(SourcePage { entries, ..SourcePage::default() })
    }

    fn read(&self, path: &Path, offset: u64, len: usize) -> Result<Bytes> {
        self.stat(path)?;
        let content = Bytes::from(content(path.as_str()));
        let start = usize::try_from(offset).map_or(content.len(), |at| at.min(content.len()));
        Ok(content.slice(start..content.len().min(start.saturating_add(len))))
    }

    fn seen_by(self: Arc<Self>, groups: &BTreeSet<String>) -> Arc<dyn Source> {
        Arc::new(Self { pages: self.pages.clone(), groups: Some(groups.clone()) })
    }

    fn whole(self: Arc<Self>) -> Arc<dyn Source> {
        Arc::new(Self { pages: self.pages.clone(), groups: None })
    }

    fn has_groups(&self) -> bool {
        true
    }

    fn candidates(&self, _regex: &str) -> Result<Option<Vec<Path>>> {
        self.seen().map(|page| Path::parse(page)).collect::<Result<_>>().map(Some)
    }

    fn describe(&self) -> String {
        "wiki".to_owned()
    }
}

struct Wikis(Arc<Pages>);

impl OpenSource for Wikis {
    fn open(
        &self,
        _address: &str,
        _settings: &BTreeMap<String, String>,
        _place: &str,
    ) -> Result<Arc<dyn Source>> {
        Ok(Arc::new(Wiki { pages: self.0.clone(), groups: Some(BTreeSet::new()) }))
    }
}

/// A shared space with a wiki, for which two agents hold the right to write.
struct Team {
    _dir: TempDir,
    store: Store,
    pages: Arc<Pages>,
}

fn agent(name: &str) -> AgentId {
    AgentId::new(name).expect("a name")
}

impl Team {
    fn new(pages: Pages, members: &[(&str, BTreeSet<String>)]) -> Self {
        let dir = TempDir::new().expect("the host has room");
        let store = Store::open(&dir.path().join("store"), Settings::default(), Components::host());
        let store = store.expect("the store opens");
        let pages = Arc::new(pages);
        store.set_source_opener(Arc::new(Wikis(pages.clone())));
        let team = Self { _dir: dir, store, pages };
        let (boss, operator) = (team.view("boss"), team.operator());
        boss.make_dir(&path("/shared/team"), false).expect("a space");
        for (name, groups) in members {
            let subject = Subject::Agent(agent(name));
            boss.grant(&path("/shared/team"), &subject, Right::Write).expect("granted");
            for group in groups {
                operator.set_member(&agent(group), &agent(name), true).expect("a member");
            }
        }
        boss.attach_source(&path(DOCS), "wiki", &BTreeMap::new(), false).expect("attached");
        team
    }

    fn view(&self, name: &str) -> View {
        let who = Who { agent: agent(name), operator: false, all: false };
        self.store.view(&who).expect("an agent has a home")
    }

    fn operator(&self) -> View {
        let who = Who { agent: agent("boss"), operator: true, all: false };
        self.store.view(&who).expect("an operator")
    }

    /// Returns what members of groups see of the source alone.
    fn pruned(&self, groups: &BTreeSet<String>) -> BTreeMap<String, String> {
        let wiki = Wiki { pages: self.pages.clone(), groups: Some(groups.clone()) };
        wiki.seen().map(|page| (page.clone(), content(page))).collect()
    }

    /// Returns the pages that members of groups may not see.
    fn hidden(&self, groups: &BTreeSet<String>) -> Vec<&String> {
        let seen = self.pruned(groups);
        self.pages.keys().filter(|page| !seen.contains_key(*page)).collect()
    }
}

/// Returns the files below a directory, and checks that every listing tells the same.
fn files(view: &View, top: &str) -> BTreeMap<String, String> {
    let walked = view.walk(&path(top), None, 10_000).expect("it can be walked").items;
    let found = view.find(&path(top), "**", None, 10_000).expect("it can be searched").items;
    assert_eq!(walked.len(), found.len());
    let mut files = BTreeMap::new();
    for one in walked {
        let listed = view.list(&one.path.parent().expect("a directory"), None, 1000);
        let name = one.path.name().expect("it has a name");
        assert!(listed.expect("listed").items.iter().any(|entry| &*entry.name == name));
        if one.stat.kind == Kind::File {
            let text = view.read(&one.path).expect("it can be read");
            let text = String::from_utf8(text.to_vec()).expect("text");
            files.insert(one.path.as_str()[top.len()..].to_owned(), text);
        }
    }
    files
}

/// Returns the files below a directory as a mount sees them.
fn files_by_node(nodes: &Nodes, at: &NodeRef, prefix: &str, files: &mut BTreeMap<String, String>) {
    for entry in nodes.list(at).expect("listed") {
        let (node, stat) = nodes.lookup(at, &entry.name).expect("what is listed is there");
        let place = format!("{prefix}/{}", entry.name);
        if stat.kind == Kind::Directory {
            files_by_node(nodes, &node, &place, files);
        } else {
            let text = nodes.read(&node, 0, 1000).expect("it can be read");
            files.insert(place, String::from_utf8(text.to_vec()).expect("text"));
        }
    }
}

/// Checks that nothing that an agent is shown, asked in every way, is of a page that it may not
/// see.
fn check_nothing_hidden(team: &Team, name: &str, groups: &BTreeSet<String>) {
    let view = team.view(name);
    let hidden = team.hidden(groups);
    let seen = files(&view, DOCS);
    let mut by_node = BTreeMap::new();
    let nodes = view.nodes();
    let docs = ["shared", "team", "docs"]
        .iter()
        .fold(nodes.root(), |at, name| nodes.lookup(&at, name).expect("it is there").0);
    files_by_node(&nodes, &docs, "", &mut by_node);
    assert_eq!(seen, by_node, "a mount shows the same");
    let options = SearchOptions { limit: 100, ..SearchOptions::default() };
    let hits = view.search("secret", &options).expect("searched");
    let candidates = view.candidates(&path("/"), "secret", false).expect("asked");
    for candidate in candidates.iter().flatten() {
        assert!(view.stat(candidate).is_ok(), "{candidate}");
    }
    let no_wait = std::time::Duration::ZERO;
    let watched = view.watch(&path("/"), &Cursor::default(), no_wait, 1000).expect("watched");
    let trash = view.trash(None, 1000).expect("listed").items;
    let told = format!("{seen:?} {hits:?} {candidates:?} {:?} {trash:?}", watched.events);
    for page in hidden {
        assert!(!told.contains(&content(page).trim_end().to_owned()), "{page} in {told}");
        let at = path(&format!("{DOCS}{page}"));
        assert!(watched.events.iter().all(|event| event.path != at), "{page}");
        let refused = [
            view.stat(&at).map(drop),
            view.read(&at).map(drop),
            view.read_at(&at, 1, 2).map(drop),
            view.list(&at, None, 10).map(drop),
            view.write(&at, b"x", &WriteOptions::default()).map(drop),
            view.remove(&at, true).map(drop),
            view.copy(&at, &path("/copy"), true).map(drop),
            view.rename(&at, &path(&format!("{DOCS}/new")), RenameMode::Replace).map(drop),
            view.link(&at, &path(&format!("{DOCS}/new"))).map(drop),
            view.log(&at, None, 10).map(drop),
        ];
        for (number, refused) in refused.into_iter().enumerate() {
            let kind = refused.expect_err("it is hidden").kind();
            assert_eq!(kind, ErrorKind::NotFound, "{page}, way {number}");
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Write(String),
    Remove(String, bool),
    MakeDir(String),
    Rename(String, String),
}

fn below() -> impl Strategy<Value = String> {
    let name = prop::sample::select(&NAMES[..]);
    prop::collection::vec(name, 1..=3).prop_map(|names| format!("/{}", names.join("/")))
}

fn groups() -> impl Strategy<Value = BTreeSet<String>> {
    let groups = prop::sample::subsequence(GROUPS.map(str::to_owned).to_vec(), 0..=2);
    groups.prop_map(|groups| groups.into_iter().collect())
}

fn pages() -> impl Strategy<Value = Pages> {
    prop::collection::btree_map(below(), prop::option::of(groups()), 0..8).prop_map(|mut pages| {
        // A page is no directory.
        let all: Vec<String> = pages.keys().cloned().collect();
        pages.retain(|page, _| !all.iter().any(|other| other.starts_with(&format!("{page}/"))));
        pages
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => below().prop_map(Step::Write),
        3 => (below(), any::<bool>()).prop_map(|(at, all)| Step::Remove(at, all)),
        1 => below().prop_map(Step::MakeDir),
        2 => (below(), below()).prop_map(|(from, to)| Step::Rename(from, to)),
    ];
    prop::collection::vec(step, 0..8)
}

/// Does a step, which may be refused.
fn act(view: &View, step: &Step) {
    let at = |below: &str| path(&format!("{DOCS}{below}"));
    let options = WriteOptions { parents: true, ..WriteOptions::default() };
    let _refused = match step {
        Step::Write(to) => view.append(&at(to), b"more\n", &options),
        Step::Remove(to, all) => view.remove(&at(to), *all),
        Step::MakeDir(to) => view.make_dir(&at(to), true),
        Step::Rename(from, to) => view.rename(&at(from), &at(to), RenameMode::Replace),
    };
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn an_agent_sees_the_tree_that_its_groups_may_see(
        pages in pages(),
        anns in groups(),
        bobs in groups(),
        steps in prop::collection::vec((any::<bool>(), steps()), 0..4),
    ) {
        let team = Team::new(pages, &[("ann", anns.clone()), ("bob", bobs.clone())]);
        let all = BTreeSet::from(GROUPS.map(str::to_owned));
        let everybody = [("ann", &anns), ("bob", &bobs), ("boss", &BTreeSet::new())];
        for (name, groups) in everybody {
            let view = team.view(name);
            prop_assert_eq!(files(&view, DOCS), team.pruned(groups), "{}", name);
            view.copy(&path(DOCS), &path("/mine"), true).expect("copied");
            prop_assert_eq!(files(&view, "/mine"), team.pruned(groups), "{} copies", name);
            view.remove(&path("/mine"), true).expect("removed");
            check_nothing_hidden(&team, name, groups);
        }
        for (by_ann, steps) in &steps {
            let view = team.view(if *by_ann { "ann" } else { "bob" });
            for step in steps {
                act(&view, step);
            }
        }
        for (name, groups) in everybody {
            check_nothing_hidden(&team, name, groups);
        }
        // What is not for everybody is as it was, whoever wrote or removed around it.
        let operator = files(&team.operator(), DOCS);
        for page in team.hidden(&BTreeSet::new()) {
            prop_assert_eq!(operator.get(page), Some(&content(page)));
        }
        // Who leaves a group sees no more.
        for group in &anns {
            team.operator().set_member(&agent(group), &agent("ann"), false).expect("left");
        }
        check_nothing_hidden(&team, "ann", &BTreeSet::new());
        for group in &all {
            team.operator().set_member(&agent(group), &agent("bob"), true).expect("joined");
        }
        let hidden = team.hidden(&all);
        let mut expected = files(&team.operator(), DOCS);
        expected.retain(|page, _| !hidden.contains(&page));
        prop_assert_eq!(files(&team.view("bob"), DOCS), expected);
    }
}

#[test]
fn what_only_groups_see_is_not_changed_in_a_shared_space() {
    let staff: BTreeSet<String> = BTreeSet::from(["red".to_owned()]);
    let pages = Pages::from([
        ("/pay/may".to_owned(), Some(staff.clone())),
        ("/menu/soup".to_owned(), None),
        ("/menu/wine".to_owned(), Some(staff.clone())),
    ]);
    let team = Team::new(pages, &[("ann", staff)]);
    let view = team.view("ann");
    let at = |below: &str| path(&format!("{DOCS}{below}"));
    let options = WriteOptions::default();
    for refused in [
        view.write(&at("/pay/may"), b"x", &options),
        view.write(&at("/pay/june"), b"x", &options),
        view.remove(&at("/menu/wine"), false),
        view.remove(&at("/menu"), true),
        team.operator().write(&at("/pay/may"), b"x", &options),
    ] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::ReadOnly);
    }
    view.write(&at("/menu/soup"), b"bean", &options).unwrap();
    view.write(&at("/menu/fish"), b"cod", &options).unwrap();
    view.copy(&at("/pay/may"), &path("/may"), false).unwrap();
    let boss = team.view("boss");
    let changes = boss.source_changes(&path(DOCS)).unwrap();
    assert_eq!(changes.len(), 2, "{changes:?}");
    boss.discard_source_changes(&path(DOCS)).unwrap();
    assert_eq!(files(&boss, DOCS), team.pruned(&BTreeSet::new()));
    boss.detach_source(&path(DOCS)).unwrap();
    assert!(files(&view, DOCS).is_empty());
}

#[test]
fn a_session_sees_what_groups_see_as_long_as_its_agent_may_name_them() {
    let red: BTreeSet<String> = BTreeSet::from(["red".to_owned()]);
    let pages = Pages::from([
        ("/pay".to_owned(), Some(red.clone())),
        ("/plan".to_owned(), Some(BTreeSet::from(["blue".to_owned()]))),
        ("/menu".to_owned(), None),
    ]);
    let team = Team::new(pages, &[("ann", red.clone()), ("svc", BTreeSet::new())]);
    team.operator().set_member(&agent(CLAIMANTS), &agent("svc"), true).expect("a member");
    for (name, named) in [("ann", "red"), ("svc", CLAIMANTS)] {
        let view = team.view(name);
        view.attach_source(&path("/docs"), "wiki", &BTreeMap::new(), true).expect("attached");
        let session = view.with_groups(&BTreeSet::from([agent("red")])).expect("a session");
        assert_eq!(files(&session, DOCS), team.pruned(&red), "{name}");
        team.operator().set_member(&agent(named), &agent(name), false).expect("it leaves");
        for place in [DOCS, "/docs"] {
            assert_eq!(files(&session, place), team.pruned(&BTreeSet::new()), "{name}, {place}");
        }
    }
}
