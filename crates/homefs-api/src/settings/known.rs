//! Every setting there is.

use std::collections::BTreeMap;

use serde_json::Value;

/// One setting as the documentation shows it.
pub struct SettingInfo {
    /// Its key in the config file; the environment variable is `HOMEFS_` and the key in capitals.
    pub key: &'static str,
    /// Its unit or kind of value.
    pub unit: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

const fn known(key: &'static str, unit: &'static str, meaning: &'static str) -> SettingInfo {
    SettingInfo { key, unit, meaning }
}

/// Every setting. Those after the first six are the engine's own, by the names of its fields.
pub const KNOWN: [SettingInfo; 24] = [
    known("store", "directory", "Where the store is."),
    known("agent_id", "name", "On whose behalf commands work."),
    known("deadline_ms", "ms", "Longest wait for a busy owner before a call is Unavailable."),
    known("offline", "true or false", "Whether the remote is left alone."),
    known(
        "embedder",
        "model",
        "What gives docs their vectors: `encoder` or `static`, which are built in, a folder with a \
         model, or `https://host/v1#model`, which sends them every text.",
    ),
    known("embedder_key_env", "name", "The environment variable with the key of that service."),
    known("flush_interval_ms", "ms", "After this time an acknowledged change survives power loss."),
    known("journal_bytes_max", "bytes", "Largest journal; writers wait for folding beyond it."),
    known("segment_bytes", "bytes", "Size of one file of the journal."),
    known("reserve_bytes", "bytes", "Room kept on the disk to remove what fills it; 0 keeps none."),
    known("memory_bytes_max", "bytes", "Most folded content kept in memory."),
    known("staging_bytes_max", "bytes", "Most memory for large contents on their way to disk."),
    known("settle_ms", "ms", "Quiet time after which writes at offsets become a version."),
    known("history_versions_max", "versions", "Most old versions kept of one file."),
    known("history_days_max", "days", "Longest time that an old version is kept."),
    known("trash_days_max", "days", "Longest time that a removed file can be brought back."),
    known("spaces_open_max", "spaces", "Most spaces kept open at the same time."),
    known("local_bytes_max", "bytes", "Most content kept here that the remote has too."),
    known(
        "index_fetch_bytes_max",
        "bytes",
        "Most content that an owner fetches for the index of a space by itself.",
    ),
    known(
        "readable",
        "patterns",
        "Files of which people find readable copies in the remote, such as `*.md *.json /data/*.csv`; \
         Markdown and text have frontmatter, all others are as they are.",
    ),
    known(
        "source_roots",
        "folders",
        "Folders of the host below which agents may attach folders, with colons between them; an \
         operator may attach any.",
    ),
    known(
        "source_age_max_seconds",
        "s",
        "After this time it is looked whether a collection still shows what it showed, and pages \
         that do not name their state are fetched again.",
    ),
    known("looks_per_minute", "looks", "Looks at the remote for each space that is in use."),
    known(
        "idle_looks_per_minute",
        "looks",
        "Most looks at the remote for all other spaces together.",
    ),
];

/// Environment variables that are not settings.
pub const VARIABLES: [(&str, &str); 4] = [
    ("HOMEFS_CONFIG", "The config file, instead of `$XDG_CONFIG_HOME/homefs/config.toml`."),
    ("XDG_CONFIG_HOME", "Where config files are, instead of `~/.config`."),
    ("XDG_DATA_HOME", "Where data is, instead of `~/.local/share`."),
    ("NO_COLOR", "Any text in it means no colour."),
];

/// Long enough for an owner that folds under load, short enough for a person who waits.
pub const DEADLINE_MS_DEFAULT: &str = "10000";

/// Good and fast, and nothing leaves the machine.
pub const EMBEDDER_DEFAULT: &str = "encoder";

/// Returns the name of a setting's environment variable.
pub fn variable_name(key: &str) -> String {
    format!("HOMEFS_{}", key.to_uppercase())
}

/// Returns the engine's own defaults by key, as text.
pub fn engine_defaults() -> BTreeMap<String, String> {
    let value = serde_json::to_value(homefs_view::Settings::default());
    let fields = value.ok().and_then(|value| value.as_object().cloned()).unwrap_or_default();
    let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    fields.into_iter().map(|(key, value)| (key, text(value))).collect()
}
