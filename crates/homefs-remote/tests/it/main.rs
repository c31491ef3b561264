//! Tests of the backends and of the embedder through their blocking faces.

mod common;
mod conformance;
mod directory;
mod embedding;
mod embedding_server;
mod ends;
mod failures;
mod probing;
mod servers;
