//! Chroma: collections of texts with vectors, here in `SQLite`.

use super::ServerKind;

/// Chroma of `PyPI`.
pub const CHROMA: ServerKind = ServerKind {
    name: "Chroma",
    program: "chroma",
    scheme: "chroma",
    path: "",
    key: &[],
    ports: 1,
    prepare: |_, ports| {
        let port = ports[0].to_string();
        let line = ["run", "--path", "data", "--host", "127.0.0.1", "--port", &port];
        Ok(line.map(str::to_owned).to_vec())
    },
    interpreter: None,
    environment: &[],
    opening: &[(0, "GET /api/v2/heartbeat")],
};
