//! Tests of the kit itself: what other tests measure with must be right.

#[cfg(feature = "s3")]
mod boto3;
mod memory_remote;
#[cfg(feature = "s3")]
mod s3_client;
#[cfg(feature = "s3")]
mod s3_faults;
#[cfg(feature = "s3")]
mod s3_server;
