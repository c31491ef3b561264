"""Paths of a home behave as those of `pathlib` do: each case is done on both."""

from __future__ import annotations

import io
import pathlib
import stat
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any, Union

import pytest

import homefs

AnyPath = Union[pathlib.Path, homefs.HomePath]


def both(tmp_path: pathlib.Path, home: homefs.Home) -> list[AnyPath]:
    root = tmp_path / "root"
    root.mkdir()
    return [root, home.path("root").mkdir() or home.path("root")]  # type: ignore[func-returns-value]


def outcome(act: Callable[[AnyPath], Any], root: AnyPath) -> Any:
    """Returns what an act came to, in words that both can say."""
    try:
        answer = act(root)
    except Exception as error:
        for cls in (
            FileNotFoundError,
            FileExistsError,
            IsADirectoryError,
            NotADirectoryError,
            io.UnsupportedOperation,
            LookupError,
            NotImplementedError,
            ValueError,
            TypeError,
            OSError,
        ):
            if isinstance(error, cls):
                return cls.__name__
        raise
    if isinstance(answer, (pathlib.Path, homefs.HomePath)):
        return str(answer)[len(str(root)) :]
    if isinstance(answer, list):
        return [str(item)[len(str(root)) :] if hasattr(item, "parts") else item for item in answer]
    return answer


ACTS: list[Callable[[Any], Any]] = [
    lambda p: (p / "a.txt").write_text("hé\n"),
    lambda p: (p / "a.txt").read_text(encoding="utf-8"),
    lambda p: (p / "a.txt").read_bytes(),
    lambda p: (p / "a.txt").stat().st_size,
    lambda p: stat.filemode((p / "a.txt").stat().st_mode)[0],
    lambda p: (p / "no" / "a.txt").write_text("x"),
    lambda p: (p / "nope").read_text(),
    lambda p: p.read_text(),
    lambda p: (p / "nope").stat(),
    lambda p: [(p / name).exists() for name in ("a.txt", "nope", ".", "a.txt/x")],
    lambda p: [(p / name).is_file() for name in ("a.txt", "nope", ".")],
    lambda p: [(p / name).is_dir() for name in ("a.txt", "nope", ".")],
    lambda p: (p / "d").mkdir(),
    lambda p: (p / "d").mkdir(),
    lambda p: (p / "d").mkdir(exist_ok=True),
    lambda p: (p / "a.txt").mkdir(exist_ok=True),
    lambda p: (p / "x" / "y").mkdir(),
    lambda p: (p / "x" / "y").mkdir(parents=True),
    lambda p: (p / "x" / "y" / "b.md").write_bytes(b"\0\xff"),
    lambda p: (p / "x" / "c.md").touch(),
    lambda p: (p / "x" / "c.md").touch(exist_ok=False),
    lambda p: (p / "x" / "c.md").read_bytes(),
    lambda p: sorted(p.iterdir()),
    lambda p: list((p / "a.txt").iterdir()),
    lambda p: list((p / "nope").iterdir()),
    lambda p: sorted(p.glob("*")),
    lambda p: sorted(p.glob("*.txt")),
    lambda p: sorted(p.glob("*/*.md")),
    lambda p: sorted(p.glob("**/*.md")),
    lambda p: sorted(p.glob("x/**/*.md")),
    lambda p: sorted(p.rglob("*.md")),
    lambda p: sorted(p.rglob("*")),
    lambda p: sorted(found for found in p.glob("**") if found.is_dir()),
    lambda p: sorted(p.glob("nothing")),
    lambda p: list(p.glob("/abs")),
    lambda p: (p / "a.txt").rename(p / "b.txt"),
    lambda p: (p / "a.txt").exists(),
    lambda p: (p / "nope").rename(p / "c"),
    lambda p: (p / "b.txt").replace(p / "x" / "c.md"),
    lambda p: (p / "x" / "c.md").read_text(encoding="utf-8"),
    lambda p: (p / "x" / "c.md").unlink(),
    lambda p: (p / "x" / "c.md").unlink(),
    lambda p: (p / "x" / "c.md").unlink(missing_ok=True),
    lambda p: (p / "d").unlink(),
    lambda p: (p / "x").rmdir(),
    lambda p: (p / "d").rmdir(),
    lambda p: (p / "d").exists(),
    lambda p: (p / "t").write_text(3),
    lambda p: (p / "t").write_bytes("text"),
    lambda p: (p / "t").write_text("t"),
    lambda p: (p / "l").symlink_to("t"),
    lambda p: [(p / "l").is_symlink(), (p / "t").is_symlink(), (p / "l").is_file()],
    lambda p: (p / "l").read_text(),
    lambda p: str((p / "l").readlink()),
    lambda p: (p / "l").resolve(),
    lambda p: (p / "l").samefile(p / "t"),
    lambda p: (p / "h").hardlink_to(p / "t"),
    lambda p: (p / "h").read_text(),
    lambda p: (p / "h").stat().st_nlink,
    lambda p: (p / "t").chmod(0o600),
    lambda p: oct((p / "t").stat().st_mode),
]


def test_paths_do_as_those_of_the_host(tmp_path: pathlib.Path, home: homefs.Home) -> None:
    host, ours = both(tmp_path, home)
    for number, act in enumerate(ACTS):
        assert outcome(act, ours) == outcome(act, host), f"act {number}"


PURE: list[Callable[[Any], Any]] = [
    lambda p: p.parts,
    lambda p: p.name,
    lambda p: p.stem,
    lambda p: p.suffix,
    lambda p: p.suffixes,
    lambda p: str(p.parent),
    lambda p: [str(parent) for parent in p.parents],
    lambda p: str(p / "x" / "y.md"),
    lambda p: str(p.joinpath("a", "b")),
    lambda p: str(p / "/abs"),
    lambda p: str(p.with_name("n.txt")),
    lambda p: str(p.with_suffix(".bak")),
    lambda p: str(p.with_stem("s")),
    lambda p: p.match("*.gz"),
    lambda p: p.match("b/*"),
    lambda p: str(p.relative_to("/a")),
    lambda p: str(p.relative_to("/zz")),
    lambda p: p.is_relative_to("/a"),
    lambda p: p.is_absolute(),
    lambda p: (p.root, p.anchor, p.drive),
    lambda p: p.as_posix(),
    lambda p: p == type(p),
    lambda p: p / 3,
    lambda p: p.with_name(""),
]


@pytest.mark.parametrize("text", ["/a/b/c.tar.gz", "/a", "/a/.hidden", "/a/b c/ü"])
def test_names_are_taken_apart_as_pathlib_does(home: homefs.Home, text: str) -> None:
    for number, act in enumerate(PURE):
        assert outcome(act, home.path(text)) == outcome(act, PurePosixPath(text)), number


def test_paths_of_one_home_are_equal_by_name(home: homefs.Home) -> None:
    first, second = home.path("a/b"), home.path("/a/./c/../b")
    assert first == second and hash(first) == hash(second) and str(second) == "/a/b"
    assert first != home.path("a") and first < home.path("a/c") and first != "/a/b"
    assert str(home.path()) == "/" and str(home.path("..")) == "/"
    assert repr(first) == "HomePath('/a/b')"
    assert home.path("a", "b") == first and home.path(PurePosixPath("a/b")) == first
    assert first.as_uri() == "homefs://me/a/b"
    assert first.home is home
    home.write(first, "1")
    assert home.read(first) == "1" and first.info().version == 1
    with pytest.raises(TypeError):
        open(first)  # type: ignore[call-overload]


MODES: list[Callable[[Any], Any]] = [
    lambda p: p.open("r"),
    lambda p: p.open("x").write("one\ntwo\n"),
    lambda p: p.open("x"),
    lambda p: p.open().read(),
    lambda p: list(p.open()),
    lambda p: p.open("rb").read(),
    lambda p: p.open("a").write("three"),
    lambda p: p.open("ab").tell(),
    lambda p: p.open().readlines(),
    lambda p: p.open("r+").write("ONE"),
    lambda p: p.open().read(),
    lambda p: p.open("w").read(),
    lambda p: p.open().read(),
    lambda p: p.open("wb").write(b"\0\xff"),
    lambda p: p.open("rb", buffering=0).readall(),
    lambda p: p.open().read(),
    lambda p: p.open(encoding="latin-1").read(),
    lambda p: p.open("w", newline="\r\n").write("a\nb\n"),
    lambda p: p.open("rb").read(),
    lambda p: p.open(newline="").read(),
    lambda p: p.open("w+b", buffering=0).write(b"raw"),
    lambda p: p.open("rb", buffering=0).read(2),
    lambda p: p.open("w+").write("x" * 200_000),
    lambda p: len(p.open().read()),
    lambda p: p.open("r+b").truncate(10),
    lambda p: p.open("rb").read(),
    lambda p: p.open("rw"),
    lambda p: p.open("z"),
    lambda p: p.open("rt", encoding="nope"),
    lambda p: p.open("rb", encoding="utf-8"),
    lambda p: p.open("r", buffering=0),
    lambda p: p.open("rb").write(b"x"),
    lambda p: p.open("wb").read(),
    lambda p: p.parent.open(),
    lambda p: (p / "below").open("w"),
]


def closing(act: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Has files that were opened on the way closed, as garbage is at once."""

    def acted(path: Any) -> Any:
        answer = act(path)
        return "file" if isinstance(answer, io.IOBase) else answer

    return acted


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_files_are_opened_as_those_of_the_host(tmp_path: pathlib.Path, home: homefs.Home) -> None:
    host, ours = both(tmp_path, home)
    for number, act in enumerate(MODES):
        wanted = outcome(closing(act), host / "file")
        assert outcome(closing(act), ours / "file") == wanted, f"act {number}"


def test_a_file_is_read_and_written_at_any_place(home: homefs.Home) -> None:
    path = home.path("f")
    with path.open("w+b") as file:
        assert file.seekable() and file.readable() and file.writable()
        file.write(b"0123456789")
        file.seek(3)
        file.write(b"XY")
        assert file.tell() == 5
        file.seek(-2, io.SEEK_END)
        assert file.read() == b"89"
        file.seek(12)
        file.write(b"!")
        file.seek(0)
        assert file.read() == b"012XY56789\0\0!"
        with pytest.raises(ValueError):
            file.seek(-1)
    with pytest.raises(ValueError):
        file.read()
    assert path.read_bytes() == b"012XY56789\0\0!"
    with path.open() as text:
        assert (text.name, text.mode) == ("/f", "r")
    assert home.log("f")[0].size == 13


def test_many_lines_through_a_small_buffer(home: homefs.Home) -> None:
    lines = [f"line {number}\n" for number in range(2000)]
    with home.path("lines").open("w", buffering=64) as file:
        file.writelines(lines)
    with home.path("lines").open(buffering=64) as file:
        assert file.readlines() == lines
    assert home.read("lines") == "".join(lines)
