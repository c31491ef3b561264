//! Tests of sources, and of what is published for others.

mod batches;
mod broken_servers;
mod bucket;
mod chroma;
mod collection;
mod conformance;
mod counted;
mod folder;
mod grep;
mod hostile_folder;
mod hostile_servers;
mod others;
mod publishing;
mod scale;
