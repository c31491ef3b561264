//! Searches for lines that take more than one call.

use homefs_core::Result;
use homefs_view::{GrepOptions, Grepped};

use crate::client::Client;

impl Client {
    /// Finds lines as [`Client::grep`] does, until there are as many as the limit says; one call
    /// reads a bounded part of the files.
    pub fn grep_all(&self, pattern: &str, options: &GrepOptions) -> Result<Grepped> {
        self.grep_while(pattern, options, || true)
    }

    /// Finds lines as [`Client::grep_all`] does, for as long as somebody wants them.
    pub fn grep_while(
        &self,
        pattern: &str,
        options: &GrepOptions,
        is_wanted: impl Fn() -> bool,
    ) -> Result<Grepped> {
        let mut options = options.clone();
        let mut answer = Grepped { next: options.since.take(), ..Grepped::default() };
        let limit = options.limit;
        while answer.lines.len() < limit {
            options.limit = limit - answer.lines.len();
            options.since = answer.next.take();
            let page = self.grep(pattern, &options)?;
            answer.lines.extend(page.lines);
            answer.next = page.next;
            answer.unread += page.unread;
            answer.first_unread = answer.first_unread.or(page.first_unread);
            if answer.next.is_none() || !is_wanted() {
                break;
            }
        }
        Ok(answer)
    }
}
