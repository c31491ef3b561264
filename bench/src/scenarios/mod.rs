//! The scenarios, one file each.

mod barrier;
mod chroma_boot;
mod chroma_publish;
mod chroma_read;
mod fold;
mod memory;
mod memory_burst;
mod memory_embed;
mod memory_first;
mod memory_remember;
mod memory_search;
mod memory_size;
mod mount_change;
mod mount_git;
mod mount_grep;
mod mount_read;
mod mount_remove;
mod mount_stat;
mod mount_stream;
mod mount_sync;
mod open;
mod read_small;
mod sdk;
mod sdk_aio;
mod sdk_node;
mod sdk_python;
mod shell;
mod shell_grep;
mod shell_small;
mod shell_worker;
mod socket;
mod sync_commit;
mod sync_follow;
mod sync_fresh;
mod sync_peers;
mod sync_write;
mod write_small;

use anyhow::Result;

use crate::bench::Bench;
use crate::report::Report;

/// What a second process does with its words.
type Part = fn(&[String]) -> Result<()>;

/// One scenario.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) run: fn(&Bench, &mut Report) -> Result<()>,
    /// What its second process does, if it needs one.
    pub(crate) child: Option<Part>,
}

/// Every scenario.
pub(crate) const SCENARIOS: &[Scenario] = &[
    write_small::SCENARIO,
    read_small::SCENARIO,
    barrier::SCENARIO,
    open::SCENARIO,
    socket::SCENARIO,
    fold::SCENARIO,
    mount_change::SCENARIO,
    mount_stat::SCENARIO,
    mount_read::SCENARIO,
    mount_sync::SCENARIO,
    mount_grep::SCENARIO,
    mount_git::SCENARIO,
    mount_remove::SCENARIO,
    mount_stream::SCENARIO,
    sync_commit::SCENARIO,
    sync_follow::SCENARIO,
    sync_fresh::SCENARIO,
    sync_write::SCENARIO,
    sync_peers::SCENARIO,
    memory_remember::SCENARIO,
    memory_search::SCENARIO,
    memory_first::SCENARIO,
    memory_burst::SCENARIO,
    memory_embed::SCENARIO,
    memory_size::SCENARIO,
    shell_small::SCENARIO,
    shell_grep::SCENARIO,
    shell_worker::SCENARIO,
    chroma_boot::SCENARIO,
    chroma_publish::SCENARIO,
    chroma_read::SCENARIO,
    sdk_python::SCENARIO,
    sdk_aio::SCENARIO,
    sdk_node::SCENARIO,
];
