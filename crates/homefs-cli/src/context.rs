//! What a command works with: resolved settings, the store, the output.

use std::cell::OnceCell;

use homefs_api::{Client, ClientOptions};
use homefs_core::{AgentId, ErrorKind, Path};
use homefs_view::Who;

use crate::cli::Globals;
use crate::error::{Failure, Result};
use crate::output::Output;
use crate::pages;
use crate::settings::{self, Settings};

/// What a command works with.
pub(crate) struct Context {
    globals: Globals,
    /// Where everything is printed.
    pub(crate) output: Output,
    // Both are made when first asked for: `completions` needs neither, and `doctor` must run with
    // settings that cannot be read and a store that cannot be opened.
    settings: OnceCell<Settings>,
    client: OnceCell<Client>,
}

impl Context {
    /// Makes a context; nothing is read or opened yet.
    pub(crate) fn new(globals: Globals, output: Output) -> Self {
        Self { globals, output, settings: OnceCell::new(), client: OnceCell::new() }
    }

    /// Returns the settings.
    pub(crate) fn settings(&self) -> Result<&Settings> {
        if let Some(settings) = self.settings.get() {
            return Ok(settings);
        }
        let settings = settings::resolve(&self.globals)?;
        Ok(self.settings.get_or_init(|| settings))
    }

    /// Returns the store as the agent sees it.
    pub(crate) fn client(&self) -> Result<&Client> {
        self.open(self.who()?, self.groups())
    }

    /// Returns the groups that the arguments name for the session.
    pub(crate) fn groups(&self) -> Option<&[AgentId]> {
        self.globals.groups.as_deref()
    }

    /// Tells whether the arguments have --all.
    pub(crate) fn says_all(&self) -> bool {
        self.globals.all
    }

    /// Returns the store as the agent sees it, for a command to which --all means all that the agent
    /// sees: only an operator's view then starts above the homes.
    pub(crate) fn client_of_all(&self) -> Result<&Client> {
        let Globals { operator, all, .. } = self.globals;
        let who = Who { agent: self.settings()?.agent.clone(), operator, all: all && operator };
        self.open(who, self.groups())
    }

    /// Returns the store as the agent sees it, for what only an operator may do.
    pub(crate) fn operator_client(&self) -> Result<&Client> {
        self.open(Who { operator: true, ..self.who()? }, self.groups())
    }

    /// Returns the store for upkeep: it opens though the agent's home be missing or damaged, and is
    /// nobody's session, whatever groups the arguments name.
    pub(crate) fn upkeep_client(&self) -> Result<&Client> {
        self.open(Who { operator: true, all: true, ..self.who()? }, None)
    }

    fn open(&self, who: Who, groups: Option<&[AgentId]>) -> Result<&Client> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let settings = self.settings()?;
        let groups = groups.map(|groups| groups.iter().cloned().collect());
        let client = Client::open(ClientOptions { groups, ..settings.client_options(who) })
            .map_err(|error| Failure::store(&settings.store, error))?;
        Ok(self.client.get_or_init(|| client))
    }

    /// Returns on whose behalf the command works.
    pub(crate) fn who(&self) -> Result<Who> {
        let agent = self.settings()?.agent.clone();
        if self.globals.all && !self.globals.operator {
            return Err(Failure::new("--all shows every home, which takes --operator"));
        }
        Ok(Who { agent, operator: self.globals.operator, all: self.globals.all })
    }

    /// Returns a context of its own with the same arguments, for work that must end before this one
    /// opens the store.
    pub(crate) fn apart(&self) -> Self {
        Self::new(self.globals.clone(), Output::new(&self.globals))
    }

    /// Closes what was opened.
    pub(crate) fn close(mut self) -> Result<()> {
        Ok(self.client.take().map_or(Ok(()), |client| client.close())?)
    }

    /// Closes what was opened, prints what failed and returns the exit code.
    pub(crate) fn finish(mut self, result: Result<()>) -> u8 {
        let result = result.map_err(|failure| self.with_trash_hint(failure));
        let flushed = self.output.flush();
        let closed = self.client.take().map_or(Ok(()), |client| client.close_to_exit());
        let result = result.and(flushed).and(closed.map_err(Failure::from));
        if self.output.reader_left() {
            return 0;
        }
        result.err().map_or(0, |failure| {
            self.output.failure(&failure);
            failure.code
        })
    }

    /// Says where a path that was not found still is.
    fn with_trash_hint(&self, failure: Failure) -> Failure {
        let (Some(ErrorKind::NotFound), Some(text), Some(client)) =
            (failure.kind, failure.path.as_deref(), self.client.get())
        else {
            return failure;
        };
        let Ok(path) = Path::parse(text) else { return failure };
        // The first page has what was removed last, which is what people miss.
        let removed = client.trash(None, pages::LIMIT).map_or(Vec::new(), |page| page.items);
        if removed.iter().any(|item| item.path == path) {
            return failure
                .hint(format!("it was removed; `homefs trash restore {path}` brings it back"));
        }
        failure
    }
}
