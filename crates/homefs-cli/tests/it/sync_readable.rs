//! What people see of a home in its bucket, with a plain S3 client, and what they write there.

use homefs_core::{Condition, Remote, RemoteAnswer, RemoteRequest};
use homefs_remote::{Bucket as Client, Environment, RemoteAddress};
use homefs_testkit::S3Server;

use crate::sync::{Bucket, machine, words};

/// The bucket as a program without homefs has it.
struct Plain(Client);

impl Plain {
    fn new(bucket: &Bucket) -> Self {
        let keys = [
            ("AWS_ACCESS_KEY_ID", S3Server::ACCESS_KEY),
            ("AWS_SECRET_ACCESS_KEY", S3Server::SECRET_KEY),
        ];
        let address: RemoteAddress = bucket.address().parse().expect("it is an address");
        let address = address.with_endpoint(bucket.server.endpoint());
        Self(
            Client::open_in(&address, &keys.into_iter().collect::<Environment>())
                .expect("nothing is sent yet"),
        )
    }

    fn run(&self, request: RemoteRequest) -> RemoteAnswer {
        self.0.run(vec![request]).remove(0).expect("the bucket answers")
    }

    fn get(&self, key: &str) -> String {
        let get = RemoteRequest::Get { key: key.into(), range: None, unless: None };
        let RemoteAnswer::Object { content, .. } = self.run(get) else {
            unreachable!("a get is answered by an object")
        };
        String::from_utf8(content.to_vec()).expect("it is text")
    }

    fn put(&self, key: &str, content: String) {
        let (key, content) = (key.into(), content.into());
        self.run(RemoteRequest::Put { key, content, condition: Condition::Any });
    }
}

#[test]
fn a_plain_client_reads_markdown_and_its_edits_arrive() {
    let (bucket, laptop) = (Bucket::new(), machine());
    laptop.ok(&["write", "notes/todo.md", "# Todo\n\nbuy milk"]);
    laptop.ok(&["tag", "notes/todo.md", "+shopping"]);
    bucket.add(&laptop);
    laptop.ok(&["sync", "--wait"]);
    let plain = Plain::new(&bucket);
    let key = "agents/me/notes/todo.md";
    let text = plain.get(key);
    assert!(text.starts_with("---\nhomefs:\n  agent: \"me\"\n"), "{text}");
    assert!(text.contains("\n  tags: [\"shopping\"]\n"), "{text}");
    assert!(text.ends_with("\n---\n# Todo\n\nbuy milk\n"), "{text}");
    plain.put(key, text.replace("buy milk", "buy milk and bread"));
    plain.put("agents/me/notes/new.md", "from outside\n".into());
    laptop.ok(&["--offline", "append", "notes/todo.md", "sleep"]);
    laptop.ok(&["pull"]);
    assert_eq!(laptop.ok(&["cat", "notes/todo.md"]), "# Todo\n\nbuy milk and bread\nsleep\n");
    assert_eq!(laptop.ok(&["cat", "notes/new.md"]), "from outside\n");
    laptop.ok(&["sync", "--wait"]);
    assert!(plain.get(key).ends_with("\n---\n# Todo\n\nbuy milk and bread\nsleep\n"));
    assert_eq!(plain.get("agents/me/notes/new.md"), "from outside\n");
}

#[test]
fn a_bucket_of_plain_markdown_is_adopted() {
    let (bucket, laptop, desktop) = (Bucket::new(), machine(), machine());
    let plain = Plain::new(&bucket);
    plain.put("readme.md", "# Hello\n".into());
    plain.put("deep/data.json", "{}".into());
    let adopt = bucket.place(&["adopt"]);
    let adopted = laptop.run(&words(&adopt));
    assert_eq!(adopted.code, 0, "{}", adopted.stderr);
    assert!(adopted.stderr.contains("as agents/me: 2 files"), "{}", adopted.stderr);
    assert_eq!(laptop.ok(&["cat", "readme.md", "deep/data.json"]), "# Hello\n{}");
    laptop.ok(&["sync", "--wait"]);
    assert_eq!(plain.get("readme.md"), "# Hello\n");
    desktop.ok(&words(&adopt));
    desktop.ok(&["append", "readme.md", "more"]);
    desktop.ok(&["sync", "--wait"]);
    assert!(plain.get("readme.md").ends_with("\n---\n# Hello\nmore\n"));
    assert_eq!(plain.get("deep/data.json"), "{}");
    laptop.ok(&["pull"]);
    assert_eq!(laptop.ok(&["cat", "readme.md"]), "# Hello\nmore\n");
}
