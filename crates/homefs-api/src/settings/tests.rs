//! Where settings come from, with an environment and a config file made for each test.

use super::*;

fn resolve(overrides: &Overrides, variables: &[(&str, &str)], config: &str) -> Result<Settings> {
    let environment = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| OsString::from(value))
    };
    let environment = |name: &str| match name {
        "HOME" => Some("/users/a".into()),
        _ => environment(name),
    };
    Settings::from_parts(overrides, &environment, Some("/config.toml".into()), config)
}

#[test]
fn a_store_that_is_named_needs_no_home() {
    let named = Overrides { store: Some("/data/store".into()), ..Overrides::default() };
    let settings = Settings::from_parts(&named, &|_| None, config_file(&|_| None), "").unwrap();
    assert_eq!(settings.store, HostPath::new("/data/store"));
    assert_eq!(settings.file, None);
    let variable = |name: &str| (name == "HOMEFS_STORE").then(|| "/data/other".into());
    let settings = Settings::from_parts(&Overrides::default(), &variable, None, "").unwrap();
    assert_eq!(settings.store, HostPath::new("/data/other"));
    let refusal = Settings::from_parts(&Overrides::default(), &|_| None, None, "").unwrap_err();
    assert!(refusal.error.message().contains("HOME"), "{refusal:?}");
}

#[test]
fn every_setting_of_the_engine_is_known_and_no_other() {
    let known: BTreeSet<_> = KNOWN.iter().map(|known| known.key.to_owned()).skip(6).collect();
    assert_eq!(known, engine_defaults().into_keys().collect());
}

#[test]
fn the_nearer_origin_wins_and_is_remembered() {
    let flags = Overrides { agent: Some("flag".parse().unwrap()), ..Overrides::default() };
    let variables = [("HOMEFS_AGENT_ID", "env"), ("HOMEFS_SETTLE_MS", "7")];
    let config = "agent_id = \"file\"\n\nsettle_ms = 5\nsegment_bytes = 1_048_576\n";
    let settings = resolve(&flags, &variables, config).unwrap();
    let origin = |key| settings.values[key].1.to_string();
    assert_eq!(settings.agent.as_str(), "flag");
    assert_eq!(settings.engine.settle_ms, 7);
    assert_eq!(settings.engine.segment_bytes, 1 << 20);
    assert_eq!(settings.store, HostPath::new("/users/a/.local/share/homefs"));
    assert_eq!(
        ["agent_id", "settle_ms", "segment_bytes", "store"].map(origin),
        ["--agent-id", "HOMEFS_SETTLE_MS", "/config.toml:4", "default"]
    );
}

#[test]
fn a_switch_is_set_by_flag_variable_or_file() {
    let offline = |overrides: &Overrides, variables: &[(&str, &str)], config: &str| {
        resolve(overrides, variables, config).unwrap().offline
    };
    let none = Overrides::default();
    assert!(!offline(&none, &[], ""));
    assert!(offline(&none, &[], "offline = true"));
    assert!(offline(&none, &[("HOMEFS_OFFLINE", "1")], ""));
    assert!(!offline(&none, &[("HOMEFS_OFFLINE", "0")], "offline = true"));
    assert!(offline(
        &Overrides { offline: Some(true), ..none },
        &[("HOMEFS_OFFLINE", "false")],
        ""
    ));
}

#[test]
fn an_embedder_is_built_in_a_folder_or_a_service() {
    let check = |config: &str, expected: EmbedderConfig| {
        let settings = resolve(&Overrides::default(), &[], config).unwrap();
        assert_eq!(settings.embedder, expected, "{config}");
    };
    check("", EmbedderConfig::Encoder);
    check("embedder = \"static\"", EmbedderConfig::Static);
    check("embedder = \"/m/e5\"", EmbedderConfig::Folder("/m/e5".into()));
    check("embedder = \"~/e5\"", EmbedderConfig::Folder("/users/a/e5".into()));
    let service = EmbedderConfig::Service {
        url: "https://a.example/v1".into(),
        model: "small".into(),
        key_variable: Some("KEY".into()),
    };
    let config = "embedder = \"https://a.example/v1#small\"\nembedder_key_env = \"KEY\"";
    check(config, service);
    for wrong in ["", "e5", "https://a.example/v1", "https://a.example/v1#"] {
        let config = format!("embedder = \"{wrong}\"");
        let refusal = resolve(&Overrides::default(), &[], &config).unwrap_err();
        assert!(refusal.error.message().starts_with("the setting embedder cannot be"), "{wrong}");
    }
}

#[test]
fn a_wrong_setting_is_named_with_its_place() {
    for (config, message) in [
        ("\nsettel_ms = 1", "/config.toml:2: unknown setting `settel_ms`"),
        ("settle_ms = [1]", "/config.toml:1: `settle_ms` must be a text, a decimal number"),
        ("offline = \"maybe\"", "the setting offline cannot be \"maybe\""),
        ("settle_ms = -1", "the setting settle_ms cannot be \"-1\""),
        ("agent_id = \"../x\"", "the setting agent_id cannot be \"../x\""),
        ("store = \"s3://b/p\"", "the setting store cannot be \"s3://b/p\": it is an address"),
        ("= 1", "/config.toml:1: the config file is not TOML"),
    ] {
        let refusal = resolve(&Overrides::default(), &[], config).unwrap_err();
        assert!(refusal.error.message().starts_with(message), "{}", refusal.error);
    }
    let refusal = resolve(&Overrides::default(), &[], "settel_ms = 1").unwrap_err();
    assert_eq!(refusal.hint.as_deref(), Some("did you mean `settle_ms`?"));
}
