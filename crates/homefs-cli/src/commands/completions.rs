//! `homefs completions`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::context::Context;
use crate::error::Result;

/// Print the completion script of a shell
///
/// For bash: `homefs completions bash > ~/.local/share/bash-completion/completions/homefs`
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        // Generated into memory first, because the generator would panic on a broken pipe.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "homefs", &mut script);
        Ok(std::io::Write::write_all(&mut &context.output, &script)?)
    }
}
