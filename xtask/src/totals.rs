//! Counts of tests, read from what `cargo test`, `pytest` and `node --test` print.

/// How many tests passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed.
    pub(crate) failed: u64,
}

impl Totals {
    /// Adds the counts of a line that sums up a run:
    /// `test result: ok. 3 passed; 0 failed; …`, `1 failed, 3 passed in 0.12s`, or `# pass 3`.
    /// Other lines count nothing.
    pub(crate) fn add_line(&mut self, line: &str) {
        let line = line.trim();
        if line.starts_with("test result: ") || is_sum_of_pytest(line) {
            self.passed += count_before(line, " passed");
            self.failed += count_before(line, " failed") + count_before(line, " error");
        } else if let Some(count) = line.strip_prefix("# pass ") {
            self.passed += count.parse().unwrap_or(0);
        } else if let Some(count) = line.strip_prefix("# fail ") {
            self.failed += count.parse().unwrap_or(0);
        }
    }
}

/// Returns whether `line` begins with a count and ends with the time that all tests took.
fn is_sum_of_pytest(line: &str) -> bool {
    // Runs of more than a minute end with the time in hours, minutes and seconds as well.
    let timed = |(_, time): (&str, &str)| time.ends_with('s') || time.ends_with(')');
    line.starts_with(|first: char| first.is_ascii_digit())
        && line.rsplit_once(" in ").is_some_and(timed)
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
    fn results_of_python_and_node_are_added() {
        check(&["2 failed, 270 passed, 1 skipped in 12.30s"], 270, 2);
        check(&["3 passed, 1 error in 61.20s (0:01:01)"], 3, 1);
        check(&["# tests 9", "# pass 8", "# fail 1", "# skipped 0"], 8, 1);
    }

    #[test]
    fn other_lines_count_nothing() {
        check(&["test a_test ... ok", "9 passed; 9 failed", "", "test result: nonsense"], 0, 0);
    }
}
