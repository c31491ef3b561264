//! What a server is asked for, counted on the way there: how much is asked says how long it takes,
//! on a busy machine too.

use std::io::{BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use homefs_remote::ChromaAddress;
use parking_lot::Mutex;

use super::broken_servers::Request;
use super::collection::Collection;

/// What passed in some time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passed {
    /// The last word of the path of each request, and the bytes of its body.
    pub(crate) requests: Vec<(String, usize)>,
    /// The bytes of all answers.
    pub(crate) answered: usize,
}

/// A way to a server on which everything is counted.
pub(crate) struct Counter {
    /// The collection by this way.
    pub(crate) address: ChromaAddress,
    passed: Arc<Mutex<Passed>>,
}

impl Counter {
    /// Opens another way to a collection; it ends with the test.
    pub(crate) fn before(collection: &Collection) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let here = listener.local_addr().expect("it is bound").to_string();
        let there = collection.host();
        let address = collection.address().to_string().replace(&there, &here);
        let passed = Arc::<Mutex<Passed>>::default();
        let counted = Arc::clone(&passed);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let client = Arc::new(client);
                let server = Arc::new(TcpStream::connect(&there).expect("the server is there"));
                let one = (Arc::clone(&client), Arc::clone(&server), Arc::clone(&counted));
                thread::spawn(move || pass_requests(&one.0, &one.1, &one.2));
                let counted = Arc::clone(&counted);
                thread::spawn(move || pass_answers(&client, &server, &counted));
            }
        });
        Self { address: address.parse().expect("it is an address"), passed }
    }

    /// Does something, and returns what passed meanwhile beside what it returned.
    pub(crate) fn count<T>(&self, work: impl FnOnce() -> T) -> (T, Passed) {
        *self.passed.lock() = Passed::default();
        let done = work();
        (done, self.passed.lock().clone())
    }
}

/// Passes on what a client asks for, each request when it was counted.
fn pass_requests(client: &TcpStream, mut server: &TcpStream, passed: &Mutex<Passed>) {
    let mut reader = BufReader::new(client);
    while let Some(request) = Request::read(&mut reader) {
        let path = request.line().split(' ').nth(1).unwrap_or_default();
        let word = path.rsplit('/').next().unwrap_or_default().to_owned();
        passed.lock().requests.push((word, request.body.len()));
        let sent = server.write_all(request.head.as_bytes());
        if sent.and_then(|()| server.write_all(&request.body)).is_err() {
            break;
        }
    }
    // Either may have gone first.
    drop(server.shutdown(Shutdown::Both));
}

/// Passes on what the server answers, each part when it was counted.
fn pass_answers(mut client: &TcpStream, mut server: &TcpStream, passed: &Mutex<Passed>) {
    let mut part = vec![0; 1 << 16];
    while let Ok(bytes @ 1..) = server.read(&mut part) {
        passed.lock().answered += bytes;
        if client.write_all(&part[..bytes]).is_err() {
            break;
        }
    }
    drop(client.shutdown(Shutdown::Both));
}
