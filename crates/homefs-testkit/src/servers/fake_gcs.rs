//! `fake-gcs-server`: Google Cloud Storage in memory, of those who test programs in Go.

use std::fs;

use super::{BUCKET, ServerKind};

/// `fake-gcs-server`, built by `go`. It checks no keys.
pub const FAKE_GCS: ServerKind = ServerKind {
    name: "fake-gcs-server",
    program: "fake-gcs-server",
    scheme: "gs",
    path: "",
    key: &[("GOOGLE_SERVICE_ACCOUNT_KEY", KEY)],
    ports: 1,
    prepare: |folder, ports| {
        // A folder of its data is a bucket.
        fs::create_dir_all(folder.join("data").join(BUCKET))?;
        let port = ports[0].to_string();
        let public = format!("127.0.0.1:{port}");
        let place = ["-scheme", "http", "-host", "127.0.0.1", "-port", &port];
        let data = ["-backend", "memory", "-data", "data", "-public-host", &public];
        Ok(place.iter().chain(&data).map(|word| (*word).to_owned()).collect())
    },
    interpreter: None,
    environment: &[],
    opening: &[(0, "GET /storage/v1/b/homefs-test")],
};

/// A key that asks nobody for a token.
const KEY: &str = r#"{"private_key": "", "private_key_id": "", "client_email": "",
    "disable_oauth": true}"#;
