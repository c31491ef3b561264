//! Scripts of the shell.
#![no_main]

use std::sync::LazyLock;

use homefs_core::AgentId;
use homefs_view::{Components, Settings, Store, View, Who};

/// A home that all runs share.
static VIEW: LazyLock<View> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a directory").keep();
    let store = Store::open(&dir, Settings::default(), Components::host());
    let agent = AgentId::new("me").expect("it is a name");
    let who = Who { agent, operator: false, all: false };
    store.expect("the store opens").view(&who).expect("there is a view")
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| homefs_shell::fuzzing::script(&VIEW, data));
