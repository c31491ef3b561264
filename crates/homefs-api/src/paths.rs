//! Paths as people and programs write them, and where they lead.

use homefs_core::limits::LINKS_FOLLOWED_MAX;
use homefs_core::{Error, ErrorCode, ErrorKind, Path, Result};
use homefs_view::{Kind, is_handle};

use crate::client::Client;

/// Makes a path of what somebody wrote, seen from the root; see [`Path::resolve`].
pub fn resolve_path(text: &str) -> Result<Path> {
    if text.is_empty() {
        return Err(Error::new(ErrorKind::Invalid, "a path cannot be empty"));
    }
    Path::resolve("/", text)
}

/// Tells whether somebody wrote an address, such as `s3://bucket`, and not a path.
pub fn is_address(text: &str) -> bool {
    let in_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte);
    text.split_once("://")
        .is_some_and(|(scheme, _)| !scheme.is_empty() && scheme.bytes().all(in_scheme))
}

impl Client {
    /// As [`Client::meant`], which is asked only of what reads as a handle.
    pub fn path_meant(&self, path: &Path) -> Result<Path> {
        if path.name().is_some_and(is_handle) { self.meant(path) } else { Ok(path.clone()) }
    }

    /// Returns where a path leads when every link on it is followed, and a handle at its end to its
    /// file; names that do not exist stay as they are.
    pub fn real_path(&self, path: &Path) -> Result<Path> {
        let mut ahead: Vec<String> = path.names().rev().map(str::to_owned).collect();
        let mut at = Path::root();
        let mut links = 0;
        while let Some(name) = ahead.pop() {
            let next = at.join(&name)?;
            let is_link = match self.stat(&next) {
                Ok(stat) => stat.kind == Kind::Link,
                Err(error) => match error.kind() {
                    ErrorKind::NotFound | ErrorKind::NotADirectory => false,
                    _ => return Err(error),
                },
            };
            if !is_link {
                at = next;
                continue;
            }
            links += 1;
            if links > LINKS_FOLLOWED_MAX {
                let message = "too many symbolic links";
                let error = Error::new(ErrorKind::Invalid, message);
                return Err(error.with_code(ErrorCode::TooManyLinks).with_path(path));
            }
            let target = Path::resolve(at.as_str(), &self.read_link(&next)?)?;
            ahead.extend(target.names().rev().map(str::to_owned));
            at = Path::root();
        }
        self.path_meant(&at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_from_a_path() {
        for text in ["s3://b/p", "gs://b", "az://c", "file:///srv", "chroma://h:1/c"] {
            assert!(is_address(text), "{text}");
        }
        for text in ["", "/srv", "s3:/b", "./s3://b", "a/s3://b", "://b", "über://b", "c:"] {
            assert!(!is_address(text), "{text}");
        }
    }
}
