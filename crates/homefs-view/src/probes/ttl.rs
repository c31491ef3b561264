//! `FILE:ttl`: when a file expires.

use homefs_core::time::rfc3339;
use homefs_core::{Path, Result, Version};
use homefs_store::meta::SetMeta;

use super::{Arguments, On, Probe};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "ttl",
    on: On::File,
    arguments: &[],
    help: "when it expires, or `never`; takes 7d, 1d12h, 30m, a time or `never`",
    read,
    write: Some(write),
};

fn read(view: &View, file: &Path, _: &Arguments) -> Result<String> {
    let expires = view.meta(file)?.expires;
    Ok(format!("{}\n", expires.map_or_else(|| "never".into(), rfc3339)))
}

fn write(view: &View, file: &Path, text: &str) -> Result<Version> {
    view.set_meta(file, &SetMeta::one("ttl", text))
}
