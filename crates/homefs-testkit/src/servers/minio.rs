//! `MinIO`: what many run at home.

use std::fs;

use super::{BUCKET, ForeignServer, S3_KEY, ServerKind};

/// `MinIO`, built by `go`.
pub const MINIO: ServerKind = ServerKind {
    name: "MinIO",
    program: "minio",
    scheme: "s3",
    path: "",
    key: S3_KEY,
    ports: 2,
    prepare: |folder, ports| {
        // A folder of its data is a bucket.
        fs::create_dir_all(folder.join("data").join(BUCKET))?;
        let [api, console] = [ports[0], ports[1]].map(|port| format!("127.0.0.1:{port}"));
        let line = ["server", "data", "--address", &api, "--console-address", &console];
        Ok(line.map(str::to_owned).to_vec())
    },
    interpreter: None,
    environment: &[
        ("MINIO_ROOT_USER", ForeignServer::ACCESS_KEY),
        ("MINIO_ROOT_PASSWORD", ForeignServer::SECRET_KEY),
        ("MINIO_BROWSER", "off"),
    ],
    // It calls itself ready before it takes requests, and well only afterwards.
    opening: &[(0, "GET /minio/health/cluster")],
};
