//! What several tests need.

use homefs_core::AgentId;
use homefs_view::{Components, Settings, Store, View, Who};

/// A store in a directory of its own, and the view of one agent.
pub(crate) struct Home {
    pub(crate) view: View,
    pub(crate) store: Store,
    _dir: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::open(dir.path(), Settings::default(), Components::host());
        let store = store.expect("it opens");
        let view = store.view(&who("ada")).expect("there is a view");
        Self { view, store, _dir: dir }
    }
}

/// Returns an agent without rights of an operator.
pub(crate) fn who(agent: &str) -> Who {
    Who { agent: AgentId::new(agent).expect("it is a name"), operator: false, all: false }
}
