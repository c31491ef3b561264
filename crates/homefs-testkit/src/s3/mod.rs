//! An S3 server inside the test: one bucket in memory, on 127.0.0.1.
//!
//! It checks signatures and keeps every condition under any race, and it fails only when it is
//! told to. That makes it the ruler for the code above it, so it stays small.

mod api;
mod store;
mod traffic;

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{Clock, SystemClock};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tokio::runtime::Runtime;

use self::api::Api;
use self::store::{Notes, Store};
use self::traffic::Traffic;
use crate::faults::{Fault, RemoteOperation};

pub use self::store::S3Flaw;
pub use self::traffic::S3Exchange;

/// The name of the bucket.
const BUCKET: &str = "homefs-test";

/// A running S3 server. It ends, with every connection, when it is dropped.
pub struct S3Server {
    address: SocketAddr,
    store: Arc<Store>,
    traffic: Arc<Traffic>,
    // Taken out only while dropping.
    runtime: Option<Runtime>,
}

impl S3Server {
    /// The access key that the server knows.
    pub const ACCESS_KEY: &str = "test-access-key";

    /// The secret that belongs to it.
    pub const SECRET_KEY: &str = "test-secret-key";

    /// The region that clients name; the server does not care.
    pub const REGION: &str = "us-east-1";

    /// Starts a server with an empty bucket.
    ///
    /// # Errors
    /// If the host has no port or no thread left.
    pub fn start() -> io::Result<Self> {
        Self::start_with(Arc::new(SystemClock))
    }

    /// Starts a server whose objects get their times from `clock`.
    ///
    /// # Errors
    /// If the host has no port or no thread left.
    pub fn start_with(clock: Arc<dyn Clock>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("s3-server")
            .enable_all()
            .build()?;
        let store = Arc::new(Store::new(clock));
        let mut builder = S3ServiceBuilder::new(Api(Arc::clone(&store)));
        builder.set_auth(SimpleAuth::from_single(Self::ACCESS_KEY, Self::SECRET_KEY));
        let traffic = Arc::new(Traffic::new(builder.build()));
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        runtime.spawn(accept(listener, Arc::clone(&traffic)));
        Ok(Self { address, store, traffic, runtime: Some(runtime) })
    }

    /// Returns where it listens, as clients want it: `http://127.0.0.1:…`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the name of its one bucket, which clients must address in the path.
    pub fn bucket(&self) -> &'static str {
        BUCKET
    }

    /// Makes every request wait so long before it takes effect.
    pub fn latency(&self, latency: Duration) {
        let nanos = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        self.traffic.latency_nanos.store(nanos, Ordering::Relaxed);
    }

    /// Refuses with 503, without effect, whatever comes while so many requests are under way.
    pub fn throttle(&self, in_flight_max: usize) {
        self.traffic.in_flight_max.store(in_flight_max, Ordering::Relaxed);
    }

    /// Orders a fault. Rules for the same request are used up in the order they came.
    pub fn fail(&self, fault: Fault) {
        self.traffic.faults.lock().add(fault);
    }

    /// Forgets every fault that has not happened yet.
    pub fn heal(&self) {
        self.traffic.faults.lock().heal();
    }

    /// Gives the server these flaws and no others.
    pub fn set_flaws(&self, flaws: &[S3Flaw]) {
        self.store.set_flaws(flaws);
    }

    /// Deletes the bucket with all that is in it.
    pub fn delete_bucket(&self) {
        self.store.delete_bucket();
    }

    /// Makes the bucket again, empty, after it was deleted.
    pub fn create_bucket(&self) {
        self.store.create_bucket();
    }

    /// Returns every object.
    pub fn objects(&self) -> BTreeMap<String, Bytes> {
        let objects = self.store.objects();
        objects.into_iter().map(|(key, object)| (key, object.content)).collect()
    }

    /// Writes an object behind the clients' backs.
    pub fn put(&self, key: &str, content: impl Into<Bytes>) {
        // Without a bucket there is nothing to write to, and the clients will say so.
        let _refused = self.store.put(key, content.into(), Notes::default(), None, None);
    }

    /// Removes an object behind the clients' backs.
    pub fn remove(&self, key: &str) {
        let _refused = self.store.delete(key);
    }

    /// Returns every request since the start, or since the log was last cleared, as they ended.
    pub fn log(&self) -> Vec<S3Exchange> {
        self.traffic.log.lock().clone()
    }

    /// Waits until the log is as `holds` wants it, but no longer than `longest`; tells whether it is.
    pub fn wait_for(&self, longest: Duration, holds: impl Fn(&[S3Exchange]) -> bool) -> bool {
        let mut log = self.traffic.log.lock();
        !self.traffic.logged.wait_while_for(&mut log, |log| !holds(log), longest).timed_out()
    }

    /// Returns how many requests of each kind the log has.
    pub fn counts(&self) -> BTreeMap<RemoteOperation, usize> {
        let mut counts = BTreeMap::new();
        for exchange in self.traffic.log.lock().iter() {
            *counts.entry(exchange.operation).or_default() += 1;
        }
        counts
    }

    /// Clears the log.
    pub fn clear_log(&self) {
        self.traffic.log.lock().clear();
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Waiting would hang on a request that was told never to be answered.
            runtime.shutdown_background();
        }
    }
}

/// Takes connections for ever.
async fn accept(listener: tokio::net::TcpListener, traffic: Arc<Traffic>) {
    loop {
        // A connection that ends before it was taken concerns its client only.
        let Ok((stream, _)) = listener.accept().await else { continue };
        // Without this, an answer in two parts waits for the client's delayed confirmation.
        let _best_effort = stream.set_nodelay(true);
        let traffic = Arc::clone(&traffic);
        tokio::spawn(async move {
            let service = service_fn(move |request| Arc::clone(&traffic).serve(request));
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), service);
            // A connection that a fault or its client ended is as it should be.
            let _ended = connection.await;
        });
    }
}
