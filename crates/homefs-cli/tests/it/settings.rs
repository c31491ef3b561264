//! Settings and where they come from.

use crate::harness::{Home, put};

#[test]
fn a_setting_knows_where_it_came_from() {
    let home = Home::new();
    put(&home.path(".config/homefs/config.toml"), "# mine\nagent_id = \"cfg\"\nsettle_ms = 5\n");
    home.check("$ config path\nHOME/.config/homefs/config.toml");
    let listed = home.run(&["config", "--json", "--deadline", "2s"]).json();
    let find = |key: &str| {
        let row = listed.as_array().unwrap().iter().find(|row| row["key"] == key).unwrap().clone();
        (row["value"].as_str().unwrap().to_owned(), row["origin"].as_str().unwrap().to_owned())
    };
    assert_eq!(find("store").1, "HOMEFS_STORE");
    assert_eq!(find("deadline_ms"), ("2000".into(), "--deadline".into()));
    assert_eq!(find("trash_days_max"), ("30".into(), "default".into()));
    let (agent, origin) = find("agent_id");
    assert_eq!(agent, "cfg");
    assert!(origin.ends_with("config.toml:2"), "{origin}");
    home.ok(&["write", "a.md", "x"]);
    assert_eq!(home.ok(&["agents"]), "cfg\n");
}

#[test]
fn an_unknown_key_is_refused_with_its_place() {
    let home = Home::new();
    put(&home.path(".config/homefs/config.toml"), "agent-id = \"x\"\n");
    home.check(
        "
        $ ls
        error: HOME/.config/homefs/config.toml:1: unknown setting `agent-id`
        hint: did you mean `agent_id`?
        [2]
        $ doctor
        bad   settings   HOME/.config/homefs/config.toml:1: unknown setting `agent-id`
        to mend it: did you mean `agent_id`?
        error: 1 problem
        [1]
        ",
    );
}

#[test]
fn a_config_file_that_was_named_must_exist() {
    let home = Home::new();
    let output = home.command().env("HOMEFS_CONFIG", "/nope.toml").arg("ls").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("HOMEFS_CONFIG names this file"));
}

#[test]
fn a_command_whose_store_is_named_needs_no_home() {
    let home = Home::new();
    let run = |arguments: &[&str]| {
        home.command().env_remove("HOME").env_remove("HOMEFS_STORE").args(arguments).output()
    };
    let written = run(&["--store", "named", "write", "a.md", "x"]).unwrap();
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let refused = run(&["ls"]).unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--store"), "{refused:?}");
}

#[test]
fn the_store_is_found_by_convention() {
    let home = Home::new();
    let run = |name: &str, value: &str, arguments: &[&str]| {
        let mut command = home.command();
        command.env_remove("HOMEFS_STORE").env(name, value).args(arguments);
        assert!(command.status().unwrap().success());
    };
    run("UNUSED", "", &["write", "a.md", "x"]);
    assert!(home.path(".local/share/homefs").is_dir());
    run("XDG_DATA_HOME", home.path("data").to_str().unwrap(), &["write", "a.md", "x"]);
    assert!(home.path("data/homefs").is_dir());
    run("UNUSED", "", &["--store", "here", "write", "a.md", "x"]);
    assert!(home.path("here").is_dir());
}

#[test]
fn no_setting_shows_a_password() {
    let mut home = Home::new();
    home.set("HOMEFS_READABLE", "https://me:geheim@h/x");
    let shown = home.ok(&["config"]) + &home.ok(&["config", "--json"]);
    assert!(shown.contains("https://***@h/x") && !shown.contains("geheim"), "{shown}");
    for (variable, value) in [
        ("HOMEFS_EMBEDDER", "https://me:geheim@h/v1#model"),
        ("HOMEFS_EMBEDDER", "https://me:geheim@h/v1"),
        ("HOMEFS_EMBEDDER", "https://me:ge/heim@h/v1#model"),
        ("HOMEFS_STORE", "s3://me:geheim@h"),
        ("HOMEFS_SETTLE_MS", "s3://me:geheim@h"),
    ] {
        for command in [&["config"][..], &["config", "--json"], &["ls"], &["doctor"]] {
            let ran = home.command().env(variable, value).args(command).output().unwrap();
            let said = [ran.stdout, ran.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            assert_ne!(ran.status.code(), Some(0), "{variable}: {said}");
            assert!(said.contains("***@h") && !said.contains("heim"), "{variable}: {said}");
        }
    }
}
