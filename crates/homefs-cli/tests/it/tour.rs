//! The tour is a test of everything it shows.

use crate::harness::Home;

#[test]
fn the_tour_runs_to_its_end_and_cleans_up() {
    let home = Home::new();
    let tour = home.ok(&["tour", "--fast"]);
    for shown in [
        "$ homefs --agent-id akashi write notes/nvda.md 'Buy NVDA below 110.'",
        "-Buy NVDA below 110.",
        "trash restore",
        "every byte as written",
        "p50",
        "Your turn",
    ] {
        assert!(tour.contains(shown), "{shown:?} is not in {tour}");
    }
    let left: Vec<_> = home.path("").read_dir().unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
