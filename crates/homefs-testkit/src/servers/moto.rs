//! moto: Amazon's services as its Python client expects them, in memory.

use super::ServerKind;

/// moto of `PyPI`. It checks no signatures.
pub const MOTO: ServerKind = ServerKind {
    name: "moto",
    program: "moto_server",
    ports: 1,
    prepare: |_, ports| {
        let line = ["-H", "127.0.0.1", "-p", &ports[0].to_string()];
        Ok(line.map(str::to_owned).to_vec())
    },
    environment: &[],
    opening: &[(0, "PUT /homefs-test")],
};
