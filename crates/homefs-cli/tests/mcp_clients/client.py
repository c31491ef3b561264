"""Drives `homefs mcp` with the official client of Python: by stdio, or by HTTP with a token.

Usage: client.py stdio HOMEFS ARGUMENT... | client.py http URL TOKEN
"""

import asyncio
import os
import sys

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def use(client: Client, mode: str) -> None:
    """Uses what agents use; fails with an assertion."""
    names = {tool.name for tool in (await client.list_tools()).tools}
    assert {"read_text_file", "write_file", "recall", "shell", "memory"} <= names, names
    path = f"/{mode}/note.md"
    written = await client.call_tool("write_file", {"path": path, "content": "one\ntwo\n"})
    version = written.meta["homefs/version"]
    read = await client.call_tool("read_text_file", {"path": path})
    assert read.meta["homefs/version"] == version and read.structured_content is None, read
    assert [block.text for block in read.content] == ["one\ntwo\n"]
    edits = [{"oldText": "two", "newText": "2"}]
    edited = await client.call_tool(
        "edit_file", {"path": path, "edits": edits, "expected_version": version}
    )
    assert "-two\n+2\n" in edited.content[0].text, edited
    stale = {"path": path, "content": "", "expected_version": version}
    refused = await client.call_tool("write_file", stale)
    assert refused.is_error and "expected version" in refused.content[0].text, refused
    await client.call_tool("remember", {"text": f"The {mode} ferry leaves at nine."})
    recalled = await client.call_tool("recall", {"question": "When does the ferry leave?"})
    assert "nine" in recalled.content[0].text, recalled
    ran = await client.call_tool("shell", {"script": f"cd /{mode} && ls"})
    assert ran.content[0].text == "note.md\n" and ran.meta["homefs/status"] == 0, ran
    viewed = await client.call_tool("memory", {"command": "view", "path": "/memories"})
    assert viewed.content[0].text.startswith("Here're the files and directories"), viewed
    try:
        await client.call_tool("no_such_tool", {})
        raise AssertionError("an unknown tool was called")
    except MCPError as error:
        assert "no_such_tool" in str(error), error
    uri = f"homefs://{path}"
    listed = (await client.list_resources()).resources
    assert uri in [str(resource.uri) for resource in listed], listed
    contents = (await client.read_resource(uri)).contents
    assert contents[0].text == "one\n2\n", contents


async def read_long(client: Client, how: str) -> None:
    """Writes and reads 10 MB, most of which no answer has."""
    lines = "".join(f"line {number:09}\n" for number in range(700_000))
    assert len(lines) > 10_000_000
    await client.call_tool("write_file", {"path": "/long.txt", "content": lines})
    begun = await client.call_tool("read_text_file", {"path": "/long.txt"})
    text, note = (block.text for block in begun.content)
    assert 30_000 < len(text) <= 32 << 10 and lines.startswith(text), len(text)
    offset = begun.meta["homefs/next_offset"]
    assert f"go on with offset {offset}" in note, note
    more = await client.call_tool("read_text_file", {"path": "/long.txt", "offset": offset})
    assert lines.startswith(text + more.content[0].text), more
    far = {"path": "/long.txt", "offset": 699_999}
    assert (await client.call_tool("read_text_file", far)).content[0].text == lines[-30:]
    for name, arguments in [
        ("shell", {"script": "cat /long.txt"}),
        ("shell", {"script": "cat /long.txt >&2"}),
        ("grep", {"pattern": "line", "limit": 10_000}),
        ("read_multiple_files", {"paths": ["/long.txt", "/long.txt"]}),
    ]:
        cut = "".join(block.text for block in (await client.call_tool(name, arguments)).content)
        assert len(cut) < 34_000 and "[" in cut, (name, len(cut))
    if how == "stdio":
        contents = (await client.read_resource("homefs:///long.txt")).contents
        assert contents[0].text == lines
        return
    try:
        await client.read_resource("homefs:///long.txt")
        raise AssertionError("a resource came that no event has room for")
    except MCPError as error:
        assert "offset and limit of read_text_file" in str(error), error


async def hear(client: Client, uri: str, heard: asyncio.Event) -> None:
    """Subscribes to a file, changes it, and waits to hear of it."""
    path = uri.removeprefix("homefs://")

    async def change() -> None:
        await client.call_tool("write_file", {"path": path, "content": "changed"})

    if client.protocol_version >= "2026-07-28":
        async with client.listen(resource_subscriptions=[uri]) as events:
            await change()
            async for _ in events:
                return
    await client.subscribe_resource(uri)
    await change()
    await heard.wait()


async def watch_progress(client: Client) -> None:
    """Runs a script that takes a while and hears of it."""
    heard = asyncio.Event()

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.set()

    script = {"script": "echo at work; sleep 1.5"}
    await client.call_tool("shell", script, progress_callback=on_progress)
    assert heard.is_set()


async def drive(connect, mode: str, how: str) -> None:
    heard = asyncio.Event()

    async def on_message(message) -> None:
        if "resources/updated" in repr(getattr(message, "method", "")):
            heard.set()

    client = Client(connect, mode=mode, message_handler=on_message, read_timeout_seconds=30)
    async with client:
        assert client.server_info.name == "homefs", client.server_info
        await use(client, mode)
        await hear(client, f"homefs:///{mode}/note.md", heard)
        await read_long(client, how)
        if mode == "legacy":
            await watch_progress(client)


async def main() -> None:
    how, where, *rest = sys.argv[1:]
    for mode in ("auto", "legacy"):
        if how == "stdio":
            server = StdioServerParameters(command=where, args=rest, env=dict(os.environ))
            await drive(server, mode, how)
        else:
            headers = {"Authorization": f"Bearer {rest[0]}"}
            async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
                await drive(streamable_http_client(where, http_client=http), mode, how)
    print("all is well")


asyncio.run(main())
