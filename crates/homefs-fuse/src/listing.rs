//! Directories read part by part.
//!
//! The kernel reads a directory in several calls and says where to go on, but does not say when it
//! begins or ends. So the place of a name is a hash of it: whatever else is made or removed
//! meanwhile, the next part goes on after it. The names of the directories being read are kept,
//! so that a long one is not sorted anew for every part.

use std::sync::Arc;

use homefs_core::Result;
use homefs_view::{Kind, NodeRef, Nodes};
use parking_lot::Mutex;

use crate::inodes::{Inodes, ROOT, name_hash};

/// Most directories whose names are kept between two calls.
const KEPT_MAX: usize = 16;
/// The places of `.` and `..`; names come after them.
const DOTS: u64 = 2;

/// One name, in the order of places.
pub(crate) struct Line {
    /// The place, from which the next part goes on.
    pub(crate) place: u64,
    pub(crate) name: Box<str>,
    pub(crate) kind: Kind,
    pub(crate) number: u64,
}

/// The directories that are being read.
#[derive(Default)]
pub(crate) struct Listings {
    kept: Mutex<Vec<(u64, Arc<Vec<Line>>)>>,
}

impl Listings {
    /// Returns the names of a directory after a place.
    pub(crate) fn after(
        &self,
        nodes: &Nodes,
        inodes: &Inodes,
        directory: (u64, &NodeRef),
        place: u64,
    ) -> Result<(Arc<Vec<Line>>, usize)> {
        let kept = (place != 0).then(|| self.kept(directory.0)).flatten();
        let lines = if let Some(lines) = kept {
            lines
        } else {
            let lines = Arc::new(read(nodes, inodes, directory)?);
            self.keep(directory.0, lines.clone());
            lines
        };
        let from = lines.partition_point(|line| line.place <= place);
        if from == lines.len() {
            self.drop(directory.0);
        }
        Ok((lines, from))
    }

    fn kept(&self, number: u64) -> Option<Arc<Vec<Line>>> {
        let kept = self.kept.lock();
        kept.iter().find(|(other, _)| *other == number).map(|(_, lines)| lines.clone())
    }

    fn keep(&self, number: u64, lines: Arc<Vec<Line>>) {
        let mut kept = self.kept.lock();
        kept.retain(|(other, _)| *other != number);
        if kept.len() == KEPT_MAX {
            kept.remove(0);
        }
        kept.push((number, lines));
    }

    fn drop(&self, number: u64) {
        self.kept.lock().retain(|(other, _)| *other != number);
    }
}

fn read(nodes: &Nodes, inodes: &Inodes, (number, directory): (u64, &NodeRef)) -> Result<Vec<Line>> {
    // A directory that has lost its name has nothing above it.
    let above = nodes.parent(directory).map_or(number, |stat| inodes.number(&stat));
    let above = if number == ROOT { ROOT } else { above };
    let dot = |place, name: &str, number| Line {
        place,
        name: name.into(),
        kind: Kind::Directory,
        number,
    };
    let entries = nodes.list(directory)?;
    let mut lines = Vec::with_capacity(entries.len() + 2);
    lines.push(dot(1, ".", number));
    lines.push(dot(DOTS, "..", above));
    for entry in entries {
        // Places are offsets of the kernel, which have no sign.
        let place = (name_hash(&entry.name) >> 1).max(DOTS + 1);
        let number = inodes.number(&entry.stat);
        lines.push(Line { place, name: entry.name, kind: entry.stat.kind, number });
    }
    lines.sort_unstable_by(|a, b| (a.place, &a.name).cmp(&(b.place, &b.name)));
    // Two names with one hash: the second moves on.
    let mut last = 0;
    for line in &mut lines {
        line.place = line.place.max(last + 1);
        last = line.place;
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inodes::tests::Home;

    fn part(listings: &Listings, home: &Home, place: u64) -> (Arc<Vec<Line>>, usize) {
        let root = home.nodes.root();
        listings.after(&home.nodes, &home.inodes, (ROOT, &root), place).unwrap()
    }

    fn names(lines: &[Line]) -> Vec<&str> {
        lines.iter().map(|line| &*line.name).collect()
    }

    #[test]
    fn names_are_in_the_order_of_their_places() {
        let home = Home::new();
        for number in 0..200 {
            home.make(&format!("file-{number}"));
        }
        let listings = Listings::default();
        let (lines, from) = part(&listings, &home, 0);
        assert_eq!((lines.len(), from), (202, 0));
        assert_eq!(names(&lines[..2]), [".", ".."]);
        assert!(lines.is_sorted_by(|line, next| line.place < next.place));
        assert!(lines.iter().all(|line| i64::try_from(line.place).is_ok()));
        for (at, line) in lines.iter().enumerate() {
            assert_eq!(part(&listings, &home, line.place).1, at + 1, "{}", line.name);
        }
        assert!(listings.kept.lock().is_empty(), "it was read to its end");
    }

    #[test]
    fn two_names_with_one_hash_have_two_places() {
        const TWINS: [&str; 2] = ["ZALI121Y9e", "rvOBAly4Rb"];
        assert_eq!(name_hash(TWINS[0]), name_hash(TWINS[1]));
        let home = Home::new();
        for name in ["other", TWINS[1], "another", TWINS[0]] {
            home.make(name);
        }
        let (lines, _) = part(&Listings::default(), &home, 0);
        let first = lines.iter().position(|line| *line.name == *TWINS[0]).unwrap();
        assert_eq!(names(&lines[first..first + 2]), TWINS);
        assert_eq!(lines[first].place + 1, lines[first + 1].place);
        for (at, line) in lines.iter().enumerate() {
            let (again, from) = part(&Listings::default(), &home, line.place);
            assert_eq!(names(&again[from..]), names(&lines[at + 1..]), "after {}", line.name);
        }
    }

    #[test]
    fn a_listing_goes_on_after_a_name_that_was_removed() {
        let home = Home::new();
        for number in 0..50 {
            home.make(&format!("file-{number}"));
        }
        let (lines, _) = part(&Listings::default(), &home, 0);
        let (read, rest) = lines.split_at(20);
        for line in &read[10..] {
            home.nodes.remove(&home.nodes.root(), &line.name, false).unwrap();
        }
        // Another reader has made it forget the names: it goes on from the place alone.
        let (again, from) = part(&Listings::default(), &home, read[19].place);
        assert_eq!(names(&again[from..]), names(rest));
        assert_eq!(again.len(), lines.len() - 10);
    }

    #[test]
    fn only_so_many_directories_are_kept() {
        let listings = Listings::default();
        for number in 0..2 * KEPT_MAX as u64 {
            listings.keep(number, Arc::default());
        }
        assert_eq!(listings.kept.lock().len(), KEPT_MAX);
        assert!(listings.kept(0).is_none() && listings.kept(2 * KEPT_MAX as u64 - 1).is_some());
    }
}
