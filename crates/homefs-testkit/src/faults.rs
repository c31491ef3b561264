//! Faults to order from a server of the kit: which requests fail, how, and how often.
//!
//! A fault says whether the request takes effect first. A client sees no difference, and that is
//! the hard part of talking to a remote: a failed put may have happened.

use std::time::Duration;

/// What a request asks of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RemoteOperation {
    /// Reads an object.
    Get,
    /// Asks for an object's size, tag and time only.
    Head,
    /// Writes an object.
    Put,
    /// Removes one object, or several at once.
    Delete,
    /// Lists a page of keys.
    List,
    /// Anything else.
    Other,
}

/// How a request fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The server answers with this status.
    Status(u16),
    /// The server answers with this status, and this word for the reason.
    Refusal(u16, &'static str),
    /// The connection ends without an answer.
    Reset,
    /// The server never answers.
    Timeout,
    /// The answer promises all of its content and ends halfway; one without content is a reset.
    Truncate,
    /// The content of the answer takes this long to come, and then is whole.
    Slow(Duration),
}

/// A rule that makes requests fail: by default the next one, whatever it asks.
#[derive(Clone, Debug)]
pub struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) takes_effect: bool,
    operation: Option<RemoteOperation>,
    prefix: String,
    machine: Option<String>,
    skipped: u64,
    count: u64,
}

impl Fault {
    /// Fails a request that takes no effect.
    #[must_use]
    pub fn before(kind: FaultKind) -> Self {
        Self {
            kind,
            takes_effect: false,
            operation: None,
            prefix: String::new(),
            machine: None,
            skipped: 0,
            count: 1,
        }
    }

    /// Fails a request that takes effect all the same.
    #[must_use]
    pub fn after(kind: FaultKind) -> Self {
        Self { takes_effect: true, ..Self::before(kind) }
    }

    /// Fails requests for this operation only.
    #[must_use]
    pub fn on(mut self, operation: RemoteOperation) -> Self {
        self.operation = Some(operation);
        self
    }

    /// Fails requests whose key, or whose prefix to list, starts so.
    #[must_use]
    pub fn below(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Fails requests of one machine only; the S3 server cannot tell machines apart.
    #[must_use]
    pub fn of(mut self, machine: impl Into<String>) -> Self {
        self.machine = Some(machine.into());
        self
    }

    /// Lets so many requests pass that it would fail.
    #[must_use]
    pub fn skip(mut self, requests: u64) -> Self {
        self.skipped = requests;
        self
    }

    /// Fails so many requests.
    #[must_use]
    pub fn times(mut self, requests: u64) -> Self {
        self.count = requests;
        self
    }

    /// Fails every such request until the server is healed.
    #[must_use]
    pub fn until_healed(self) -> Self {
        self.times(u64::MAX)
    }

    /// Tells whether the rule is about such a request.
    fn concerns(&self, machine: &str, operation: RemoteOperation, key: &str) -> bool {
        self.operation.is_none_or(|wanted| wanted == operation)
            && key.starts_with(&self.prefix)
            && self.machine.as_deref().is_none_or(|wanted| wanted == machine)
    }
}

/// The faults that are ordered and have not all happened yet.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    /// Orders one more.
    pub(crate) fn add(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    /// Forgets all of them.
    pub(crate) fn heal(&mut self) {
        self.0.clear();
    }

    /// Returns the fault that this request meets: that of the oldest rule that is about it.
    pub(crate) fn meet(
        &mut self,
        machine: &str,
        operation: RemoteOperation,
        key: &str,
    ) -> Option<Fault> {
        for fault in self.0.iter_mut().filter(|fault| fault.concerns(machine, operation, key)) {
            if fault.skipped > 0 {
                fault.skipped -= 1;
            } else if fault.count > 0 {
                fault.count -= 1;
                return Some(fault.clone());
            }
        }
        None
    }
}
