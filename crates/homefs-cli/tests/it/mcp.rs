//! `homefs mcp`: the protocol by hand and by the official clients, and the configs of programs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use homefs_testkit::{got, program, python_with, say_skipped};
use homefs_view::{Components, Settings, Store};
use serde_json::{Value, json};

use crate::harness::{Home, put};

/// A server by standard input and output.
pub(crate) struct Served {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Served {
    pub(crate) fn start(home: &Home, arguments: &[&str]) -> Self {
        let mut command = home.command();
        let mut child =
            command.arg("mcp").args(arguments).stdin(Stdio::piped()).spawn().expect("it starts");
        let input = child.stdin.take().expect("standard input is a pipe");
        let output = BufReader::new(child.stdout.take().expect("standard output is a pipe"));
        let mut served = Self { child, input, output };
        let begin = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}});
        let answer = served.ask(&begin.to_string());
        assert_eq!(answer["result"]["serverInfo"]["name"], "homefs", "{answer}");
        served.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        served
    }

    /// Returns the process.
    pub(crate) fn child(&self) -> &Child {
        &self.child
    }

    pub(crate) fn send(&mut self, line: &str) {
        self.input.write_all(line.as_bytes()).expect("the server reads");
        self.input.write_all(b"\n").expect("the server reads");
    }

    pub(crate) fn ask(&mut self, line: &str) -> Value {
        self.send(line);
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("the server answers");
        serde_json::from_str(&answer).expect("the answer is JSON")
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
        self.ask(&call.to_string())
    }

    /// Hangs up; the server ends by itself.
    pub(crate) fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().expect("the server ends").success());
    }
}

#[test]
fn a_home_is_served_by_standard_input_and_output() {
    let home = Home::new();
    let mut served = Served::start(&home, &[]);
    let wrote = served.call("write_file", &json!({"path": "/a.md", "content": "by mcp"}));
    assert_eq!(wrote["result"]["content"][0]["text"], "Successfully wrote to /a.md", "{wrote}");
    // Other commands use the store at the same time.
    assert_eq!(home.ok(&["cat", "/a.md"]), "by mcp");
    home.ok(&["append", "/a.md", "!"]);
    let read = served.call("read_text_file", &json!({"path": "/a.md"}));
    assert_eq!(read["result"]["content"][0]["text"], "by mcp!\n");
    served.end();
    let mut served = Served::start(&home, &["--read-only"]);
    let refused = served.call("write_file", &json!({"path": "/a.md", "content": ""}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    served.end();
    assert_eq!(home.ok(&["cat", "/a.md"]), "by mcp!\n");
}

#[test]
fn what_is_no_message_ends_nothing() {
    let home = Home::new();
    let mut served = Served::start(&home, &[]);
    served.send("");
    served.send("this is not JSON");
    served.send("[]");
    let wrong = served.ask(r#"{"jsonrpc":"2.0","id":3,"method":42}"#);
    assert_eq!((&wrong["id"], &wrong["error"]["code"]), (&json!(3), &json!(-32600)), "{wrong}");
    let unknown = served.ask(r#"{"jsonrpc":"2.0","id":4,"method":"no/such"}"#);
    assert_eq!((&unknown["id"], &unknown["error"]["code"]), (&json!(4), &json!(-32601)));
    let params = served.ask(r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"x":1}}"#);
    assert_eq!(params["id"], 5);
    assert!(params["error"].is_object(), "{params}");
    let huge = "x".repeat(65 << 20);
    let call = json!({"method": "tools/call", "params": {"name": "write_file",
        "arguments": {"path": "/huge", "content": huge}}, "jsonrpc": "2.0", "id": "last"});
    let refused = served.ask(&call.to_string());
    assert_eq!(refused["id"], "last");
    assert!(refused["error"]["message"].as_str().is_some_and(|why| why.contains("at most")));
    assert_eq!(served.ask(r#"{"jsonrpc":"2.0","id":6,"method":"ping"}"#)["id"], 6);
    served.end();
    // One that hangs up before it begins is no failure either.
    assert_eq!(home.run(&["mcp"]).code, 0);
}

#[test]
fn a_store_that_another_version_owns_is_told_of() {
    let home = Home::new();
    let dir = home.path("store");
    let store = Store::open(&dir, Settings::default(), Components::host()).expect("it is new");
    let listener = UnixListener::bind(dir.join("socket")).expect("nobody listens");
    let owner = thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("it connects");
        let hello = b"homefs\0\n\xe7\x03\0\0\x059.9.9";
        let frame = [&u32::try_from(hello.len()).expect("it is short").to_le_bytes()[..], hello];
        socket.write_all(&frame.concat()).expect("it reads");
        socket.read_to_end(&mut Vec::new()).ok();
    });
    let ran = home.run(&["mcp"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("9.9.9") && ran.stderr.contains("same version"), "{}", ran.stderr);
    owner.join().expect("it ends");
    store.close().expect("it closes");
}

/// A server by HTTP; it ends when this is dropped.
struct Listening {
    child: Child,
    url: String,
    token: String,
    token_file: PathBuf,
}

impl Listening {
    fn start(home: &Home) -> Self {
        Self::start_with(home, &[])
    }

    fn start_with(home: &Home, arguments: &[&str]) -> Self {
        let mut command = home.command();
        command.args(["mcp", "--http", "127.0.0.1:0", "--json"]).args(arguments);
        let mut child = command.spawn().expect("it starts");
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("standard output is a pipe");
        BufReader::new(output).read_line(&mut line).expect("it says where it is");
        let told: Value = serde_json::from_str(&line).expect("it says so as JSON");
        let text = |name: &str| told[name].as_str().expect("it is text").to_owned();
        let (url, token) = (text("url"), text("token"));
        Self { child, url, token, token_file: text("token_file").into() }
    }

    /// Sends a request by hand and returns the status of the answer.
    fn status(&self, method: &str, path: &str, head: &[(&str, &str)], body: &str) -> u16 {
        let length = body.len().to_string();
        self.answer(method, path, &[head, &[("Content-Length", &length)]].concat(), body)
    }

    /// Sends a request whose head says how long its body is.
    fn answer(&self, method: &str, path: &str, head: &[(&str, &str)], body: &str) -> u16 {
        let host = self.url.trim_start_matches("http://").trim_end_matches("/mcp");
        let mut stream = TcpStream::connect(host).expect("it listens");
        let own = [("Connection", "close"), ("Host", host)];
        let own = own.iter().filter(|(name, _)| head.iter().all(|(given, _)| given != name));
        let head: Vec<String> =
            own.chain(head).map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let request = format!("{method} {path} HTTP/1.1\r\n{}\r\n{body}", head.concat());
        // A server that refuses need not read all of it.
        drop(stream.write_all(request.as_bytes()));
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).expect("it answers");
        let status = std::str::from_utf8(&answer[9..]).expect("the status is text");
        status.parse().expect("the status is a number")
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// What begins a session.
fn beginning() -> String {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}})
    .to_string()
}

/// What a request with a message says in its head, beside who sends it.
const TYPES: [(&str, &str); 2] =
    [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];

#[test]
fn by_http_each_agent_and_mode_has_a_token_of_its_own() {
    let home = Home::new();
    let modes: [&[&str]; 5] = [
        &["--agent-id", "alice"],
        &["--agent-id", "eve"],
        &["--agent-id", "alice", "--read-only"],
        &["--agent-id", "alice", "--operator"],
        &["--agent-id", "alice", "--operator", "--all"],
    ];
    let served: Vec<Listening> =
        modes.iter().map(|mode| Listening::start_with(&home, mode)).collect();
    for (at, server) in served.iter().enumerate() {
        for (with, other) in served.iter().enumerate() {
            let bearer = format!("Bearer {}", other.token);
            let head = [&TYPES[..], &[("Authorization", bearer.as_str())]].concat();
            let expected = if at == with { 200 } else { 401 };
            let status = server.status("POST", "/mcp", &head, &beginning());
            assert_eq!(status, expected, "{:?} with the token of {:?}", modes[at], modes[with]);
        }
    }
}

#[test]
fn by_http_who_does_not_know_the_token_keeps_nobody_out() {
    let home = Home::new();
    let served = Listening::start(&home);
    let host = served.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    let idle: Vec<TcpStream> =
        (0..300).map(|_| TcpStream::connect(&host).expect("it listens")).collect();
    let bearer = format!("Bearer {}", served.token);
    let head = [&TYPES[..], &[("Authorization", bearer.as_str())]].concat();
    assert_eq!(served.status("POST", "/mcp", &head, &beginning()), 200);
    // The last of them are still heard, and the first were told to go.
    idle[0].set_nonblocking(false).expect("it is a socket");
    assert_eq!((&idle[0]).read(&mut [0; 1]).expect("it was ended in order"), 0);
    drop(idle);
}

#[test]
fn by_http_sessions_are_bounded() {
    let home = Home::new();
    let served = Listening::start(&home);
    let bearer = format!("Bearer {}", served.token);
    let head = [&TYPES[..], &[("Authorization", bearer.as_str())]].concat();
    let begin = || served.status("POST", "/mcp", &head, &beginning());
    for number in 0..256 {
        assert_eq!(begin(), 200, "session {number}");
    }
    assert_eq!(begin(), 503);
}

#[test]
fn by_http_only_who_knows_the_token_and_is_of_this_host_is_served() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let served = Listening::start(&home);
    let mode = std::fs::metadata(&served.token_file).expect("it is kept").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let bearer = format!("Bearer {}", served.token);
    let begin = beginning();
    let ask = |more: &[(&str, &str)], body: &str| {
        served.status("POST", "/mcp", &[&TYPES[..], more].concat(), body)
    };
    let known = ("Authorization", bearer.as_str());
    assert_eq!(ask(&[known], &begin), 200);
    assert_eq!(ask(&[known, ("Origin", "http://localhost:3000")], &begin), 200);
    assert_eq!(ask(&[], &begin), 401);
    assert_eq!(ask(&[("Authorization", "Bearer wrong")], &begin), 401);
    assert_eq!(ask(&[("Authorization", &bearer[..bearer.len() - 1])], &begin), 401);
    assert_eq!(ask(&[("Authorization", &format!("{bearer}0"))], &begin), 401);
    assert_eq!(ask(&[known, ("Origin", "https://evil.example")], &begin), 403);
    assert_eq!(ask(&[known, ("Origin", "null")], &begin), 403);
    assert_eq!(ask(&[known, ("Host", "evil.example")], &begin), 403);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for (body, more, expected) in [
        ("this is not JSON", &[][..], 400),
        (r#"{"jsonrpc":"2.0","id":1}"#, &[], 400),
        (ping, &[], 400),
        // Whose session has ended begins anew by this.
        (ping, &[("Mcp-Session-Id", "a9f3")], 404),
        ("this is not JSON", &[("Mcp-Session-Id", "a9f3")], 404),
    ] {
        assert_eq!(ask(&[&[known], more].concat(), body), expected, "{body} {more:?}");
    }
    assert_eq!(served.status("GET", "/", &[known], ""), 404);
    let too_long = |length, body: &str| {
        served.answer("POST", "/mcp", &[&TYPES[..], &[known, length]].concat(), body)
    };
    // Refused by what the head says, or by what has come.
    assert_eq!(too_long(("Content-Length", "99999999999"), ""), 413);
    let body = format!("{:x}\r\n{}\r\n", 65 << 20, "x".repeat(65 << 20));
    assert_eq!(too_long(("Transfer-Encoding", "chunked"), &body), 413);
    assert_eq!(ask(&[known], &begin), 200);
    let token = served.token.clone();
    drop(served);
    // The next one has the same token.
    assert_eq!(Listening::start(&home).token, token);
    home.check(
        "
        $ mcp --http 0.0.0.0:0
        error: 0.0.0.0:0 can be reached by others; use 127.0.0.1
        [2]
        ",
    );
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp_clients").join(name)
}

/// Runs a script that drives a server, in the environment of a home.
fn drive(home: &Home, program: &Path, arguments: &[&str]) {
    let variables: Vec<_> = home
        .command()
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect();
    let ran = Command::new(program).args(arguments).envs(variables).output().expect("it runs");
    let said = [ran.stdout, ran.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(ran.status.success() && said[0].contains("all is well"), "{}{}", said[0], said[1]);
}

#[test]
fn the_official_client_of_python_is_served() {
    let Some(python) = python_with("mcp") else { return };
    let home = Home::new();
    let script = script("client.py");
    let script = script.to_str().expect("the path is text");
    drive(&home, &python, &[script, "stdio", env!("CARGO_BIN_EXE_homefs"), "mcp"]);
    let served = Listening::start(&home);
    drive(&home, &python, &[script, "http", &served.url, &served.token]);
}

/// Returns Node.js, and the folder of the official packages; nothing if they are missing, which is
/// said then.
fn node_with_packages() -> Option<(PathBuf, String)> {
    let node = program("node")?;
    let Some(packages) = got("mcp/node_modules").and_then(|dir| Some(dir.parent()?.to_owned()))
    else {
        say_skipped("@modelcontextprotocol/sdk is missing; `cargo xtask test` gets it");
        return None;
    };
    Some((node, packages.to_string_lossy().into_owned()))
}

#[test]
fn the_official_client_of_typescript_reads_what_is_long() {
    let Some((node, packages)) = node_with_packages() else { return };
    let home = Home::new();
    let script = script("long.mjs");
    let script = script.to_str().expect("the path is text");
    drive(&home, &node, &[script, &packages, "stdio", env!("CARGO_BIN_EXE_homefs"), "mcp"]);
    let served = Listening::start(&home);
    drive(&home, &node, &[script, &packages, "http", &served.url, &served.token]);
}

#[test]
fn the_official_server_answers_the_same() {
    let Some((node, packages)) = node_with_packages() else { return };
    let home = Home::new();
    let script = script("client.mjs");
    let script = script.to_str().expect("the path is text");
    let arguments = [script, &packages, env!("CARGO_BIN_EXE_homefs"), "mcp"];
    drive(&home, &node, &arguments);
}

#[test]
fn a_config_is_shown_changed_and_changed_back() {
    let home = Home::new();
    let config = home.path(".cursor/mcp.json");
    let before = "// mine\n{\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }, // stays\n  },\n  \"zoom\": 1.0\n}\n";
    put(&config, before);
    let read = || std::fs::read_to_string(&config).expect("the config is there");
    let shown = home.ok(&["mcp", "install", "cursor", "--print"]);
    assert!(shown.contains("+    \"homefs\": {") && !shown.contains("\n-"), "{shown}");
    assert_eq!(read(), before);
    // Nobody is there to say yes.
    let asked = home.run(&["mcp", "install", "cursor"]);
    assert_eq!((asked.code, read().as_str()), (1, before), "{}", asked.stderr);
    home.ok(&["mcp", "install", "cursor", "--yes", "--read-only", "--agent-id", "akashi"]);
    let after = read();
    assert!(after.contains("// mine") && after.contains("// stays") && after.contains("1.0"));
    for word in ["\"homefs\"", "\"command\"", "\"--agent-id\"", "\"akashi\"", "\"--read-only\""] {
        assert!(after.contains(word), "{word}: {after}");
    }
    let copy = home.path(".cursor/mcp.json.homefs-copy");
    assert_eq!(std::fs::read_to_string(copy).expect("a copy is kept"), before);
    let again =
        home.run(&["mcp", "install", "cursor", "--yes", "--read-only", "--agent-id", "akashi"]);
    assert!(again.stderr.contains("is so already"), "{}", again.stderr);
    home.ok(&["mcp", "uninstall", "cursor", "--yes"]);
    let (left, first) = (read(), before);
    assert!(!left.contains("homefs") && left.contains("// stays"), "{left}");
    assert_eq!(left.replace([' ', '\n'], ""), first.replace([' ', '\n'], ""));
}

#[test]
fn a_skill_is_written_where_a_program_looks_for_it() {
    let home = Home::new();
    let printed = home.ok(&["skill"]);
    assert!(printed.starts_with("---\nname: homefs\ndescription: "), "{printed}");
    home.ok(&["skill", "skills"]);
    let read = |path: &str| std::fs::read_to_string(home.path(path)).expect("it is written");
    assert_eq!(read("skills/homefs/SKILL.md"), printed);
    let ran = home.run(&["mcp", "install", "claude-code", "--yes"]);
    assert!(ran.stderr.contains("hint: --skill"), "{}", ran.stderr);
    assert!(!home.path(".claude/skills").exists());
    home.ok(&[
        "--agent-id",
        "ann",
        "mcp",
        "install",
        "claude-code",
        "--yes",
        "--skill",
        "--tools",
        "memory,shell",
    ]);
    assert!(read(".claude/skills/homefs/SKILL.md").contains("homefs --agent-id ann"));
    let config = read(".claude.json");
    assert!(config.contains("\"--tools\"") && config.contains("\"memory,shell\""), "{config}");
    let ran = home.run(&["mcp", "install", "cursor", "--yes", "--skill"]);
    assert!(ran.code == 2 && ran.stderr.contains("homefs skill DIR"), "{}", ran.stderr);
}

#[test]
fn every_program_has_its_own_file_and_form() {
    let home = Home::new();
    for (client, file, servers, typed) in [
        ("claude-code", ".claude.json", "mcpServers", true),
        ("claude-desktop", ".config/Claude/claude_desktop_config.json", "mcpServers", false),
        ("cursor", ".cursor/mcp.json", "mcpServers", false),
        ("vscode", ".config/Code/User/mcp.json", "servers", true),
        ("gemini", ".gemini/settings.json", "mcpServers", false),
    ] {
        home.ok(&["mcp", "install", client, "--yes", "--name", "mine"]);
        let text = std::fs::read_to_string(home.path(file)).expect("it is written");
        let value: Value = serde_json::from_str(&text).expect("it is JSON");
        let server = &value[servers]["mine"];
        assert_eq!(server["command"], env!("CARGO_BIN_EXE_homefs"), "{text}");
        assert_eq!(server["args"][0], "mcp");
        assert_eq!(server.get("type").is_some(), typed, "{text}");
    }
    let config = home.path(".codex/config.toml");
    put(&config, "# mine\nmodel = \"o\"\n\n[mcp_servers.other]\ncommand = \"x\" # stays\n");
    home.ok(&["mcp", "install", "codex", "--yes"]);
    let text = std::fs::read_to_string(&config).expect("it is written");
    assert!(text.starts_with("# mine\nmodel = \"o\"\n\n[mcp_servers.other]"), "{text}");
    assert!(
        text.contains("# stays") && text.contains("[mcp_servers.homefs]\ncommand = "),
        "{text}"
    );
    home.ok(&["mcp", "uninstall", "codex", "--yes"]);
    let text = std::fs::read_to_string(&config).expect("it is there");
    assert!(!text.contains("homefs") && text.contains("# stays"), "{text}");
}

#[test]
fn a_config_that_cannot_be_read_stays_as_it_is() {
    let home = Home::new();
    let config = home.path(".cursor/mcp.json");
    for broken in ["{ \"mcpServers\": ", "[1]", "{ \"mcpServers\": 3 }", "nonsense"] {
        put(&config, broken);
        let ran = home.run(&["mcp", "install", "cursor", "--yes"]);
        assert_eq!(ran.code, 2, "{broken}: {}", ran.stderr);
        assert_eq!(std::fs::read_to_string(&config).expect("it is there"), broken);
    }
    put(&home.path(".codex/config.toml"), "a = [");
    assert_eq!(home.run(&["mcp", "install", "codex", "--yes"]).code, 2);
    assert_eq!(home.run(&["mcp", "uninstall", "gemini", "--yes"]).code, 0);
    assert!(!home.path(".gemini").exists());
}

#[test]
fn a_link_to_a_config_stays_a_link_and_its_rights_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = Home::new();
    let real = home.path("dotfiles/claude.json");
    put(&real, "{}");
    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o640)).expect("set the rights");
    symlink(&real, home.path(".claude.json")).expect("make the link");
    home.ok(&["mcp", "install", "claude-code", "--yes"]);
    assert!(home.path(".claude.json").is_symlink());
    let mode = std::fs::metadata(&real).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert!(std::fs::read_to_string(&real).expect("it is there").contains("homefs"));
}
