//! What the server can be asked before grep, so that no page with a match is left out.
//!
//! A match may lie in two chunks, or over several, and none of them has it whole. But a run of `n`
//! characters that is cut once ends one chunk with its start and begins the next with its rest, and
//! one of these is at least a half; and a run that is cut more often holds a whole chunk, of at most
//! `n - 2` characters. So four are asked for: the run, chunks that end with a half or more of it,
//! chunks that begin so, and chunks that are as short. If chunks are joined by a line end, a match
//! is never cut, since it lies in one line, and the run alone is asked for.

use homefs_core::pattern::{Content, Run, content};
use serde_json::{Value, json};

/// The shortest text that is worth asking for: the server's index has three characters a row.
const ASKED_MIN: usize = 3;
/// The longest run; more of it would hardly leave out more pages.
const RUN_MAX: usize = 32;
/// Most runs of which one must be there.
const RUNS_MAX: usize = 8;

/// Returns the condition on documents that a chunk meets in every page with a match; `None` if any
/// page may have one. `separator` is what joins the chunks of a page: line ends only if it is known that
/// it joins all of them.
pub(super) fn condition(regex: &str, separator: &str) -> Option<Value> {
    // Of a separator that is more than line ends, a match may have a part that no chunk has.
    if separator.contains(|c| c != '\n') {
        return None;
    }
    let is_cut = separator.is_empty();
    let mut runs = needed(&content(regex, false))?;
    for run in &mut runs {
        run.truncate(RUN_MAX);
    }
    if runs.iter().map(Vec::len).min()? < ASKED_MIN {
        return None;
    }
    let mut terms: Vec<Value> = runs.iter().map(|run| term(run)).collect();
    if is_cut {
        for run in &runs {
            let half = run.len().div_ceil(2);
            let any = |parts: Vec<String>| format!("(?:{})", parts.join("|"));
            let ends = any((half..run.len()).map(|at| pattern(&run[..at])).collect());
            let starts = any((1..half).map(|at| pattern(&run[at..])).collect());
            terms.push(json!({ "$regex": format!("{ends}$") }));
            terms.push(json!({ "$regex": format!("^{starts}") }));
        }
        let longest = runs.iter().map(Vec::len).max()?;
        terms.push(json!({ "$regex": format!("(?s)^.{{0,{}}}$", longest - 2) }));
    }
    Some(if terms.len() == 1 { terms.remove(0) } else { json!({ "$or": terms }) })
}

/// Asks for a run.
fn term(run: &[Vec<char>]) -> Value {
    if run.iter().all(|choices| choices.len() == 1) {
        return json!({ "$contains": run.iter().flatten().collect::<String>() });
    }
    json!({ "$regex": pattern(run) })
}

/// Writes a run as a regular expression.
fn pattern(run: &[Vec<char>]) -> String {
    let one_of = |choices: &Vec<char>| {
        let escaped: String =
            choices.iter().map(|c| regex_syntax::escape(&c.to_string())).collect();
        if choices.len() == 1 { escaped } else { format!("[{escaped}]") }
    };
    run.iter().map(one_of).collect()
}

/// Returns runs of which every match has one; `None` if there are none such.
fn needed(content: &Content) -> Option<Vec<Run>> {
    match content {
        // A match lies in one line, so that nothing with a line end is asked for.
        Content::Run(run) => {
            let lines = run.split(|choices| choices.contains(&'\n'));
            longest(lines.map(|run| vec![run.to_vec()]))
        }
        Content::Each(contents) => longest(contents.iter().filter_map(needed)),
        Content::Any(contents) => {
            let runs = contents.iter().map(needed).collect::<Option<Vec<_>>>()?.concat();
            (runs.len() <= RUNS_MAX).then_some(runs)
        }
    }
}

/// Chooses what to ask for of what is there together: the longest.
fn longest(found: impl Iterator<Item = Vec<Run>>) -> Option<Vec<Run>> {
    let shortest =
        |runs: &Vec<Run>| runs.iter().map(Vec::len).min().unwrap_or_default().min(RUN_MAX);
    found.max_by_key(|runs| (shortest(runs), std::cmp::Reverse(runs.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(regex: &str, separator: &str, expected: &Value) {
        let found = condition(regex, separator).unwrap_or(Value::Null);
        assert_eq!(found, *expected, "{regex}");
    }

    #[test]
    fn a_run_in_one_line_is_asked_for_whole() {
        check("oauth", "\n", &json!({"$contains": "oauth"}));
        check("^#+ oauth2?$", "\n\n", &json!({"$contains": " oauth"}));
        check("(?i)Key", "\n", &json!({"$regex": "[Kk\u{212a}][Ee][Yy]"}));
        check(
            "get|post|put",
            "\n",
            &json!({"$or": [{"$contains": "get"}, {"$contains": "post"}, {"$contains": "put"}]}),
        );
        check(
            "(?:colou?r|grey)s",
            "\n",
            &json!({"$or": [{"$contains": "colo"}, {"$contains": "grey"}]}),
        );
        check(r"a\.b\*c", "\n", &json!({"$contains": "a.b*c"}));
    }

    #[test]
    fn a_run_that_may_be_cut_is_asked_for_by_its_ends_too() {
        check(
            "oauth",
            "",
            &json!({"$or": [
            {"$contains": "oauth"}, {"$regex": "(?:oau|oaut)$"}, {"$regex": "^(?:auth|uth)"},
            {"$regex": "(?s)^.{0,3}$"}]}),
        );
        check(
            r"\ba.[xX]_i\s*=",
            "",
            &json!({"$or": [
            {"$regex": "[Xx]_i"}, {"$regex": "(?:[Xx]_)$"}, {"$regex": "^(?:_i)"},
            {"$regex": "(?s)^.{0,1}$"}]}),
        );
    }

    #[test]
    fn what_could_leave_out_a_page_is_not_asked() {
        for regex in [
            "",
            ".*",
            "[a-z]+",
            "x?",
            "(?-u:\\xff)",
            "(",
            "\\d{4}",
            "ab",
            "a|bcd",
            "(abc)?",
            "a\nbc",
        ] {
            check(regex, "", &Value::Null);
            check(regex, "\n", &Value::Null);
        }
        for separator in [" ", "\n---\n", "\r\n"] {
            check("oauth2", separator, &Value::Null);
        }
    }
}
