//! The tour is a test of everything it shows.

use homefs_testkit::{CHROMA, ForeignServer};

use crate::harness::Home;

#[test]
fn the_tour_runs_to_its_end_and_cleans_up() {
    let home = Home::new();
    let tour = home.ok(&["tour", "--fast"]);
    let of_mount = match homefs_fuse::check_available() {
        Ok(()) => ["./notes/nvda.md:2:Risk: export rules.", "took the mount at"],
        Err(_) => ["Any program can use it", "Not here: "],
    };
    for shown in of_mount.into_iter().chain([
        "$ homefs --agent-id akashi write notes/nvda.md 'Buy NVDA below 110.'",
        "-Buy NVDA below 110.",
        "trash restore",
        "recall --max-tokens 200 'what can I offer Ann?'",
        "green tea",
        "./auth/tokens.md:3:An access token is valid for 15 minutes.",
        "changed  /docs/auth/tokens.md",
        "every byte as written",
        "p50",
        "Your turn",
    ]) {
        assert!(tour.contains(shown), "{shown:?} is not in {tour}");
    }
    let left: Vec<_> = home.path("").read_dir().unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_agent_answers_a_question_over_a_collection() {
    let Some(server) = ForeignServer::start(&CHROMA).unwrap() else { return };
    let home = Home::new();
    let address = server.endpoint().replace("http://", "chroma://");
    // Again, as a person does who shows it to another.
    for sent in ["5 sent", "5 unchanged"] {
        let tour = home.ok(&["tour", "--fast", "--chroma", &address]);
        for shown in [
            sent,
            "auth:\n  sign-in.md\n  tokens.md",
            "./auth/tokens.md:3:An access token is valid for 15 minutes.",
            "A refresh token is valid for 30 days, and for one use.",
            "changed  /docs/auth/tokens.md",
        ] {
            assert!(tour.contains(shown), "{shown:?} is not in {tour}");
        }
    }
    let left: Vec<_> = home.path("").read_dir().unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
