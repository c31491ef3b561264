//! How keys are spelled.

use homefs_core::Path;

use super::*;

#[test]
fn keys_are_spelled_as_documented() {
    let hex = "ab".repeat(32);
    let digest = Digest([0xab; 32]);
    let commit = CommitId { seq: 42, digest };
    assert_eq!(keys::HEAD, ".homefs/HEAD");
    assert_eq!(keys::commit(commit), format!(".homefs/commits/000000000042-{hex}"));
    assert_eq!(keys::index(IndexId { seq: 42, digest }), format!(".homefs/index/{hex}"));
    assert_eq!(keys::pack(PackId(digest)), format!(".homefs/packs/{hex}"));
    assert_eq!(keys::commit_of(&keys::commit(commit)), Some(commit));
    assert_eq!(keys::pack_of(&keys::pack(PackId(digest))), Some(PackId(digest)));
    assert_eq!(MachineId(10).to_string(), "000000000000000a");
    for bad in ["", "42", &format!("42-{hex}"), &format!("+00000000042-{hex}"), "000000000042-ab"] {
        assert_eq!(keys::commit_of(&format!("{}{bad}", keys::COMMITS)), None, "{bad}");
    }
}

#[test]
fn a_readable_copy_stands_at_its_natural_key() {
    let key = |path: &str| keys::readable(&Path::parse(path).unwrap());
    for path in ["/notes/todo.md", "/.homefs.md", "/a/.homefs", "/é ü", "/shared/x"] {
        assert_eq!(key(path).as_deref(), Some(&path[1..]));
        assert_eq!(keys::path_of(&path[1..]).unwrap().as_str(), path);
    }
    let long = format!("/{}", ["x".repeat(200).as_str(); 4].join("/"));
    for path in ["/", "/.homefs", "/.homefs/HEAD", "/a\nb", &long] {
        assert_eq!(key(path), None, "{path}");
    }
    for bad in ["", "/", "/a", "a/", "a//b", "a/../b", ".homefs/HEAD", "a\u{1}"] {
        assert_eq!(keys::path_of(bad), None, "{bad}");
    }
}
