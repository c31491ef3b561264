//! Removing a large tree.

use std::fs;
use std::path::Path;

use crate::harness::Mounted;
use crate::tools::{program, run};

const DIRECTORIES: usize = 5;
const FILES: usize = 4_000;

#[test]
fn a_tree_of_twenty_thousand_files_is_removed() {
    let Some(mounted) = Mounted::new(120) else { return };
    let tree = mounted.path("tree");
    for directory in 0..DIRECTORIES {
        let dir = tree.join(format!("{directory}/inner"));
        fs::create_dir_all(&dir).unwrap();
        for file in 0..FILES {
            fs::write(dir.join(file.to_string()), file.to_le_bytes()).unwrap();
        }
    }
    fs::write(mounted.path("kept"), "kept").unwrap();
    let names = fs::read_dir(tree.join("0/inner")).unwrap().count();
    assert_eq!(names, FILES);
    run(program(Path::new("rm"), &mounted.root()).args(["-rf", "tree"]));
    let left: Vec<_> =
        fs::read_dir(mounted.root()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["kept"]);
    assert!(!tree.exists());
}
