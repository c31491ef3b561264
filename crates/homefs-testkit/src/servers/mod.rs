//! Servers that others wrote, of S3, Azure, Google and Chroma, each in a process of its own on
//! 127.0.0.1.
//!
//! They show what the server of this kit cannot: that the code above does not depend on it. Each
//! is a file here, with the command line that starts it. `cargo xtask test` gets their programs.
#![expect(clippy::disallowed_methods, reason = "other programs need real files and a search path")]

mod azurite;
mod chroma;
mod fake_gcs;
mod minio;
mod moto;
mod rclone;
mod seaweedfs;

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::programs::own_program;

pub use self::azurite::AZURITE;
pub use self::chroma::CHROMA;
pub use self::fake_gcs::FAKE_GCS;
pub use self::minio::MINIO;
pub use self::moto::MOTO;
pub use self::rclone::RCLONE;
pub use self::seaweedfs::SEAWEEDFS;

/// The name of the bucket.
const BUCKET: &str = "homefs-test";
/// Where its server keeps its log, in the folder that it works in.
const LOG: &str = "log";
/// How often a server is asked whether it is ready, and how long to wait in between: five minutes
/// on a machine that is busy with other things.
const TRIES: usize = 6000;
const PAUSE: Duration = Duration::from_millis(50);
/// How long an answer of a server on the same host may take.
const ANSWER: Duration = Duration::from_secs(5);

/// Runs a server until it ends, or until the input does: it must not outlive the test, however
/// that ends.
const KEEPER: &str = "exec 3<&0; \"$@\" 3<&- & server=$!; \
                      { read end <&3; kill -9 $server; } & wait $server";

/// How a server is started.
pub struct ServerKind {
    /// What people call it.
    pub name: &'static str,
    program: &'static str,
    /// What the addresses of its buckets begin with.
    scheme: &'static str,
    /// What clients put between the server and the bucket.
    path: &'static str,
    /// The variables that tell clients of its key.
    key: &'static [(&'static str, &'static str)],
    /// How many ports it needs; clients talk to the first.
    ports: usize,
    /// Prepares the empty folder that the server works in, and returns what follows the program.
    prepare: fn(&Path, &[u16]) -> io::Result<Vec<String>>,
    /// What runs instead of the program, and is beside it; the program then shows that it is there.
    interpreter: Option<&'static str>,
    environment: &'static [(&'static str, &'static str)],
    /// What is asked, one after the other, until the bucket is there and the server is ready: which
    /// port, and the method and the path.
    opening: &'static [(usize, &'static str)],
}

/// A running server of others. It ends when this is dropped.
pub struct ForeignServer {
    name: &'static str,
    keeper: Child,
    ports: Vec<u16>,
    scheme: &'static str,
    path: &'static str,
    key: &'static [(&'static str, &'static str)],
    opening: &'static [(usize, &'static str)],
    /// What runs it, in the folder.
    command: Command,
    folder: TempDir,
}

/// The key of a server of S3, as clients look for it.
const S3_KEY: &[(&str, &str)] = &[
    ("AWS_ACCESS_KEY_ID", ForeignServer::ACCESS_KEY),
    ("AWS_SECRET_ACCESS_KEY", ForeignServer::SECRET_KEY),
];

impl ForeignServer {
    /// The access key that the server knows, if it checks any.
    pub const ACCESS_KEY: &str = "test-access-key";

    /// The secret that belongs to it.
    pub const SECRET_KEY: &str = "test-secret-key";

    /// Starts a server with an empty bucket; says on standard error if its program is missing.
    ///
    /// # Errors
    /// If the server is there and does not start.
    pub fn start(kind: &ServerKind) -> io::Result<Option<Self>> {
        let Some(program) = own_program(kind.program) else { return Ok(None) };
        let program = kind.interpreter.map_or(program.clone(), |name| program.with_file_name(name));
        let folder = tempfile::tempdir()?;
        let ports = free_ports(kind.ports)?;
        let arguments = (kind.prepare)(folder.path(), &ports)?;
        let log = File::create(folder.path().join(LOG))?;
        let mut command = Command::new("sh");
        command
            .args(["-c", KEEPER, "sh"])
            .arg(program)
            .args(arguments)
            .envs(kind.environment.iter().copied())
            .env("HOME", folder.path())
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(log.try_clone()?)
            .stderr(log);
        let keeper = command.spawn()?;
        let ServerKind { name, scheme, path, key, opening, .. } = *kind;
        let mut server = Self { name, keeper, ports, scheme, path, key, opening, command, folder };
        server.wait_until_ready()?;
        Ok(Some(server))
    }

    /// Kills it; what it has on disk stays.
    ///
    /// # Errors
    /// If it cannot be waited for.
    pub fn stop(&mut self) -> io::Result<()> {
        // The end of its input is the keeper's sign.
        drop(self.keeper.stdin.take());
        self.keeper.wait().map(drop)
    }

    /// Starts it again, at the same address, after it was stopped.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_again(&mut self) -> io::Result<()> {
        self.keeper = self.command.spawn()?;
        self.wait_until_ready()
    }

    fn wait_until_ready(&mut self) -> io::Result<()> {
        for (port, request) in self.opening {
            self.wait_for(self.ports[*port], request)?;
        }
        Ok(())
    }

    /// Returns where it listens, as clients want it: `http://127.0.0.1:…`.
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.ports[0], self.path)
    }

    /// Returns the address of a prefix in its bucket, which clients must address in the path.
    pub fn address(&self, prefix: &str) -> String {
        format!("{}://{BUCKET}/{prefix}", self.scheme)
    }

    /// Returns the variables that tell clients of the key that the server knows.
    pub fn key(&self) -> &'static [(&'static str, &'static str)] {
        self.key
    }

    /// Asks until there is an answer that does not say that the server is not ready.
    fn wait_for(&mut self, port: u16, request: &str) -> io::Result<()> {
        for _ in 0..TRIES {
            if ask(port, request).is_ok_and(|status| status < 500) {
                return Ok(());
            }
            if self.keeper.try_wait()?.is_some() {
                break;
            }
            thread::park_timeout(PAUSE);
        }
        let log = fs::read_to_string(self.folder.path().join(LOG)).unwrap_or_default();
        Err(io::Error::other(format!("{} does not answer {request}; its log: {log}", self.name)))
    }
}

impl Drop for ForeignServer {
    fn drop(&mut self) {
        // The folder goes when nobody writes there.
        let _ended = self.stop();
    }
}

/// Returns ports that nobody uses at the moment.
fn free_ports(count: usize) -> io::Result<Vec<u16>> {
    // All are held at once, so that no two are the same.
    let listen = |_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let held: Vec<_> = (0..count).map(listen).collect::<io::Result<_>>()?;
    held.iter().map(|listener| Ok(listener.local_addr()?.port())).collect()
}

/// Sends a request without content and returns the status of the answer.
fn ask(port: u16, request: &str) -> io::Result<u16> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(ANSWER))?;
    write!(
        stream,
        "{request} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 0\r\n\
         Connection: close\r\n\r\n"
    )?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
    status.ok_or_else(|| io::Error::other("that is no answer of HTTP"))
}
