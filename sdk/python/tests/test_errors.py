"""Every kind of error has a class of its own, which is also one of Python's where one fits."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import homefs
from homefs._errors import BY_KIND
from homefs._homefs import error_kinds

#: Kind, class, and what else it is.
TABLE = [
    ("not-found", homefs.NotFound, FileNotFoundError),
    ("already-exists", homefs.AlreadyExists, FileExistsError),
    ("not-a-directory", homefs.NotADirectory, NotADirectoryError),
    ("is-a-directory", homefs.IsADirectory, IsADirectoryError),
    ("not-empty", homefs.NotEmpty, OSError),
    ("denied", homefs.Denied, PermissionError),
    ("invalid", homefs.Invalid, ValueError),
    ("conflict", homefs.Conflict, OSError),
    ("limit-exceeded", homefs.LimitExceeded, OSError),
    ("unavailable", homefs.Unavailable, OSError),
    ("corrupt", homefs.Corrupt, OSError),
    ("unsupported", homefs.Unsupported, OSError),
    ("closed", homefs.Closed, ValueError),
    ("internal", homefs.Internal, RuntimeError),
    ("read-only", homefs.ReadOnly, PermissionError),
]


def test_the_table_has_every_kind() -> None:
    kinds = [kind for kind, _ in error_kinds()]
    assert [kind for kind, _, _ in TABLE] == kinds
    assert list(BY_KIND) == kinds


@pytest.mark.parametrize("kind, cls, also", TABLE)
def test_an_error_says_what_it_is(
    kind: str, cls: type[homefs.Error], also: type[Exception]
) -> None:
    error = cls("cannot do it", "/a")
    assert isinstance(error, homefs.Error) and isinstance(error, also)
    assert (error.kind, error.path, error.message) == (kind, "/a", "cannot do it")
    assert error.errno == dict(error_kinds())[kind]
    assert str(error) == "/a: cannot do it" and str(cls("alone")) == "alone"
    assert error.code is None
    error = cls("cannot do it", "/a", "no-room")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.path, again.code, str(again)) == (cls, "/a", "no-room", str(error))
    if isinstance(error, OSError):
        assert (error.filename, error.strerror) == ("/a", "cannot do it")


def test_calls_raise_the_class_of_their_kind(home: homefs.Home, store: Path) -> None:
    home.write("d/a", "1")
    cases = [
        (lambda: home.read("nope"), homefs.NotFound),
        (lambda: home.read("d"), homefs.IsADirectory),
        (lambda: home.read("d/a/b"), homefs.NotADirectory),
        (lambda: home.delete("d"), homefs.NotEmpty),
        (lambda: home.mkdir("d/a", parents=False), homefs.AlreadyExists),
        (lambda: home.write("d/a", "2", expected_version=99), homefs.Conflict),
        (lambda: home.write("", "2"), homefs.Invalid),
        (lambda: home.write("a", "2", durability="remote"), homefs.Error),
    ]
    for call, cls in cases:
        with pytest.raises(cls):
            call()
    with pytest.raises(FileNotFoundError) as caught:
        home.read("nope")
    assert isinstance(caught.value, homefs.NotFound) and caught.value.path == "/nope"


def test_what_is_not_utf8_names_the_way_to_read_it(home: homefs.Home) -> None:
    home.write("b", b"\xff\xfe")
    with pytest.raises(homefs.Invalid, match="read_bytes") as caught:
        home.read("b")
    assert isinstance(caught.value.__cause__, UnicodeDecodeError)
    assert home.read_bytes("b") == b"\xff\xfe"


def test_lone_surrogates_are_refused(home: homefs.Home) -> None:
    for call in (
        lambda: home.write("a\udc80", "x"),
        lambda: home.write("a", "x\udc80"),
        lambda: home.read("\ud800"),
    ):
        with pytest.raises(homefs.Invalid, match="surrogates"):
            call()
    assert not home.exists("a")
    for call in (
        home.path("\udc80").exists,
        lambda: home.grep("\udc80"),
        lambda: home.remember("\udc80"),
        lambda: home.sh("echo \udc80"),
        lambda: home.edit("b", "\udc80", "x"),
    ):
        with pytest.raises(ValueError, match="surrogates"):
            call()


def test_wrong_types_are_type_errors(home: homefs.Home) -> None:
    wrong = [
        lambda: home.write(1, "x"),
        lambda: home.write("a", 1),
        lambda: home.write("a", None),
        lambda: home.write(b"a", "x"),
        lambda: home.write("a"),
        lambda: home.write("a", "b", "c"),
        lambda: home.read("a", True, False),
        lambda: home.write("a", "b", expected_version="1"),
        lambda: home.ls(3),
        lambda: home.recall(None),
        lambda: home.remember("x", tags=3),
        lambda: home.sh(b"ls"),
        lambda: home.log("a", limit="many"),
        lambda: home.restore("a", None),
        lambda: homefs.open(3),
        lambda: homefs.open(store=3),
    ]
    for call in wrong:
        with pytest.raises(TypeError):
            call()  # type: ignore[no-untyped-call]
    for call in (
        lambda: home.write("a", "b", expected_version=-1),
        lambda: home.read_bytes("a", -1),
        lambda: home.ls("a" * 5000),
        lambda: home.sh("true", timeout=-1),
        lambda: home.write("a", "b", durability="always"),
        lambda: home.search("x", kind="smell"),
        lambda: home.recall("x", strategy="luck"),
        lambda: home.grant("/shared/m", "me", "own"),
        lambda: homefs.open("no/such name"),
    ):
        with pytest.raises((homefs.Invalid, OverflowError)):
            call()  # type: ignore[no-untyped-call]
