//! Azurite: Azure Blob Storage as Microsoft emulates it, in memory.

use super::ServerKind;

/// Azurite of npm.
pub const AZURITE: ServerKind = ServerKind {
    name: "Azurite",
    program: "azurite-blob",
    scheme: "az",
    // An emulator has the account in the path, not in the host's name.
    path: "/homefstest",
    key: &[("AZURE_STORAGE_ACCOUNT_NAME", "homefstest"), ("AZURE_STORAGE_ACCOUNT_KEY", KEY)],
    ports: 1,
    prepare: |_, ports| {
        let port = ports[0].to_string();
        let line = ["--blobHost", "127.0.0.1", "--blobPort", &port, "--inMemoryPersistence"];
        let quiet = ["--skipApiVersionCheck", "--disableTelemetry", "--silent"];
        Ok(line.iter().chain(&quiet).map(|word| (*word).to_owned()).collect())
    },
    interpreter: None,
    environment: &[("AZURITE_ACCOUNTS", "homefstest:dGVzdC1zZWNyZXQta2V5")],
    // A container is made by who shows a right to do so, here signed with the key below until 2099.
    opening: &[(
        0,
        "PUT /homefstest/homefs-test?restype=container&sv=2021-12-02&ss=b&srt=c&sp=rwc\
         &se=2099-01-01&sig=%2FCSp9NRl2kBcILML8Dzx74DspJwmmjzFSNukU7fyTng%3D",
    )],
};

/// The secret of all servers here, as Azure spells it.
const KEY: &str = "dGVzdC1zZWNyZXQta2V5";
