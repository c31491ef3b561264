//! `homefs remote`.

use homefs_api::{Capabilities, Races, RemoteConfig, RemoteInfo, check_remote, machine_name};
use homefs_core::{Error, ErrorCode, ErrorKind};
use homefs_view::Components;
use serde_json::json;

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::output::Style;
use crate::{json, text};

/// Manage the remote, where copies of all homes and shared spaces are kept
///
/// Credentials come from the environment, from profile files or from the machine's role, and are
/// never kept in the store.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Remote,
}

#[derive(clap::Subcommand)]
enum Remote {
    /// Attach a remote to the store
    Add {
        #[command(flatten)]
        place: RemoteArgs,
    },
    /// Show the store's remote
    Ls,
    /// Let the remote go, once everything that only it has is here
    Rm {
        /// Let it go though what only it has is then out of reach
        #[arg(long)]
        force: bool,
    },
    /// Tell what a remote honours; exits with 1 if several machines cannot write there
    ///
    /// Besides questions that are asked one after the other there are 800 races of simultaneous
    /// writes: less than 4,000 requests on small objects that are removed again, within a minute.
    /// `homefs remote add` tries 80.
    Check {
        /// Where it is; the store's own if not given
        address: Option<String>,
        #[command(flatten)]
        server: Server,
    },
}

/// Where a remote is, how to talk to it, and how this machine takes part.
#[derive(clap::Args)]
pub(super) struct RemoteArgs {
    /// Where it is: `s3://bucket/prefix`, `gs://…`, `az://…` or `file:///dir`
    address: String,
    #[command(flatten)]
    manner: Manner,
}

/// How to talk to a remote, and how this machine takes part.
#[derive(clap::Args, Default)]
pub(super) struct Manner {
    #[command(flatten)]
    server: Server,
    /// No other machine ever writes there, so the server need not honour conditions
    #[arg(long, requires = "address")]
    single_writer: bool,
    /// What history calls this machine; its host name if not given
    #[arg(long, value_name = "NAME", requires = "address")]
    machine: Option<String>,
}

/// How to talk to a remote.
#[derive(clap::Args, Default)]
struct Server {
    /// Talk to this server, such as `http://127.0.0.1:9000`
    #[arg(long, value_name = "URL", requires = "address")]
    endpoint: Option<String>,
    /// The region of an S3 bucket
    #[arg(long, value_name = "NAME", requires = "address")]
    region: Option<String>,
    /// Name an S3 bucket in the host's name instead of the path
    #[arg(long, requires = "address")]
    virtual_host: bool,
}

impl RemoteArgs {
    /// Returns what the store's file says of such a remote.
    pub(super) fn config(self) -> RemoteConfig {
        self.manner.config(self.address)
    }
}

impl Manner {
    /// Returns what the store's file says of a remote at an address.
    pub(super) fn config(self, address: String) -> RemoteConfig {
        RemoteConfig {
            single_writer: self.single_writer,
            machine_name: self.machine.unwrap_or_else(machine_name),
            ..self.server.config(address)
        }
    }
}

impl Server {
    fn config(self, address: String) -> RemoteConfig {
        RemoteConfig {
            address,
            endpoint: self.endpoint,
            region: self.region,
            path_style: !self.virtual_host,
            ..RemoteConfig::default()
        }
    }
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        match self.command {
            Remote::Add { place } => add(context, &place.config()),
            Remote::Ls => list(context),
            Remote::Rm { force } => remove(context, force),
            Remote::Check { address, server } => {
                check(context, address.map(|address| server.config(address)))
            }
        }
    }
}

/// Attaches a remote.
pub(super) fn attach(context: &Context, config: &RemoteConfig) -> Result<Capabilities> {
    warn_of_listeners(context, config);
    let added = context.upkeep_client()?.remote_add(config);
    added.map_err(|error| of_conditions(advise(context, error)))
}

/// Says that others can listen, if they can.
fn warn_of_listeners(context: &Context, config: &RemoteConfig) {
    if let Some(server) = config.in_the_open() {
        context.output.say(format_args!("warning: {}", listeners(&server)));
    }
}

/// Says what it means to talk to a server without TLS.
pub(super) fn listeners(server: &str) -> String {
    format!(
        "{server} is asked without TLS: whoever is on the way there reads everything that is sent, \
         tokens too, and can change it; use https://"
    )
}

/// Says what helps if a server does not honour what several machines need.
pub(super) fn of_conditions(mut failure: Failure) -> Failure {
    if failure.kind == Some(ErrorKind::Unsupported) {
        let hint = "use another server, or --single-writer if no other machine ever writes there";
        failure.hints = vec![hint.to_owned()];
    }
    failure
}

fn add(context: &Context, config: &RemoteConfig) -> Result<()> {
    let found = attach(context, config)?;
    context.output.changed(
        &json::capabilities(Some(config), found),
        format_args!("attached {}; `homefs sync` makes both agree now", config.address),
    )
}

fn list(context: &Context) -> Result<()> {
    let remote = context.upkeep_client()?.remote()?;
    let remotes: Vec<_> = remote.into_iter().collect();
    context.output.listing(&remotes, json::remote, |info| vec![describe(info)], &[])
}

/// Returns the remote in one line.
pub(super) fn describe(RemoteInfo { config, unused }: &RemoteInfo) -> String {
    let mut line = config.as_ref().map_or_else(
        || "a remote that cannot be read".to_owned(),
        |config| {
            let server = config.endpoint.as_ref().map(|server| format!(" at {server}"));
            let (address, server) = (&config.address, server.unwrap_or_default());
            let reads = if config.read_only { ", only read" } else { "" };
            format!("{address}{server}, as {}{reads}", config.machine_name)
        },
    );
    if let Some(why) = unused {
        line = format!("{line}; not used: {why}");
    }
    text::printable(&line)
}

fn remove(context: &Context, force: bool) -> Result<()> {
    let client = context.upkeep_client()?;
    let fetched = client.remote_rm(force).map_err(|error| {
        let missing = error.kind() == ErrorKind::NotFound;
        let failure = advise(context, error);
        if missing {
            return failure;
        }
        failure.hint("--force lets it go though what only it has is then out of reach")
    })?;
    context.output.changed(
        &json!({ "fetched_bytes": fetched }),
        format_args!("let the remote go after fetching {}", text::size(fetched)),
    )
}

fn check(context: &Context, config: Option<RemoteConfig>) -> Result<()> {
    let (config, found) = if let Some(config) = config {
        warn_of_listeners(context, &config);
        // Nothing is asked of a store, so that none is made.
        let found = check_remote(&config, &Components::host());
        let found = found.map_err(|error| with_hints(error, Vec::new()))?;
        (Some(config), found)
    } else {
        let client = context.upkeep_client()?;
        let config = client.remote()?.and_then(|info| info.config);
        if let Some(config) = &config {
            warn_of_listeners(context, config);
        }
        let found = client.remote_check().map_err(|error| advise(context, error))?;
        (config, found)
    };
    let output = &context.output;
    if output.json {
        output.json(&json::capabilities(config.as_ref(), found))?;
    } else {
        for (honoured, what) in questions(found) {
            let (style, word) = if honoured { (Style::Green, "yes") } else { (Style::Red, "no ") };
            output.line(format_args!("{}  {what}", output.paint(style, word)))?;
        }
    }
    if let Some(danger) = found.danger() {
        return Err(Failure::no(format!("several machines cannot write here: {danger}"))
            .hint("use another server, or one machine only: `homefs remote add --single-writer`"));
    }
    output.say("several machines can write here");
    Ok(())
}

/// What is asked of a remote, in plain words.
fn questions(found: Capabilities) -> Vec<(bool, String)> {
    let asked = [
        (found.absent, "creates an object only if there is none"),
        (found.unchanged, "replaces an object only if it has not changed"),
        (found.unchanged_missing, "does not replace an object that is gone"),
        (found.unless, "says when an object has not changed instead of sending it"),
        (found.listing, "lists objects with the tags that it gives when they are read"),
    ];
    let mut questions: Vec<_> = asked.map(|(honoured, what)| (honoured, what.to_owned())).into();
    // There is no race where conditions are ignored anyway.
    let Races { run, broken } = found.races();
    if run > 0 {
        let what = "lets exactly one of several win that write in the same moment";
        let races = text::count(u64::from(run), "race");
        let wrong = if broken > 0 { format!(", {broken} of them wrong") } else { String::new() };
        questions.push((found.simultaneous(), format!("{what} ({races}{wrong})")));
    }
    questions
}

/// Says what helps against an error of the store's remote.
pub(super) fn advise(context: &Context, error: Error) -> Failure {
    let mut hints = Vec::new();
    if error.kind() == ErrorKind::Denied
        && let Ok(client) = context.upkeep_client()
        && client.view_here().is_none()
        && let Ok(status) = client.status()
    {
        // Whoever set the right variables for this command wonders otherwise.
        hints.push(format!("process {} owns the store and uses its own environment", status.pid));
    }
    with_hints(error, hints)
}

/// Adds what usually helps against an error of a remote.
pub(super) fn with_hints(error: Error, mut hints: Vec<String>) -> Failure {
    let usual = match error.kind() {
        ErrorKind::NotFound => "`homefs remote add ADDRESS` attaches one",
        ErrorKind::AlreadyExists => "`homefs remote rm` lets it go, --store names another store",
        // The credentials are fine, and the message says what is not.
        ErrorKind::Denied if error.code() == Some(ErrorCode::WrongClock) => {
            "nothing is lost; it goes on when the clock is right"
        }
        ErrorKind::Denied => credentials(error.path().unwrap_or_default()),
        ErrorKind::LimitExceeded if error.path().is_some_and(homefs_api::is_address) => {
            "make room there, or `homefs gc` deletes what nobody needs; nothing is lost here"
        }
        ErrorKind::Unavailable => "look at the network and the endpoint; nothing is lost",
        ErrorKind::ReadOnly => {
            "once you may write there, `homefs remote add` with the same address lets it send"
        }
        ErrorKind::Unsupported => "`homefs remote ls` shows whether a remote is used",
        ErrorKind::Invalid => "`homefs remote check ADDRESS` tries an address",
        _ => return Failure { code: 2, ..error.into() },
    };
    hints.push(usual.to_owned());
    Failure { hints, code: 2, ..error.into() }
}

/// Says where the credentials of a place come from.
fn credentials(address: &str) -> &'static str {
    match address.split_once("://") {
        Some(("gs", _)) => "set GOOGLE_APPLICATION_CREDENTIALS, or log in with gcloud",
        Some(("az", _)) => "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
        Some(("file", _)) => "look at who may read and write the directory",
        _ => "for S3, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
    }
}
