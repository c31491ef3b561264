//! What `cp`, `ln` and `mv` do with `-b`: what would be overwritten stays under another name.

use homefs_core::{Error, ErrorKind, Path, Result};
use homefs_view::RenameMode;

use super::tool::Run;

/// How names are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum How {
    /// Nothing is kept.
    #[default]
    Never,
    /// With an ending.
    Simple,
    /// With the next number.
    Numbered,
    /// With the next number if there is one with a number already.
    Existing,
}

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backup {
    how: How,
    suffix: Option<String>,
}

impl Backup {
    /// Takes an option, if it is one of these; says what is wrong with its value.
    pub(crate) fn set(
        &mut self,
        name: &str,
        value: Option<&str>,
    ) -> std::result::Result<(), String> {
        self.how = match (name, value) {
            ("suffix", _) => {
                self.suffix = value.map(str::to_owned);
                if self.how == How::Never { How::Existing } else { self.how }
            }
            ("b", _) | ("backup", None | Some("existing" | "nil")) => How::Existing,
            ("backup", Some("simple" | "never")) => How::Simple,
            ("backup", Some("numbered" | "t")) => How::Numbered,
            ("backup", Some("none" | "off")) => How::Never,
            ("backup", Some(other)) => {
                return Err(format!("invalid argument '{other}' for 'backup type'"));
            }
            _ => self.how,
        };
        Ok(())
    }

    /// Tells whether anything is kept.
    pub(crate) fn is_asked(&self) -> bool {
        self.how != How::Never
    }

    /// Gives what is at a path another name, if that is asked for; returns the name. It is not that
    /// of what takes the place.
    pub(crate) fn keep(&self, run: &Run<'_>, path: &Path, by: &Path) -> Result<Option<String>> {
        let files = &run.ground.files;
        let (Some(name), Some(parent), true) = (path.name(), path.parent(), self.is_asked()) else {
            return Ok(None);
        };
        if files.home.stat(path).is_err() {
            return Ok(None);
        }
        let number = |entry: &str| -> Option<u64> {
            entry.strip_prefix(name)?.strip_prefix(".~")?.strip_suffix('~')?.parse().ok()
        };
        let mut last = None;
        if self.how != How::Simple {
            let numbers = files.children(&parent)?;
            last = numbers.iter().filter_map(|entry| number(&entry.name)).max();
        }
        let kept = match (self.how, last) {
            (How::Numbered, _) | (_, Some(_)) => format!("{name}.~{}~", last.unwrap_or(0) + 1),
            _ => format!("{name}{}", self.suffix.as_deref().unwrap_or("~")),
        };
        let aside = parent.join(&kept)?;
        if aside == *by {
            let error = Error::new(ErrorKind::Invalid, "the backup would overwrite what is copied");
            return Err(error.with_path(by));
        }
        files.home.rename(path, &aside, RenameMode::Replace)?;
        Ok(Some(kept))
    }
}
