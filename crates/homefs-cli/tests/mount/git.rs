//! Git on a mount: history, merge, packing and clones.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::Mounted;
use crate::tools::{find, program, run};

#[test]
fn a_repository_lives_on_the_mount() {
    let Some(git) = find("git") else { return };
    let Some(mounted) = Mounted::new(120) else { return };
    let git = Git { program: git };
    let origin = mounted.path("origin");
    fs::create_dir(&origin).unwrap();
    git.run(&origin, &["init", "--initial-branch=main"]);
    fill(&origin, "main", 40);
    git.commit(&origin, "first");
    for round in 0..5 {
        fs::write(origin.join("log.md"), format!("round {round}\n")).unwrap();
        fs::rename(origin.join("main-0.md"), origin.join("moved.md")).unwrap();
        git.commit(&origin, "there");
        fs::rename(origin.join("moved.md"), origin.join("main-0.md")).unwrap();
        git.commit(&origin, "and back");
    }
    git.run(&origin, &["checkout", "-b", "side"]);
    fill(&origin, "side", 40);
    git.commit(&origin, "side");
    git.run(&origin, &["checkout", "main"]);
    assert!(!origin.join("side-0.md").exists());
    fill(&origin, "late", 40);
    git.commit(&origin, "late");
    git.run(&origin, &["merge", "--no-edit", "side"]);
    git.check_clean(&origin);
    git.run(&origin, &["gc", "--quiet", "--aggressive", "--prune=now"]);
    git.check_clean(&origin);
    clone_everywhere(&git, &mounted, &origin);
}

/// Clones on the mount, from it and back to it; each clone has the same tree.
fn clone_everywhere(git: &Git, mounted: &Mounted, origin: &Path) {
    let head = git.run(origin, &["rev-parse", "HEAD^{tree}"]);
    let outside = mounted.beside("plain/clone");
    let places = [
        (origin.to_owned(), mounted.path("clone")),
        (origin.to_owned(), outside.clone()),
        (outside, mounted.path("back")),
    ];
    for (from, to) in &places {
        let (from, to) = (from.to_str().unwrap(), to.to_str().unwrap());
        // Without hard links, so that every object is written once more.
        git.run(&mounted.beside("home"), &["clone", "--quiet", "--no-local", from, to]);
        git.check_clean(Path::new(to));
        assert_eq!(git.run(Path::new(to), &["rev-parse", "HEAD^{tree}"]), head);
    }
    let (from, to) = (origin.to_str().unwrap(), mounted.path("linked"));
    git.run(&mounted.beside("home"), &["clone", "--quiet", from, to.to_str().unwrap()]);
    git.check_clean(&to);
    fill(&to, "pushed", 10);
    git.commit(&to, "pushed");
    git.run(&to, &["push", "--quiet", "origin", "HEAD:refs/heads/pushed"]);
    git.check_clean(origin);
    assert_eq!(git.run(origin, &["rev-parse", "pushed"]), git.run(&to, &["rev-parse", "HEAD"]));
}

/// Makes files whose content differs.
fn fill(dir: &Path, name: &str, files: usize) {
    for number in 0..files {
        let content = format!("{name} {number}\n").repeat(1 + number * 7);
        fs::write(dir.join(format!("{name}-{number}.md")), content).unwrap();
    }
}

/// The program, without any settings of the host.
struct Git {
    program: PathBuf,
}

impl Git {
    /// Runs a command that must succeed and returns what it prints.
    fn run(&self, dir: &Path, arguments: &[&str]) -> String {
        run(program(&self.program, dir)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_AUTHOR_NAME", "me")
            .env("GIT_AUTHOR_EMAIL", "me@example.org")
            .env("GIT_COMMITTER_NAME", "me")
            .env("GIT_COMMITTER_EMAIL", "me@example.org")
            .args(arguments))
    }

    fn commit(&self, dir: &Path, message: &str) {
        self.run(dir, &["add", "--all"]);
        self.run(dir, &["commit", "--quiet", "--message", message]);
    }

    /// Checks every object, and that the files are as committed.
    fn check_clean(&self, dir: &Path) {
        self.run(dir, &["fsck", "--strict", "--full"]);
        assert_eq!(self.run(dir, &["status", "--porcelain"]), "", "{}", dir.display());
    }
}
