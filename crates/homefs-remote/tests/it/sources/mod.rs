//! Tests of sources, and of what is published for others.

mod broken_servers;
mod bucket;
mod chroma;
mod collection;
mod conformance;
mod folder;
mod grep;
mod hostile_folder;
mod hostile_servers;
mod publishing;
mod scale;
