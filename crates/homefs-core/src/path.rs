//! Names of nodes inside a view.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ids::text;
use crate::limits::{NAME_BYTES_MAX, PATH_BYTES_MAX};
use crate::{Error, ErrorCode, ErrorKind, Result};

/// An absolute UTF-8 name inside a view: `/` or `/part/part`, without empty, `.` or `..` parts.
///
/// The Unicode form is kept as given: two names that look alike but differ in bytes are two names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
// Invariant: "/" or a sequence of "/name" where every name passes `check_name`.
pub struct Path(Arc<str>);

impl Path {
    /// Returns the root, `/`.
    pub fn root() -> Self {
        Self("/".into())
    }

    /// Reads a path; a missing leading `/` is added and one trailing `/` is dropped.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = |why: String| Err(Error::new(ErrorKind::Invalid, why));
        if text.is_empty() {
            return invalid("a path cannot be empty".into());
        }
        let inner = text.strip_prefix('/').unwrap_or(text);
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        if inner.is_empty() {
            return Ok(Self::root());
        }
        if inner.len() >= PATH_BYTES_MAX {
            return Err(too_long("path", PATH_BYTES_MAX).with_path_text(text));
        }
        for name in (Names { rest: Some(inner) }) {
            check_name(name).map_err(|error| error.with_path_text(text))?;
        }
        // A path that is already in its normal form needs one allocation only.
        if text.len() == inner.len() + 1 && text.starts_with('/') {
            return Ok(Self(text.into()));
        }
        Ok(Self(["/", inner].concat().into()))
    }

    /// Makes a path of what somebody wrote in a directory: `.` and `..` are resolved by their
    /// names, and `..` above the root stays at the root.
    pub fn resolve(directory: &str, text: &str) -> Result<Self> {
        let start = if text.starts_with('/') { "" } else { directory };
        let mut names: Vec<&str> = Vec::new();
        for name in start.split('/').chain(text.split('/')) {
            match name {
                "" | "." => {}
                ".." => drop(names.pop()),
                name => names.push(name),
            }
        }
        Self::parse(&format!("/{}", names.join("/")))
    }

    /// Returns the path as text, starting with `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Tells whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.len() == 1
    }

    /// Iterates over the names from the root down.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        Names { rest: Some(&self.0[1..]).filter(|rest| !rest.is_empty()) }
    }

    /// Returns the last name; `None` for the root.
    pub fn name(&self) -> Option<&str> {
        self.names().next_back()
    }

    /// Returns the directory that holds this path; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        let (parent, _) = self.split_last()?;
        Some(if parent.is_empty() { Self::root() } else { Self(parent.into()) })
    }

    /// Returns the path of `name` inside this directory.
    pub fn join(&self, name: &str) -> Result<Self> {
        check_name(name)?;
        let base = if self.is_root() { "" } else { &*self.0 };
        if base.len() + 1 + name.len() > PATH_BYTES_MAX {
            return Err(too_long("path", PATH_BYTES_MAX).with_path(self));
        }
        Ok(Self([base, "/", name].concat().into()))
    }

    /// Tells whether this path is `prefix` or lies below it.
    pub fn starts_with(&self, prefix: &Self) -> bool {
        self.strip_prefix(prefix).is_some()
    }

    /// Returns the rest of this path below `prefix` as an absolute path, if it lies there.
    pub fn strip_prefix(&self, prefix: &Self) -> Option<Self> {
        if prefix.is_root() {
            return Some(self.clone());
        }
        match self.0.strip_prefix(&*prefix.0)? {
            "" => Some(Self::root()),
            rest if rest.starts_with('/') => Some(Self(rest.into())),
            _ => None,
        }
    }

    fn split_last(&self) -> Option<(&str, &str)> {
        if self.is_root() { None } else { self.0.rsplit_once('/') }
    }
}

/// The names of a path.
///
/// They are short: a plain look at their bytes finds the end of one sooner than a search that is
/// made for long texts, and every read and write looks for several.
#[derive(Clone)]
struct Names<'a> {
    /// What is left of the path, without a `/` at either end; `None` if nothing is.
    rest: Option<&'a str>,
}

impl<'a> Iterator for Names<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest?;
        let end = rest.bytes().position(|byte| byte == b'/');
        self.rest = end.map(|end| &rest[end + 1..]);
        Some(end.map_or(rest, |end| &rest[..end]))
    }
}

impl<'a> DoubleEndedIterator for Names<'a> {
    fn next_back(&mut self) -> Option<&'a str> {
        let rest = self.rest?;
        let start = rest.bytes().rposition(|byte| byte == b'/');
        self.rest = start.map(|start| &rest[..start]);
        Some(start.map_or(rest, |start| &rest[start + 1..]))
    }
}

/// Checks one name of a path.
pub fn check_name(name: &str) -> Result<()> {
    let why = match name {
        "" => "a name cannot be empty",
        "." | ".." => "`.` and `..` are not names",
        _ if name.len() > NAME_BYTES_MAX => return Err(too_long("name", NAME_BYTES_MAX)),
        _ if name.bytes().any(|byte| byte == b'/' || byte == 0) => {
            "a name cannot contain `/` or NUL"
        }
        _ => return Ok(()),
    };
    Err(Error::new(ErrorKind::Invalid, why))
}

fn too_long(what: &str, bytes_max: usize) -> Error {
    let message = format!("a {what} cannot be longer than {bytes_max} bytes");
    Error::new(ErrorKind::Invalid, message).with_code(ErrorCode::NameTooLong)
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &self.0)
    }
}

impl std::str::FromStr for Path {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl Serialize for Path {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Path {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_becomes_a_normal_path_or_is_refused() {
        for (text, expected) in [
            ("/", Some("/")),
            ("a", Some("/a")),
            ("/a/b", Some("/a/b")),
            ("a/b/", Some("/a/b")),
            ("é", Some("/é")),
            ("", None),
            ("//", Some("/")),
            ("a//b", None),
            ("/a/./b", None),
            ("..", None),
            ("a\0b", None),
        ] {
            let found = Path::parse(text);
            assert_eq!(found.as_ref().ok().map(Path::as_str), expected, "{text:?}");
        }
        assert!(Path::parse(&"x".repeat(255)).is_ok());
        assert!(Path::parse(&"x".repeat(256)).is_err());
        assert!(Path::parse(&"x/".repeat(3000)).is_err());
    }

    #[test]
    fn a_prefix_ends_at_a_name() {
        let path = |text| Path::parse(text).unwrap();
        assert!(path("/a/b").starts_with(&path("/a")));
        assert!(!path("/ab").starts_with(&path("/a")));
        assert_eq!(path("/a/b").strip_prefix(&path("/a")), Some(path("/b")));
        assert_eq!(path("/a").strip_prefix(&path("/a")), Some(Path::root()));
    }

    proptest! {
        #[test]
        fn names_joined_again_give_the_path(names in prop::collection::vec("[^/\0]{1,20}", 0..6)) {
            prop_assume!(names.iter().all(|name| check_name(name).is_ok()));
            let mut path = Path::root();
            for name in &names {
                let longer = path.join(name).unwrap();
                prop_assert_eq!(longer.parent(), Some(path));
                prop_assert_eq!(longer.name(), Some(name.as_str()));
                path = longer;
            }
            prop_assert_eq!(path.names().collect::<Vec<_>>(), names);
            prop_assert_eq!(Path::parse(path.as_str()).unwrap(), path);
        }
    }
}
