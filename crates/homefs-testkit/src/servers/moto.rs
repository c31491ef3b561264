//! moto: Amazon's services as its Python client expects them, in memory.

use super::{S3_KEY, ServerKind};

/// moto of `PyPI`. It checks no signatures.
///
/// Its own program serves every request on a thread of its own and checks conditions in one step
/// and stores in another: of puts that arrive together several may win. Behind a lock it is right.
pub const MOTO: ServerKind = ServerKind {
    name: "moto",
    program: "moto_server",
    scheme: "s3",
    path: "",
    key: S3_KEY,
    ports: 1,
    prepare: |_, ports| Ok(vec!["-c".to_owned(), BEHIND_A_LOCK.to_owned(), ports[0].to_string()]),
    interpreter: Some("python"),
    environment: &[],
    opening: &[(0, "PUT /homefs-test")],
};

/// What `moto_server` does, one request after the other.
const BEHIND_A_LOCK: &str = r#"
import sys, threading
from werkzeug.serving import run_simple
from moto.server import DomainDispatcherApplication, MotoRequestHandler, create_backend_app

lock = threading.Lock()
moto = DomainDispatcherApplication(create_backend_app)

def one_at_a_time(environ, start_response):
    with lock:
        return [b"".join(moto(environ, start_response))]

port = int(sys.argv[1])
run_simple("127.0.0.1", port, one_at_a_time, threaded=True, request_handler=MotoRequestHandler)
"#;
