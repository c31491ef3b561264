//! Options that a command reads and does nothing with are wrong without a word: each one in a table
//! is used by its command, or stands here.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path as HostPath;

use regex::Regex;

/// The options that have no effect: in which file, which, and why that is right.
const WITHOUT_EFFECT: &[(&str, &[&str], &str)] = &[
    ("bc/mod.rs", &["quiet"], "nothing welcomes anybody"),
    ("cat.rs", &["u"], "what is printed is handed on at once"),
    ("diff/mod.rs", &["color"], "nothing is coloured here, whoever asks"),
    ("du.rs", &["no-dereference"], "links are not followed anyway"),
    ("du.rs", &["one-file-system"], "there is one file system"),
    ("grep/options.rs", &["devices"], "there are no devices in a home"),
    ("grep/options.rs", &["line-buffered"], "a line that is found is handed on"),
    ("grep/rg.rs", &["no-heading"], "heads are for terminals"),
    ("ls/mod.rs", &["color"], "nothing is coloured here, whoever asks"),
    ("ls/mod.rs", &["kibibytes"], "blocks are counted so anyway"),
    ("ls/mod.rs", &["literal"], "names are printed so anyway"),
    ("names.rs", &["one-file-system"], "there is one file system"),
    ("names.rs", &["preserve-root", "no-preserve-root"], "the root of a home is never removed"),
    ("patch.rs", &["force", "batch", "forward"], "nobody is asked, and nothing is turned round"),
    ("patch.rs", &["unified"], "the kind of a patch is seen from it"),
    ("paths.rs", &["physical"], "links are followed first anyway"),
    ("touch.rs", &["f"], "it never meant anything"),
    ("tree.rs", &["n", "C"], "nothing is coloured here, whoever asks"),
    ("tree.rs", &["N"], "names are printed so anyway"),
    ("xargs.rs", &["max-procs"], "one after another is one of the orders that may come of it"),
];

/// Collects the sources of each command: a file, or all that are in its directory.
fn sources(dir: &HostPath, below: &str, found: &mut BTreeMap<String, Vec<(String, String)>>) {
    for entry in fs::read_dir(dir).expect("there are sources") {
        let entry = entry.expect("it is read");
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            sources(&entry.path(), &format!("{name}/"), found);
        } else if format!("{below}{name}") != "options.rs" {
            let of = if below.is_empty() { name.clone() } else { below.to_owned() };
            let text = fs::read_to_string(entry.path()).expect("it is text");
            found.entry(of).or_default().push((format!("{below}{name}"), text));
        }
    }
}

#[test]
fn every_option_that_is_read_has_an_effect_or_a_reason() {
    let dir = HostPath::new(env!("CARGO_MANIFEST_DIR")).join("src/builtins");
    let mut commands = BTreeMap::new();
    sources(&dir, "", &mut commands);
    let table = Regex::new(r"(?s)const [A-Z_]+: &\[Spec\] =\s*&\[.*?\];").expect("a pattern");
    let option = Regex::new(r#"\('.',\s*"([^"]+)",\s*Takes::"#).expect("a pattern");
    // An arm that does nothing is no use.
    let nothing = Regex::new(r"[^{};,]*=> \{\}").expect("a pattern");
    let mut without: Vec<(String, String)> = Vec::new();
    let mut count = 0;
    for files in commands.values() {
        let rest = |text: &str| nothing.replace_all(&table.replace_all(text, ""), "").into_owned();
        let mut used: String = files.iter().map(|(_, text)| rest(text)).collect();
        if used.contains(": Backup") {
            used += &rest(&commands["backup.rs"][0].1);
        }
        for (file, text) in files {
            for name in table.find_iter(text).flat_map(|table| option.captures_iter(table.as_str()))
            {
                count += 1;
                let name = name[1].to_owned();
                let entry = (file.clone(), name.clone());
                if !used.contains(&format!("\"{name}\"")) && !without.contains(&entry) {
                    without.push(entry);
                }
            }
        }
    }
    assert!(count > 200, "the tables are found: {count}");
    let listed = WITHOUT_EFFECT.iter().flat_map(|(file, names, _)| {
        names.iter().map(|name| ((*file).to_owned(), (*name).to_owned()))
    });
    let mut listed: Vec<(String, String)> = listed.collect();
    listed.sort();
    without.sort();
    assert_eq!(without, listed, "those without effect, and those with a reason for it");
}
