//! `homefs tour`: real commands on a throw-away store.

mod crash;
mod mount;
mod sources;
mod speed;
mod stage;

use crate::context::Context;
use crate::error::Result;
use stage::Stage;

pub(crate) use crash::WriterArgs;

/// See what homefs does in a minute, on a throw-away store
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Do not wait between the chapters
    #[arg(long)]
    fast: bool,
    /// Show instead how an agent answers a question over a collection on this Chroma server, where
    /// the collection `homefs-tour` is made
    #[arg(long, value_name = "chroma://HOST:PORT")]
    chroma: Option<String>,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let stage = Stage::new(context, !self.fast)?;
        stage.say("A home directory for AI agents. Everything below is real: commands, output,")?;
        stage.say("numbers. It happens in a temporary directory that is gone at the end.")?;
        if let Some(server) = self.chroma {
            return sources::show_collection(&stage, &server);
        }
        notes(&stage)?;
        history(&stage)?;
        trash(&stage)?;
        sharing(&stage)?;
        recall(&stage)?;
        mount::show(&stage)?;
        sources::show_folder(&stage)?;
        crash::show(&stage)?;
        speed::show(&stage)?;
        farewell(&stage)
    }
}

fn notes(stage: &Stage<'_>) -> Result<()> {
    stage.chapter("An agent keeps notes")?;
    stage.run("akashi", &["write", "notes/nvda.md", "Buy NVDA below 110."])?;
    stage.run("akashi", &["append", "notes/nvda.md", "Risk: export rules."])?;
    stage.run("akashi", &["ls", "-l", "notes"])?;
    stage.run("akashi", &["cat", "notes/nvda.md"])?;
    Ok(())
}

fn history(stage: &Stage<'_>) -> Result<()> {
    stage.chapter("Every change is a version")?;
    stage.run("akashi", &["edit", "notes/nvda.md", "--old", "below 110", "--new", "below 95"])?;
    stage.run("akashi", &["log", "notes/nvda.md"])?;
    stage.run_expecting(1, "akashi", &["diff", "notes/nvda.md"])?;
    let before = stage.previous_version("akashi", "notes/nvda.md")?;
    stage.run("akashi", &["restore", "notes/nvda.md", "--version", &before])?;
    stage.run("akashi", &["cat", "notes/nvda.md"])?;
    Ok(())
}

fn trash(stage: &Stage<'_>) -> Result<()> {
    stage.chapter("What is removed can come back")?;
    stage.run("akashi", &["rm", "notes/nvda.md"])?;
    stage.run_expecting(1, "akashi", &["cat", "notes/nvda.md"])?;
    stage.run("akashi", &["trash", "restore", "notes/nvda.md"])?;
    stage.run("akashi", &["tree"])?;
    Ok(())
}

fn sharing(stage: &Stage<'_>) -> Result<()> {
    stage.chapter("Agents share only what they grant")?;
    stage.run("akashi", &["spaces", "create", "market"])?;
    stage.run("akashi", &["write", "shared/market/open.md", "Opens flat."])?;
    stage.run("akashi", &["grant", "shared/market", "botan", "read"])?;
    stage.run("botan", &["cat", "shared/market/open.md"])?;
    stage.run_expecting(2, "botan", &["write", "shared/market/open.md", "Opens high!"])?;
    stage.say("A third agent has no grant; for it the file does not exist.")?;
    stage.run_expecting(1, "chidori", &["cat", "shared/market/open.md"])?;
    Ok(())
}

fn recall(stage: &Stage<'_>) -> Result<()> {
    stage.chapter("Every file is a memory")?;
    stage.run("akashi", &["remember", "Ann drinks green tea, never coffee."])?;
    stage.run("akashi", &["remember", "No position is above 2 % of the book."])?;
    stage.say("A question in other words finds what answers it, notes that were written as")?;
    stage.say("files too, and never takes more tokens than it may.")?;
    stage.run("akashi", &["recall", "--max-tokens", "200", "what can I offer Ann?"])?;
    Ok(())
}

fn farewell(stage: &Stage<'_>) -> Result<()> {
    stage.chapter("Your turn")?;
    for line in [
        "homefs write notes/first.md \"Hello.\"     write as the agent `me`",
        "homefs ls -l notes                       look",
        "homefs mount ~/memory                    use it with every program",
        "homefs import ~/some/notes notes/old     bring what you have",
        "homefs watch                             see changes as they happen",
        "homefs help                              everything else",
    ] {
        stage.line(line)?;
    }
    Ok(())
}
