//! The part of a remote below a prefix, as a remote of its own: where one space lives.

use std::sync::Arc;

use homefs_core::{Remote, RemoteAnswer, RemoteCounters, RemoteRequest, Result};

/// A remote below a prefix of another.
pub(crate) struct Below {
    whole: Arc<dyn Remote>,
    /// Ends with `/`, or is empty.
    prefix: String,
}

impl Below {
    /// Returns the part of a remote whose keys begin so.
    pub(crate) fn new(whole: Arc<dyn Remote>, prefix: impl Into<String>) -> Self {
        Self { whole, prefix: prefix.into() }
    }

    fn ask(&self, mut request: RemoteRequest) -> RemoteRequest {
        match &mut request {
            RemoteRequest::Get { key, .. }
            | RemoteRequest::Put { key, .. }
            | RemoteRequest::Delete { key } => key.insert_str(0, &self.prefix),
            RemoteRequest::List { prefix, after } => {
                prefix.insert_str(0, &self.prefix);
                if let Some(after) = after {
                    after.insert_str(0, &self.prefix);
                }
            }
        }
        request
    }

    fn answer(&self, mut answer: RemoteAnswer) -> RemoteAnswer {
        if let RemoteAnswer::Listed { objects, .. } = &mut answer {
            for object in objects {
                object.key.drain(..self.prefix.len());
            }
        }
        answer
    }
}

impl Remote for Below {
    fn run(&self, requests: Vec<RemoteRequest>) -> Vec<Result<RemoteAnswer>> {
        let requests = requests.into_iter().map(|request| self.ask(request)).collect();
        let answers = self.whole.run(requests).into_iter();
        answers.map(|answer| Ok(self.answer(answer?))).collect()
    }

    fn describe(&self) -> String {
        let whole = self.whole.describe();
        if self.prefix.is_empty() {
            return whole;
        }
        format!("{}/{}", whole.trim_end_matches('/'), self.prefix.trim_end_matches('/'))
    }

    fn counters(&self) -> RemoteCounters {
        self.whole.counters()
    }

    fn is_read_only(&self) -> bool {
        self.whole.is_read_only()
    }
}

#[cfg(test)]
mod tests {
    use homefs_testkit::{MemoryServer, remote_conformance};

    use super::*;

    #[test]
    fn what_is_below_a_prefix_is_a_remote_like_any_other() {
        remote_conformance(&|| {
            let server = MemoryServer::new();
            // Neighbours that a sloppy prefix would show.
            server.put("agents/m", "x");
            server.put("agents/me.md", "x");
            server.put("agents/mea/x", "x");
            Box::new(Below::new(Arc::new(server.remote("a")), "agents/me/"))
        });
    }

    #[test]
    fn without_a_prefix_it_is_the_remote_itself() {
        let server = MemoryServer::new();
        let whole = Below::new(Arc::new(server.remote("a")), "");
        assert_eq!(whole.describe(), "memory:a");
        let below = Below::new(Arc::new(whole), "shared/x/");
        assert_eq!(below.describe(), "memory:a/shared/x");
    }
}
