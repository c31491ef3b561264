//! What the agent asks: every way to look, and changes that are refused or are its own.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{Error, Path, Result, Version};
use homefs_shell::{Limits, Shell, Workers};
use homefs_view::{
    Cursor, GrepOptions, Moment, NodeRef, Nodes, RecallOptions, RenameMode, SearchKind,
    SearchOptions, SetAttrs, TimelineOptions, Tokenizer, View,
};

use super::world::{Dice, SEEN, WORDS, World, at};

/// One question, with all that it needs, to be asked in several stores.
#[derive(Clone, Debug)]
pub(super) struct Question {
    kind: usize,
    path: String,
    other: String,
    word: &'static str,
    number: usize,
}

/// Ways to ask a view about a path.
type Ask = fn(&View, &Path, &Question) -> String;

/// Scripts of the shell; `P` stands for a path, `Q` for another, `W` for a word, `N` for a number.
const SCRIPTS: [&str; 51] = [
    "ls -la P",
    "ls -lai P Q",
    "ls -lR /shared",
    "ls -lt --time=ctime /shared/lab /shared/lab/way",
    "stat P",
    "stat -c '%n %h %s %Y %Z %W %a %U %i' P /shared/lab /shared/lab/way /shared/lab/open/*",
    "find /shared -printf '%p %n %s %T@ %C@ %i %m %u\\n'",
    "find / -newer P",
    "find / -links +1",
    "find / -samefile /shared/lab/open/kept.md",
    "find / -inum N; find P -type f | sort",
    "du -a /; du -s P; du --inodes /shared",
    "df; df -i; df P",
    "tree /; tree P",
    "wc P/*; wc -c Q",
    "cat P; head -c 9 Q",
    "grep -rn W /; grep -rc W P",
    "grep -rl W /shared | sort",
    "rg W; rg --files /shared",
    "echo /shared/*/* /shared/lab/*; echo P*",
    "cd P && pwd && ls -a ..",
    "for f in /shared/lab/*; do echo $f; done; test -e P && echo yes",
    "[ P -nt Q ] && echo newer; [ P -ef Q ] && echo same",
    "homefs status; homefs sources; homefs sources --refresh P",
    "homefs log P; homefs log Q",
    "homefs diff P; homefs diff P N; homefs diff P 1 N",
    "homefs trash",
    "homefs untrash P",
    "homefs restore P N",
    "homefs meta P; homefs tag P; homefs tags P; homefs tags",
    "homefs related P; homefs context N",
    "homefs search W; homefs recall W",
    "search -a W; search -n 1 W; search -b P W; search -a -n N 'W OR [[n1]]'",
    "recall -t 9N W; recall -s recency -b P W; recall -s importance W n1",
    "for h in $(recall W | grep -o '\\^[0-9]*'); do cat $h; homefs related $h; done",
    "cat '/:recall?q=W&explain=1&max_tokens=60' '/:search?q=W&kind=text' '/:search?q=W&all=1'",
    "cat '/:context' '/:context?max_tokens=99' 'P:related' 'Q:related'",
    "cat '/:timeline?limit=3' 'P/:timeline' '/:stale?days=0&limit=3' 'P/:stale?days=0'",
    "grep -r 'W.*W' /; grep -ri W /shared",
    "cat '/:recent' 'P/:recent'",
    "cat '/:recall?q=W' 'P/:recall?q=W&explain=1'",
    "cat '/:search?q=W' 'P/:search?q=W'",
    "cat '/:stats' '/shared/:stats' 'P/:stats'",
    "cat '/:timeline' '/:stale?days=0' '/:tags' '/:conflicts'",
    "cat 'P:history' 'P:links' 'P:meta' 'P:tags' 'P:diff'",
    "cp P /copied; ls -lR /copied; rm -r /copied",
    "cp -r /shared/lab /copy; ls -lR /copy; rm -r /copy",
    "mv P Q; ln P Q; rm -r P",
    "mkdir P/new; echo > P/t; echo x > P; ln -s Q P/s",
    "echo > /shared/lab/open/own; ls -li /shared/lab/open; rm /shared/lab/open/own",
    "rm -r /shared/lab/way /shared/lab; rmdir /shared/lab/x; ls /shared/lab",
];

/// Which of the ways below moves a file.
const RENAME: usize = 38;
const ASKS: [Ask; 40] = [
    |view, path, _| told(view.stat(path)),
    |view, path, _| told(view.list(path, None, 100)),
    |view, _, question| told(view.list(&at("/shared/lab"), None, 1 + question.number)),
    |view, path, _| told(view.walk(path, None, 100)),
    |view, _, _| told(view.walk(&Path::root(), None, 1000)),
    |view, _, question| told(view.find(&Path::root(), &format!("*{}*", question.word), None, 100)),
    |view, path, _| told(view.read(path)),
    |view, path, _| told(view.xattrs(path)),
    |view, path, _| told(view.meta(path)),
    |view, path, _| told(view.read_link(path)),
    |view, path, _| told(view.log(path, None, 100)),
    |view, path, question| {
        let moment = Moment::Version(Version(question.number as u64));
        told(view.read_past(path, moment, 0, 1000))
    },
    |view, path, question| {
        let moment = Moment::Version(Version(question.number as u64));
        told(view.diff(path, moment, Moment::Now))
    },
    |view, path, _| told(view.diff(path, Moment::Version(Version(9999)), Moment::Now)),
    |view, _, _| told(view.trash(None, 1000)),
    |view, path, _| told(view.grants(path)),
    |view, _, _| told(view.spaces()),
    |view, _, _| told(view.agents()),
    |view, _, _| told(view.groups()),
    |view, _, _| told(view.cursor()),
    |view, path, _| told(view.watch(path, &Cursor::default(), Duration::ZERO, 1000)),
    |view, _, question| {
        let limit = 1 + question.number;
        told(view.watch(&Path::root(), &Cursor::default(), Duration::ZERO, limit))
    },
    |view, path, question| {
        let options = SearchOptions { below: path.clone(), ..SearchOptions::default() };
        told(view.search(question.word, &options))
    },
    |view, _, question| told(view.search(question.word, &SearchOptions::default())),
    |view, _, question| {
        let options =
            SearchOptions { kind: SearchKind::Vector, limit: 3, ..SearchOptions::default() };
        told(view.search(question.word, &options))
    },
    |view, _, question| told(view.recall(question.word, &RecallOptions::default())),
    |view, path, _| told(view.related(path, 100)),
    |view, path, _| told(view.links(path)),
    |view, path, _| told(view.tags(path)),
    |view, _, _| told(view.tags(&Path::root())),
    |view, path, question| {
        let (below, limit) = (path.clone(), 1 + question.number);
        told(view.timeline(&TimelineOptions { after: None, before: None, limit, below }))
    },
    |view, _, _| told(view.stale(0, 100, &Path::root())),
    |view, _, question| told(view.context(100 * question.number, Tokenizer::Approx)),
    |view, path, question| {
        let options = GrepOptions { below: path.clone(), ..GrepOptions::default() };
        told(view.grep(question.word, &options))
    },
    |view, _, question| told(view.candidates(&Path::root(), question.word, false)),
    |view, _, _| told(view.pins()),
    |view, path, _| told(view.unseen(path)),
    |view, path, _| {
        told(view.set_attrs(path, &SetAttrs { mode: Some(0o600), ..SetAttrs::default() }))
    },
    |view, path, question| told(view.rename(path, &at(&question.other), RenameMode::NoReplace)),
    |view, _, _| {
        // The room on the disk is everybody's, and how much memory a table takes is by chance.
        told(view.status().map(|mut status| {
            status.disk_free_bytes = 0;
            status.indexes.iter_mut().for_each(|index| index.memory_bytes = 0);
            status
        }))
    },
];

fn told<T: Debug>(answer: Result<T>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => said(&error),
    }
}

fn said(error: &Error) -> String {
    format!("{:?} {:?} {}", error.kind(), error.path(), error.message())
}

impl Question {
    /// Draws a question about what is seen, hidden in some store, or nowhere.
    pub(super) fn draw(dice: &mut Dice, hidden: &[String]) -> Self {
        let mut path = || match dice.roll(5) {
            0 => {
                dice.pick(&["/", "/shared", "/shared/lab", "/shared/lab/way", "/notes"]).to_owned()
            }
            1 | 2 if !hidden.is_empty() => dice.pick(hidden),
            3 => format!("{}/n{}.md", dice.pick(&SEEN), dice.roll(4)),
            _ => dice.pick(&["/shared/lab/open/kept.md", "/shared/none/a", SEEN[1]]).to_owned(),
        };
        let (path, other) = (path(), path());
        let kind = dice.roll(ASKS.len() + SCRIPTS.len() + 1);
        Self { kind, path, other, word: dice.pick(&WORDS), number: dice.roll(40) }.sparing()
    }

    /// Spares the file that has names elsewhere: that it is not in the trash then is told.
    fn sparing(mut self) -> Self {
        let script = self.kind.checked_sub(ASKS.len()).and_then(|at| SCRIPTS.get(at));
        let moves =
            script.is_some_and(|script| script.contains("mv ") || script.contains("rm -r P"));
        if moves || self.kind == RENAME {
            self.path = self.path.replace("kept", "n1");
            self.other = self.other.replace("kept", "n1");
        }
        self
    }

    /// Returns the question that is about no path, or one of each kind.
    pub(super) fn of_kind(kind: usize, path: &str) -> Option<Self> {
        let is_one = kind <= ASKS.len() + SCRIPTS.len();
        let (path, other) = (path.into(), "/shared/lab/open/kept.md".into());
        is_one.then(|| Self { kind, path, other, word: WORDS[0], number: 20 }.sparing())
    }

    /// Asks it as the agent of a store.
    pub(super) fn ask(&self, world: &World) -> String {
        let asks = ASKS.len();
        match self.kind {
            kind if kind < asks => ASKS[kind](&world.eve, &at(&self.path), self),
            kind if kind < asks + SCRIPTS.len() => self.run(world, SCRIPTS[kind - asks]),
            _ => {
                let nodes = world.eve.nodes();
                let mut told = Vec::new();
                climb(&nodes, &nodes.root(), &mut told);
                told.join("\n")
            }
        }
    }

    fn run(&self, world: &World, script: &str) -> String {
        let script = script.replace('P', &self.path).replace('Q', &self.other);
        let script = script.replace('W', self.word).replace('N', &self.number.to_string());
        let mut shell = Shell::new(world.eve.clone(), &Arc::new(Workers::default()));
        let output = shell.run(&script, &Limits::default()).expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        format!("{}{}[{}]", text(&output.stdout), text(&output.stderr), output.status)
    }
}

/// Goes through everything as a mount does.
fn climb(nodes: &Nodes, directory: &NodeRef, told: &mut Vec<String>) {
    let capacity = nodes.capacity(directory).map(|room| (room.nodes, room.nodes_free));
    told.push(format!("{:?} {:?} {capacity:?}", nodes.path(directory), nodes.stat(directory)));
    told.push(format!("{:?}", nodes.xattrs(directory).map_err(|error| said(&error))));
    let Ok(mut entries) = nodes.list(directory) else { return };
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    for entry in entries {
        let (node, stat) = nodes.lookup(directory, &entry.name).expect("what is listed is there");
        told.push(format!("{entry:?} {stat:?}"));
        match stat.kind {
            homefs_view::Kind::Directory => climb(nodes, &node, told),
            _ => told.push(format!("{:?} {:?}", nodes.path(&node), nodes.stat(&node))),
        }
        nodes.release(&node, 1);
    }
}
