//! What only an operator gives to files: the bits setuid, setgid and sticky, and devices.
//!
//! By these a program runs with the rights of another user and a file is a door into the kernel, so
//! an agent, which may be a model that somebody talked into it, must not make them, nor a machine
//! that syncs. `Tree::confine` is the one rule, asked for every change before it is recorded;
//! records themselves are applied as they are, so that every journal can be replayed.

use homefs_core::{Error, ErrorKind, NodeId};
use serde::{Deserialize, Deserializer};

use crate::draft::Draft;
use crate::guard::Permit;
use crate::model::{Attrs, Kind, Special};
use crate::record::Change;
use crate::tree::{Halt, Tree};

/// The bits of a mode beyond the permissions: setuid, setgid and sticky.
pub const SPECIAL_BITS: u32 = 0o7000;

/// Returns a mode without special bits.
pub fn plain_mode(mode: u32) -> u32 {
    mode & !SPECIAL_BITS
}

impl Kind {
    /// Tells whether it is a device.
    pub fn is_device(self) -> bool {
        matches!(self, Self::Special(Special::Character(_) | Special::Block(_)))
    }

    /// Returns what other machines take it for: of a device, the file that has its name.
    #[must_use]
    pub fn plain(self) -> Self {
        if self.is_device() { Self::File } else { self }
    }
}

/// Reads a mode that another machine may have written.
pub fn read_plain_mode<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    u32::deserialize(from).map(plain_mode)
}

/// Reads a kind that another machine may have written.
pub fn read_plain_kind<'de, D: Deserializer<'de>>(from: D) -> Result<Kind, D::Error> {
    Kind::deserialize(from).map(Kind::plain)
}

impl Tree {
    /// Takes from a draft the special bits that its author may not give, as Linux does, without a
    /// word; refuses devices.
    ///
    /// Bits that are there stay, as long as the file holds what it held and belongs to whom it
    /// belonged: else somebody would get the rights that were given to another content.
    pub(crate) fn confine(&self, draft: &mut Draft<'_>, permit: Permit) -> Result<(), Halt> {
        if permit.is_special() {
            return Ok(());
        }
        // What comes back from the trash has nothing, though a face may still hold it.
        let is_nameless = self.is_of_orphan(&draft.changes);
        let attrs_of = |node: NodeId| {
            let known = if is_nameless { self.node(node).ok() } else { self.named(node) };
            known.map(|known| &known.attrs)
        };
        let written = special_written(draft, attrs_of);
        for change in &mut draft.changes {
            let (Change::Node { node, attrs } | Change::Make { node, attrs }) = change else {
                continue;
            };
            let (before, is_written) = (attrs_of(*node), written.contains(node));
            if is_written {
                attrs.kind = attrs.kind.plain();
            }
            if attrs.kind.is_device() && before.is_none_or(|before| before.kind != attrs.kind) {
                return Err(Halt::Fail(no_device()));
            }
            if attrs.mode & SPECIAL_BITS != 0 {
                let kept = before.map_or(0, |before| kept(before, attrs, is_written));
                attrs.mode = plain_mode(attrs.mode) | attrs.mode & kept;
            }
        }
        for node in written {
            if let (None, Some(attrs)) = (draft.drafted(node), attrs_of(node)) {
                let (kind, mode, time) = (attrs.kind.plain(), plain_mode(attrs.mode), draft.time);
                let attrs = Attrs { kind, mode, modified: time, changed: time, ..attrs.clone() };
                draft.push(Change::Node { node, attrs });
            }
        }
        Ok(())
    }
}

/// Returns the special nodes that a draft gives a content: what is outside may give one to a device,
/// which is a file there.
fn special_written<'t>(
    draft: &Draft<'_>,
    attrs_of: impl Fn(NodeId) -> Option<&'t Attrs>,
) -> Vec<NodeId> {
    let written = draft.changes.iter().filter_map(|change| match change {
        Change::Content { node, .. }
        | Change::Pulled { node, .. }
        | Change::Patch { node, .. }
        | Change::Zero { node, .. } => Some(*node),
        _ => None,
    });
    let is_special = |attrs: &Attrs| attrs.mode & SPECIAL_BITS != 0 || attrs.kind.is_device();
    written.filter(|node| attrs_of(*node).is_some_and(is_special)).collect()
}

/// Returns the special bits that a change leaves to a node.
fn kept(before: &Attrs, after: &Attrs, is_written: bool) -> u32 {
    let is_moved = (before.uid, before.gid) != (after.uid, after.gid);
    let is_lost = before.kind != Kind::Directory && (is_written || is_moved);
    if is_lost { 0 } else { before.mode & SPECIAL_BITS }
}

fn no_device() -> Error {
    let message = "only an operator makes devices: use --operator, and for a mount --special too";
    Error::new(ErrorKind::Denied, message)
}
