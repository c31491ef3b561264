//! Commands of our own: those that differ from GNU in the engine, and those that are ours.

mod added;
mod backup;
mod bc;
mod cat;
mod cmp;
mod copying;
mod date;
mod diff;
mod du;
mod ends;
mod engines_own;
mod expr;
mod find;
mod grep;
mod gzip;
mod help;
mod homefs;
mod linking;
mod ls;
mod mask;
mod memory;
mod mode;
mod moment;
mod names;
mod options;
mod patch;
mod paths;
mod seq;
mod stand_in;
mod stat;
mod tar;
mod times;
mod tool;
mod touch;
mod tree;
mod wc;
mod width;
mod xargs;
mod zip;

use std::sync::Arc;

use bashkit::BashBuilder;

use crate::{nesting, repairs};

use self::added::Added;
use self::grep::{Grep, Rg, Syntax};
use self::stand_in::{STAND_INS, StandIn};
use self::tool::{Reads, ReadsOf, Tool};

pub use self::added::{Command, Invocation};
pub(crate) use self::paths::SAME_FILE;
pub(crate) use self::tool::Ground;

/// Commands that come to an end before they write.
const TOOLS: &[(&str, tool::Main)] = &[
    ("bc", bc::run),
    ("chmod", names::change_mode),
    ("cmp", cmp::run),
    ("cp", copying::copy),
    ("date", date::run),
    ("diff", diff::run),
    ("du", du::run),
    ("expr", expr::run),
    ("help", help::run),
    ("homefs", homefs::run),
    ("ln", linking::link),
    ("ls", ls::run),
    ("mkdir", names::make_directory),
    ("mv", copying::rename),
    ("readlink", paths::link_target),
    ("realpath", paths::real),
    ("recall", memory::recall),
    ("remember", memory::remember),
    ("rm", names::remove),
    ("search", memory::search),
    ("stat", stat::run),
    ("touch", touch::run),
    ("tree", tree::run),
    ("unzip", zip::unpack),
    ("wc", wc::run),
    ("zip", zip::pack),
    (SAME_FILE, paths::same_file),
    (mask::NAME, mask::run),
];

/// Those of them that may read standard input.
const READERS: &[(&str, ReadsOf)] = &[
    ("bc", |_| Reads::All),
    ("cmp", tool::unless_files),
    ("cp", tool::if_asking),
    ("diff", tool::unless_files),
    ("homefs", |_| Reads::All),
    ("ln", tool::if_asking),
    ("mv", tool::if_asking),
    ("remember", |_| Reads::All),
    ("rm", tool::if_asking),
    ("wc", tool::unless_files),
];

/// Adds the commands to an interpreter.
pub(crate) fn register(builder: BashBuilder, ground: &Ground) -> BashBuilder {
    let grep = |syntax| Grep { ground: ground.clone(), syntax };
    let builder = builder
        .before_tool(Box::new(nesting::hook(&ground.files)))
        .command_resolver(Arc::new(repairs::Unknown))
        .builtin(repairs::STATUS, Box::new(repairs::Status))
        // The interpreter runs these itself, but does not know that they are commands.
        .builtin("bash", Box::new(repairs::Status))
        .builtin("sh", Box::new(repairs::Status))
        .builtin("umask", Box::new(mask::Umask))
        .builtin("xargs", Box::new(xargs::Xargs { script_bytes_max: ground.limits.memory_bytes }))
        .builtin("find", Box::new(find::Find { ground: ground.clone() }))
        .command("cat", cat::Cat { ground: ground.clone() })
        .command("head", ends::Ends { ground: ground.clone(), of_end: false })
        .command("tail", ends::Ends { ground: ground.clone(), of_end: true })
        .command("patch", patch::Patch { ground: ground.clone() })
        .command("gzip", gzip::Gzip { ground: ground.clone() })
        .command("gunzip", gzip::Gzip { ground: ground.clone() })
        .command("tar", tar::Tar { ground: ground.clone() })
        .command("seq", seq::Seq { ground: ground.clone() })
        .command("rg", Rg { ground: ground.clone() })
        .command("grep", grep(Syntax::Basic))
        .command("egrep", grep(Syntax::Extended))
        .command("fgrep", grep(Syntax::Fixed));
    let builder = STAND_INS.iter().fold(builder, |builder, &(name, script)| {
        builder.builtin(name, Box::new(StandIn { script }))
    });
    let builder = TOOLS.iter().fold(builder, |builder, &(name, run)| {
        let reader = READERS.iter().find(|reader| reader.0 == name);
        let reads = reader.map_or((|_| Reads::Nothing) as ReadsOf, |reader| reader.1);
        builder.command(name, Tool { name, ground: ground.clone(), reads, run })
    });
    ground.added.iter().fold(builder, |builder, command| {
        builder.builtin(command.name(), Box::new(Added(command.clone())))
    })
}
