//! `:help`: what can be asked.

use homefs_core::{Path, Result};

use super::table::Table;
use super::{Arguments, On, PROBES, Probe};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "help",
    on: On::Directory,
    arguments: &["format"],
    help: "this list",
    read,
    write: None,
};

/// What the table cannot say.
const NOTE: &str = "\
Arguments follow the word: `:recent?limit=5&format=json`, or `:recent,limit=5,format=json`, which
needs no quoting in a shell. `+` is a blank, `%3F` a question mark; `q=`, `query=` and a bare word
are the same. A probe is never listed.

A file that really has such a name is what the name means. To reach the probe beside it, add an
empty argument: `notes.md:tags?`. To make such a file, move or copy one there, or write it with
create-only.";

fn read(_: &View, _: &Path, arguments: &Arguments) -> Result<String> {
    let columns = ["probe", "arguments", "writable", "answers"];
    let rows = PROBES.iter().map(|probe| {
        let name = match probe.on {
            On::Directory => format!(":{}", probe.word),
            On::Node => format!("NAME:{}", probe.word),
            On::File => format!("FILE:{}", probe.word),
        };
        let writable = if probe.write.is_some() { "yes" } else { "no" };
        [name.into(), probe.arguments.join(" ").into(), writable.into(), probe.help.into()]
    });
    Table { columns, rows: rows.collect(), note: NOTE.into() }.text(arguments)
}
