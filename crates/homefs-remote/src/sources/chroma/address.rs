//! Where a collection is, as a person writes it.

use std::fmt;
use std::str::FromStr;

use homefs_core::{Error, ErrorKind, Result};

/// Where a collection of Chroma is; it never holds credentials.
///
/// Written `chroma://host:port/collection`, or with tenant and database before the collection;
/// `chromas://` for a server behind TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChromaAddress {
    secure: bool,
    // Invariant: a host, with a port or not, and no credentials.
    host: String,
    // Invariant: each passes `check_word`.
    tenant: String,
    database: String,
    collection: String,
}

/// What a server calls the tenant and the database of those who name none.
const DEFAULTS: (&str, &str) = ("default_tenant", "default_database");

impl ChromaAddress {
    /// Returns where requests for the database go.
    pub(crate) fn database_url(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        let port = if self.secure || self.has_port() { "" } else { ":8000" };
        let (host, tenant, database) = (&self.host, &self.tenant, &self.database);
        format!("{scheme}://{host}{port}/api/v2/tenants/{tenant}/databases/{database}")
    }

    /// Returns the name of the collection.
    pub(crate) fn collection(&self) -> &str {
        &self.collection
    }

    fn has_port(&self) -> bool {
        self.host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok())
    }
}

impl FromStr for ChromaAddress {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (secure, rest) = match text.split_once("://") {
            Some(("chroma", rest)) => (false, rest),
            Some(("chromas", rest)) => (true, rest),
            _ => return Err(unknown()),
        };
        let mut parts = rest.trim_end_matches('/').split('/');
        let host = parts.next().unwrap_or_default();
        // A secret is not shown again: the text is not part of the message.
        if host.contains('@') {
            return Err(invalid(
                "the address holds credentials: put the token into CHROMA_API_KEY",
            ));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-:[]_".contains(c);
        if host.is_empty() || !host.chars().all(plain) {
            return Err(unknown());
        }
        let parts: Vec<&str> = parts.collect();
        let (tenant, database, collection) = match *parts {
            [collection] => (DEFAULTS.0, DEFAULTS.1, collection),
            [tenant, database, collection] => (tenant, database, collection),
            _ => return Err(unknown()),
        };
        for word in [tenant, database, collection] {
            check_word(word)?;
        }
        let [host, tenant, database, collection] =
            [host, tenant, database, collection].map(str::to_owned);
        Ok(Self { secure, host, tenant, database, collection })
    }
}

impl fmt::Display for ChromaAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "chromas" } else { "chroma" };
        write!(f, "{scheme}://{}/", self.host)?;
        if (self.tenant.as_str(), self.database.as_str()) != DEFAULTS {
            write!(f, "{}/{}/", self.tenant, self.database)?;
        }
        f.write_str(&self.collection)
    }
}

/// Checks a word that becomes a part of a URL, by the rules that Chroma has for collections.
fn check_word(word: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if word.is_empty() || word.len() > 512 || word.starts_with('.') || !word.chars().all(plain) {
        return Err(invalid(
            "names of collections, tenants and databases have letters, digits, `.`, `_` and `-`",
        ));
    }
    Ok(())
}

fn unknown() -> Error {
    invalid("a collection is written chroma://host:port/collection, or chromas:// with TLS")
}

fn invalid(message: &str) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_back_as_written() {
        for text in
            ["chroma://h:1/c", "chroma://h/c", "chromas://h/t/d/c.x-y_z", "chroma://[::1]:8000/c"]
        {
            assert_eq!(text.parse::<ChromaAddress>().unwrap().to_string(), text);
        }
        let url = |text: &str| text.parse::<ChromaAddress>().unwrap().database_url();
        let rest = "/api/v2/tenants/default_tenant/databases/default_database";
        assert_eq!(url("chroma://h/c"), format!("http://h:8000{rest}"));
        assert_eq!(url("chroma://h:1/c"), format!("http://h:1{rest}"));
        assert_eq!(url("chromas://h/c"), format!("https://h{rest}"));
    }

    #[test]
    fn what_is_no_address_is_refused_without_showing_secrets() {
        for text in [
            "",
            "chroma:",
            "chroma://",
            "chroma://h",
            "chroma://h/",
            "http://h/c",
            "chroma://h/a/b",
            "chroma://h/..",
            "chroma://h/c?x",
            "chroma://h h/c",
            "chroma://user:geheim@h/c",
        ] {
            let error = text.parse::<ChromaAddress>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{text}");
            assert!(!error.to_string().contains("geheim"), "{error}");
        }
    }
}
