//! Tests of the backends, the sources and the embedder through their blocking faces.

mod common;
mod conformance;
mod directory;
mod embedding;
mod embedding_server;
mod ends;
mod failures;
mod probing;
mod servers;
mod sources;
