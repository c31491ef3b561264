//! Names of probes, without a store.

use super::{Name, PROBES};

/// Takes a name apart: the node, the word, and the arguments as they are shown for a test.
fn taken(name: &str) -> Option<(String, &'static str, Result<String, String>)> {
    let found = Name::parse(name)?;
    let arguments = found.arguments().map(|arguments| format!("{arguments:?}"));
    let arguments = arguments.map_err(|error| error.message().to_owned());
    Some((found.node.to_owned(), found.probe.word, arguments))
}

#[test]
fn a_name_is_a_probe_if_its_last_word_is_in_the_table() {
    for (name, expected) in [
        (":help", Some(("", "help"))),
        ("notes.md:tags", Some(("notes.md", "tags"))),
        ("a:b:meta", Some(("a:b", "meta"))),
        ("a:meta:tags", Some(("a:meta", "tags"))),
        ("a:tags?", Some(("a", "tags"))),
        ("a:diff?from=2026-01-31T12:00:00Z", Some(("a", "diff"))),
        (":recent,q=x:y", Some(("", "recent"))),
        ("notes.md:help", None),
        (":meta", None),
        ("12:30:00.md", None),
        ("a:tagsx", None),
        ("a:", None),
        ("tags", None),
        ("", None),
    ] {
        let found = taken(name);
        let found = found.as_ref().map(|(node, word, _)| (&**node, *word));
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn arguments_are_decoded_and_must_be_known() {
    let list = |pairs: &[(&str, &str)]| format!("Arguments({pairs:?})");
    for (name, expected) in [
        (":recent", list(&[])),
        (":recent?", list(&[])),
        (":recent?limit=20&format=json", list(&[("limit", "20"), ("format", "json")])),
        (":recent,limit=20,format=json", list(&[("limit", "20"), ("format", "json")])),
        (":recent?q=a+b%3Fc%2Fd", list(&[("query", "a b?c/d")])),
        (":recent?query=a,b", list(&[("query", "a,b")])),
        (":recent,a+b", list(&[("query", "a b")])),
        (":recent?NVDA", list(&[("query", "NVDA")])),
        (":recent?q=%C3%A9%2B", list(&[("query", "é+")])),
    ] {
        assert_eq!(taken(name).unwrap().2, Ok(expected), "{name}");
    }
    for (name, expected) in [
        (":recent?colour=red", "does not take"),
        ("a:tags?x", "takes none"),
        (":recent?q=%4", "hexadecimal"),
        (":recent?q=%zz", "hexadecimal"),
        (":recent?q=%ff", "UTF-8"),
    ] {
        let message = taken(name).unwrap().2.unwrap_err();
        assert!(message.contains(expected), "{name}: {message}");
    }
}

#[test]
fn the_table_names_each_probe_once() {
    for (at, probe) in PROBES.iter().enumerate() {
        let alone = probe.on == super::On::Directory;
        let same = |other: &super::Probe| {
            other.word == probe.word && (other.on == super::On::Directory) == alone
        };
        assert_eq!(PROBES.iter().position(same), Some(at), "{}", probe.word);
    }
}
