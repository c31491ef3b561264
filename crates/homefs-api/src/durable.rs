//! Changes that return when the remote has them.
//!
//! Such a change is made here first, and then waits as every call does that asks a remote: with
//! nothing locked, so that this process can hand the store over meanwhile.

use bytes::Bytes;
use homefs_core::{Path, Result, Version};
use homefs_view::{Durability, Edit, REMOTE_WAIT, View, WriteOptions};

use crate::client::Client;
use crate::operations::{Request, Response, unlike};

impl Client {
    /// Writes a whole file.
    pub fn write(&self, path: &Path, content: &[u8], options: &WriteOptions) -> Result<Version> {
        self.durably(
            options,
            |view, options| view.write(path, content, options),
            |options| Request::Write {
                path: path.clone(),
                content: Bytes::copy_from_slice(content),
                options,
            },
        )
    }

    /// Adds to the end of a file.
    pub fn append(&self, path: &Path, content: &[u8], options: &WriteOptions) -> Result<Version> {
        self.durably(
            options,
            |view, options| view.append(path, content, options),
            |options| Request::Append {
                path: path.clone(),
                content: Bytes::copy_from_slice(content),
                options,
            },
        )
    }

    /// Changes a text in one place.
    pub fn edit(&self, path: &Path, edit: &Edit, options: &WriteOptions) -> Result<Version> {
        self.durably(
            options,
            |view, options| view.edit(path, edit, options),
            |options| Request::Edit { path: path.clone(), edit: edit.clone(), options },
        )
    }

    /// Makes a change of a file, by the view of this process or by asking the owner.
    fn durably(
        &self,
        options: &WriteOptions,
        here: impl FnOnce(&View, &WriteOptions) -> Result<Version>,
        there: impl FnOnce(WriteOptions) -> Request,
    ) -> Result<Version> {
        if options.durability == Durability::Remote {
            let local = WriteOptions { durability: Durability::Memory, ..options.clone() };
            let version = self.durably(&local, here, there)?;
            self.barrier_remote(REMOTE_WAIT)?;
            return Ok(version);
        }
        if let Some(opened) = self.here() {
            return here(&opened.view, options);
        }
        match self.send(there(options.clone()))? {
            Response::Write(version) | Response::Append(version) | Response::Edit(version) => {
                Ok(version)
            }
            _ => Err(unlike("a change of a file")),
        }
    }
}

/// Makes a change durable in memory that is to be durable in the remote; tells whether it was.
pub(crate) fn defer(request: &mut Request) -> bool {
    let (Request::Write { options, .. }
    | Request::Append { options, .. }
    | Request::Edit { options, .. }) = request
    else {
        return false;
    };
    let is_remote = options.durability == Durability::Remote;
    if is_remote {
        options.durability = Durability::Memory;
    }
    is_remote
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{self, Sender};
    use std::thread;

    use homefs_core::{AgentId, Remote, RemoteAnswer, RemoteCounters, RemoteRequest};
    use homefs_testkit::{MemoryRemote, MemoryServer};
    use homefs_view::{AttachOptions, Who};
    use parking_lot::{Condvar, Mutex};

    use super::*;
    use crate::client::ClientOptions;
    use crate::lent::Lent;

    /// A remote that says when it is asked, and answers when it may.
    struct Gate {
        remote: MemoryRemote,
        asked: Mutex<Sender<()>>,
        open: Mutex<bool>,
        moved: Condvar,
    }

    impl Remote for Gate {
        fn run(&self, requests: Vec<RemoteRequest>) -> Vec<Result<RemoteAnswer>> {
            // The test may have seen enough.
            self.asked.lock().send(()).ok();
            self.moved.wait_while(&mut self.open.lock(), |open| !*open);
            self.remote.run(requests)
        }

        fn describe(&self) -> String {
            self.remote.describe()
        }

        fn counters(&self) -> RemoteCounters {
            self.remote.counters()
        }
    }

    /// Asks for a change that waits for the remote, and lets another process take the store over
    /// meanwhile.
    fn hands_over(write: impl FnOnce(&Client, &Path, &WriteOptions) -> Result<Version> + Send) {
        let dir = tempfile::tempdir().unwrap();
        let who = Who { agent: AgentId::new("me").unwrap(), operator: false, all: false };
        let open = || Client::open(ClientOptions::new(dir.path(), who.clone())).unwrap();
        let (owner, path) = (open(), Path::parse("/a").unwrap());
        let (asked, is_asked) = mpsc::channel();
        let gate = Arc::new(Gate {
            remote: MemoryServer::new().remote("a"),
            asked: Mutex::new(asked),
            open: Mutex::default(),
            moved: Condvar::new(),
        });
        let options =
            AttachOptions { machine_name: "a".into(), home_at_prefix: Some(who.agent.clone()) };
        owner.here().unwrap().store.attach(Arc::clone(&gate) as _, &options).unwrap();
        let options = WriteOptions { durability: Durability::Remote, ..WriteOptions::default() };
        thread::scope(|scope| {
            let writing = scope.spawn(|| write(&owner, &path, &options));
            is_asked.recv().unwrap();
            let other = open();
            other.take_over().unwrap();
            assert_eq!(other.read(&path).unwrap(), "far");
            *gate.open.lock() = true;
            gate.moved.notify_all();
            // The next owner has no remote.
            writing.join().unwrap().unwrap_err();
        });
    }

    #[test]
    fn an_owner_whose_change_waits_for_the_remote_hands_over() {
        hands_over(|owner, path, options| owner.write(path, b"far", options));
    }

    #[test]
    fn so_it_does_where_the_change_came_by_a_connection_that_was_lent() {
        hands_over(|owner, path, options| {
            let lent = Lent::new(owner.lend().unwrap()).unwrap();
            lent.write(path, b"far", options)
        });
    }
}
