//! HTTP to the server that an address names, and to no other.
//!
//! A redirect is not followed: it would carry tokens and texts to wherever a server likes, and have
//! this host ask what only this host can reach.

use std::time::Duration;

use homefs_core::{Error, ErrorKind, Result};
use object_store::client::HttpClient;

use crate::cloud::innermost;

/// Prepares to send requests to the server of a URL.
pub(crate) fn direct_client(url: &str, connecting_max: Duration) -> Result<HttpClient> {
    let mut builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(connecting_max);
    if url.starts_with("http://") {
        // To read the certificates of the host takes longer than some requests do.
        builder = builder.tls_certs_only([]);
    }
    let client = builder.build().map_err(|cause| {
        Error::new(ErrorKind::Invalid, format!("cannot use HTTP: {}", innermost(&cause)))
    })?;
    Ok(HttpClient::new(client))
}
