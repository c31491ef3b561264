//! What stands at an address, without a store and without a change.

use homefs_core::{ErrorKind, Remote, RemoteAnswer, RemoteRequest, Result};
use homefs_remote::Bucket;
use homefs_view::RemotePlaces;

use super::RemoteConfig;

/// How many names are told of a place that has no home.
const NAMES_MAX: usize = 8;
/// Where the HEAD of a home is that stands at the address itself.
const HEAD: &str = ".homefs/HEAD";

/// What stands at an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteContents {
    /// The spaces there.
    pub places: RemotePlaces,
    /// Whether the address itself is one agent's home, as in a bucket that was adopted.
    pub is_home: bool,
    /// If there is no space: the nearest address, this one or one above it, that has anything, and
    /// the first names there. Empty if nothing was found.
    pub near: Option<(String, Vec<String>)>,
}

/// Looks what stands at an address, with the credentials of this process.
///
/// # Errors
///
/// `Denied` if the credentials are wrong, `Unavailable` if the server does not answer, `Invalid`
/// if the address is wrong or names no bucket.
pub fn look_at_remote(config: &RemoteConfig) -> Result<RemoteContents> {
    let at = |error: homefs_core::Error| error.with_path_text(config.address.clone());
    let mut address = config.resolve()?;
    let bucket = Bucket::open(&address).map_err(at)?;
    let places = RemotePlaces::of(&bucket, config.home_at_prefix.as_ref())?;
    let mut contents = RemoteContents { places, ..RemoteContents::default() };
    if !contents.places.spaces.is_empty() || !contents.places.headless.is_empty() {
        return Ok(contents);
    }
    contents.is_home = has(&bucket, HEAD)?;
    let mut there = names(&bucket)?;
    while there.is_empty()
        && let Some(above) = address.above()
    {
        address = above;
        // Whoever may read a prefix need not have a right above it.
        there = Bucket::open(&address).and_then(|bucket| names(&bucket)).unwrap_or_default();
    }
    contents.near = (!there.is_empty()).then(|| (address.to_string(), there));
    Ok(contents)
}

fn has(remote: &dyn Remote, key: &str) -> Result<bool> {
    match remote.run_one(RemoteRequest::Get { key: key.to_owned(), range: None, unless: None }) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Lists the first names of objects and folders; each listing jumps over the folder before.
fn names(remote: &dyn Remote) -> Result<Vec<String>> {
    let (mut names, mut after) = (Vec::<String>::new(), None);
    while names.len() < NAMES_MAX {
        let list = RemoteRequest::List { prefix: String::new(), after };
        let RemoteAnswer::Listed { objects, more } = remote.run_one(list)? else { break };
        for object in &objects {
            let name = match object.key.split_once('/') {
                Some((folder, _)) => format!("{folder}/"),
                None => object.key.clone(),
            };
            if names.last() != Some(&name) {
                names.push(name);
            }
        }
        let Some(end) = objects.last().filter(|_| more) else { break };
        after = Some(match end.key.split_once('/') {
            // `0` follows `/`: behind everything in that folder and before whatever comes next.
            Some((folder, _)) => format!("{folder}0"),
            None => end.key.clone(),
        });
    }
    names.truncate(NAMES_MAX);
    Ok(names)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at host files directly")]
mod tests {
    use super::*;

    #[test]
    fn what_stands_at_an_address_is_told_without_a_change() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("r");
        let look = |keys: &[&str]| {
            std::fs::remove_dir_all(&root).ok();
            std::fs::create_dir_all(&root).unwrap();
            for key in keys {
                std::fs::create_dir_all(root.join(key).parent().unwrap()).unwrap();
                std::fs::write(root.join(key), "x").unwrap();
            }
            let address = format!("file://{}", root.display());
            let config = RemoteConfig { address, ..RemoteConfig::default() };
            let RemoteContents { places, is_home, near } = look_at_remote(&config).unwrap();
            let told = |names: &[homefs_core::SpaceName]| {
                names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
            };
            let near = near.map(|(_, names)| names.join(" ")).unwrap_or_default();
            (told(&places.spaces), told(&places.headless), is_home, near)
        };
        let expected = |spaces: &str, headless: &str, is_home, near: &str| {
            (spaces.to_owned(), headless.to_owned(), is_home, near.to_owned())
        };
        assert_eq!(look(&[]), expected("", "", false, ""));
        assert_eq!(look(&["b/x", "a.md", "b/y"]), expected("", "", false, "a.md b/"));
        assert_eq!(look(&[HEAD, "a.md"]), expected("", "", true, ".homefs/ a.md"));
        let (head, commit) = ("agents/me/.homefs/HEAD", "shared/s/.homefs/commits/1");
        assert_eq!(look(&[head, commit]), expected("agents/me", "shared/s", false, ""));
        assert_eq!(look(&["agents/me/a.md"]), expected("", "", false, "agents/"));
    }
}
