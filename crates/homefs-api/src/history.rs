//! Moments that a caller does not name.

use homefs_core::{Error, ErrorKind, Path, Result};
use homefs_view::Moment;

use crate::client::Client;

impl Client {
    /// Returns the version of a file before its last, with which the last is compared.
    pub fn previous(&self, path: &Path) -> Result<Moment> {
        let editions = self.log(path, None, 2)?;
        let previous = editions.get(1).map(|edition| Moment::Version(edition.version));
        previous.ok_or_else(|| {
            Error::new(ErrorKind::NotFound, "the file has one version only").with_path(path)
        })
    }
}
