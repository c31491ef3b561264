//! Special bits and devices: none through a mount, unless an operator wants them.

use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::fs::{CWD, FileType, Mode, XattrFlags, makedev, mknodat, setxattr};
use rustix::io::Errno;
use tempfile::TempDir;

use crate::harness::{Mounted, detach, is_plain, is_root};
use crate::tools::{program, run, say};

/// The flags of a mount with everything that is special.
pub(crate) const SPECIAL: &[&str] = &["--operator", "--special"];
const SPECIAL_TO_ALL: &[&str] = &["--operator", "--special", "--allow-other"];

/// A user who is not the owner of anything.
const NOBODY: u32 = 65534;

/// Returns the options with which the host has mounted something at a directory.
fn options_at(dir: &Path) -> Vec<String> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let dir = dir.to_str().unwrap();
    let fields = table.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let last = fields.rev().find(|fields| fields[4] == dir).expect("it is mounted");
    last[5].split(',').map(str::to_owned).collect()
}

fn check_confined(dir: &Path, expected: bool) {
    let options = options_at(dir);
    for option in ["nosuid", "nodev"] {
        assert_eq!(options.iter().any(|has| has == option), expected, "{option}: {options:?}");
    }
}

fn mode_of(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Another user of the host, who works in a directory.
struct Stranger(PathBuf);

impl Stranger {
    /// `None` where nobody can act as another, after saying so.
    fn new(dir: PathBuf) -> Option<Self> {
        if !is_root() {
            say("skipped: only root can act as another user");
            return None;
        }
        let stranger = Self(dir);
        if !stranger.shell("true").status().unwrap().success() {
            say("skipped: other users cannot reach the folder of the tests");
            return None;
        }
        Some(stranger)
    }

    fn shell(&self, script: &str) -> Command {
        let mut command = program(Path::new("/bin/sh"), Path::new("/"));
        command.args(["-c", &format!("cd \"$DIR\" && {script}")]).env("DIR", &self.0);
        command.uid(NOBODY).gid(NOBODY);
        command
    }

    /// Runs a script, which must succeed, and returns what it prints.
    fn run(&self, script: &str) -> String {
        run(&mut self.shell(script))
    }
}

#[test]
fn a_mount_is_nosuid_and_nodev_unless_an_operator_wants_it_otherwise() {
    if is_plain() {
        return;
    }
    for (options, is_confined) in [
        (&[][..], true),
        (&["--operator"], true),
        // The host gives it to root alone.
        (SPECIAL, !is_root()),
    ] {
        let Some(mounted) = Mounted::with(60, options) else { return };
        check_confined(&mounted.root().canonicalize().unwrap(), is_confined);
        let other = mounted.beside("other");
        let refused = mounted.command().arg("mount").arg(other).arg("--special").output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && said.contains("add --operator"), "{said}");
    }
}

/// A mount that another user serves, which ends with it.
struct Foreign {
    process: Child,
    dir: TempDir,
}

impl Drop for Foreign {
    fn drop(&mut self) {
        detach(&self.dir.path().join("mount"));
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

#[test]
fn a_mount_of_an_ordinary_user_is_nosuid_and_nodev() {
    if is_plain() {
        return;
    }
    if fs::metadata("/dev/fuse").is_ok_and(|device| device.mode() & 0o006 != 0o006) {
        return say("skipped: /dev/fuse is for root alone on this host");
    }
    let dir = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    chmod(dir.path(), 0o755);
    if Stranger::new(dir.path().to_owned()).is_none() {
        return;
    }
    chown(dir.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    let copy = dir.path().join("homefs");
    fs::copy(env!("CARGO_BIN_EXE_homefs"), &copy).unwrap();
    let mut command = program(&copy, dir.path());
    command.env("HOMEFS_STORE", dir.path().join("store")).uid(NOBODY).gid(NOBODY);
    command.args(["mount", "mount", "--foreground"]).args(SPECIAL);
    let mut process = command.spawn().unwrap();
    let output = process.stdout.take().unwrap();
    let foreign = Foreign { process, dir };
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).unwrap();
    assert!(line.starts_with("mounted"), "{line:?}");
    check_confined(&foreign.dir.path().canonicalize().unwrap().join("mount"), true);
}

#[test]
fn special_bits_and_devices_do_not_come_in_by_a_mount() {
    if is_plain() {
        return;
    }
    for options in [&[][..], &["--operator"]] {
        let Some(mounted) = Mounted::with(60, options) else { return };
        let (file, folder, new) = (mounted.path("f"), mounted.path("d"), mounted.path("new"));
        fs::write(&file, "text").unwrap();
        fs::create_dir(&folder).unwrap();
        for path in [&file, &folder] {
            chmod(path, 0o7755);
            assert_eq!(mode_of(path), 0o755);
        }
        let mode = Mode::from_raw_mode(0o7644);
        mknodat(CWD, &new, FileType::RegularFile, mode, 0).unwrap();
        assert_eq!(mode_of(&new) & 0o7000, 0);
        for kind in [FileType::CharacterDevice, FileType::BlockDevice] {
            let device = mknodat(CWD, mounted.path("device"), kind, mode, makedev(1, 3));
            assert_eq!(device, Err(Errno::PERM), "{kind:?}");
        }
        for kind in [FileType::Fifo, FileType::Socket] {
            mknodat(CWD, mounted.path(&format!("{kind:?}")), kind, mode, 0).unwrap();
        }
        for name in ["security.capability", "security.x", "trusted.x"] {
            let set = setxattr(&file, name, &CAPABILITY, XattrFlags::empty());
            assert!(matches!(set, Err(Errno::OPNOTSUPP | Errno::PERM)), "{name}: {set:?}");
        }
        // What an operator gave elsewhere is not shown, and does not outlive a write.
        mounted.homefs(&["--operator", "sh", "-c", "chmod 4755 f"]);
        assert_eq!(stored_mode(&mounted, "f"), "4755");
        assert_eq!(mode_of(&file), 0o755);
        fs::write(&file, "more text").unwrap();
        assert_eq!(stored_mode(&mounted, "f"), "0755");
    }
}

/// The right to be any user, as a program may have it instead of setuid.
const CAPABILITY: [u8; 20] = [1, 0, 0, 2, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

fn stored_mode(mounted: &Mounted, path: &str) -> String {
    let stat: serde_json::Value =
        serde_json::from_str(&mounted.homefs(&["stat", path, "--json"])).unwrap();
    stat["mode"].as_str().unwrap().to_owned()
}

/// Runs a script through MCP, as a model does.
fn by_mcp(mounted: &Mounted, script: &str) {
    let mut server = mounted.command();
    let mut server = server.arg("mcp").stdin(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let mut ask = |line: serde_json::Value| {
        writeln!(input, "{line}").unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        answer
    };
    ask(serde_json::json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}}));
    let params = serde_json::json!({"name": "shell", "arguments": {"script": script}});
    let call = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": params});
    let answer = ask(call);
    assert!(answer.contains("\"homefs/status\":0"), "{answer}");
    drop(input);
    server.wait().unwrap();
}

#[test]
fn a_program_that_a_model_planted_runs_as_who_runs_it() {
    if is_plain() {
        return;
    }
    let who = |mounted: &Mounted| -> Option<String> {
        Some(Stranger::new(mounted.beside(""))?.run("mount/id -u").trim().to_owned())
    };
    let plant = |mounted: &Mounted| {
        fs::copy("/usr/bin/id", mounted.path("id")).unwrap();
        chmod(&mounted.path("id"), 0o755);
    };
    if let Some(mounted) = Mounted::with(60, &["--allow-other"]) {
        plant(&mounted);
        chmod(&mounted.path("id"), 0o6755);
        by_mcp(&mounted, "chmod 6755 id");
        mounted.homefs(&["sh", "-c", "chmod u+s,g+s id"]);
        assert_eq!(stored_mode(&mounted, "id"), "0755");
        // Not even where an operator did it, since others may use the same mount.
        mounted.homefs(&["--operator", "sh", "-c", "chmod 6755 id"]);
        let Some(user) = who(&mounted) else { return };
        assert_eq!(user, NOBODY.to_string());
    }
    // An operator who wants it has it, but what a model then writes has nothing of it.
    if let Some(mounted) = Mounted::with(60, SPECIAL_TO_ALL) {
        plant(&mounted);
        chmod(&mounted.path("id"), 0o6755);
        let Some(user) = who(&mounted) else { return };
        assert_eq!(user, "0");
        by_mcp(&mounted, "cp id copy; cat copy > id");
        assert_eq!(mode_of(&mounted.path("id")), 0o755);
        assert_eq!(who(&mounted).unwrap(), NOBODY.to_string());
        by_mcp(&mounted, "chmod 6755 id");
        assert_eq!(who(&mounted).unwrap(), NOBODY.to_string());
    }
}

/// Ways in which another user changes a file that everybody may write to.
const WRITES: &[&str] = &[
    "printf more >> f",
    "printf x | dd of=f conv=notrunc status=none",
    "dd if=/dev/zero of=f bs=4096 count=1 oflag=direct conv=notrunc status=none",
    "printf x > f",
    ": > f",
    "truncate -s 3 f",
    "truncate -s 100000 f",
    "fallocate -l 100000 f",
    "fallocate -n -l 100000 f",
    "fallocate -p -o 0 -l 4096 f",
    "fallocate -z -o 0 -l 4096 f",
    "cat other > f",
    "cp other f",
];

#[test]
fn who_writes_a_file_takes_its_special_bits_at_once() {
    let Some(mounted) = Mounted::with(120, SPECIAL_TO_ALL) else { return };
    let Some(stranger) = Stranger::new(mounted.beside("")) else { return };
    // Not setgid of what the group may not run: that lends nothing, and FUSE leaves it.
    for mode in [0o6777, 0o4777, 0o2777, 0o4666, 0o7777] {
        for write in WRITES {
            let [found, expected] = ["mount", "plain"].map(|place| {
                let dir = mounted.beside(place);
                let file = dir.join("f");
                fs::write(dir.join("other"), vec![b'o'; 20_000]).unwrap();
                fs::write(&file, vec![b'f'; 20_000]).unwrap();
                chmod(&file, mode);
                // Somebody has it open, and the kernel knows its mode.
                let open = File::open(&file).unwrap();
                assert_eq!(mode_of(&file), mode);
                stranger.run(&format!("cd {place} && {write}"));
                let held = open.metadata().unwrap().mode() & 0o7777;
                let found = (mode_of(&file), held);
                fs::remove_file(&file).unwrap();
                found
            });
            assert_eq!(found, expected, "{write}: {mode:o}, {:o}, {:o}", found.0, expected.0);
        }
    }
}

#[test]
fn who_owns_a_file_keeps_or_loses_its_special_bits_as_on_the_host() {
    if !is_root() {
        return say("skipped: only root can give a file away");
    }
    let Some(mounted) = Mounted::with(60, SPECIAL) else { return };
    for mode in [0o6777, 0o4755, 0o2755, 0o2745, 0o1777] {
        let [found, expected] = ["mount", "plain"].map(|place| {
            let (file, folder) = (mounted.beside(place).join("f"), mounted.beside(place).join("d"));
            fs::write(&file, "text").unwrap();
            fs::create_dir(&folder).unwrap();
            chmod(&file, mode);
            chmod(&folder, mode);
            let mut modes = vec![mode_of(&file), mode_of(&folder)];
            // Root may write without taking them away.
            File::options().append(true).open(&file).unwrap().write_all(b"more").unwrap();
            modes.push(mode_of(&file));
            for path in [&file, &folder] {
                chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
                modes.push(mode_of(path));
            }
            fs::create_dir(folder.join("below")).unwrap();
            modes.push(mode_of(&folder.join("below")));
            fs::remove_file(&file).unwrap();
            fs::remove_dir_all(&folder).unwrap();
            modes
        });
        assert_eq!(found, expected, "{mode:o}");
    }
}
