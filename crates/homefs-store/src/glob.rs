//! Patterns of names and paths, as every face but the shell has them.
//!
//! The one place that hands a pattern to the library behind it, which goes a step down the stack
//! for each brace that is open: so patterns are measured before it sees them.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use homefs_core::limits::PATH_BYTES_MAX;
use homefs_core::{Error, ErrorKind, Result};

/// How many braces may be open at once.
const BRACES_OPEN_MAX: usize = 16;

/// A pattern: `*`, `?`, `[…]` and `{a,b}` match no `/`, but `**` does.
pub struct Glob(GlobSet);

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// `Invalid` if it is none, is longer than a path, or has too many braces within one another.
    pub fn new(pattern: &str) -> Result<Self> {
        Self::of_any([pattern], false)
    }

    /// Reads patterns, one of which has to match.
    pub fn of_any<'a>(
        patterns: impl IntoIterator<Item = &'a str>,
        ignore_case: bool,
    ) -> Result<Self> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            measure(pattern)?;
            let mut builder = GlobBuilder::new(pattern);
            let glob = builder.literal_separator(true).case_insensitive(ignore_case).build();
            set.add(glob.map_err(|cause| refused(pattern, "is not a pattern").with_source(cause))?);
        }
        // A set says what a single pattern panics for: that it is too large.
        let too_large = |cause| {
            Error::new(ErrorKind::Invalid, "a pattern is too large: write a shorter one")
                .with_source(cause)
        };
        set.build().map(Self).map_err(too_large)
    }

    /// Tells whether a name or a path without a leading `/` matches.
    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

/// Refuses patterns that are not of use to anybody.
fn measure(pattern: &str) -> Result<()> {
    if pattern.len() > PATH_BYTES_MAX {
        let message =
            format!("a pattern has at most {PATH_BYTES_MAX} bytes, this one {}", pattern.len());
        return Err(Error::new(ErrorKind::Invalid, message));
    }
    let (mut open, mut deepest) = (0_usize, 0);
    for byte in pattern.bytes() {
        match byte {
            b'{' => open += 1,
            b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    if deepest > BRACES_OPEN_MAX {
        let why = format!("has more than {BRACES_OPEN_MAX} braces within one another");
        return Err(refused(pattern, &why));
    }
    Ok(())
}

fn refused(pattern: &str, why: &str) -> Error {
    Error::new(ErrorKind::Invalid, format!("{pattern:?} {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_measured_before_it_is_read() {
        let nested = |depth: usize| "{a,".repeat(depth) + "b" + &"}".repeat(depth);
        assert!(Glob::new(&nested(BRACES_OPEN_MAX)).expect("it is one").matches("b"));
        let closed_again = "{a,b}".repeat(500);
        let long_sets = "[!a-\u{10ffff}]".repeat(300);
        for (pattern, is_one) in [
            (nested(BRACES_OPEN_MAX + 1), false),
            (nested(200), false),
            (nested(100_000), false),
            ("{".repeat(100_000), false),
            ("[".repeat(4096), false),
            ("[".repeat(100_000), false),
            (closed_again, true),
            (long_sets, true),
            ("?".repeat(4096), true),
            ("**/".repeat(1000), true),
            ("a".repeat(4097), false),
        ] {
            let read = Glob::new(&pattern).map(drop).map_err(|error| error.kind());
            let expected = if is_one { Ok(()) } else { Err(ErrorKind::Invalid) };
            assert_eq!(read, expected, "{} bytes of {:.20}", pattern.len(), pattern);
        }
    }
}
