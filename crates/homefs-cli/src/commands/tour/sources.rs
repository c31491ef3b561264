//! The chapter in which an agent explores what others keep, with a shell and nothing else.

use homefs_core::Error;

use super::stage::Stage;
use crate::error::Result;
use crate::host;

/// The pages of a handbook.
const PAGES: [(&str, &str); 5] = [
    ("index.md", "# Handbook\n\nSigning in is in auth/, what you may use is in limits/.\n"),
    ("auth/sign-in.md", "# Signing in\n\nApps use OAuth 2 with PKCE. Passwords are refused.\n"),
    (
        "auth/tokens.md",
        "# Tokens\n\nAn access token is valid for 15 minutes.\n\
         A refresh token is valid for 30 days, and for one use.\n",
    ),
    ("limits/rates.md", "# Rates\n\n60 calls a minute for each access token.\n"),
    ("limits/sizes.md", "# Sizes\n\nA call carries up to 4 MiB.\n"),
];
/// The collection that the tour makes.
const COLLECTION: &str = "homefs-tour";

/// Explores a folder of the host.
pub(super) fn show_folder(stage: &Stage<'_>) -> Result<()> {
    stage.chapter("An agent explores what others keep")?;
    stage
        .say("A folder, a bucket or a Chroma collection is attached, not copied. What the agent")?;
    stage.say("changes stays in its home.")?;
    let folder = handbook(stage)?;
    stage.run("akashi", &["attach", &folder, "/docs"])?;
    ask(stage)?;
    stage.say("With a Chroma server: homefs tour --chroma chroma://127.0.0.1:8000")
}

/// Publishes the handbook to a Chroma server, and explores the collection.
pub(super) fn show_collection(stage: &Stage<'_>, server: &str) -> Result<()> {
    let collection = format!("{}/{COLLECTION}", server.trim_end_matches('/'));
    stage.chapter("Pages come into a Chroma collection")?;
    stage
        .say("Usually a pipeline of yours has filled it. Here another agent publishes a folder.")?;
    stage.run("hyuga", &["import", &handbook(stage)?, "/handbook"])?;
    stage.run("hyuga", &["publish", &collection, "/handbook", "--public"])?;
    stage.chapter("An agent answers a question with ls, grep and cat")?;
    stage.run("akashi", &["attach", &collection, "/docs"])?;
    ask(stage)?;
    stage.say(&format!("The collection {COLLECTION} stays on the server; remove it as you like."))
}

/// Answers a question from what is attached, and writes it down.
fn ask(stage: &Stage<'_>) -> Result<()> {
    stage.say("The question: how long does an access token live?")?;
    stage.run("akashi", &["sh", "-c", "cd /docs && ls && ls auth limits"])?;
    stage.run("akashi", &["sh", "-c", "cd /docs && grep -rn \"access token\" ."])?;
    stage.run("akashi", &["sh", "-c", "cat /docs/auth/tokens.md"])?;
    stage
        .say("15 minutes. It notes that where the next one will look; the source is as it was.")?;
    stage.run("akashi", &["sh", "-c", "echo \"So renew after 14.\" >> /docs/auth/tokens.md"])?;
    stage.run("akashi", &["changes", "/docs"])
}

/// Writes the handbook into a folder and returns where it is.
fn handbook(stage: &Stage<'_>) -> Result<String> {
    let folder = stage.folder("handbook");
    for (name, text) in PAGES {
        let page = folder.join(name);
        page.parent().map_or(Ok(()), host::make_dirs)?;
        host::write(&page, text.as_bytes())?;
    }
    folder.into_os_string().into_string().map_err(|_| {
        Error::new(homefs_core::ErrorKind::Invalid, "the temporary directory is not UTF-8").into()
    })
}
