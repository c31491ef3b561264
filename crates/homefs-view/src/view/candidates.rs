//! Which files a search by pattern has to read.

use homefs_core::{NodeId, Path, Result};
use homefs_search::text::Need;
use homefs_store::model::{Kind, Right};
use homefs_store::tree::{Answer, Tree};

use super::View;
use super::scopes::{Searched, Which};

impl View {
    /// Returns the files below a directory in which a regular expression may match, as they are
    /// now, and some besides; `None` if the indexes cannot tell, or too little to be worth asking.
    /// `fold_case` if letters match in either case.
    pub fn candidates(
        &self,
        below: &Path,
        pattern: &str,
        fold_case: bool,
    ) -> Result<Option<Vec<Path>>> {
        let need = Need::of_regex(pattern, fold_case);
        if need.asks_nothing() {
            return Ok(None);
        }
        let searched = self.searched(&[], below, Which::All)?;
        let mut candidates = Vec::new();
        for one in &searched {
            // Through a link, files have other paths than those that an index knows.
            if !one.below.is_root() {
                let stat = self.stat(below)?;
                let is_there = stat.kind != Kind::Link
                    && stat.space == one.space.name
                    && one.place_of(stat.node)?.as_ref() == Some(&one.below);
                if !is_there {
                    return Ok(None);
                }
            }
            let nodes = {
                let index = one.index();
                let nodes = index.candidates(&need);
                // To go through the tree is quicker than to look for most files one by one.
                if nodes.len() > index.file_count() / 2 && nodes.len() > FEW {
                    return Ok(None);
                }
                nodes
            };
            for node in nodes {
                let Some(places) = one.places_of(NodeId(node))? else { return Ok(None) };
                let paths =
                    places.iter().filter_map(|path| self.path_in_view(&one.space.name, path));
                candidates.extend(paths);
            }
        }
        // Last, since a source may be far away.
        let case = if fold_case { "(?i)" } else { "" };
        let Some(of_sources) = self.source_candidates(below, &format!("{case}{pattern}"))? else {
            return Ok(None);
        };
        candidates.extend(of_sources);
        Ok(Some(candidates))
    }
}

/// So many candidates are looked for in any case.
const FEW: usize = 64;

impl Searched {
    /// Returns where a node is, by all of its names that are asked for and may be read; `None` if
    /// not all of its names are known.
    fn places_of(&self, node: NodeId) -> Result<Option<Vec<Path>>> {
        if !self.space.know(node).or_error(&self.space.name)? {
            return Ok(Some(Vec::new()));
        }
        let find = |tree: &Tree| {
            let links = tree.node(node)?.attrs.links;
            Ok((tree.paths_of(node)?, links, tree.is_expired(node)))
        };
        let permit = self.reach.permit_look(&Path::root())?;
        match self.space.look(permit, find).or_none(&self.space.name, |_| true)? {
            Some((paths, links, _)) if paths.len() != links as usize => Ok(None),
            Some((mut paths, _, false)) => {
                paths.retain(|path| {
                    path.starts_with(&self.below) && self.reach.permit(path, Right::Read).is_ok()
                });
                Ok(Some(paths))
            }
            Some((_, _, true)) | None => Ok(Some(Vec::new())),
        }
    }
}
