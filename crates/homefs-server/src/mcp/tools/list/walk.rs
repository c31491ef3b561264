//! Going through everything below a directory, but for what is left out.

use homefs_core::{Error, ErrorKind, Path, Result};
use homefs_view::{Entry, Glob, Kind};

use super::children;
use crate::mcp::call::Call;

/// Nodes that one call looks at.
const NODES_MAX: usize = 200_000;

/// Returns the part of a path below another, without a leading `/`.
pub(super) fn below<'a>(path: &'a Path, root: &Path) -> &'a str {
    let length = if root.is_root() { 0 } else { root.as_str().len() };
    path.as_str()[length..].trim_start_matches('/')
}

/// Patterns that one call may have.
const PATTERNS_MAX: usize = 1000;

/// Refuses more patterns than anybody means.
fn check_count(patterns: &[String]) -> Result<()> {
    if patterns.len() <= PATTERNS_MAX {
        return Ok(());
    }
    let message = format!("leave out at most {PATTERNS_MAX} patterns, not {}", patterns.len());
    Err(Error::new(ErrorKind::LimitExceeded, message))
}

/// What is left out.
pub(super) struct Excluded(Vec<Glob>);

impl Excluded {
    /// Leaves out what matches a pattern.
    pub(super) fn by_pattern(patterns: &[String]) -> Result<Self> {
        check_count(patterns)?;
        patterns.iter().map(|pattern| Glob::new(pattern)).collect::<Result<_>>().map(Self)
    }

    /// Leaves out what matches a pattern, or is or lies in something of that name.
    pub(super) fn by_name_or_pattern(patterns: &[String]) -> Result<Self> {
        check_count(patterns)?;
        let mut globs = Vec::new();
        for pattern in patterns {
            globs.push(Glob::new(pattern)?);
            if !pattern.contains('*') {
                globs.push(Glob::new(&format!("**/{pattern}"))?);
                globs.push(Glob::new(&format!("**/{pattern}/**"))?);
            }
        }
        Ok(Self(globs))
    }

    fn has(&self, relative: &str) -> bool {
        self.0.iter().any(|glob| glob.matches(relative))
    }
}

/// Visits everything below a directory, each directory before what is in it.
pub(super) fn walk(
    call: &Call,
    root: &Path,
    excluded: &Excluded,
    mut visit: impl FnMut(&Path, &Entry),
) -> Result<()> {
    // What is still to be visited, the next one last.
    let mut ahead = below_of(call, root)?;
    let mut nodes = 0;
    while let Some((path, entry)) = ahead.pop() {
        if excluded.has(below(&path, root)) {
            continue;
        }
        nodes += 1;
        if nodes > NODES_MAX {
            let message = format!("there are more than {NODES_MAX} files below; leave some out");
            return Err(Error::new(ErrorKind::LimitExceeded, message).with_path(root));
        }
        visit(&path, &entry);
        if entry.stat.kind == Kind::Directory {
            match below_of(call, &path) {
                Ok(mut more) => ahead.append(&mut more),
                // It may be gone by now.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

fn below_of(call: &Call, path: &Path) -> Result<Vec<(Path, Entry)>> {
    let entries = children(call, path)?.into_iter().rev();
    entries.map(|entry| Ok((path.join(&entry.name)?, entry))).collect()
}
