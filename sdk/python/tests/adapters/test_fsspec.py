"""The file system of fsspec, also by its own generic tests."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import homefs

fsspec = pytest.importorskip("fsspec", reason="needs the package fsspec: homefs[fsspec]")

import fsspec.tests.abstract as generic  # noqa: E402

from homefs.adapters.fsspec import HomeFileSystem  # noqa: E402


@pytest.fixture
def fs(home: homefs.Home) -> HomeFileSystem:
    return HomeFileSystem.of(home)


class Fixtures(generic.AbstractFixtures):
    """What the generic tests need to know of a file system."""

    @pytest.fixture
    def fs(self, home: homefs.Home) -> HomeFileSystem:
        return HomeFileSystem.of(home)

    @pytest.fixture
    def fs_path(self) -> str:
        return "/generic"

    @pytest.fixture
    def fs_join(self) -> Any:
        return lambda *names: "/".join(names)


class TestCopy(generic.AbstractCopyTests, Fixtures):
    """fsspec's tests of copying."""


class TestGet(generic.AbstractGetTests, Fixtures):
    """fsspec's tests of getting."""


class TestPut(generic.AbstractPutTests, Fixtures):
    """fsspec's tests of putting."""


class TestOpen(generic.AbstractOpenTests, Fixtures):
    """fsspec's tests of opening."""


class TestPipe(generic.AbstractPipeTests, Fixtures):
    """fsspec's tests of writing at once."""


@pytest.fixture
def address(store: Path) -> Iterator[dict[str, Any]]:
    """Options with which `homefs://` finds the store of the test."""
    options = {"store": str(store)}
    yield options
    fsspec.filesystem("homefs", agent="me", **options).home.close()
    HomeFileSystem.clear_instance_cache()


def test_an_address_names_agent_and_path(address: dict[str, Any]) -> None:
    with fsspec.open("homefs://me/a/b.txt", "w", **address) as file:
        file.write("é")
    fs, path = fsspec.core.url_to_fs("homefs://me/a/b.txt", **address)
    assert isinstance(fs, HomeFileSystem) and path == "/a/b.txt"
    assert fs.home.agent == "me"
    assert fs.cat_file(path) == "é".encode()
    assert fs.unstrip_protocol("a/b.txt") == "homefs://me/a/b.txt"
    assert fs.cat("homefs://me/a/b.txt") == "é".encode()


def test_pandas_reads_and_writes(address: dict[str, Any]) -> None:
    pandas = pytest.importorskip("pandas", reason="needs the package pandas")
    frame = pandas.DataFrame({"day": ["Mon", "Tue"], "price": [1.5, 2.25]})
    frame.to_csv("homefs://me/data/prices.csv", index=False, storage_options=address)
    read = pandas.read_csv("homefs://me/data/prices.csv", storage_options=address)
    pandas.testing.assert_frame_equal(read, frame)
    pytest.importorskip("pyarrow", reason="needs the package pyarrow")
    frame.to_parquet("homefs://me/data/prices.parquet", storage_options=address)
    read = pandas.read_parquet("homefs://me/data/prices.parquet", storage_options=address)
    pandas.testing.assert_frame_equal(read, frame)


def test_another_process_gets_the_same_file_system(address: dict[str, Any]) -> None:
    fs = fsspec.filesystem("homefs", agent="me", **address)
    fs.pipe_file("/x", b"1")
    assert pickle.loads(pickle.dumps(fs)).cat_file("/x") == b"1"


def test_files_are_listed_with_what_is_known_of_them(fs: HomeFileSystem) -> None:
    fs.pipe({"/d/a.txt": b"12345", "/d/e/b.txt": b"1", "/d/e/f/c.md": b""})
    fs.home.symlink("a.txt", "/d/link")
    assert fs.ls("/d", detail=False) == ["/d/a.txt", "/d/e", "/d/link"]
    info = {one["name"]: one for one in fs.ls("/d")}
    assert info["/d/a.txt"]["type"] == "file" and info["/d/a.txt"]["size"] == 5
    assert info["/d/e"]["type"] == "directory" and info["/d/e"]["size"] == 0
    assert info["/d/link"]["type"] == "file" and info["/d/link"]["islink"]
    assert fs.info("d/e/b.txt")["version"] == fs.home.stat("/d/e/b.txt").version
    assert fs.find("/d") == ["/d/a.txt", "/d/e/b.txt", "/d/e/f/c.md", "/d/link"]
    assert fs.find("/d", maxdepth=1) == ["/d/a.txt", "/d/link"]
    assert fs.find("/d/e", withdirs=True) == ["/d/e", "/d/e/b.txt", "/d/e/f", "/d/e/f/c.md"]
    assert fs.find("/d/a.txt") == ["/d/a.txt"] and fs.find("/nowhere") == []
    assert fs.glob("/d/**/*.txt") == ["/d/a.txt", "/d/e/b.txt"]
    assert fs.du("/d/e") == 1
    assert [len(one[2]) for one in fs.walk("/d")] == [2, 1, 1]
    assert fs.exists("/") and fs.isdir("/") and fs.info("/")["type"] == "directory"


def test_parts_of_files_are_read(fs: HomeFileSystem) -> None:
    fs.pipe_file("/x", b"0123456789")
    assert fs.cat_file("/x", 2, 5) == b"234"
    assert fs.cat_file("/x", -3) == b"789"
    assert fs.cat_file("/x", 1, -7) == b"12"
    assert fs.cat_file("/x", 7, 3) == b""
    assert fs.head("/x", 3) == b"012" and fs.tail("/x", 3) == b"789"
    with fs.open("/x", "r+b") as file:
        file.seek(4)
        file.write(b"ab")
    with fs.open("/x", "ab") as file:
        file.write(b"!")
    assert fs.cat_file("/x") == b"0123ab6789!"


def test_a_move_keeps_the_file(fs: HomeFileSystem) -> None:
    fs.pipe_file("/a", b"1")
    fs.pipe_file("/a", b"2")
    node = fs.home.stat("/a").node
    fs.mv("/a", "/b")
    assert fs.home.stat("/b").node == node and len(fs.home.log("/b")) == 2
    fs.pipe_file("/d/x", b"")
    fs.mv("/d", "/e", recursive=True)
    assert fs.find("/e") == ["/e/x"] and not fs.exists("/d")


def test_a_transaction_writes_all_or_nothing(fs: HomeFileSystem) -> None:
    with fs.transaction:
        with fs.open("/a", "wb") as file:
            file.write(b"1")
        assert not fs.exists("/a")
    assert fs.cat_file("/a") == b"1"
    with pytest.raises(ZeroDivisionError), fs.transaction:
        with fs.open("/b", "wb") as file:
            file.write(b"1")
        raise ZeroDivisionError
    assert not fs.exists("/b")


def test_errors_are_those_of_python(fs: HomeFileSystem) -> None:
    fs.pipe_file("/d/x", b"")
    with pytest.raises(FileNotFoundError):
        fs.cat_file("/missing")
    with pytest.raises(FileNotFoundError):
        fs.open("/missing", "rb")
    with pytest.raises(FileNotFoundError):
        fs.info("/missing")
    with pytest.raises(FileExistsError):
        fs.mkdir("/d")
    with pytest.raises(FileExistsError):
        fs.makedirs("/d")
    fs.makedirs("/d", exist_ok=True)
    with pytest.raises(IsADirectoryError):
        fs.rm_file("/d")
    with pytest.raises(OSError):
        fs.rmdir("/d")
    with pytest.raises(NotADirectoryError):
        fs.rmdir("/d/x")
    with pytest.raises(FileNotFoundError):
        fs.rm("/missing")


def test_what_is_removed_is_in_the_trash(fs: HomeFileSystem) -> None:
    fs.pipe_file("/d/x", b"kept")
    fs.rm("/d", recursive=True)
    assert not fs.exists("/d")
    fs.home.untrash("/d")
    assert fs.cat_file("/d/x") == b"kept"


def test_times_and_keys_follow_changes(fs: HomeFileSystem) -> None:
    fs.touch("/x")
    key, made = fs.ukey("/x"), fs.created("/x")
    fs.pipe_file("/x", b"1")
    assert fs.ukey("/x") != key and fs.created("/x") == made
    before = fs.modified("/x")
    fs.touch("/x", truncate=False)
    assert fs.modified("/x") > before and fs.cat_file("/x") == b"1"
