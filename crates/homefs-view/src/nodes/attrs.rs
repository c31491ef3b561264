//! Attributes of nodes: stat, owner, mode, times, length, extended attributes.

use bytes::Bytes;
use homefs_core::{Error, ErrorKind, Result, Timestamp};
use homefs_store::contents::{check_size, file};
use homefs_store::meta;
use homefs_store::model::{Attrs, Kind, Right, Stat, Xattrs};
use homefs_store::record::Change;
use homefs_store::tree::{Answer, Halt, fail};

use super::{NodeRef, Nodes, Spot, look};
use crate::view::View;

/// What a time becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeTo {
    /// The time of the change.
    Now,
    /// This.
    At(Timestamp),
}

/// Attributes to set in one change; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetNode {
    /// Permission bits.
    pub mode: Option<u32>,
    /// Owning user.
    pub uid: Option<u32>,
    /// Owning group.
    pub gid: Option<u32>,
    /// Length of a file.
    pub size: Option<u64>,
    /// Access time.
    pub accessed: Option<TimeTo>,
    /// Modification time.
    pub modified: Option<TimeTo>,
}

/// Whether an extended attribute may, must or must not be there before it is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum XattrMode {
    /// It may.
    #[default]
    Any,
    /// It must not.
    Create,
    /// It must.
    Replace,
}

impl Nodes {
    /// Tells what is known of a node without reading it.
    pub fn stat(&self, node: &NodeRef) -> Result<Stat> {
        match &node.0 {
            Spot::Virtual(place) => self.view.stat(&place.path()),
            Spot::In(space, id) => {
                self.view.store.check_open()?;
                let permit = self.permit(space, *id, None)?;
                self.stat_now(space, permit, *id, false)
            }
        }
    }

    /// Returns where a symbolic link points.
    pub fn read_link(&self, node: &NodeRef) -> Result<Box<str>> {
        let (space, id) = self.inside(node)?;
        let permit = self.permit(space, id, Some(Right::Read))?;
        look(space, permit, |tree| {
            let attrs = &tree.node(id)?.attrs;
            match attrs.kind {
                Kind::Link => Ok(attrs.target.clone()),
                _ => Err(fail(ErrorKind::Invalid, "is not a symbolic link")),
            }
        })
    }

    /// Sets attributes of a node, all in one change.
    pub fn set(&self, node: &NodeRef, set: &SetNode) -> Result<Stat> {
        self.change_attrs(node, &self.view, set.size, |attrs, now| {
            attrs.mode = set.mode.map_or(attrs.mode, |mode| mode & 0o7777);
            attrs.uid = set.uid.unwrap_or(attrs.uid);
            attrs.gid = set.gid.unwrap_or(attrs.gid);
            let time = |to: TimeTo| match to {
                TimeTo::Now => now,
                TimeTo::At(time) => time,
            };
            attrs.modified = set.modified.map_or(attrs.modified, time);
            attrs.accessed = set.accessed.map_or(attrs.accessed, time);
            Ok(())
        })
    }

    /// Returns the extended attributes of a node.
    pub fn xattrs(&self, node: &NodeRef) -> Result<Xattrs> {
        let Spot::In(space, id) = &node.0 else { return Ok(Xattrs::new()) };
        let permit = self.permit(space, *id, Some(Right::Read))?;
        look(space, permit, |tree| Ok(meta::shown_xattrs(&tree.node(*id)?.attrs)))
    }

    /// Returns one extended attribute; most nodes have none, and are asked before every write.
    pub fn xattr(&self, node: &NodeRef, name: &str) -> Result<Option<Bytes>> {
        Ok(self.xattrs(node)?.remove(name))
    }

    /// Sets an extended attribute, or removes it.
    pub fn set_xattr(
        &self,
        node: &NodeRef,
        name: &str,
        value: Option<&[u8]>,
        mode: XattrMode,
    ) -> Result<Stat> {
        // Some attributes mean more than themselves, such as until when the file is there.
        self.change_attrs(node, &self.told, None, |attrs, now| {
            let there = meta::shown_xattrs(attrs).contains_key(name);
            match (mode, there) {
                (XattrMode::Create, true) => {
                    return Err(Error::new(ErrorKind::AlreadyExists, "exists already"));
                }
                (XattrMode::Replace, false) => {
                    return Err(Error::new(ErrorKind::NotFound, "has no such attribute"));
                }
                _ => {}
            }
            meta::apply_xattr(attrs, name, value, now)
        })
    }

    /// Changes attributes, and the length of a file before them.
    fn change_attrs(
        &self,
        node: &NodeRef,
        view: &View,
        size: Option<u64>,
        change: impl Fn(&mut Attrs, Timestamp) -> Result<()>,
    ) -> Result<Stat> {
        let (space, id) = self.inside(node)?;
        let permit = self.permit(space, id, Some(Right::Write))?;
        if size == Some(0) {
            space.keep_what_is_cut(permit, id)?;
        }
        let done = space.change(&view.author, permit, |tree, draft| {
            let id = tree.successor(id);
            let mut attrs = tree.node(id)?.attrs.clone();
            if let Some(size) = size {
                file(tree, id)?;
                check_size(size)?;
                let bytes = Bytes::new();
                draft.push(Change::Patch { node: id, offset: size, bytes, size });
                tree.ready(&draft.changes)?;
                attrs.modified = draft.time;
            }
            change(&mut attrs, draft.time)?;
            attrs.changed = draft.time;
            draft.push(Change::Node { node: id, attrs });
            Ok::<_, Halt>(())
        });
        done.or_error(&space.name)?;
        self.stat_now(space, permit, id, false)
    }
}
