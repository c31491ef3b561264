//! One round of making a space and its remote agree: look at HEAD, pull what is new, push what is
//! ours.
//!
//! Every step can be the last before a crash. Packs that were sent are found again; a HEAD that was
//! moved without our hearing of it is recognised by the commit that we kept before we sent it; and
//! what a pull changed is durable before the commit it came from counts as known. What is kept of a
//! step that began is enough to finish it, whatever became of the remote meanwhile.

use std::sync::Arc;
use std::time::Duration;

use homefs_core::{
    AgentId, Condition, Error, ErrorKind, Remote, RemoteAnswer, RemoteObject, RemoteRequest,
    Result, Tag, Timestamp,
};
use homefs_store::fold::Fold;
use homefs_store::guard::Permit;
use homefs_store::record::Origin;
use homefs_store::space::{Author, Space};
use homefs_store::tree::Answer;
use parking_lot::Mutex;

use crate::format::{Head, Sealer, keys};
use crate::known::{Agreed, Pull, RemoteTracking, SeenHead};
use crate::local;
use crate::machine::Machine;
use crate::news::Since;
use crate::reconcile;
use crate::status::Direction;

/// How often others may be faster in one round.
const TRIES: usize = 16;
/// A space and its remote.
pub struct Pair {
    /// The space.
    pub space: Arc<Space>,
    /// What folds it.
    pub fold: Arc<Fold>,
    /// The remote, below the prefix of the space.
    pub remote: Arc<dyn Remote>,
    /// What this machine knows of the remote.
    pub known: Arc<RemoteTracking>,
    /// What seals what leaves the machine.
    pub sealer: Arc<dyn Sealer>,
    /// Which machine this store is.
    pub machine: Arc<Machine>,
    /// On whose behalf commits are made.
    pub agent: AgentId,
    /// Draws the ids of HEADs and the numbers of packs.
    pub draw: Arc<dyn Fn() -> u128 + Send + Sync>,
    /// Held during a round: a read of a content that has moved makes one too.
    pub turn: Mutex<Turn>,
}

/// What a round knows of those before it.
#[derive(Default)]
pub struct Turn {
    /// When contents that were nowhere were last looked for.
    looked: Option<Timestamp>,
}

/// So often it is looked whether contents that were nowhere are there by now.
const LOOK_AGAIN: Duration = Duration::from_mins(1);

/// What a round did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// Nodes that changed here.
    pub pulled: usize,
    /// Nodes that changed there.
    pub pushed: usize,
    /// Things that somebody should look at.
    pub conflicts: usize,
}

/// What became of a commit that was proposed.
pub enum Pushed {
    /// It is HEAD.
    Done,
    /// Somebody else moved HEAD first.
    Lost,
}

impl Pair {
    /// Makes both agree, or takes the one way that is asked for.
    pub fn round(&self, direction: Direction) -> Result<Outcome> {
        let mut turn = self.turn.lock();
        let mut outcome = Outcome::default();
        self.finish_pull()?;
        if direction != Direction::Push {
            self.look_again(&mut turn, &mut outcome)?;
        }
        // Others are rarely faster, so who has something to push does not look first.
        if direction != Direction::Pull && self.known.agreed()?.head.is_some() {
            let pushed = self.push(&mut outcome)?;
            let is_done = outcome.pushed > 0 || direction == Direction::Push;
            if matches!(pushed, Pushed::Done) && is_done {
                return Ok(outcome);
            }
        }
        for _ in 0..TRIES {
            if let Some((head, bytes, tag)) = self.look()? {
                match self.pull(&head, (bytes, tag), &mut outcome) {
                    // Somebody writes here: look again.
                    Err(error) if error.kind() == ErrorKind::Conflict => continue,
                    done => done?,
                }
            }
            if direction == Direction::Pull {
                return Ok(outcome);
            }
            if let Pushed::Done = self.push(&mut outcome)? {
                return Ok(outcome);
            }
        }
        Err(Error::new(ErrorKind::Unavailable, "other machines were faster every time"))
    }

    /// Returns how far both agreed when they last spoke.
    pub fn head(&self) -> Result<Option<Head>> {
        let head = self.known.agreed()?.head;
        head.map(|(bytes, _)| Head::decode(&bytes, &*self.sealer)).transpose()
    }

    /// Looks at HEAD; `None` if it is as known.
    fn look(&self) -> Result<Option<(Head, Vec<u8>, Tag)>> {
        let agreed = self.known.agreed()?;
        let unless = agreed.head.as_ref().map(|(_, tag)| tag.clone());
        let get = RemoteRequest::Get { key: keys::HEAD.into(), range: None, unless };
        match self.remote.run_one(get) {
            Ok(RemoteAnswer::Object { content, tag, .. }) => {
                let head = Head::decode(&content, &*self.sealer)?;
                Ok(Some((head, content.to_vec(), tag)))
            }
            Ok(_) => Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound && agreed.head.is_none() => Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(Error::new(
                ErrorKind::Corrupt,
                "the HEAD of the space is gone from the remote; what is here is safe: to send \
                 everything again, detach the remote and attach it anew",
            )),
            Err(error) => Err(error),
        }
    }

    /// Takes over what others committed.
    fn pull(&self, head: &Head, seen: SeenHead, outcome: &mut Outcome) -> Result<()> {
        let (mut agreed, fetched, since) = self.news_of(head)?;
        self.settle()?;
        let ahead = local::ahead(&self.space, &self.known, agreed.cursor, self.machine.id())?;
        // Later than any pull before: each one that changed something made a version.
        let number = ahead.version.0 + 1;
        let pull = Pull { number, head: seen, fetched };
        self.known.begin_pull(&pull)?;
        reconcile::reconcile(self, &since, &ahead, origin(number), outcome)?;
        agreed.head = Some(pull.head);
        self.note_pull(&agreed, &since)
    }

    /// Takes over contents that were nowhere when a commit told of them, and are there by now: a
    /// remote may show a pack later than the commit that names it.
    fn look_again(&self, turn: &mut Turn, outcome: &mut Outcome) -> Result<()> {
        let now = self.space.ground.clock.steady();
        let is_early = turn.looked.is_some_and(|looked| now.since(looked) < LOOK_AGAIN);
        if is_early || self.known.missing()?.is_empty() {
            return Ok(());
        }
        turn.looked = Some(now);
        self.settle()?;
        let agreed = self.known.agreed()?;
        let ahead = local::ahead(&self.space, &self.known, agreed.cursor, self.machine.id())?;
        if !ahead.entries.is_empty() {
            // It is pushed first; what somebody has written since is not to be replaced.
            return Ok(());
        }
        let since = self.since(Vec::new())?;
        match reconcile::reconcile(self, &since, &ahead, origin(ahead.version.0 + 1), outcome) {
            // Somebody writes here.
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(()),
            done => done,
        }
    }

    /// Notes a pull that had changed the space when the process died. To merge once more what is
    /// merged already could write again what both sides wrote.
    fn finish_pull(&self) -> Result<()> {
        let Some(pull) = self.known.pull()? else { return Ok(()) };
        let origin = Some(origin(pull.number));
        let author = Author { origin, ..Author::new(self.agent.clone()) };
        let answered = self.space.answered(&author, Permit::follower());
        if answered.or_error(&self.space.name)?.is_none() {
            return Ok(());
        }
        let steps = pull.fetched.iter().map(|fetched| self.step(fetched)).collect::<Result<_>>()?;
        let agreed = Agreed { head: Some(pull.head), ..self.known.agreed()? };
        self.note_pull(&agreed, &self.since(steps)?)
    }

    /// Notes what the space has by now.
    fn note_pull(&self, agreed: &Agreed, since: &Since) -> Result<()> {
        reconcile::take_over(self, since)?;
        // Power loss must not take what the remote is known to have given.
        let journal = &self.space.ground.journal;
        journal.barrier(journal.end())?;
        self.known.note(agreed, &since.entries, &since.steps, None)
    }

    /// Makes sure that the base has everything that was written so far.
    pub fn settle(&self) -> Result<()> {
        self.space.settle_due(None)?;
        self.fold.catch_up(&self.space.name)
    }
}

/// Names the change that a pull makes.
fn origin(number: u64) -> Origin {
    Origin { client: Origin::SYNC, number }
}

pub(super) fn put(key: String, content: bytes::Bytes, condition: Condition) -> RemoteRequest {
    RemoteRequest::Put { key, content, condition }
}

/// Returns the bytes of an answered get.
pub(super) fn object(answer: Result<RemoteAnswer>) -> Result<bytes::Bytes> {
    match answer? {
        RemoteAnswer::Object { content, .. } => Ok(content),
        _ => Err(Error::new(ErrorKind::Internal, "a get was answered by something else")),
    }
}

/// Lists a page of objects; tells whether another follows.
pub(super) fn page(
    remote: &dyn Remote,
    prefix: &str,
    after: Option<String>,
) -> Result<(Vec<RemoteObject>, bool)> {
    match remote.run_one(RemoteRequest::List { prefix: prefix.into(), after })? {
        RemoteAnswer::Listed { objects, more } => Ok((objects, more)),
        _ => Err(Error::new(ErrorKind::Internal, "a listing was answered by something else")),
    }
}
