//! Merging two changes of one thing: pure functions, without I/O, clock or chance.
//!
//! [`merge_tree`] merges what nodes are and where they are, and asks its caller for contents, which
//! [`merge_content`] merges. HEAD is what the remote has, pushed is what a machine wants to add,
//! and base is what both began with. Whoever repeats a merge gets the same bytes.
//!
//! The choice a reader may question: texts are merged as sequences by diffs, not by a
//! replicated data type. A type that is seeded with the base and thrown away after one merge keeps
//! nothing that the diffs do not say, and would write twice what both sides wrote.

mod content;
mod frontmatter;
mod json;
mod pieces;
mod sequence;
mod text;
mod tree;

#[cfg(test)]
mod tests;

pub use content::{MergedContent, beside_name, merge_content};
pub use tree::{
    Begun, Choice, Conflict, ContentPair, Link, MergedDigest, Node, Part, Tree, merge_tree,
};

/// Returns the one value that changed, or `None` if both did, each its own way.
fn pick<T: PartialEq + Copy>(base: T, head: T, pushed: T) -> Option<T> {
    if pushed == base || pushed == head {
        Some(head)
    } else if head == base {
        Some(pushed)
    } else {
        None
    }
}
