//! Memories through the mount: what a program writes is recalled by the next one that asks.

use std::fs;

use crate::harness::{Mounted, is_plain};

#[test]
fn what_is_written_in_a_mount_is_recalled_at_once() {
    if is_plain() {
        return;
    }
    let Some(mounted) = Mounted::new(60) else { return };
    fs::write(mounted.path("soup.md"), "The soup needs salt.\n").unwrap();
    fs::write(mounted.path("rsi.md"), "RSI > 70 → exit\n").unwrap();
    let recall = || fs::read_to_string(mounted.path(":recall?q=when+to+exit&max_tokens=200"));
    let recalled = recall().unwrap();
    assert!(recalled.starts_with("- RSI > 70 → exit ^"), "{recalled}");
    assert_eq!(mounted.homefs(&["recall", "when to exit", "--max-tokens", "200"]), recalled);
    // Every write is seen, by whatever face it came.
    fs::write(mounted.path("rsi.md"), "RSI > 75 → exit\n").unwrap();
    assert!(recall().unwrap().contains("RSI > 75"));
    mounted.homefs(&["write", "rsi.md", "RSI > 80 → exit"]);
    assert!(recall().unwrap().contains("RSI > 80"));
    let kept = mounted.homefs(&["remember", "Sell on Fridays, never on Mondays."]);
    let kept = kept.trim().trim_start_matches('/');
    assert_eq!(
        fs::read_to_string(mounted.path(kept)).unwrap(),
        "Sell on Fridays, never on Mondays.\n"
    );
    fs::remove_file(mounted.path(kept)).unwrap();
    fs::rename(mounted.path("rsi.md"), mounted.path("rules.md")).unwrap();
    let recalled = recall().unwrap();
    assert!(!recalled.contains("Fridays") && recalled.contains("RSI > 80"), "{recalled}");
    let found = fs::read_to_string(mounted.path(":search?q=salt")).unwrap();
    assert!(found.contains("/soup.md"), "{found}");
}
