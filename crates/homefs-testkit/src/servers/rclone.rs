//! `rclone serve s3`: a folder behind the words of S3. It does not know conditions.

use std::fs;

use super::{BUCKET, ForeignServer, S3_KEY, ServerKind};

/// rclone of `PyPI`.
pub const RCLONE: ServerKind = ServerKind {
    name: "rclone serve s3",
    program: "rclone",
    scheme: "s3",
    path: "",
    key: S3_KEY,
    ports: 1,
    prepare: |folder, ports| {
        // A folder of what it serves is a bucket.
        fs::create_dir_all(folder.join("data").join(BUCKET))?;
        let address = format!("127.0.0.1:{}", ports[0]);
        let key = format!("{},{}", ForeignServer::ACCESS_KEY, ForeignServer::SECRET_KEY);
        let line = ["serve", "s3", "data", "--addr", &address, "--auth-key", &key];
        Ok(line.map(str::to_owned).to_vec())
    },
    interpreter: None,
    environment: &[],
    opening: &[(0, "GET /")],
};
