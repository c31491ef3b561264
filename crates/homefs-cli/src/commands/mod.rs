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

/// What `homefs` can do, in the order in which help shows it.
#[derive(Subcommand)]
pub(crate) enum Command {
    Write(write::Args),
    Append(append::Args),
    Edit(edit::Args),
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

impl Command {
    /// Does the work.
    #[expect(clippy::too_many_lines, reason = "one line for each command")]
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        match self {
            Self::Write(args) => args.run(context),
            Self::Append(args) => args.run(context),
            Self::Edit(args) => args.run(context),
            Self::Cat(args) => args.run(context),
            Self::Ls(args) => args.run(context),
            Self::Tree(args) => args.run(context),
            Self::Find(args) => args.run(context),
            Self::Grep(args) => args.run(context),
            Self::Stat(args) => args.run(context),
            Self::Meta(args) => args.run(context),
            Self::Tag(args) => args.run(context),
            Self::Tags(args) => args.run(context),
            Self::Mkdir(args) => args.run(context),
            Self::Cp(args) => args.run(context),
            Self::Mv(args) => args.run(context),
            Self::Ln(args) => args.run(context),
            Self::Rm(args) => args.run(context),
            Self::Sh(args) => args.run(context),
            Self::Exec(args) => args.run(context),
            Self::Remember(args) => args.run(context),
            Self::Recall(args) => args.run(context),
            Self::Search(args) => args.run(context),
            Self::Context(args) => args.run(context),
            Self::Forget(args) => args.run(context),
            Self::Related(args) => args.run(context),
            Self::Links(args) => args.run(context),
            Self::Timeline(args) => args.run(context),
            Self::Stale(args) => args.run(context),
            Self::Log(args) => args.run(context),
            Self::Diff(args) => args.run(context),
            Self::Restore(args) => args.run(context),
            Self::Trash(args) => args.run(context),
            Self::Purge(args) => args.run(context),
            Self::Watch(args) => args.run(context),
            Self::Grant(args) => args.run(context),
            Self::Revoke(args) => args.run(context),
            Self::Grants(args) => args.run(context),
            Self::Group(args) => args.run(context),
            Self::Agents(args) => args.run(context),
            Self::Spaces(args) => args.run(context),
            Self::Import(args) => args.run(context),
            Self::Export(args) => args.run(context),
            Self::Attach(args) => args.run(context),
            Self::Detach(args) => args.run(context),
            Self::Sources(args) => args.run(context),
            Self::Changes(args) => args.run(context),
            Self::WriteBack(args) => args.run(context),
            Self::Publish(args) => args.run(context),
            Self::Mcp(args) => args.run(context),
            Self::Mount(args) => args.run(context),
            Self::Unmount(args) => args.run(context),
            Self::Remote(args) => args.run(context),
            Self::Sync(args) => args.run(context),
            Self::Pull(args) => args.run(context),
            Self::Push(args) => args.run(context),
            Self::Clone(args) => args.run(context),
            Self::Adopt(args) => args.run(context),
            Self::Conflicts(args) => args.run(context),
            Self::Resolve(args) => args.run(context),
            Self::Pin(args) => args.run(context),
            Self::Gc(args) => args.run(context),
            Self::Status(args) => args.run(context),
            Self::Doctor(args) => args.run(context),
            Self::Fsck(args) => args.run(context),
            Self::Backup(args) => args.run(context),
            Self::RestoreStore(args) => args.run(context),
            Self::Config(args) => args.run(context),
            Self::Completions(args) => args.run(context),
            Self::Tour(args) => args.run(context),
            Self::GenDocs(args) => args.run(context),
            Self::ShellWorker(args) => args.run(context),
            Self::TourWriter(args) => args.run(context),
        }
    }
}
