"""The storage of CrewAI's memory, against the protocol of its package, and in a memory."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

import homefs

pytest.importorskip("crewai", reason="needs the package crewai: homefs[crewai]")

from crewai.memory.storage.backend import StorageBackend  # noqa: E402
from crewai.memory.types import MemoryRecord  # noqa: E402
from crewai.memory.unified_memory import Memory  # noqa: E402

from homefs.adapters.crewai import HomeStorage  # noqa: E402

NOW = datetime(2026, 1, 31, 12)


@pytest.fixture
def storage(home: homefs.Home) -> HomeStorage:
    return HomeStorage(home)


def record(name: str, scope: str = "/", vector: list[float] | None = None, **other: Any) -> Any:
    return MemoryRecord(id=name, content=f"about {name}", scope=scope, embedding=vector, **other)


def fill(storage: HomeStorage) -> None:
    storage.save(
        [
            record("a", "/team/ann", [1, 0], categories=["x"], created_at=NOW),
            record("b", "/team/bob", [0, 1], categories=["x", "y"], created_at=NOW - timedelta(1)),
            record("c", "/team", [1, 1], metadata={"k": 1}, created_at=NOW - timedelta(2)),
            record("d", "/teams", [-1, 0], created_at=NOW - timedelta(3)),
            record("e", "/", None, created_at=NOW - timedelta(4)),
        ]
    )


def names(records: list[MemoryRecord]) -> list[str]:
    return [one.id for one in records]


def test_it_is_a_storage_of_the_package(storage: HomeStorage) -> None:
    assert isinstance(storage, StorageBackend)


def test_records_are_kept_as_they_are(storage: HomeStorage) -> None:
    fill(storage)
    kept = storage.get_record("b")
    assert kept is not None and kept.scope == "/team/bob" and kept.categories == ["x", "y"]
    assert kept.created_at == NOW - timedelta(1)
    assert storage.get_record("missing") is None
    assert '"about b"' in storage.home.read("/crewai/team/bob/b.json")


def test_records_are_found_by_their_vectors(storage: HomeStorage) -> None:
    fill(storage)

    def found(query: list[float], *args: Any, **kwargs: Any) -> list[str]:
        return [one.id for one, _ in storage.search(query, *args, **kwargs)]

    assert found([1, 0.1]) == ["a", "c", "b", "d"][: len(found([1, 0.1]))]
    assert found([1, 0], min_score=0.5) == ["a", "c"]
    assert found([1, 0], limit=1) == ["a"]
    assert found([0, 1], "/team/ann") == ["a"] and found([0, 1], "/team")[0] == "b"
    assert found([1, 0], categories=["y"]) == ["b"]
    assert found([1, 0], metadata_filter={"k": 1}) == ["c"]
    assert found([1, 0, 0]) == [] and found([1, 0], "/nowhere") == []
    assert [round(score, 3) for _, score in storage.search([1, 0], "/team")] == [1.0, 0.707, 0.0]


def test_scopes_are_described(storage: HomeStorage) -> None:
    fill(storage)
    assert storage.list_scopes() == ["/team", "/teams"]
    assert storage.list_scopes("/team") == ["/team/ann", "/team/bob"]
    assert storage.list_scopes("/team/ann") == []
    info = storage.get_scope_info("/team/")
    assert (info.path, info.record_count, info.categories) == ("/team", 3, ["x", "y"])
    assert (info.oldest_record, info.newest_record) == (NOW - timedelta(2), NOW)
    assert storage.get_scope_info("/nowhere").record_count == 0
    assert storage.count() == 5 and storage.count("/team") == 3
    assert storage.list_categories() == {"x": 2, "y": 1}
    assert names(storage.list_records()) == ["a", "b", "c", "d", "e"]
    assert names(storage.list_records("/team", limit=1, offset=1)) == ["b"]


def test_records_are_updated_and_deleted(storage: HomeStorage) -> None:
    fill(storage)
    moved = record("a", "/other").model_copy(update={"content": "new"})
    storage.update(moved)
    kept = storage.get_record("a")
    assert kept is not None and (kept.content, kept.scope) == ("new", "/other")
    assert [one.id for one, _ in storage.search([1, 0], "/other")] == ["a"]
    assert storage.count("/team") == 2 and storage.count() == 5
    storage.touch_records(["a", "missing"])
    assert storage.delete(record_ids=["a"]) == 1 and storage.get_record("a") is None
    assert storage.delete(categories=["y"]) == 1
    assert storage.delete(older_than=NOW - timedelta(3)) == 1
    assert storage.delete(scope_prefix="/team", metadata_filter={"k": 2}) == 0
    storage.reset("/team")
    assert names(storage.list_records()) == ["d"]
    storage.reset()
    storage.reset()
    assert storage.count() == 0


def test_strange_scopes_stay_inside(storage: HomeStorage) -> None:
    for number, scope in enumerate(["/../..", "/a/../b", "//x//", "/%2F", "no-slash", "/.x"]):
        storage.save([record(f"../{number}", scope, [1.0])])
        kept = storage.get_record(f"../{number}")
        assert kept is not None and kept.scope == scope
    assert storage.count() == 6
    assert all(stat.path.startswith("/crewai/") for stat in storage.home.walk("/crewai"))


def test_coroutines_do_the_same(storage: HomeStorage) -> None:
    async def run() -> None:
        await storage.asave([record("a", "/", [1.0])])
        assert len(await storage.asearch([1.0], limit=3)) == 1
        assert await storage.adelete(record_ids=["a"]) == 1

    asyncio.run(run())


def test_a_memory_of_crewai_remembers_in_a_home(storage: HomeStorage) -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return [[float("tea" in text), float("cat" in text), 1.0] for text in texts]

    memory = Memory(storage=storage, embedder=embed, consolidation_threshold=1.0)
    for text in ("likes tea", "has a cat"):
        memory.remember(text, scope="/users", categories=["facts"], importance=0.5, metadata={})
    matches = memory.recall("which cat?", scope="/users", depth="shallow", limit=1)
    assert [match.record.content for match in matches] == ["has a cat"]
    assert storage.count("/users") == 2
    assert storage.home.search("cat", limit=1)[0].path.startswith("/crewai/users/")
    memory.close()
