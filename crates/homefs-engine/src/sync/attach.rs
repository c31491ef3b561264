//! A store and its remote: attaching, detaching, and asking for a sync.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use homefs_core::{Error, ErrorKind, Remote, Result, SpaceName};

use super::follower::Follower;
use super::known::Known;
use super::status::{AttachOptions, Direction, SyncOptions, Synced};
use super::{keep, places};
use crate::Store;
use crate::priority;
use crate::store::Inner;

impl Store {
    /// Attaches the remote of the store and follows it from now on, in the background.
    ///
    /// Nothing is asked of it for the first 100 ms unless somebody waits for it.
    ///
    /// # Errors
    ///
    /// `AlreadyExists` if a remote is attached.
    pub fn attach(&self, remote: Arc<dyn Remote>, options: &AttachOptions) -> Result<()> {
        let inner = self.inner();
        inner.check_open()?;
        let follower = Follower::new(inner, remote, options)?;
        inner.spaces.set_follower(&follower)?;
        let following = follower.clone();
        let thread = thread::Builder::new().name("homefs-sync".into());
        // Not joined by anyone: it may be waiting for the network.
        let follow = move || {
            // An agent that writes must not notice that it syncs.
            priority::step_back();
            following.run();
        };
        thread.spawn(follow).map(drop).map_err(|cause| {
            inner.spaces.take_follower();
            Error::io("start to follow the remote", cause)
        })
    }

    /// Detaches the remote for good, and forgets what it has: attaching it again, or another, is
    /// like the first time. Contents that only the remote has cannot be read from then on.
    pub fn detach(&self) -> Result<()> {
        let inner = self.inner();
        inner.check_open()?;
        if let Some(follower) = inner.spaces.take_follower() {
            follower.stop();
        }
        for name in inner.spaces.all()? {
            Known::open(&inner.spaces.dir_of(&name))?.forget()?;
        }
        Ok(())
    }

    /// Makes spaces and their remote agree now.
    ///
    /// # Errors
    ///
    /// Whatever keeps a space from agreeing; `Unavailable` if it is the network, or takes longer
    /// than the caller waits. What is here is safe and will be pushed.
    pub fn sync(&self, options: &SyncOptions) -> Result<Vec<Synced>> {
        let follower = self.inner().follower()?;
        let clock = &self.inner().ground.clock;
        let begun = clock.steady();
        if options.direction == Direction::Push {
            follower.check_sends()?;
        }
        follower.settle()?;
        let copies = options.copies && options.direction != Direction::Pull;
        let sync = |names: &BTreeSet<SpaceName>| -> Result<Vec<Synced>> {
            let ask = |name| follower.ask(name, options.direction, copies);
            let tickets: Vec<_> = names.iter().map(ask).collect();
            let left = || options.wait.map(|wait| wait.saturating_sub(clock.steady().since(begun)));
            tickets.iter().map(|ticket| follower.wait_for(ticket, left())).collect()
        };
        if let Some(name) = &options.space {
            return sync(&BTreeSet::from([name.clone()]));
        }
        let mut here: BTreeSet<_> = self.inner().spaces.all()?.into_iter().collect();
        // On a new machine nothing is here yet, and the agent's home is what it came for.
        here.extend(options.agent.clone().map(SpaceName::Home));
        let is_meant = |name: &SpaceName| match name {
            SpaceName::Home(agent) => !options.one_home || options.agent.as_ref() == Some(agent),
            SpaceName::Shared(_) => true,
        };
        here.retain(|name| is_meant(name) && follower.prefix_of(name).is_some());
        let mut synced = sync(&here)?;
        if options.direction != Direction::Push {
            // Only now: whoever waits has waited for the network already.
            let mut there: BTreeSet<_> = places::shared_of(&follower)?.into_iter().collect();
            there.retain(|name| !here.contains(name));
            synced.extend(sync(&there)?);
        }
        Ok(synced)
    }

    /// Lists the spaces that the remote has.
    pub fn remote_spaces(&self) -> Result<Vec<SpaceName>> {
        places::spaces_of(&*self.inner().follower()?)
    }

    /// Fetches every content that only the remote has, of one space or of all that are here, and
    /// returns how many bytes that were.
    pub fn fetch_all(&self, space: Option<&SpaceName>) -> Result<u64> {
        let follower = self.inner().follower()?;
        let mut names = match space {
            Some(name) => vec![name.clone()],
            None => self.inner().spaces.all()?,
        };
        names.retain(|name| follower.prefix_of(name).is_some());
        names
            .iter()
            .try_fold(0, |bytes, name| Ok(bytes + keep::fetch_absent(&follower.end(name)?)?))
    }
}

impl Inner {
    /// Returns the follower of the remote that is attached.
    pub(crate) fn follower(&self) -> Result<Arc<Follower>> {
        self.check_open()?;
        self.spaces.follower().ok_or_else(no_remote)
    }

    /// Waits until the remote has everything that was acknowledged so far.
    pub(crate) fn barrier_remote(&self, wait: Duration) -> Result<()> {
        self.follower()?.barrier(wait)
    }
}

fn no_remote() -> Error {
    Error::new(ErrorKind::Unsupported, "the store has no remote attached")
}
