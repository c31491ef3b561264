//! The commands, one file each: its arguments and its work.

mod access;
mod adopt;
mod agents;
mod append;
mod attach;
mod backup;
mod cat;
mod changes;
mod clone;
mod completions;
mod config;
mod conflicts;
mod context;
mod cp;
mod detach;
mod diff;
mod doctor;
mod edit;
mod export;
mod find;
mod forget;
mod fsck;
mod gc;
mod gen_docs;
mod grep;
mod group;
mod import;
mod links;
mod ln;
mod log;
mod ls;
mod mcp;
mod meta;
mod mkdir;
mod mount;
mod mv;
mod pin;
mod publish;
mod pull;
mod purge;
mod push;
mod question;
mod recall;
mod related;
mod remember;
mod remote;
mod resolve;
mod restore;
mod restore_store;
mod rm;
mod search;
mod sh;
mod shell_worker;
mod skill;
mod sources;
mod spaces;
mod stale;
mod stat;
mod status;
mod sync;
mod tag;
mod tags;
mod take_up;
mod timeline;
mod tour;
mod trash;
mod tree;
mod unmount;
mod watch;
mod write;
mod write_back;

use clap::Subcommand;

use crate::context::Context;
use crate::error::Result;

/// Makes [`Command`] of one line for each command. The modules are not made here: rustfmt finds
/// only those that it can read.
macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident($module:ident::$args:ident),)*) => {
        /// What `homefs` can do, in the order in which help shows it.
        #[derive(Subcommand)]
        pub(crate) enum Command {
            $($(#[$attribute])* $name($module::$args),)*
        }

        impl Command {
            /// Does the work.
            pub(crate) fn run(self, context: &Context) -> Result<()> {
                match self {
                    $(Self::$name(args) => args.run(context),)*
                }
            }
        }
    };
}

commands! {
    Write(write::Args),
    Append(append::Args),
    Edit(edit::Args),
    #[command(alias = "read")]
    Cat(cat::Args),
    Ls(ls::Args),
    Tree(tree::Args),
    Find(find::Args),
    Grep(grep::Args),
    Stat(stat::Args),
    Meta(meta::Args),
    Tag(tag::Args),
    Tags(tags::Args),
    Mkdir(mkdir::Args),
    Cp(cp::Args),
    Mv(mv::Args),
    Ln(ln::Args),
    #[command(alias = "delete")]
    Rm(rm::Args),
    Sh(sh::Args),
    Exec(sh::ExecArgs),
    Remember(remember::Args),
    Recall(recall::Args),
    Search(search::Args),
    Context(context::Args),
    Forget(forget::Args),
    Related(related::Args),
    Links(links::Args),
    Timeline(timeline::Args),
    Stale(stale::Args),
    #[command(alias = "history")]
    Log(log::Args),
    Diff(diff::Args),
    Restore(restore::Args),
    Trash(trash::Args),
    Purge(purge::Args),
    Watch(watch::Args),
    Grant(access::GrantArgs),
    Revoke(access::RevokeArgs),
    Grants(access::GrantsArgs),
    Group(group::Args),
    Agents(agents::Args),
    Spaces(spaces::Args),
    Import(import::Args),
    Export(export::Args),
    Attach(attach::Args),
    Detach(detach::Args),
    Sources(sources::Args),
    Changes(changes::Args),
    WriteBack(write_back::Args),
    Publish(publish::Args),
    Mcp(mcp::Args),
    Skill(skill::Args),
    Mount(mount::Args),
    #[command(visible_alias = "umount")]
    Unmount(unmount::Args),
    Remote(remote::Args),
    Sync(sync::Args),
    Pull(pull::Args),
    Push(push::Args),
    Clone(clone::Args),
    Adopt(adopt::Args),
    Conflicts(conflicts::Args),
    Resolve(resolve::Args),
    Pin(pin::Args),
    Gc(gc::Args),
    Status(status::Args),
    Doctor(doctor::Args),
    Fsck(fsck::Args),
    Backup(backup::Args),
    RestoreStore(restore_store::Args),
    Config(config::Args),
    Completions(completions::Args),
    Tour(tour::Args),
    #[command(hide = true)]
    GenDocs(gen_docs::Args),
    #[command(hide = true)]
    ShellWorker(shell_worker::Args),
    #[command(hide = true)]
    TourWriter(tour::WriterArgs),
}
