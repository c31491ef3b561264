//! What the fuzz target of scripts calls.

use std::sync::Arc;
use std::time::Duration;

use homefs_view::View;

use crate::{Limits, Shell, Workers};

/// Runs a script with little of everything.
pub fn script(view: &View, data: &[u8]) {
    let limits = Limits {
        time: Duration::from_secs(2),
        commands: 1_000,
        output_bytes: 64 << 10,
        memory_bytes: 16 << 20,
    };
    let script = String::from_utf8_lossy(data);
    Shell::is_unfinished(&script);
    let workers = Arc::new(Workers::default());
    let output = Shell::new(view.clone(), &workers).run(&script, &limits);
    let output = output.expect("every script can be tried");
    assert_eq!(workers.abandoned_scripts(), 0, "every script stops in time");
    assert!(output.stdout.len() <= limits.output_bytes, "output is bounded");
}

#[cfg(test)]
mod tests {
    use homefs_core::AgentId;
    use homefs_view::{Components, Settings, Store, Who};

    #[test]
    fn what_was_found_by_fuzzing_is_run() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::open(dir.path(), Settings::default(), Components::host());
        let agent = AgentId::new("me").expect("it is a name");
        let who = Who { agent, operator: false, all: false };
        let view = store.expect("it opens").view(&who).expect("there is a view");
        homefs_testkit::replay("script", |data| super::script(&view, data));
    }
}
