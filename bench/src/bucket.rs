//! A bucket that is a round trip away, and how homes sync with it.
//!
//! The server is the one of the test kit, in this process: every request waits for the round trip
//! and is counted. It takes time of the same cores, which is in every number.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use homefs_core::SpaceName;
use homefs_remote::{Bucket, Environment, RemoteAddress};
use homefs_testkit::{Fault, FaultKind, S3Exchange, S3Server};
use homefs_view::{AttachOptions, Direction, SyncOptions};

use crate::home::{Home, who};

/// How far buckets are, in milliseconds: in the next room, in the same region, in the next one.
pub(crate) const ROUND_TRIPS: [u32; 3] = [0, 12, 45];
/// How long a sync may take that is not measured.
const PATIENCE: Duration = Duration::from_mins(2);
/// The part of a key that only homefs's own objects have; what else there is is a readable copy.
const OWN: &str = ".homefs/";
/// How the key of HEAD ends.
const HEAD: &str = ".homefs/HEAD";

/// A bucket so far away.
pub(crate) struct FarBucket {
    pub(crate) server: S3Server,
}

impl FarBucket {
    /// Starts an empty one.
    pub(crate) fn start(round_trip_ms: u32) -> Result<Self> {
        let bucket = Self { server: S3Server::start()? };
        bucket.move_away(round_trip_ms);
        Ok(bucket)
    }

    /// Makes it so far away from now on.
    pub(crate) fn move_away(&self, round_trip_ms: u32) {
        self.server.latency(Duration::from_millis(round_trip_ms.into()));
    }

    /// Makes it answer nothing from now on.
    pub(crate) fn cut_off(&self) {
        self.server.fail(Fault::before(FaultKind::Timeout).until_healed());
    }

    /// Attaches a home to it; the home follows it from now on.
    pub(crate) fn attach(&self, home: &Home, machine: &str) -> Result<()> {
        let address: RemoteAddress = format!("s3://{}/homes", self.server.bucket()).parse()?;
        let address = address.with_endpoint(self.server.endpoint());
        let key: Environment = [
            ("AWS_ACCESS_KEY_ID", S3Server::ACCESS_KEY),
            ("AWS_SECRET_ACCESS_KEY", S3Server::SECRET_KEY),
        ]
        .into_iter()
        .collect();
        let remote = Arc::new(Bucket::open_in(&address, &key)?);
        let options =
            AttachOptions { machine_name: machine.to_owned(), ..AttachOptions::default() };
        Ok(home.store.attach(remote, &options)?)
    }

    /// Counts the requests since the log was cleared that `counts` says yes to.
    pub(crate) fn requests(&self, counts: impl Fn(&S3Exchange) -> bool) -> f64 {
        self.server.log().iter().filter(|exchange| counts(exchange)).count() as f64
    }
}

/// Tells whether a request is about one of homefs's own objects.
pub(crate) fn is_own(exchange: &S3Exchange) -> bool {
    exchange.key.contains(OWN)
}

/// Tells whether a request is about HEAD, which followers ask for again and again.
pub(crate) fn is_head(exchange: &S3Exchange) -> bool {
    exchange.key.ends_with(HEAD)
}

/// Syncs the agent's home one way, once.
pub(crate) fn sync(home: &Home, direction: Direction) -> Result<()> {
    let space = Some(SpaceName::Home(who().agent));
    home.store.sync(&SyncOptions { direction, space, ..SyncOptions::default() })?;
    Ok(())
}

/// Syncs until nothing is left to be done, readable copies included.
pub(crate) fn settle(home: &Home) -> Result<()> {
    home.store.sync(&SyncOptions {
        wait: Some(PATIENCE),
        copies: true,
        ..SyncOptions::default()
    })?;
    home.wait_for_fold()
}
