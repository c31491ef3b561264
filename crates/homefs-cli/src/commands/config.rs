//! `homefs config`.

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::settings::KNOWN;

/// Show every setting and where its value came from
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Config>,
}

#[derive(clap::Subcommand)]
enum Config {
    /// Show every setting and where its value came from
    Show,
    /// Show where the config file is
    Path,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let (settings, output) = (context.settings()?, &context.output);
        match self.command.unwrap_or(Config::Show) {
            Config::Path => match &settings.file {
                Some(file) => output.line(file.display()),
                None => Err(Failure::new("neither XDG_CONFIG_HOME nor HOME says where it is")
                    .hint("HOMEFS_CONFIG names the config file")),
            },
            Config::Show => output.listing(
                &KNOWN,
                |known| {
                    let (_, origin) = &settings.values[known.key];
                    serde_json::json!({
                        "key": known.key,
                        "value": settings.shown(known.key),
                        "unit": known.unit,
                        "origin": origin.to_string(),
                    })
                },
                |known| {
                    let (_, origin) = &settings.values[known.key];
                    let value = settings.shown(known.key);
                    vec![known.key.into(), value, known.unit.into(), origin.to_string()]
                },
                &[],
            ),
        }
    }
}
