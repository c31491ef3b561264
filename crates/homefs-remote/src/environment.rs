//! Where credentials come from: variables and the files that they name.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// The variables that a backend may ask for.
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// Takes the variables of this process.
    pub fn of_process() -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        std::env::vars_os().filter_map(text).collect()
    }

    /// Returns a variable that is set and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the set variables whose names start so.
    pub(crate) fn starting_with(&self, start: &str) -> impl Iterator<Item = (&str, &str)> {
        let names = self.variables.keys().filter(move |name| name.starts_with(start));
        names.filter_map(|name| Some((name.as_str(), self.get(name)?)))
    }

    /// Returns a place below the user's home.
    pub(crate) fn in_home(&self, place: &str) -> Option<PathBuf> {
        Some(PathBuf::from(self.get("HOME")?).join(place))
    }
}

impl<Name: Into<String>, Value: Into<String>> FromIterator<(Name, Value)> for Environment {
    fn from_iter<Pairs: IntoIterator<Item = (Name, Value)>>(pairs: Pairs) -> Self {
        let pairs = pairs.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self { variables: pairs.collect() }
    }
}

// The values hold secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}
