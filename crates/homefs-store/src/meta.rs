//! Metadata: what an agent notes about a node beside its content.
//!
//! It is kept as extended attributes `user.homefs.<key>`, so that every face has it and it moves
//! with the node. Whoever sets an attribute comes through [`apply_xattr`], which refuses what makes
//! no sense and keeps one form of each value. `ttl` alone is not kept there: it is
//! [`Attrs::expires`], which the tree asks at every lookup.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use homefs_core::limits::{NAME_BYTES_MAX, XATTR_BYTES_MAX};
use homefs_core::time::{TimeZone, duration, rfc3339, written};
use homefs_core::{Error, ErrorKind, Path, Result, Timestamp};
use serde::{Deserialize, Serialize};

pub use homefs_wire::records::Metadata;

use crate::model::{Attrs, Kind, Xattrs};

/// What every attribute that users may set begins with, and what those of homefs begin with.
const USER: &str = "user.";
const PREFIX: &str = "user.homefs.";

const IMPORTANCE: &str = "importance";
const TAGS: &str = "tags";
const TTL: &str = "ttl";
const SOURCE: &str = "source";
const TITLE: &str = "title";

/// Metadata to set; what is not named stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetMeta {
    /// Values by key, as text: `importance`, `tags`, `ttl`, `source`, `title` or a free key.
    /// `None`, or an empty value, removes.
    pub values: BTreeMap<String, Option<String>>,
    /// Tags to add.
    pub add_tags: Vec<String>,
    /// Tags to take away.
    pub remove_tags: Vec<String>,
}

/// Notes about a node what is noted about another and not about itself.
pub(crate) fn inherit(attrs: &mut Attrs, old: &Attrs) {
    for (name, value) in old.xattrs.iter().filter(|(name, _)| name.starts_with(PREFIX)) {
        attrs.xattrs.entry(name.clone()).or_insert_with(|| value.clone());
    }
    attrs.expires = attrs.expires.or(old.expires);
}

/// Collects what the attributes of the node at a path say.
pub fn metadata(path: &Path, attrs: &Attrs) -> Metadata {
    let named = [IMPORTANCE, TAGS, SOURCE, TITLE];
    let other = attrs.xattrs.iter().filter_map(|(name, value)| {
        let key = name.strip_prefix(PREFIX).filter(|key| !named.contains(key))?;
        Some((key.to_owned(), String::from_utf8_lossy(value).into_owned()))
    });
    Metadata {
        path: path.clone(),
        importance: importance(&attrs.xattrs),
        tags: tags(&attrs.xattrs),
        expires: attrs.expires,
        source: source(&attrs.xattrs),
        title: title(&attrs.xattrs),
        other: other.collect(),
    }
}

/// Returns how much a node matters, from 0 to 1, if that is noted.
pub fn importance(xattrs: &Xattrs) -> Option<f64> {
    noted(xattrs, IMPORTANCE)?.parse().ok()
}

/// Returns the tags of a node, sorted, without `#`.
pub fn tags(xattrs: &Xattrs) -> Vec<String> {
    let tags = noted(xattrs, TAGS);
    tags.map_or_else(Vec::new, |tags| tags.split(',').map(str::to_owned).collect())
}

/// Returns where a node comes from, if that is noted.
pub fn source(xattrs: &Xattrs) -> Option<String> {
    noted(xattrs, SOURCE).map(Cow::into_owned)
}

/// Returns what a node is called, if that is noted.
pub fn title(xattrs: &Xattrs) -> Option<String> {
    noted(xattrs, TITLE).map(Cow::into_owned)
}

/// Returns the value of a key.
pub fn noted<'a>(xattrs: &'a Xattrs, key: &str) -> Option<Cow<'a, str>> {
    let mut all = xattrs.iter();
    let (_, value) = all.find(|(name, _)| name.strip_prefix(PREFIX) == Some(key))?;
    Some(String::from_utf8_lossy(value))
}

impl SetMeta {
    /// Sets one key to a value, and nothing else.
    pub fn one(key: &str, value: &str) -> Self {
        Self { values: [(key.to_owned(), Some(value.to_owned()))].into(), ..Self::default() }
    }

    /// Changes the attributes of a node at a moment.
    pub fn apply(&self, attrs: &mut Attrs, now: Timestamp) -> Result<()> {
        for (key, value) in &self.values {
            let value = value.as_ref().map(String::as_bytes);
            apply_xattr(attrs, &format!("{PREFIX}{key}"), value, now)?;
        }
        if self.add_tags.is_empty() && self.remove_tags.is_empty() {
            return Ok(());
        }
        let mut tags: BTreeSet<String> = tags(&attrs.xattrs).into_iter().collect();
        tags.extend(parse_tags(&self.add_tags.join(","))?);
        for tag in parse_tags(&self.remove_tags.join(","))? {
            tags.remove(&tag);
        }
        let tags: Vec<String> = tags.into_iter().collect();
        apply_xattr(attrs, &format!("{PREFIX}{TAGS}"), Some(tags.join(",").as_bytes()), now)
    }
}

/// Sets one extended attribute, or removes it: the one way in for all of them.
pub fn apply_xattr(
    attrs: &mut Attrs,
    name: &str,
    value: Option<&[u8]>,
    now: Timestamp,
) -> Result<()> {
    let named = name.len() > USER.len() && name.starts_with(USER) && name.len() <= NAME_BYTES_MAX;
    if !named || name.contains('\0') {
        return Err(invalid(format!("extended attribute {name:?} is not `user.` and a name")));
    }
    if value.is_some_and(|value| value.len() > XATTR_BYTES_MAX) {
        let message = format!("{name} is longer than {XATTR_BYTES_MAX} bytes");
        return Err(Error::new(ErrorKind::LimitExceeded, message));
    }
    let stored = match name.strip_prefix(PREFIX) {
        None => value.map(Bytes::copy_from_slice),
        Some(key) => {
            let text = std::str::from_utf8(value.unwrap_or_default())
                .map_err(|cause| invalid(format!("{key} is not UTF-8 text")).with_source(cause))?;
            if key == TTL {
                return set_expiry(attrs, text.trim(), now);
            }
            Some(normal(key, text.trim())?.into()).filter(|value: &Bytes| !value.is_empty())
        }
    };
    match stored {
        Some(value) => drop(attrs.xattrs.insert(name.into(), value)),
        None => drop(attrs.xattrs.remove(name)),
    }
    Ok(())
}

/// Returns the extended attributes as every face shows them.
pub fn shown_xattrs(attrs: &Attrs) -> Xattrs {
    let mut xattrs = attrs.xattrs.clone();
    if let Some(expires) = attrs.expires {
        xattrs.insert(format!("{PREFIX}{TTL}").into(), rfc3339(expires).into());
    }
    xattrs
}

/// Checks a value and returns the one form in which it is kept; empty if it says nothing.
fn normal(key: &str, text: &str) -> Result<String> {
    if key == TAGS {
        return Ok(parse_tags(text)?.into_iter().collect::<Vec<_>>().join(","));
    }
    let letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    if !key.starts_with(letter) || !key.chars().all(|c| letter(c) || "._-".contains(c)) {
        let rule = "lower-case letters, digits, `.`, `_` and `-`, and begins with one of the first";
        return Err(invalid(format!("a key has {rule}: {key:?} is none")));
    }
    if text.contains(char::is_control) {
        return Err(invalid(format!("{key} is one line of text without control characters")));
    }
    if key != IMPORTANCE || text.is_empty() {
        return Ok(text.to_owned());
    }
    match text.parse::<f64>() {
        // Minus zero is zero.
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number.abs().to_string()),
        _ => Err(invalid(format!("importance is a number from 0 to 1, not {text:?}"))),
    }
}

/// Splits a text at commas and blanks into tags, sorted, each once.
fn parse_tags(text: &str) -> Result<BTreeSet<String>> {
    let words = text.split(|letter: char| letter == ',' || letter.is_whitespace());
    let tags = words.map(|word| word.trim_start_matches('#')).filter(|tag| !tag.is_empty());
    tags.map(|tag| {
        if tag.contains(char::is_control) {
            return Err(invalid(format!("the tag {tag:?} has control characters")));
        }
        Ok(tag.to_owned())
    })
    .collect()
}

fn set_expiry(attrs: &mut Attrs, text: &str, now: Timestamp) -> Result<()> {
    let expires = parse_expiry(text, now)?;
    if expires.is_some() && attrs.kind != Kind::File {
        return Err(invalid("only files expire".into()));
    }
    attrs.expires = expires;
    Ok(())
}

/// Reads when a file expires: after a duration, at a time, or never.
fn parse_expiry(text: &str, now: Timestamp) -> Result<Option<Timestamp>> {
    if text.is_empty() || text == "never" {
        return Ok(None);
    }
    if let Some(time) = written(text, &TimeZone::system()) {
        return Ok(Some(time));
    }
    let length = duration(text).ok().and_then(|length| i64::try_from(length.as_nanos()).ok());
    let expires = length.and_then(|length| now.0.checked_add(length)).map(Timestamp);
    expires.map(Some).ok_or_else(|| {
        let example = "7d, 1d12h, 30m, 2026-01-31, 2026-01-31T12:00:00Z or never";
        invalid(format!("{text:?} is not a time to live: write it as {example}"))
    })
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_769_860_800 * 1_000_000_000);

    fn file() -> Attrs {
        Attrs {
            kind: Kind::File,
            mode: 0o644,
            uid: 0,
            gid: 0,
            links: 1,
            created: NOW,
            modified: NOW,
            changed: NOW,
            accessed: NOW,
            expires: None,
            target: "".into(),
            xattrs: Xattrs::new(),
        }
    }

    /// Sets one key of a file and returns what is shown then; `None` if it is refused.
    fn set(key: &str, value: &str) -> Option<String> {
        let mut attrs = file();
        let name = format!("user.homefs.{key}");
        let before = attrs.clone();
        match apply_xattr(&mut attrs, &name, Some(value.as_bytes()), NOW) {
            Ok(()) => {
                let shown = shown_xattrs(&attrs).remove(&*name).unwrap_or_default();
                let shown = String::from_utf8(shown.into()).unwrap();
                // What is shown can be set again and is shown the same.
                apply_xattr(&mut attrs, &name, Some(shown.as_bytes()), NOW).unwrap();
                let again = shown_xattrs(&attrs).remove(&*name).unwrap_or_default();
                assert_eq!(again, shown.as_bytes(), "{key}: {value:?}");
                Some(shown)
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Invalid, "{key}: {value:?}");
                assert_eq!(attrs, before, "{key}: {value:?}");
                None
            }
        }
    }

    #[test]
    fn a_value_is_kept_in_one_form_or_refused() {
        for (key, value, expected) in [
            ("importance", "0.80", Some("0.8")),
            ("importance", "1\n", Some("1")),
            ("importance", "-0", Some("0")),
            ("importance", "", Some("")),
            ("importance", "1.01", None),
            ("importance", "-0.1", None),
            ("importance", "NaN", None),
            ("importance", "high", None),
            ("tags", "b, #a\nb\t##c,,", Some("a,b,c")),
            ("tags", " \n", Some("")),
            ("tags", "a\u{1}b", None),
            ("title", " A title \n", Some("A title")),
            ("title", "two\nlines", None),
            ("source", "https://a.example/x?y=1", Some("https://a.example/x?y=1")),
            ("free.key_1-x", "é", Some("é")),
            ("Free", "x", None),
            ("", "x", None),
            (".x", "x", None),
            ("a b", "x", None),
            ("ttl", "never", Some("")),
            ("ttl", "", Some("")),
            ("ttl", "45s", Some("2026-01-31T12:00:45Z")),
            ("ttl", "30m\n", Some("2026-01-31T12:30:00Z")),
            ("ttl", "12h", Some("2026-02-01T00:00:00Z")),
            ("ttl", "1d12h", Some("2026-02-02T00:00:00Z")),
            ("ttl", "2w", Some("2026-02-14T12:00:00Z")),
            ("ttl", "2026-02-01T01:00:00+01:00", Some("2026-02-01T00:00:00Z")),
            ("ttl", "7", None),
            ("ttl", "3600", None),
            ("ttl", "-7d", None),
            ("ttl", "7d ago", None),
            ("ttl", "9999y", None),
            ("ttl", "99999999d", None),
            ("ttl", "soon", None),
        ] {
            assert_eq!(set(key, value).as_deref(), expected, "{key}: {value:?}");
        }
        let mut attrs = file();
        for name in ["user.", "security.x", "user.a\0b", &format!("user.{}", "x".repeat(251))] {
            let refused = apply_xattr(&mut attrs, name, Some(b"x"), NOW).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Invalid, "{name}");
        }
        let refused = apply_xattr(&mut attrs, "user.x", Some(&[0; 4097]), NOW).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::LimitExceeded);
        assert!(apply_xattr(&mut attrs, "user.homefs.title", Some(b"\xff"), NOW).is_err());
        apply_xattr(&mut attrs, "user.other", Some(b"\xff\0"), NOW).unwrap();
        assert_eq!(&shown_xattrs(&attrs)["user.other"][..], b"\xff\0");
    }

    #[test]
    fn only_files_expire() {
        let mut attrs = Attrs { kind: Kind::Directory, ..file() };
        let name = "user.homefs.ttl";
        assert!(apply_xattr(&mut attrs, name, Some(b"7d"), NOW).is_err());
        apply_xattr(&mut attrs, name, Some(b"never"), NOW).unwrap();
        apply_xattr(&mut attrs, name, None, NOW).unwrap();
        assert_eq!(attrs.expires, None);
    }

    #[test]
    fn tags_are_added_and_taken_away() {
        let mut attrs = file();
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        let set = SetMeta { add_tags: words("#b a"), ..SetMeta::default() };
        set.apply(&mut attrs, NOW).unwrap();
        let set = SetMeta { remove_tags: words("a #z"), add_tags: words("c"), ..set };
        set.apply(&mut attrs, NOW).unwrap();
        assert_eq!(tags(&attrs.xattrs), ["b", "c"]);
        let set = SetMeta { remove_tags: words("b c"), ..SetMeta::default() };
        set.apply(&mut attrs, NOW).unwrap();
        assert_eq!(attrs, file());
        assert_eq!(shown_xattrs(&attrs), Xattrs::new());
    }
}
