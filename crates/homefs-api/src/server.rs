//! What an owner does for other processes: a thread that accepts, and one per connection.

use std::collections::HashMap;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use homefs_core::{ClientId, Error, ErrorKind, Result};
use homefs_view::{Origin, View, Writer};
use parking_lot::{Condvar, Mutex, RwLock};
use rustix::net::sockopt::socket_peercred;

use crate::channel::{Channel, Fault};
use crate::descriptors;
use crate::hello::{self, Introduction, Welcome};
use crate::message::{Answer, Call, ErrorMessage, Reply};
use crate::mounts::Mounts;
use crate::operations::{Request, Response, dispatch};
use crate::role::{Opened, Role, Shared, Tenure, view_of};
use crate::socket;

/// Connections served at once; each has a thread, and one for each descriptor of so many.
const CONNECTIONS_MAX: usize = 2048;
const DESCRIPTORS_EACH: usize = 4;
/// How long a client may take to introduce itself, and to take an answer.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long one call waits for an operation that asks the remote, so that an owner that leaves
/// need not wait longer.
const ASKING_SLICE: Duration = Duration::from_millis(250);

/// The service of a store that this process owns.
pub(crate) struct Server {
    service: Arc<Service>,
    thread: JoinHandle<Result<()>>,
}

struct Service {
    opened: Opened,
    dir: PathBuf,
    role: Arc<RwLock<Role>>,
    tenure: Arc<Mutex<Tenure>>,
    mounts: Arc<Mounts>,
    listener: UnixListener,
    stopping: AtomicBool,
    connections: Mutex<HashMap<u64, Arc<UnixStream>>>,
    disconnected: Condvar,
}

impl Server {
    /// Starts to serve a store; it stops by itself when it hands the store over.
    pub(crate) fn start(opened: &Opened, shared: &Shared) -> Result<Self> {
        let dir = &shared.options.dir;
        let listener = socket::listen(dir)
            .map_err(|error| Error::io("listen on the store's socket", error))
            .map_err(|error| error.with_path_text(dir.to_string_lossy()))?;
        let service = Arc::new(Service {
            opened: opened.clone(),
            dir: dir.to_owned(),
            role: Arc::clone(&shared.role),
            tenure: Arc::clone(&shared.tenure),
            mounts: Arc::clone(&shared.mounts),
            listener,
            stopping: AtomicBool::new(false),
            connections: Mutex::default(),
            disconnected: Condvar::new(),
        });
        let accepting = Arc::clone(&service);
        let thread = thread::Builder::new()
            .name("homefs-owner".into())
            .spawn(move || accepting.run())
            .map_err(|error| Error::io("start the owner's thread", error))?;
        Ok(Self { service, thread })
    }

    /// Finishes what runs, closes the store and gives it up.
    pub(crate) fn stop(self) -> Result<()> {
        self.service.stop();
        self.thread
            .join()
            .unwrap_or_else(|_| Err(Error::new(ErrorKind::Internal, "the owner's thread panicked")))
    }
}

impl Service {
    /// Wakes the accepting thread to leave.
    fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        if let Err(error) = rustix::net::shutdown(&self.listener, rustix::net::Shutdown::Both) {
            tracing::warn!(%error, "the owner's socket does not shut down");
        }
    }

    fn run(self: Arc<Self>) -> Result<()> {
        for number in 0.. {
            let accepted = self.listener.accept();
            if self.stopping.load(Ordering::Acquire) {
                break;
            }
            let admitted = accepted.and_then(|(socket, _)| self.admit(number, socket));
            if let Err(error) = admitted {
                tracing::warn!(%error, "a client could not be admitted");
                // Too many open files, most likely: one that closes makes room.
                let mut connections = self.connections.lock();
                self.disconnected.wait_for(&mut connections, Duration::from_millis(50));
            }
        }
        self.leave()
    }

    /// Starts the thread of a connection.
    fn admit(self: &Arc<Self>, number: u64, socket: UnixStream) -> io::Result<()> {
        socket.set_read_timeout(Some(CLIENT_TIMEOUT))?;
        socket.set_write_timeout(Some(CLIENT_TIMEOUT))?;
        let socket = Arc::new(socket);
        let mut connections = self.connections.lock();
        let most = CONNECTIONS_MAX.min(descriptors::limit() / DESCRIPTORS_EACH);
        if connections.len() >= most {
            let message = format!("the owner already serves {most} connections");
            let refusal = Error::new(ErrorKind::LimitExceeded, message);
            welcome(&mut Channel::new(socket), &Err(refusal.into())).ok();
            return Ok(());
        }
        let service = Arc::clone(self);
        let channel = Channel::new(Arc::clone(&socket));
        thread::Builder::new().name(format!("homefs-{number}")).spawn(move || {
            let connection = Connection { service, number };
            if let Err(Fault::Final(error)) = connection.service.converse(channel) {
                tracing::warn!(%error, "a connection ended");
            }
        })?;
        connections.insert(number, socket);
        Ok(())
    }

    /// Serves one connection until the client hangs up or the owner leaves.
    fn converse(&self, mut channel: Channel) -> Result<(), Fault> {
        let introduced = introduction(&mut channel);
        let prepared = introduced.and_then(|Introduction { client, who, groups }| {
            let view = view_of(&self.opened.store, &who, groups.as_ref())?;
            Ok(Conversation { client, view, upload: None, asking: None })
        });
        let mut conversation = match prepared {
            Ok(conversation) => conversation,
            Err(Fault::Broken(error)) => return Err(Fault::Broken(error)),
            Err(Fault::Final(error)) => {
                welcome(&mut channel, &Err(error.clone().into()))?;
                return Err(Fault::Final(error));
            }
        };
        welcome(&mut channel, &Ok(()))?;
        channel.socket().set_read_timeout(None).map_err(Fault::Broken)?;
        loop {
            let call = match channel.receive(&mut timed_out) {
                Ok(call) => call,
                Err(Fault::Final(error)) => {
                    // Whatever follows a message that makes no sense makes none either.
                    channel.send(&Reply::Err(error.clone().into()), &mut timed_out)?;
                    return Err(Fault::Final(error));
                }
                Err(broken) => return Err(broken),
            };
            let leaving = matches!(call, Call::HandOver);
            // A defect must not take the store from the other clients.
            let reply = catch_unwind(AssertUnwindSafe(|| conversation.answer(self, call)))
                .unwrap_or_else(|_| Err(Error::new(ErrorKind::Internal, "the owner panicked")));
            let leaving = leaving && reply.is_ok();
            let sent = match channel.send(&reply.map_err(ErrorMessage::from), &mut timed_out) {
                Err(Fault::Final(too_long)) => {
                    channel.send(&Reply::Err(too_long.into()), &mut timed_out)
                }
                sent => sent,
            };
            if leaving {
                self.stop();
            }
            sent?;
        }
    }

    /// Agrees to hand over, unless something needs this process to stay the owner.
    fn agree(&self) -> Result<Answer> {
        let mut tenure = self.tenure.lock();
        if tenure.holds > 0 {
            let pid = std::process::id();
            let message =
                format!("the owner (pid {pid}) keeps the store, because it serves a mount");
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        tenure.leaving = true;
        Ok(Answer::Done)
    }

    /// Finishes what runs and gives the store up.
    fn leave(&self) -> Result<()> {
        // Before the lock is released, because after that the name belongs to the next owner.
        if let Err(error) = socket::remove(&self.dir) {
            tracing::warn!(%error, "the owner's socket could not be removed");
        }
        let mut connections = self.connections.lock();
        for socket in connections.values() {
            // Only what is to be read ends: a running call still gets its answer. A connection
            // that is gone already needs nothing.
            socket.shutdown(Shutdown::Read).ok();
        }
        while !connections.is_empty() {
            self.disconnected.wait(&mut connections);
        }
        drop(connections);
        // Calls of this process wait here and then find themselves clients.
        let mut role = self.role.write();
        let closed = self.opened.store.close();
        if let Err(error) = &closed {
            tracing::error!(%error, "the store was not closed well");
        }
        self.tenure.lock().end();
        if let Role::Owner { .. } = *role {
            *role = Role::Client;
        }
        closed
    }
}

/// Ends a connection, also when its thread panics: an owner leaves when none is left.
struct Connection {
    service: Arc<Service>,
    number: u64,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.service.connections.lock().remove(&self.number);
        self.service.disconnected.notify_all();
    }
}

/// What the owner knows of one client.
struct Conversation {
    client: ClientId,
    view: View,
    upload: Option<Writer>,
    /// What is to come of an operation that asks the remote.
    asking: Option<Receiver<Result<Response>>>,
}

impl Conversation {
    fn answer(&mut self, service: &Service, call: Call) -> Result<Answer> {
        match call {
            Call::Request { number, request } => {
                let view = match number {
                    Some(number) => self.view.with_origin(Origin { client: self.client, number }),
                    None => self.view.clone(),
                };
                let opened = Opened { view, ..service.opened.clone() };
                if request.operation().asks {
                    return self.ask(opened, request);
                }
                dispatch(&opened, request).map(answer)
            }
            Call::GoOn => self.go_on(),
            Call::UploadOpen { number, path, options } => {
                self.upload = None;
                let view = self.view.with_origin(Origin { client: self.client, number });
                self.upload = Some(view.writer(&path, &options)?);
                Ok(Answer::Done)
            }
            Call::UploadPush(bytes) => {
                let upload = self.upload.as_mut().ok_or_else(no_upload)?;
                upload.push(&bytes)?;
                Ok(Answer::Done)
            }
            Call::UploadFinish => {
                let upload = self.upload.take().ok_or_else(no_upload)?;
                upload.finish().map(Answer::Version)
            }
            Call::HandOver => service.agree(),
            Call::Mounts(call) => service.mounts.answer(&self.view, call),
        }
    }

    /// Starts an operation that asks the remote, on a thread that nobody waits for when the owner
    /// leaves: it ends with the store.
    fn ask(&mut self, opened: Opened, request: Request) -> Result<Answer> {
        if self.asking.is_some() {
            let message = "an operation is still under way on this connection";
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        let (sender, receiver) = mpsc::channel();
        thread::Builder::new()
            .name("homefs-asking".into())
            // A client that is gone does not hear the answer.
            .spawn(move || sender.send(dispatch(&opened, request)).ok())
            .map_err(|error| Error::io("start a thread to ask the remote", error))?;
        self.asking = Some(receiver);
        self.go_on()
    }

    /// Waits a moment for what the remote says.
    fn go_on(&mut self) -> Result<Answer> {
        let Some(asking) = self.asking.take() else {
            let message = "no operation is under way on this connection";
            return Err(Error::new(ErrorKind::Invalid, message));
        };
        match asking.recv_timeout(ASKING_SLICE) {
            Ok(outcome) => outcome.map(answer),
            Err(RecvTimeoutError::Timeout) => {
                self.asking = Some(asking);
                Ok(Answer::Working)
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(Error::new(ErrorKind::Internal, "the owner panicked"))
            }
        }
    }
}

fn answer(response: Response) -> Answer {
    Answer::Response(Box::new(response))
}

/// Waits for the client to say who it is.
fn introduction(channel: &mut Channel) -> Result<Introduction, Fault> {
    let peer = socket_peercred(channel.socket()).map_err(|error| Fault::Broken(error.into()))?;
    if peer.uid != rustix::process::geteuid() {
        let message = "the store belongs to another user of this host";
        return Err(Fault::Final(Error::new(ErrorKind::Denied, message)));
    }
    let name = format!("the client (pid {})", peer.pid.as_raw_nonzero());
    channel.receive_hello(&mut timed_out, |hello| hello::decode(hello, &name))
}

/// Answers an introduction.
fn welcome(channel: &mut Channel, welcome: &Welcome) -> Result<(), Fault> {
    channel.send_bytes(&hello::encode(welcome)?, &mut timed_out)
}

/// Gives a client up that takes too long.
fn timed_out() -> Result<(), Fault> {
    Err(Fault::Broken(io::ErrorKind::TimedOut.into()))
}

fn no_upload() -> Error {
    Error::new(ErrorKind::Invalid, "no upload is under way on this connection")
}
