//! What an agent should know at its start.

use super::*;

fn parts() -> Standing {
    let directory = |path: &str, files, titles: &[&str]| Directory {
        path: path.into(),
        files,
        titles: titles.iter().map(ToString::to_string).collect(),
    };
    let old = Candidate { modified: 0, ..note("/old.md", "An old habit.", 1.0) };
    let vital = Candidate { importance: 1.0, ..note("/vital.md", "Never trade on Fridays.", 1.0) };
    Standing {
        pinned: vec![note("/me.md", "I am a careful trader.", 0.0)],
        best: vec![old, vital],
        rest: vec![
            directory("/memory", 12, &["RSI rules", "Exit\nplan"]),
            directory("/projects", 3, &[]),
        ],
    }
}

#[test]
fn pinned_then_the_best_then_what_else_exists() {
    let text = standing(parts(), &options(500), &Counts::default());
    let expected = "# Pinned\n- I am a careful trader. ^483920 3d\n\
                    # Memories\n- Never trade on Fridays. ^483920 3d\n\
                    - An old habit. ^483920 1970-01-01\n\
                    # Also here\n- /memory (12): RSI rules; Exit plan\n- /projects (3)\n";
    assert_eq!(text, expected);
}

#[test]
fn a_standing_text_never_exceeds_the_budget() {
    let long = "A rule of mine is this one here. ".repeat(100);
    let mut parts = parts();
    parts.pinned.push(note("/rules.md", &long, 0.0));
    parts.best.push(note("/more.md", &long, 1.0));
    for number in 0..40 {
        let path = format!("/projects/number-{number}");
        parts.rest.push(Directory { path, files: number, titles: vec!["Ein Titel 🙂".into()] });
    }
    let counts = Counts::default();
    for tokenizer in Tokenizer::ALL.iter().copied() {
        for max_tokens in (0..120).chain([200, 500, 1_000, 5_000]) {
            let options = Options { tokenizer, ..options(max_tokens) };
            let text = standing(parts.clone(), &options, &counts);
            assert!(tokenizer.count(&text) <= max_tokens, "{max_tokens}");
            assert!(max_tokens < 40 || text.contains("careful trader"), "{max_tokens}: {text}");
            assert!(max_tokens < 200 || text.contains("# Also here"), "{max_tokens}: {text}");
        }
    }
}
