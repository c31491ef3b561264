//! Settings as the arguments of a command say them; the rest is found by `homefs_api::settings`.

pub(crate) use homefs_api::settings::{
    DEADLINE_MS_DEFAULT, EMBEDDER_DEFAULT, KNOWN, Settings, VARIABLES, engine_defaults,
    variable_name,
};
use homefs_api::settings::{Overrides, variable};

use crate::cli::Globals;
use crate::error::Result;

/// Resolves the settings of a command.
pub(crate) fn resolve(globals: &Globals) -> Result<Settings> {
    let overrides = Overrides {
        store: globals.store.clone(),
        agent: globals.agent_id.clone(),
        groups: None,
        operator: globals.operator,
        all: globals.all,
        deadline: globals.deadline,
        // The flag can only switch it on.
        offline: globals.offline.then_some(true),
        workers: false,
    };
    Ok(Settings::resolve(&overrides)?)
}

/// Tells whether the environment asks for no colour.
pub(crate) fn no_colour() -> bool {
    variable("NO_COLOR").is_some()
}
