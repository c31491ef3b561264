//! Asking for rounds, and waiting for them.

use std::time::Duration;

use homefs_core::{Error, ErrorKind, Result, SpaceName, Version};

use super::Follower;
use super::state::FollowerState;
use crate::pace::Event;
use crate::round::Outcome;
use crate::status::{Direction, Synced};

/// A round that was asked for: its number, and what had been done before.
pub struct Ticket {
    name: SpaceName,
    round: u64,
    before: Outcome,
    /// Whether the readable copies are waited for too.
    copies: bool,
}

impl Follower {
    /// Settles what somebody is writing, so that a round pushes it too.
    pub fn settle(&self) -> Result<()> {
        self.spaces.open_now().iter().try_for_each(|space| space.settle_due(None))
    }

    /// Asks for a round of a space, at once; `copies` also for its readable copies.
    pub fn ask(&self, name: &SpaceName, direction: Direction, copies: bool) -> Ticket {
        let mut state = self.state.lock();
        let now = state.now(self.ground.clock.now());
        let followed = state.follow(name);
        followed.pace.step(Event::Asked, now);
        followed.asked = Some(match followed.asked {
            Some((other, others)) if other != direction => (Direction::Both, copies || others),
            Some((_, others)) => (direction, copies || others),
            None => (direction, copies),
        });
        let (round, before) = (followed.begun + 1, followed.total);
        let ticket = Ticket { name: name.clone(), round, before, copies };
        drop(state);
        self.bell.ring();
        ticket
    }

    /// Waits for a round that was asked for: the first that ends, or, with a time to wait, the
    /// first that succeeds, or fails for good.
    pub fn wait_for(&self, ticket: &Ticket, wait: Option<Duration>) -> Result<Synced> {
        let over = |state: &mut FollowerState| {
            let followed = state.follow(&ticket.name);
            let lacks_copies = ticket.copies && followed.wants_copies && followed.failure.is_none();
            let is_over = followed.ended >= ticket.round && !lacks_copies;
            let passes = |failure: &Error| !is_lasting(failure);
            let goes_on = wait.is_some() && followed.failure.as_ref().is_some_and(passes);
            state.stop || (is_over && !goes_on)
        };
        let mut state = self.state.lock();
        match wait {
            None => self.done.wait_while(&mut state, |state| !over(state)),
            Some(longest) => {
                self.done.wait_while_for(&mut state, |state| !over(state), longest);
            }
        }
        state.check_open()?;
        let followed = state.follow(&ticket.name);
        if let Some(failure) = &followed.failure {
            return Err(failure.clone());
        }
        if followed.ended < ticket.round || (ticket.copies && followed.wants_copies) {
            return Err(late());
        }
        let count = |now: usize, before: usize| (now - before) as u64;
        Ok(Synced {
            space: ticket.name.clone(),
            commit: followed.commit,
            pulled: count(followed.total.pulled, ticket.before.pulled),
            pushed: count(followed.total.pushed, ticket.before.pushed),
            conflicts: count(followed.total.conflicts, ticket.before.conflicts),
        })
    }

    /// Refuses to send anything where this machine only reads.
    pub fn check_sends(&self) -> Result<()> {
        if self.remote.is_read_only() {
            let message = "this machine only reads here; what it writes stays here";
            let address = self.remote.describe();
            return Err(Error::new(ErrorKind::ReadOnly, message).with_path_text(address));
        }
        Ok(())
    }

    /// Waits until the remote has everything that is in the open spaces now, or until it shows
    /// that it will not take it.
    pub fn barrier(&self, wait: Duration) -> Result<()> {
        self.check_sends()?;
        self.settle()?;
        let mut wanted = self.versions();
        wanted.retain(|(name, _)| self.prefix_of(name).is_some());
        let lacks = |state: &mut FollowerState, (name, version): &(SpaceName, Version)| {
            state.follow(name).cursor.is_none_or(|cursor| cursor < *version)
        };
        wanted.retain(|wish| lacks(&mut self.state.lock(), wish));
        let ask = |(name, _): &(SpaceName, Version)| self.ask(name, Direction::Push, false);
        let tickets: Vec<_> = wanted.iter().map(ask).collect();
        // A failure of a round that began before may be over by now.
        let refused = |state: &mut FollowerState| {
            let refusal = |ticket: &Ticket| {
                let followed = state.follow(&ticket.name);
                let failure = followed.failure.clone().filter(is_lasting);
                failure.filter(|_| followed.ended >= ticket.round)
            };
            tickets.iter().find_map(refusal)
        };
        let mut state = self.state.lock();
        let waiting = |state: &mut FollowerState| {
            !state.stop && wanted.iter().any(|wish| lacks(state, wish)) && refused(state).is_none()
        };
        self.done.wait_while_for(&mut state, waiting, wait);
        state.check_open()?;
        let Some((name, _)) = wanted.iter().find(|wish| lacks(&mut state, wish)) else {
            return Ok(());
        };
        if let Some(failure) = refused(&mut state) {
            return Err(failure);
        }
        let failure = state.follow(name).failure.clone();
        Err(failure.map_or_else(late, |failure| late().with_source(failure)))
    }
}

/// Tells whether a failure stays until somebody mends its cause, so that waiting is in vain.
fn is_lasting(failure: &Error) -> bool {
    matches!(
        failure.kind(),
        ErrorKind::Denied | ErrorKind::Invalid | ErrorKind::Unsupported | ErrorKind::ReadOnly
    )
}

/// What is said of changes that are not in the remote yet.
fn late() -> Error {
    let message = "not in the remote yet; everything is safe here and will be pushed";
    Error::new(ErrorKind::Unavailable, message)
}
