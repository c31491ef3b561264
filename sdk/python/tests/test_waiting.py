"""Calls that have to wait let others run: the threads of Python, and the event loop.

The bucket that they wait for is served by this very process, which cannot answer as long as a call
keeps the interpreter to itself.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

import pytest

import homefs
from homefs import aio

#: The objects of the bucket.
OBJECTS = {"a.txt": b"from the bucket", "b.txt": b"another"}
MOMENT = "2026-01-31T12:00:00.000Z"


class Bucket(ThreadingHTTPServer):
    """As much of S3 as a source needs; answers while its gate is open."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.gate = threading.Event()
        self.gate.set()


class Answer(BaseHTTPRequestHandler):
    """One request to the bucket."""

    def do_GET(self) -> None:
        assert isinstance(self.server, Bucket)
        if not self.server.gate.wait(10):
            self.send_error(500, "nobody opened the gate")
            return
        asked = urlparse(self.path)
        if "list-type=2" in asked.query:
            self.reply(200, listing(parse_qs(asked.query).get("prefix", [""])[0]).encode())
        else:
            content = OBJECTS[asked.path.rpartition("/")[2]]
            whole = f"bytes 0-{len(content) - 1}/{len(content)}"
            self.reply(206, content, {"Content-Range": whole})

    def reply(self, status: int, body: bytes, more: dict[str, str] | None = None) -> None:
        self.send_response(status)
        about = {"Content-Length": str(len(body)), "ETag": '"1"', **(more or {})}
        about["Last-Modified"] = "Sat, 31 Jan 2026 12:00:00 GMT"
        for name, value in about.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def listing(prefix: str) -> str:
    contents = "".join(
        f"<Contents><Key>{key}</Key><LastModified>{MOMENT}</LastModified>"
        f'<ETag>"1"</ETag><Size>{len(content)}</Size></Contents>'
        for key, content in OBJECTS.items()
        if key.startswith(prefix)
    )
    return f"<ListBucketResult><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>"


@pytest.fixture
def bucket(home: homefs.Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    """A bucket that is attached at `/b` and that nobody has looked at."""
    monkeypatch.setenv("AWS_SKIP_SIGNATURE", "true")
    with Bucket() as server:
        threading.Thread(target=server.serve_forever).start()
        endpoint = f"http://127.0.0.1:{server.server_port}"
        home.attach("s3://bucket", "/b", settings={"endpoint": endpoint})
        yield server
        server.shutdown()


def test_a_call_that_waits_lets_threads_run(home: homefs.Home, bucket: Bucket) -> None:
    # A call that held the interpreter would keep the bucket from answering, and fail in the end.
    assert home.stat("/b/a.txt").size == 15
    assert home.read("/b/a.txt") == "from the bucket"
    assert home.read_bytes("/b/b.txt", 0, 100) == b"another"
    home.append("/b/b.txt", " and more")
    assert home.read("/b/b.txt") == "another and more"
    assert home.exists("/b/a.txt") and not home.exists("/b/c.txt")


def test_a_call_that_waits_lets_the_loop_run(home: homefs.Home, bucket: Bucket) -> None:
    async def main() -> None:
        ours = aio.Home(home)
        for call, answer in (
            (ours.exists("/b/a.txt"), True),
            (ours.read("/b/a.txt"), "from the bucket"),
            (ours.read_bytes("/b/b.txt", 0, 7), b"another"),
        ):
            bucket.gate.clear()
            waits = asyncio.create_task(call)
            await asyncio.sleep(0)
            # Only a loop that goes on comes here before the answer.
            assert not waits.done()
            bucket.gate.set()
            assert await waits == answer

    asyncio.run(asyncio.wait_for(main(), 60))
