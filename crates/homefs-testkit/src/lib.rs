//! Tools for tests: a disk that crashes on command, a clock that stands still, a naive model of a
//! space with the operations to try on both, and remotes that fail on command with the suite that
//! every backend passes.

mod cases;
mod clock;
mod corpus;
mod crash_disk;
mod faults;
mod memory_remote;
mod model;
mod operations;
mod programs;
mod remote_conformance;
#[cfg(feature = "s3")]
mod s3;
#[cfg(feature = "servers")]
mod servers;
mod small_disk;
mod sqlite_faults;

pub use cases::cases;
pub use clock::VirtualClock;
pub use corpus::replay;
pub use crash_disk::CrashDisk;
pub use faults::{Fault, FaultKind, RemoteOperation};
pub use memory_remote::{MemoryExchange, MemoryRemote, MemoryServer};
pub use model::{Model, Seen, SeenBody};
pub use operations::{Bulk, Clash, Expect, Operation, Script, script};
pub use programs::{got, machine_programs, own_program, program, python_with, say_skipped};
pub use remote_conformance::{remote_conformance, remote_conformance_without};
#[cfg(feature = "s3")]
pub use s3::{S3Exchange, S3Flaw, S3Server};
#[cfg(feature = "servers")]
pub use servers::{
    AZURITE, CHROMA, FAKE_GCS, ForeignServer, MINIO, MOTO, RCLONE, SEAWEEDFS, ServerKind,
};
pub use small_disk::SmallDisk;
pub use sqlite_faults::{SqliteFault, SqliteFaults};
