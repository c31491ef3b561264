//! Peers that are not what they should be.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path as HostPath;
use std::thread;

use homefs_api::{Client, ClientOptions, Request};
use homefs_core::ErrorKind;
use homefs_view::{Components, Settings, Store, WriteOptions};
use rustix::process::{Resource, getrlimit};
use tempfile::tempdir;

use crate::child::Child;
use crate::{me, open, path};

/// A hello of a later homefs, as a frame.
fn later_hello() -> Vec<u8> {
    let mut body = b"homefs\0\n".to_vec();
    body.extend_from_slice(&999_u32.to_le_bytes());
    body.extend_from_slice(b"\x059.9.9whatever follows");
    frame(&body)
}

fn frame(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).expect("the test's frame is short");
    [&length.to_le_bytes(), body].concat()
}

/// Sends bytes to the owner and returns what it says before it hangs up.
pub(crate) fn say(dir: &HostPath, bytes: &[u8]) -> Vec<u8> {
    let mut socket = UnixStream::connect(dir.join("socket")).expect("the owner listens");
    socket.write_all(bytes).expect("the owner reads");
    socket.shutdown(std::net::Shutdown::Write).expect("the socket is open");
    let mut said = Vec::new();
    // An owner that hangs up with bytes unread resets the connection.
    socket.read_to_end(&mut said).ok();
    said
}

#[test]
fn a_client_of_another_protocol_is_told_both_versions() {
    let dir = tempdir().unwrap();
    let owner = open(dir.path());
    let said = say(dir.path(), &later_hello());
    assert!(said[4..].starts_with(b"homefs\0\n\x0d\0\0\0"), "{said:?}");
    assert!(owner.read(&path("/a")).is_err_and(|error| error.kind() == ErrorKind::NotFound));
}

#[test]
fn an_owner_of_another_protocol_is_told_of() {
    let dir = tempdir().unwrap();
    let store = Store::open(dir.path(), Settings::default(), Components::host()).unwrap();
    let listener = UnixListener::bind(dir.path().join("socket")).unwrap();
    let owner = thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        socket.write_all(&later_hello()).unwrap();
        socket.read_to_end(&mut Vec::new()).ok();
    });
    let error = Client::open(ClientOptions::new(dir.path(), me())).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let message = error.message();
    assert!(message.contains("9.9.9") && message.contains(env!("CARGO_PKG_VERSION")), "{message}");
    owner.join().unwrap();
    store.close().unwrap();
}

#[test]
fn garbage_does_not_hurt_the_owner() {
    let dir = tempdir().unwrap();
    let owner = open(dir.path());
    let client = open(dir.path());
    client.write(&path("/a"), b"a", &WriteOptions::default()).unwrap();
    let greeting = introduction();
    for garbage in [
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        Vec::new(),
        vec![0xff; 100],
        frame(b""),
        frame(b"homefs\0\n"),
        [greeting.clone(), u32::MAX.to_le_bytes().to_vec()].concat(),
        [greeting.clone(), frame(&[0xff; 100])].concat(),
        [greeting.clone(), frame(b"")].concat(),
        [greeting.clone(), frame(&[0; 1000])].concat(),
        greeting[..20].to_vec(),
    ] {
        say(dir.path(), &garbage);
        assert_eq!(client.read(&path("/a")).unwrap(), "a");
    }
    assert_eq!(owner.read(&path("/a")).unwrap(), "a");
}

#[test]
fn a_first_message_that_is_too_long_is_refused_before_it_comes() {
    let dir = tempdir().unwrap();
    let _owner = open(dir.path());
    let mut socket = UnixStream::connect(dir.path().join("socket")).unwrap();
    socket.write_all(&(1_u32 << 20).to_le_bytes()).unwrap();
    let mut said = Vec::new();
    socket.read_to_end(&mut said).unwrap();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.contains("longer than 4096"), "{said}");
}

/// A good hello of a client: its number, then agent, operator, all, and no groups.
fn introduction() -> Vec<u8> {
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let length = [u8::try_from(version.len()).expect("it is short")];
    frame(&[b"homefs\0\n\x0d\0\0\0", &length[..], version, b"\x07\x02me\0\0\0"].concat())
}

#[test]
fn a_change_that_is_sent_again_is_made_once() {
    let dir = tempdir().unwrap();
    let owner = open(dir.path());
    let append = |number: u8| {
        let (content, options) = ("x".into(), WriteOptions::default());
        let request = Request::Append { path: path("/a"), content, options };
        // A request, with a number.
        let call = [&[0, 1, number], &postcard::to_stdvec(&request).unwrap()[..]].concat();
        say(dir.path(), &[introduction(), frame(&call)].concat())
    };
    let first = append(1);
    assert_eq!(append(1), first);
    assert_ne!(append(2), first);
    assert_eq!(owner.read(&path("/a")).unwrap(), "xx");
}

#[test]
fn more_clients_than_there_is_room_for_are_refused() {
    let dir = tempdir().unwrap();
    let owner = open(dir.path());
    let client = open(dir.path());
    client.write(&path("/a"), b"a", &WriteOptions::default()).unwrap();
    let socket = dir.path().join("socket");
    // One of four descriptors that the owner may have, and it may have more than most programs.
    let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let room = usize::try_from(descriptors / 4).unwrap_or(usize::MAX).min(2048);
    let connect = |_| UnixStream::connect(&socket).unwrap();
    let mut crowd: Vec<_> = (0..room.min(300)).map(connect).collect();
    if room > 302 {
        let one_more = open(dir.path());
        assert_eq!(one_more.read(&path("/a")).unwrap(), "a", "more than two hundred have room");
    }
    crowd.extend((crowd.len()..room - 1).map(connect));
    let error = Client::open(ClientOptions::new(dir.path(), me())).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    assert_eq!(client.read(&path("/a")).unwrap(), "a");
    drop(crowd);
    drop(owner);
    assert_eq!(client.read(&path("/a")).unwrap(), "a");
}

#[test]
fn another_user_is_refused() {
    const NOBODY: u32 = 65534;
    let dir = tempdir().unwrap();
    let _owner = open(dir.path());
    let socket = dir.path().join("socket");
    let mode = socket.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The file's mode keeps others out already; the check behind it is tested without.
    let open_to_all = |place: &HostPath, mode| {
        std::fs::set_permissions(place, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    open_to_all(dir.path(), 0o777);
    for file in ["socket", "lock", "format"] {
        open_to_all(&dir.path().join(file), 0o666);
    }
    let Ok(mut child) = Child::start_as(Some(NOBODY)) else {
        println!("skipped: only root can act as another user");
        return;
    };
    let refused = child.ask(&format!("greet {}", dir.path().display())).unwrap();
    assert!(refused.contains("belongs to another user"), "{refused}");
    let refused = child.ask(&format!("open {}", dir.path().display())).unwrap_err();
    assert!(refused.starts_with("denied") && refused.contains("another user"), "{refused}");
}
