//! Counts of tests, read from what `cargo test` prints.

/// How many tests passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed.
    pub(crate) failed: u64,
}

impl Totals {
    /// Adds the counts of a line such as `test result: ok. 3 passed; 0 failed; …`.
    /// Other lines count nothing.
    pub(crate) fn add_line(&mut self, line: &str) {
        let Some(counts) = line.trim().strip_prefix("test result: ") else { return };
        self.passed += count_before(counts, " passed");
        self.failed += count_before(counts, " failed");
    }
}

/// Returns the number just before `word`, or 0.
fn count_before(text: &str, word: &str) -> u64 {
    let before = text.split_once(word).map_or("", |(before, _)| before);
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds up `lines`.
    fn check(lines: &[&str], passed: u64, failed: u64) {
        let mut totals = Totals::default();
        for line in lines {
            totals.add_line(line);
        }
        assert_eq!(totals, Totals { passed, failed });
    }

    #[test]
    fn results_of_several_binaries_are_added() {
        let ok = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out";
        let bad = "test result: FAILED. 3 passed; 2 failed; 0 ignored; finished in 0.02s\n";
        check(&[ok, "running 5 tests", bad], 15, 2);
    }

    #[test]
    fn other_lines_count_nothing() {
        check(&["test a_test ... ok", "9 passed; 9 failed", "", "test result: nonsense"], 0, 0);
    }
}
