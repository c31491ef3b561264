//! A store and its remote: attaching, detaching, and asking for a sync.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use homefs_core::{Error, ErrorKind, Remote, Result, SpaceName};
use homefs_store::priority;
use homefs_store::spaces::Follow;
use homefs_sync::{
    AttachOptions, Direction, Follower, MachineId, Pair, RemoteTracking, Swept, SyncOptions,
    Synced, fetch_absent, machine_id, shared_of, spaces_of,
};

use super::{Inner, Store};
use crate::upkeep::Finding;

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
        let (spaces, fold, bell) = (&inner.spaces, &inner.fold, &inner.bell);
        let follower = Follower::new(&inner.dir, spaces, fold, bell, remote, options)?;
        let following: Arc<dyn Follow> = follower.clone();
        inner.spaces.set_follower(&following)?;
        *inner.follower.write() = Some(follower.clone());
        let thread = thread::Builder::new().name("homefs-sync".into());
        // Not joined by anyone: it may be waiting for the network.
        let follow = move || {
            // An agent that writes must not notice that it syncs.
            priority::step_back();
            follower.run();
        };
        thread.spawn(follow).map(drop).map_err(|cause| {
            inner.take_follower();
            Error::io("start to follow the remote", cause)
        })
    }

    /// Detaches the remote for good, and forgets what it has: attaching it again, or another, is
    /// like the first time. Contents that only the remote has cannot be read from then on.
    pub fn detach(&self) -> Result<()> {
        let inner = self.inner();
        inner.check_open()?;
        if let Some(follower) = inner.take_follower() {
            follower.stop();
        }
        for name in inner.spaces.all()? {
            RemoteTracking::open(&inner.spaces.dir_of(&name))?.forget()?;
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
            let mut there: BTreeSet<_> = shared_of(&follower)?.into_iter().collect();
            there.retain(|name| !here.contains(name));
            synced.extend(sync(&there)?);
        }
        Ok(synced)
    }

    /// Lists the spaces that the remote has.
    pub fn remote_spaces(&self) -> Result<Vec<SpaceName>> {
        spaces_of(&*self.inner().follower()?)
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
        names.iter().try_fold(0, |bytes, name| Ok(bytes + fetch_absent(&follower.end(name)?)?))
    }

    /// Ends what nobody needs in the remote, in every space that is here; a dry run only tells what
    /// that would be.
    ///
    /// # Errors
    ///
    /// `Unsupported` if no remote is attached.
    pub fn gc(&self, dry_run: bool) -> Result<Vec<(SpaceName, Swept)>> {
        self.each_end(|pair| pair.sweep(dry_run))
    }

    /// Sends again what the remote has lost or damaged of every space that is here, reading all of
    /// it, and tells what was wrong.
    ///
    /// # Errors
    ///
    /// `Unsupported` if no remote is attached.
    pub fn mend(&self) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for (space, (mended, missing)) in self.each_end(|pair| pair.mend(true))? {
            if mended > 0 {
                findings.push(Finding {
                    place: space.to_string(),
                    problem: format!("the remote had lost or damaged contents: {mended}"),
                    mended: Some("sent again".into()),
                });
            }
            findings.extend(missing.into_iter().map(|path| Finding {
                place: format!("{space}{path}"),
                problem:
                    "the remote has lost its content, and this machine does not have it".into(),
                mended: None,
            }));
        }
        Ok(findings)
    }

    fn each_end<T>(&self, work: impl Fn(&Pair) -> Result<T>) -> Result<Vec<(SpaceName, T)>> {
        let follower = self.inner().follower()?;
        let names = self.inner().spaces.all()?.into_iter();
        let names = names.filter(|name| follower.prefix_of(name).is_some());
        names.map(|name| Ok((name.clone(), work(&follower.end(&name)?.pair)?))).collect()
    }
}

impl Inner {
    /// Returns the follower of the remote that is attached.
    pub(crate) fn follower(&self) -> Result<Arc<Follower>> {
        self.check_open()?;
        self.attached_follower().ok_or_else(no_remote)
    }

    /// Returns the follower of the remote, if one is attached.
    pub(crate) fn attached_follower(&self) -> Option<Arc<Follower>> {
        self.follower.read().clone()
    }

    /// Ends following the remote; returns who did.
    pub(super) fn take_follower(&self) -> Option<Arc<Follower>> {
        let follower = self.follower.write().take();
        self.spaces.end_following();
        follower
    }

    /// Waits until the remote has everything that was acknowledged so far.
    pub(crate) fn barrier_remote(&self, wait: Duration) -> Result<()> {
        self.follower()?.barrier(wait)
    }

    /// Returns what is known of the remote of a space, whether one is attached now or was before,
    /// and which machine this is to it.
    pub(crate) fn known(
        &self,
        name: &SpaceName,
    ) -> Result<Option<(Arc<RemoteTracking>, MachineId)>> {
        let known = match self.attached_follower() {
            Some(follower) if follower.prefix_of(name).is_some() => {
                Some(follower.end(name)?.pair.known.clone())
            }
            _ => RemoteTracking::open_existing(&self.spaces.dir_of(name))?.map(Arc::new),
        };
        let Some(known) = known else { return Ok(None) };
        // It has one already, or nothing would be known.
        let machine = machine_id(&self.dir, &*self.ground.disk, self.ground.drawn())?;
        Ok(Some((known, machine)))
    }
}

fn no_remote() -> Error {
    Error::new(ErrorKind::Unsupported, "the store has no remote attached")
}
