"""What calls return: typed records that do not change."""

from __future__ import annotations

import dataclasses
from datetime import datetime, timezone

import pytest

import homefs


def test_a_record_is_typed_and_does_not_change(home: homefs.Home) -> None:
    home.write("notes/a.md", "x")
    found = home.stat("notes/a.md")
    assert (found.path, found.name, found.size, found.kind) == ("/notes/a.md", "a.md", 1, "file")
    assert found.is_file and not found.is_dir
    assert abs((datetime.now(timezone.utc) - found.modified_at).total_seconds()) < 60
    assert found == home.ls("notes")[0] and isinstance(found, homefs.Entry)
    assert list(found.as_dict()) == [field.name for field in dataclasses.fields(found)]
    assert found == homefs.Stat(**found.as_dict())
    assert repr(found).startswith("Stat(path='/notes/a.md', kind='file', size=1")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.size = 2  # type: ignore[misc]


def test_a_recall_is_its_text(home: homefs.Home) -> None:
    home.remember("The dog is called Rex", tags="pets")
    recall = home.recall("what is the dog called?", 100, explain=True)
    assert str(recall) == recall.text and "Rex" in f"{recall}"
    assert recall.tokens <= 100
    assert recall.memories[0].path.startswith("/memories/")
    assert recall.explained[0].outcome == "kept"
    assert str(home.context(500)) == home.context(500).text


@pytest.mark.parametrize(
    "text, micros",
    [
        ("2026-01-31T12:00:00Z", 0),
        ("2026-01-31T12:00:00.5Z", 500_000),
        ("2026-01-31T12:00:00.123456789Z", 123_456),
    ],
)
def test_times_of_records_can_be_read(text: str, micros: int) -> None:
    read = datetime(2026, 1, 31, 12, microsecond=micros, tzinfo=timezone.utc)
    assert homefs.moment(text) == read


def test_content_may_be_any_bytes(home: homefs.Home) -> None:
    for content in (b"ab", bytearray(b"ab"), memoryview(b"xabx")[1:3], "ab"):
        home.write("a", content)
        assert home.read_bytes("a") == b"ab"
    home.append("a", memoryview(b"cd")[::-1])
    assert home.read("a") == "abdc"


def test_every_record_has_the_fields_of_its_class(home: homefs.Home) -> None:
    home.write("a.md", "see [[b]]")
    home.remember("The dog is called Rex", tags="pets")
    home.write("b.md", "x")
    home.write("gone", "x")
    home.delete("gone")
    watch = home.watch()
    home.mkdir("/shared/m")
    made: list[homefs.Record] = [
        home.stat("a.md"),
        home.meta("a.md"),
        home.grep("see")[0],
        home.search("dog")[0],
        home.recall("dog", explain=True),
        home.recall("dog").memories[0],
        home.recall("dog", explain=True).explained[0],
        home.context(),
        home.remember("another"),
        home.forget("a.md"),
        home.links("b.md"),
        home.tags()[0],
        home.timeline()[0],
        home.log("gone")[0],
        home.trash()[0],
        next(watch),
        home.grants("/shared/m")[0],
        home.spaces()[0],
        home.sh("true"),
    ]
    for record in made:
        fields = {field.name for field in dataclasses.fields(record)}
        assert set(vars(record)) == fields, type(record)
