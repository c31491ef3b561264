//! The one place where environment variables and the config file enter.
//!
//! Every face that opens a store asks [`client_options`], so that all of them find the same one. A
//! setting is text until all its possible origins were asked: what the caller says, environment
//! variable, config file, default, in this order. Only then it becomes a value, so that an error
//! can always name where the text came from.

mod config;
mod known;
mod refusal;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path as HostPath, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use homefs_core::{AgentId, Error, check_own_file, check_way, without_userinfo};
use homefs_view::{Components, Who};
pub use known::{
    DEADLINE_MS_DEFAULT, EMBEDDER_DEFAULT, KNOWN, VARIABLES, engine_defaults, variable_name,
};

pub use refusal::Refusal;

use crate::client::ClientOptions;
use crate::embedders::EmbedderConfig;
use crate::paths::is_address;
use crate::program;

/// What the caller says himself; what is not said is looked for.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The directory of the store.
    pub store: Option<PathBuf>,
    /// On whose behalf calls are made.
    pub agent: Option<AgentId>,
    /// The groups of the session, if they are not the agent's.
    pub groups: Option<BTreeSet<AgentId>>,
    /// Holds every right.
    pub operator: bool,
    /// The root shows every space instead of the home.
    pub all: bool,
    /// Longest wait for a busy owner.
    pub deadline: Option<Duration>,
    /// Whether the remote is left alone.
    pub offline: Option<bool>,
    /// Whether scripts run in workers, which need the command `homefs`.
    pub workers: bool,
}

/// Finds out how a store is opened, as the command line does: from what the caller says, the
/// environment and the config file.
///
/// # Errors
///
/// `Invalid` if a setting makes no sense, `Unsupported` if scripts are to run in workers and the
/// command `homefs` is not to be found, and whatever keeps the config file from being read.
pub fn client_options(overrides: &Overrides) -> homefs_core::Result<ClientOptions> {
    let settings = Settings::resolve(overrides)?;
    let Overrides { operator, all, workers, .. } = *overrides;
    let path = || program::find(variable("PATH").as_deref(), "workers");
    let program = workers.then(path).transpose()?;
    let who = Who { agent: settings.agent.clone(), operator, all };
    let groups = overrides.groups.clone();
    Ok(ClientOptions { groups, program, ..settings.client_options(who) })
}

type Result<T, E = Refusal> = std::result::Result<T, E>;

/// Where the text of a setting came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nothing else was said.
    Default,
    /// A line of the config file.
    Config {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// An environment variable.
    Environment(String),
    /// An argument.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Config { file, line } => write!(f, "{}:{line}", file.display()),
            Self::Environment(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// Every setting's text and origin, by key.
pub type Values = BTreeMap<&'static str, (OsString, Origin)>;

/// All settings, resolved.
#[derive(Debug)]
pub struct Settings {
    /// The directory of the store.
    pub store: PathBuf,
    /// On whose behalf commands work.
    pub agent: AgentId,
    /// Longest wait for a busy owner.
    pub deadline: Duration,
    /// Whether the remote is left alone.
    pub offline: bool,
    /// What gives docs their vectors.
    pub embedder: EmbedderConfig,
    /// What the engine is opened with.
    pub engine: homefs_view::Settings,
    /// The config file, whether it exists or not; none if nothing says where files belong.
    pub file: Option<PathBuf>,
    /// Every setting's text and origin, by key.
    pub values: Values,
}

/// Reads one environment variable.
type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

impl Settings {
    /// Resolves the settings of this process.
    pub fn resolve(overrides: &Overrides) -> Result<Self> {
        let file = config_file(&variable);
        let text = file.as_deref().map_or(Ok(String::new()), read_config)?;
        let settings = Self::from_parts(overrides, &variable, file, &text)?;
        if let (_, Origin::Default) = settings.values["store"] {
            // A place that nobody named must be one that nobody else could have chosen.
            let checked = check_way(&settings.store);
            let refused = |cause| Error::io("trust the way to the store", cause);
            checked.map_err(refused)?;
        }
        Ok(settings)
    }

    fn from_parts(
        overrides: &Overrides,
        environment: Environment<'_>,
        file: Option<PathBuf>,
        text: &str,
    ) -> Result<Self> {
        let mut values = defaults(environment);
        if let Some(file) = &file {
            config::read(file, text, &mut values)?;
        }
        for key in KNOWN.iter().map(|known| known.key) {
            let name = variable_name(key);
            if let Some(text) = environment(&name) {
                values.insert(key, (text, Origin::Environment(name)));
            }
        }
        let flags = [
            ("store", "--store", overrides.store.clone().map(OsString::from)),
            ("agent_id", "--agent-id", overrides.agent.as_ref().map(|id| id.as_str().into())),
            (
                "deadline_ms",
                "--deadline",
                overrides.deadline.map(|deadline| deadline.as_millis().to_string().into()),
            ),
            ("offline", "--offline", overrides.offline.map(|offline| offline.to_string().into())),
        ];
        for (key, flag, text) in flags {
            if let Some(text) = text {
                values.insert(key, (text, Origin::Flag(flag)));
            }
        }
        Ok(Self {
            store: store(&values, environment)?,
            agent: parse(&values, "agent_id")?,
            deadline: Duration::from_millis(parse(&values, "deadline_ms")?),
            offline: parse::<Switch>(&values, "offline")?.0,
            embedder: embedder(&values, environment)?,
            engine: engine(&values)?,
            file,
            values,
        })
    }

    /// Returns the text of a setting as it may be shown.
    pub fn shown(&self, key: &str) -> String {
        let text = self.values.get(key).map(|(text, _)| text.to_string_lossy());
        without_userinfo(&text.unwrap_or_default()).into_owned()
    }

    /// Returns how the store is opened for somebody.
    pub fn client_options(&self, who: Who) -> ClientOptions {
        ClientOptions {
            dir: self.store.clone(),
            who,
            groups: None,
            settings: self.engine.clone(),
            components: Components::host(),
            deadline: self.deadline,
            offline: self.offline,
            embedder: self.embedder.clone(),
            program: None,
        }
    }
}

/// Reads an environment variable; an empty one is as good as none, as the XDG specification wants
/// it.
#[expect(clippy::disallowed_methods, reason = "the one place where the environment enters")]
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Reads the config file; one that nobody named need not exist.
fn read_config(file: &HostPath) -> Result<String> {
    if variable("HOMEFS_CONFIG").is_none() {
        let refused = |cause| Error::io("trust the config file", cause);
        check_own_file(file).map_err(refused)?;
    }
    let error = match fs::read_to_string(file) {
        Ok(text) => return Ok(text),
        Err(error) => error,
    };
    let is_missing = error.kind() == io::ErrorKind::NotFound;
    if is_missing && variable("HOMEFS_CONFIG").is_none() {
        return Ok(String::new());
    }
    let error = Error::io("read the file", error);
    let refusal = Refusal::from(error.with_path_text(file.display().to_string()));
    Err(if is_missing { refusal.hint("HOMEFS_CONFIG names this file") } else { refusal })
}

fn config_file(environment: Environment<'_>) -> Option<PathBuf> {
    match environment("HOMEFS_CONFIG") {
        Some(file) => Some(file.into()),
        None => {
            Some(base_dir(environment, "XDG_CONFIG_HOME", ".config")?.join("homefs/config.toml"))
        }
    }
}

/// Returns where files of a sort belong; `None` where the environment does not say.
fn base_dir(environment: Environment<'_>, name: &str, below_home: &str) -> Option<PathBuf> {
    let set = environment(name).map(PathBuf::from);
    set.or_else(|| environment("HOME").map(|home| HostPath::new(&home).join(below_home)))
}

fn defaults(environment: Environment<'_>) -> Values {
    let engine = engine_defaults();
    KNOWN
        .iter()
        .map(|known| {
            let text = match known.key {
                // Nothing where the environment does not say; then another origin has to.
                "store" => base_dir(environment, "XDG_DATA_HOME", ".local/share")
                    .map(|dir| dir.join("homefs").into())
                    .unwrap_or_default(),
                "agent_id" => "me".into(),
                "deadline_ms" => DEADLINE_MS_DEFAULT.into(),
                "offline" => "false".into(),
                "embedder" => EMBEDDER_DEFAULT.into(),
                key => engine.get(key).cloned().unwrap_or_default().into(),
            };
            (known.key, (text, Origin::Default))
        })
        .collect()
}

/// Returns the store's directory.
fn store(values: &Values, environment: Environment<'_>) -> Result<PathBuf> {
    let (text, origin) = &values["store"];
    if text.is_empty() && matches!(origin, Origin::Default) {
        return Err(Refusal::new("neither XDG_DATA_HOME nor HOME says where the store is")
            .hint("--store or HOMEFS_STORE names the directory of the store"));
    }
    if is_address(&text.to_string_lossy()) {
        let text = text.to_string_lossy();
        let text = without_userinfo(&text);
        let why = "it is an address, and a store is a directory of this host";
        return Err(Refusal::new(format!(
            "the setting store cannot be {text:?}: {why} (from {origin})"
        ))
        .hint("`homefs clone` brings a home from there to a store"));
    }
    Ok(at_home(HostPath::new(text), environment))
}

/// Reads a leading `~` as a shell would have.
fn at_home(given: &HostPath, environment: Environment<'_>) -> PathBuf {
    match (given.strip_prefix("~"), environment("HOME")) {
        (Ok(below), Some(home)) => HostPath::new(&home).join(below),
        _ => given.to_owned(),
    }
}

fn embedder(values: &Values, environment: Environment<'_>) -> Result<EmbedderConfig> {
    let variable = Some(values["embedder_key_env"].0.to_string_lossy().into_owned());
    Ok(match parse(values, "embedder")? {
        EmbedderConfig::Folder(folder) => EmbedderConfig::Folder(at_home(&folder, environment)),
        EmbedderConfig::Service { url, model, .. } => {
            let key_variable = variable.filter(|name| !name.is_empty());
            EmbedderConfig::Service { url, model, key_variable }
        }
        built_in => built_in,
    })
}

/// A setting that is on or off; an environment variable is often set to 1.
struct Switch(bool);

impl FromStr for Switch {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "true" | "1" => Ok(Self(true)),
            "false" | "0" => Ok(Self(false)),
            _ => Err("write true or false"),
        }
    }
}

fn parse<T: FromStr<Err: fmt::Display>>(values: &Values, key: &str) -> Result<T> {
    let (text, origin) = &values[key];
    let text = text.to_string_lossy();
    text.parse().map_err(|error| {
        let text = without_userinfo(&text);
        Refusal::new(format!("the setting {key} cannot be {text:?}: {error} (from {origin})"))
    })
}

fn engine(values: &Values) -> Result<homefs_view::Settings> {
    let mut fields = serde_json::Map::new();
    for (key, default) in engine_defaults() {
        // What is a number by default is always one.
        let value = match default.parse::<u64>() {
            Ok(_) => parse::<u64>(values, &key)?.into(),
            Err(_) => parse::<String>(values, &key)?.into(),
        };
        fields.insert(key, value);
    }
    serde_json::from_value(fields.into())
        .map_err(|error| Refusal::new(format!("a setting of the engine is out of range: {error}")))
}
