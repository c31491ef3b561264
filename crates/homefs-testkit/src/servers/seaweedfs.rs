//! `SeaweedFS`: a cluster of four services, here in one process.

use std::fs;

use super::{ForeignServer, S3_KEY, ServerKind};

/// `SeaweedFS` of `PyPI`.
pub const SEAWEEDFS: ServerKind = ServerKind {
    name: "SeaweedFS",
    program: "weed",
    scheme: "s3",
    path: "",
    key: S3_KEY,
    ports: SERVICES.len(),
    prepare: |folder, ports| {
        fs::create_dir_all(folder.join("data"))?;
        fs::write(folder.join("keys.json"), keys())?;
        let line = [
            "server",
            "-dir=data",
            "-ip=127.0.0.1",
            "-s3",
            "-s3.config=keys.json",
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            "-volume.max=0",
            "-master.volumeSizeLimitMB=64",
        ];
        let services = SERVICES.iter().zip(ports).map(|(name, port)| format!("-{name}={port}"));
        Ok(line.into_iter().map(str::to_owned).chain(services).collect())
    },
    interpreter: None,
    environment: &[],
    // A bucket is a folder of its own kind of tree.
    opening: &[(1, "POST /buckets/homefs-test/"), (0, "GET /")],
};

/// Whatever listens; clients talk to the first, the second makes the bucket.
const SERVICES: [&str; 8] = [
    "s3.port",
    "filer.port",
    "s3.port.grpc",
    "filer.port.grpc",
    "master.port",
    "master.port.grpc",
    "volume.port",
    "volume.port.grpc",
];

/// Returns the file that names who may do what.
fn keys() -> String {
    let (id, secret) = (ForeignServer::ACCESS_KEY, ForeignServer::SECRET_KEY);
    format!(
        r#"{{"identities": [{{"name": "test", "actions": ["Admin"],
            "credentials": [{{"accessKey": "{id}", "secretKey": "{secret}"}}]}}]}}"#
    )
}
