//! The parts of pages that show what `cargo xtask bench` recorded.
//!
//! A part stands in its page between two comments, `<!-- numbers:NAME -->` and
//! `<!-- /numbers:NAME -->`; everything around it is written by hand. The choice a reader may
//! question: parts are made from `results.json` alone and not by the bench, so that a page can be
//! made anew, and checked, without measuring anything.

mod chart;
mod measured;
mod multiples;
mod results;
mod text;

use std::path::Path;

use anyhow::Context;

use self::results::Results;

/// One generated part.
struct Part {
    page: &'static str,
    name: &'static str,
    make: fn(&Results) -> anyhow::Result<String>,
}

/// Every generated part.
const PARTS: &[Part] = &[
    Part { page: "README.md", name: "chart", make: chart::make },
    Part { page: "docs/performance.md", name: "measured", make: measured::make },
    Part { page: "docs/mount.md", name: "multiples", make: multiples::make },
];

/// A page as it is and as the recorded results want it.
pub(crate) struct Page {
    pub(crate) path: &'static str,
    pub(crate) present: String,
    pub(crate) fresh: String,
}

/// Makes every page with a generated part; `root` is the working tree.
pub(crate) fn pages(root: &Path) -> anyhow::Result<Vec<Page>> {
    let results = Results::read(&root.join("bench/results"))?;
    let page = |part: &Part| {
        let present = std::fs::read_to_string(root.join(part.page))
            .with_context(|| format!("read {}", part.page))?;
        let made = (part.make)(&results).with_context(|| format!("make {}", part.name))?;
        let fresh = replaced(&present, part.name, &made)
            .with_context(|| format!("{} has no part {}", part.page, part.name))?;
        Ok(Page { path: part.page, present, fresh })
    };
    PARTS.iter().map(page).collect()
}

/// Puts a text between the two comments of a part, if they are there.
fn replaced(page: &str, name: &str, text: &str) -> Option<String> {
    let opening = format!("<!-- numbers:{name} -->\n");
    let closing = format!("<!-- /numbers:{name} -->");
    let (before, rest) = page.split_once(&opening)?;
    let (_, after) = rest.split_once(&closing)?;
    Some(format!("{before}{opening}{text}{closing}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process;

    #[test]
    fn every_page_shows_what_was_recorded() {
        let stale: Vec<&str> = pages(process::root())
            .unwrap()
            .iter()
            .filter(|page| page.present != page.fresh)
            .map(|page| page.path)
            .collect();
        assert!(stale.is_empty(), "mend with `cargo xtask numbers`: {}", stale.join(", "));
    }

    #[test]
    fn only_what_is_between_the_comments_is_replaced() {
        let page = "a\n<!-- numbers:x -->\nold\n<!-- /numbers:x -->\nb\n";
        let fresh = "a\n<!-- numbers:x -->\nnew\n<!-- /numbers:x -->\nb\n";
        assert_eq!(replaced(page, "x", "new\n").as_deref(), Some(fresh));
        assert_eq!(replaced(page, "y", "new\n"), None);
        assert_eq!(replaced("<!-- numbers:x -->\nnever closed", "x", ""), None);
    }
}
