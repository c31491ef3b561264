//! Two mounts of one home on two machines: edits of either show on both, files come when somebody
//! reads them, and a server that is away hinders nobody else.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use homefs_core::Path;
use homefs_testkit::{Fault, FaultKind, RemoteOperation, S3Server};

use crate::harness::{Mounted, is_extended, is_plain};
use crate::tools::{both, find, program, run};

/// Machines with mounts, and the server between them.
pub(crate) struct World {
    pub(crate) machines: Vec<Mounted>,
    // Last, so that no mount waits for it at its end.
    pub(crate) server: S3Server,
}

impl World {
    /// Sets up machines that are attached; `None` where nothing can be mounted.
    pub(crate) fn new(count: usize) -> Option<Self> {
        if is_plain() {
            return None;
        }
        let mut world = Self { machines: Vec::new(), server: S3Server::start().unwrap() };
        for _ in 0..count {
            world.add()?;
        }
        Some(world)
    }

    /// Adds a machine, which has what the others have synced so far.
    pub(crate) fn add(&mut self) -> Option<()> {
        let mounted = Mounted::new(if is_extended() { 600 } else { 120 })?;
        let profile = format!(
            "[default]\naws_access_key_id = {}\naws_secret_access_key = {}\n",
            S3Server::ACCESS_KEY,
            S3Server::SECRET_KEY
        );
        fs::create_dir(mounted.beside("home/.aws")).unwrap();
        fs::write(mounted.beside("home/.aws/credentials"), profile).unwrap();
        let address = format!("s3://{}/p", self.server.bucket());
        let machine = format!("--machine=machine-{}", self.machines.len());
        let endpoint = self.server.endpoint();
        mounted.homefs(&["remote", "add", &address, "--endpoint", &endpoint, &machine]);
        mounted.homefs(&["sync"]);
        self.machines.push(mounted);
        Some(())
    }

    /// Waits until a file is so on every machine. The watchdog ends a wait that is in vain.
    #[track_caller]
    fn wait_until(&self, name: &str, holds: impl Fn(&str) -> bool) {
        for mounted in &self.machines {
            let client = mounted.client();
            let mut cursor = client.cursor().unwrap();
            loop {
                let text = fs::read_to_string(mounted.path(name)).unwrap_or_default();
                if holds(&text) {
                    break;
                }
                check_alive(mounted, &text);
                let longest = Duration::from_secs(1);
                cursor = client.watch(&Path::root(), &cursor, longest, 1_000).unwrap().cursor;
            }
        }
    }

    /// Checks that the machines have the same files.
    pub(crate) fn check_same(&self) {
        let listed = |mounted: &Mounted| {
            let names = fs::read_dir(mounted.root()).unwrap();
            let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            let read = |name| (fs::read(mounted.root().join(&name)).unwrap(), name);
            names.into_iter().map(read).collect::<Vec<_>>()
        };
        for mounted in &self.machines[1..] {
            assert_eq!(listed(mounted), listed(&self.machines[0]));
        }
    }
}

/// Checks that the watchdog has not ended a mount; only this is not answered by the kernel alone.
#[track_caller]
fn check_alive(mounted: &Mounted, otherwise: &str) {
    assert!(rustix::fs::statfs(mounted.root()).is_ok(), "waited in vain: {otherwise}");
}

/// Starts a shell on a mount.
pub(crate) fn shell(mounted: &Mounted, line: &str) -> Command {
    let mut command = program("sh".as_ref(), &mounted.root());
    command.arg("-c").arg(line);
    command
}

/// A way in which programs change a file: the second line to "… by NAME", or a line more.
type Way = fn(&Mounted, &str);

fn save_by_rename(mounted: &Mounted, text: &str) {
    // As vim does: a new file in the place of the old.
    let note = fs::read_to_string(mounted.path("note.md")).unwrap();
    let mut file = File::create_new(mounted.path(".note.md.swp")).unwrap();
    file.write_all(note.replace(text, &format!("{text} by rename")).as_bytes()).unwrap();
    file.sync_all().unwrap();
    fs::rename(mounted.path(".note.md.swp"), mounted.path("note.md")).unwrap();
}

fn save_by_sed(mounted: &Mounted, text: &str) {
    run(&mut shell(mounted, &format!("sed -i 's/{text}/{text} by sed/' note.md")));
}

fn save_in_place(mounted: &Mounted, text: &str) {
    let note = fs::read_to_string(mounted.path("note.md")).unwrap();
    fs::write(mounted.path("note.md"), note.replace(text, &format!("{text} in place"))).unwrap();
}

fn append(mounted: &Mounted, text: &str) {
    run(&mut shell(mounted, &format!("echo '{text} appended' >> note.md")));
}

const WAYS: &[(Way, &str)] = &[
    (save_in_place, "in place"),
    (append, "appended"),
    (save_by_rename, "by rename"),
    (save_by_sed, "by sed"),
];

#[test]
fn both_mounts_show_what_editors_save_on_either() {
    let Some(world) = World::new(2) else { return };
    let [one, two] = &world.machines[..] else { unreachable!("there are two") };
    for (at, (first, first_does)) in WAYS.iter().enumerate() {
        // Each way meets another one, or all of them.
        let count = if is_extended() { WAYS.len() } else { 1 };
        for (second, second_does) in WAYS.iter().cycle().skip(at + 1).take(count) {
            let text = "# Plans\n\nalpha\n\nbeta\n\ngamma\n\ndelta\n\nomega\n";
            fs::write(one.path("note.md"), text).unwrap();
            world.wait_until("note.md", |note| note == text);
            // Both are held back, so that neither sees what the other does.
            world.server.fail(Fault::before(FaultKind::Status(503)).until_healed());
            first(one, "alpha");
            second(two, "omega");
            world.server.heal();
            world.wait_until("note.md", |note| {
                note.contains(&format!("alpha {first_does}\n"))
                    && note.contains(&format!("omega {second_does}\n"))
            });
            world.check_same();
        }
    }
}

#[test]
fn what_is_not_here_is_listed_and_read_by_any_program() {
    let Some(mut world) = World::new(1) else { return };
    let origin = &world.machines[0];
    fs::create_dir(origin.path("docs")).unwrap();
    let large = "a line of a large file\n".repeat(100_000);
    fs::write(origin.path("docs/large.txt"), &large).unwrap();
    for number in 0..20 {
        fs::write(origin.path(&format!("docs/{number}.md")), format!("needle {number}\n")).unwrap();
    }
    // So many commits that a new machine begins with an index, and brings no contents.
    for number in 0..10 {
        fs::write(origin.path("seed.md"), number.to_string()).unwrap();
        origin.homefs(&["sync"]);
    }
    world.add().unwrap();
    let mounted = &world.machines[1];
    world.server.clear_log();
    let size = |name: &str| fs::metadata(mounted.path(name)).unwrap().size();
    assert_eq!((size("docs/large.txt"), size("docs/7.md")), (large.len() as u64, 9));
    run(&mut shell(mounted, "ls -lR"));
    let packs = || {
        let is_pack = |key: &str| key.contains("/packs/");
        world.server.log().iter().filter(|exchange| is_pack(&exchange.key)).count()
    };
    assert_eq!(packs(), 0, "listing needs no contents");
    assert_eq!(run(&mut shell(mounted, "cat docs/7.md")), "needle 7\n");
    assert_eq!(run(&mut shell(mounted, "grep -r needle docs | wc -l")).trim(), "20");
    let sum = |mounted: &Mounted| run(&mut shell(mounted, "md5sum docs/large.txt"));
    assert_eq!(sum(mounted), sum(&world.machines[0]));
    run(&mut shell(mounted, "cp docs/large.txt copy.txt"));
    assert!(fs::read(mounted.path("copy.txt")).unwrap() == large.as_bytes());
    assert!(packs() > 0);
    if let Some(python) = find("python3") {
        world.add().unwrap();
        let fresh = &world.machines[2];
        let script = "import mmap\nwith open('docs/large.txt', 'r+b') as f:\n    \
                      m = mmap.mmap(f.fileno(), 0)\n    print(m[-5:], m.find(b'large'), len(m))";
        let printed = run(program(&python, &fresh.root()).arg("-c").arg(script));
        assert_eq!(printed.trim(), format!("b'file\\n' 12 {}", large.len()));
    }
}

#[test]
fn who_waits_for_a_server_does_not_keep_others() {
    let Some(mut world) = World::new(1) else { return };
    let origin = &world.machines[0];
    // Several pushes, so that the contents are in several packs, and a new machine has none.
    for number in 0..10 {
        fs::write(origin.path(&format!("{number}.bin")), number.to_string().repeat(70_000))
            .unwrap();
        origin.homefs(&["sync"]);
    }
    world.add().unwrap();
    let mounted = &world.machines[1];
    mounted.homefs(&["cat", "0.bin"]);
    world.server.clear_log();
    let never = Fault::before(FaultKind::Timeout).on(RemoteOperation::Get);
    world.server.fail(never.below("p/agents/me/.homefs/packs/").until_healed());
    let cat = |number: usize| -> Child {
        let mut command = shell(mounted, &format!("cat {number}.bin"));
        command.stdout(Stdio::null()).spawn().unwrap()
    };
    let waiting: Vec<Child> = (1..=8).map(cat).collect();
    let unanswered = || {
        let log = world.server.log();
        log.iter().filter(|exchange| exchange.status.is_none()).count()
    };
    while unanswered() < waiting.len() {
        check_alive(mounted, "few wait");
    }
    // More calls wait than a few; all else goes on as ever.
    assert_eq!(run(&mut shell(mounted, "ls *.bin | wc -l")).trim(), "10");
    assert_eq!(fs::read(mounted.path("0.bin")).unwrap().len(), 70_000);
    run(&mut shell(mounted, "echo one > new.md && echo two >> new.md && mv new.md newer.md"));
    assert_eq!(fs::read_to_string(mounted.path("newer.md")).unwrap(), "one\ntwo\n");
    // The plug is pulled: whoever waits hears of it, and nobody takes a part for the whole.
    let World { machines, server } = world;
    drop(server);
    for child in waiting {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(both(&output).contains("timed out"), "{}", both(&output));
    }
    let mounted = &machines[1];
    let output = shell(mounted, "cp 9.bin copy.bin").output().unwrap();
    assert!(!output.status.success() && both(&output).contains("timed out"), "{}", both(&output));
    assert_eq!(fs::read(mounted.path("0.bin")).unwrap().len(), 70_000);
    fs::write(mounted.path("more.md"), "still at work").unwrap();
}

#[test]
fn conflicts_are_a_file_to_read() {
    let Some(world) = World::new(2) else { return };
    let [one, two] = &world.machines[..] else { unreachable!("there are two") };
    fs::write(one.path("note.md"), "buy milk\n").unwrap();
    world.wait_until("note.md", |note| note == "buy milk\n");
    world.server.fail(Fault::before(FaultKind::Status(503)).until_healed());
    fs::write(one.path("note.md"), "buy oat milk\n").unwrap();
    fs::write(two.path("note.md"), "buy goat milk\n").unwrap();
    world.server.heal();
    world.wait_until(":conflicts", |listed| listed.contains("/note.md"));
    world.wait_until("note.md", |note| note.contains("oat") && note.contains("goat"));
    world.check_same();
}
