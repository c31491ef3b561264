//! Files that a program has open while a pull puts others in their places.

use super::office::Office;
use super::*;
use crate::{NodeRef, Nodes, RenameMode};

/// A program on a desk that has a file open.
struct Program {
    nodes: Nodes,
    file: NodeRef,
}

impl Program {
    fn open(desk: &Desk, name: &str) -> Self {
        let nodes = desk.view.nodes();
        let (file, _) = nodes.lookup(&nodes.root(), name).unwrap();
        Self { nodes, file }
    }

    fn append(&self, line: &str) {
        self.nodes.write(&self.file, None, line.as_bytes()).unwrap();
    }

    fn read(&self) -> String {
        let bytes = self.nodes.read(&self.file, 0, 1_000).unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }
}

/// Saves a file as most programs do: by a new one in its place.
fn save(desk: &Desk, text: &str) {
    desk.write("/new", text);
    desk.view.rename(&at("/new"), &at("/log.md"), RenameMode::Replace).unwrap();
}

#[test]
fn what_a_program_writes_is_in_the_file_that_people_know_whoever_saves_that_elsewhere() {
    let office = Office::new(2);
    let [a, b] = &office.desks[..] else { unreachable!("there are two") };
    // Made on both, so that one takes the place of the other; then saved on the one by new files.
    a.write("/log.md", "of a\n");
    b.write("/log.md", "of b\n");
    let program = Program::open(b, "log.md");
    for round in 0..4 {
        program.append(&format!("line {round}\n"));
        office.rest();
        save(a, &format!("saved {round}\n{}", a.read("/log.md")));
        office.rest();
        assert_eq!(program.read(), b.read("/log.md"));
        let stat = program.nodes.stat(&program.file).unwrap();
        assert_eq!(stat.size, program.read().len() as u64);
    }
    program.append("last\n");
    office.rest();
    let log = a.read("/log.md");
    assert_eq!(log, b.read("/log.md"));
    for line in ["of a", "of b", "line 0", "line 1", "line 2", "line 3", "last", "saved 3"] {
        assert_eq!(log.lines().filter(|found| *found == line).count(), 1, "{line} in {log:?}");
    }
}

#[test]
fn a_file_that_is_replaced_here_is_another() {
    let office = Office::new(1);
    let desk = &office.desks[0];
    desk.write("/log.md", "old\n");
    let program = Program::open(desk, "log.md");
    save(desk, "new\n");
    program.append("more\n");
    assert_eq!((program.read().as_str(), desk.read("/log.md").as_str()), ("old\nmore\n", "new\n"));
}

#[test]
fn a_file_that_is_removed_elsewhere_can_be_read_while_it_is_open() {
    let office = Office::new(2);
    let [a, b] = &office.desks[..] else { unreachable!("there are two") };
    a.write("/log.md", "text\n");
    office.rest();
    let program = Program::open(b, "log.md");
    a.view.remove(&at("/log.md"), false).unwrap();
    office.rest();
    program.append("more\n");
    assert_eq!(program.read(), "text\nmore\n");
    assert_eq!(b.view.stat(&at("/log.md")).unwrap_err().kind(), ErrorKind::NotFound);
}
