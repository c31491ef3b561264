"""A storage of CrewAI's memory on the files of a home.

    memory = Memory(storage=HomeStorage(homefs.open(agent="akashi")))
    crew = Crew(agents=[...], tasks=[...], memory=memory)

A scope is a directory below `/crewai` and a record the file `<id>.json` in it, with its vector
hidden beside it. CrewAI gives texts their vectors itself; the search of the home finds them too.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import numpy
from crewai.memory.types import MemoryRecord, ScopeInfo

from homefs import Home, NotADirectory, NotFound, Stat
from homefs.adapters._text import from_name, to_name

__all__ = ["HomeStorage"]

_SUFFIX = ".json"


class HomeStorage:
    """What a crew remembers, in a directory of a home."""

    def __init__(self, home: Home, path: str = "/crewai") -> None:
        self.home = home
        self.path = "/" + path.strip("/")

    def save(self, records: list[MemoryRecord]) -> None:
        """Keeps records."""
        for record in records:
            directory = self._directory(record.scope)
            name = to_name(record.id)
            if record.embedding:
                vector = numpy.asarray(record.embedding, "<f4")
                self.home.write(f"{directory}/.{name}.f32", vector.tobytes())
            self.home.write(f"{directory}/{name}{_SUFFIX}", record.model_dump_json(indent=2) + "\n")

    def update(self, record: MemoryRecord) -> None:
        """Puts a record in the place of the one with its id, whose scope may have been another."""
        scope = _normal(record.scope)
        for stat in self._named(record.id):
            if record.embedding is None:
                record = record.model_copy(update={"embedding": self._vector(stat).tolist()})
            if self._scope(stat) != scope:
                self._remove(stat)
        self.save([record])

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """Returns the record with an id."""
        for stat in self._named(record_id):
            return self._record(stat)
        return None

    def touch_records(self, record_ids: list[str]) -> None:
        """Notes that records were of use now."""
        for record_id in record_ids:
            record = self.get_record(record_id)
            if record is not None:
                now = datetime.now(timezone.utc).replace(tzinfo=None)
                self.save([record.model_copy(update={"last_accessed": now, "embedding": None})])

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Finds the records whose vectors are nearest, by their cosine."""
        query = numpy.asarray(query_embedding, "<f4")
        scored = []
        for stat in self._stats(scope_prefix):
            vector = self._vector(stat)
            if vector.shape != query.shape:
                # It was made by another model, or by none.
                continue
            lengths = float(numpy.linalg.norm(vector) * numpy.linalg.norm(query))
            score = float(vector @ query) / lengths if lengths else 0.0
            if score >= min_score:
                scored.append((score, stat))
        found: list[tuple[MemoryRecord, float]] = []
        for score, stat in sorted(scored, key=lambda one: (-one[0], one[1].path)):
            if len(found) >= limit:
                break
            record = self._record(stat)
            if record is not None and _fits(record, categories, metadata_filter):
                found.append((record, score))
        return found

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Removes the records that agree with all that is said, to the trash; counts them."""
        removed = 0
        for stat, record in self._records(scope_prefix):
            if (
                _fits(record, categories, metadata_filter)
                and (not record_ids or record.id in record_ids)
                and (older_than is None or _utc(record.created_at) < _utc(older_than))
            ):
                self._remove(stat)
                removed += 1
        return removed

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Lists records, the newest first."""
        records = [record for _, record in self._records(scope_prefix)]
        records.sort(key=lambda record: _utc(record.created_at), reverse=True)
        return records[max(0, offset) : max(0, offset) + max(0, limit)]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Tells what is in a scope and those below it."""
        records = [record for _, record in self._records(scope)]
        made = sorted((record.created_at for record in records), key=_utc)
        return ScopeInfo(
            path=_normal(scope),
            record_count=len(records),
            categories=sorted({name for record in records for name in record.categories}),
            oldest_record=made[0] if made else None,
            newest_record=made[-1] if made else None,
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Lists the scopes right below one."""
        above = _normal(parent).rstrip("/") + "/"
        below = (self._scope(stat) for stat in self._stats(parent))
        names = {scope[len(above) :].partition("/")[0] for scope in below if scope != above}
        return sorted(above + name for name in names if name)

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Counts the records of each category."""
        records = self._records(scope_prefix)
        return dict(Counter(name for _, record in records for name in record.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        """Counts the records in a scope and those below it."""
        return len(self._stats(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Removes all records in a scope and those below it, to the trash."""
        try:
            self.home.delete(self._directory(scope_prefix or "/"), recursive=True)
        except (NotFound, NotADirectory):
            pass

    async def asave(self, records: list[MemoryRecord]) -> None:
        """Keeps records, without blocking the event loop."""
        await asyncio.to_thread(self.save, records)

    async def asearch(self, *args: Any, **kwargs: Any) -> list[tuple[MemoryRecord, float]]:
        """Finds records as `search` does, without blocking the event loop."""
        return await asyncio.to_thread(self.search, *args, **kwargs)

    async def adelete(self, *args: Any, **kwargs: Any) -> int:
        """Removes records as `delete` does, without blocking the event loop."""
        return await asyncio.to_thread(self.delete, *args, **kwargs)

    def _directory(self, scope: str) -> str:
        return "/".join([self.path, *map(to_name, filter(None, scope.split("/")))])

    def _scope(self, stat: Stat) -> str:
        *names, _ = stat.path.removeprefix(self.path).split("/")
        return "/".join(map(from_name, names)) or "/"

    def _stats(self, scope: str | None) -> list[Stat]:
        try:
            nodes = self.home.walk(self._directory(scope or "/"))
        except (NotFound, NotADirectory):
            return []
        return [stat for stat in nodes if stat.is_file and stat.path.endswith(_SUFFIX)]

    def _named(self, record_id: str) -> list[Stat]:
        name = f"/{to_name(record_id)}{_SUFFIX}"
        return [stat for stat in self._stats(None) if stat.path.endswith(name)]

    def _records(self, scope: str | None) -> Iterator[tuple[Stat, MemoryRecord]]:
        for stat in self._stats(scope):
            record = self._record(stat)
            if record is not None:
                yield stat, record

    def _record(self, stat: Stat) -> MemoryRecord | None:
        try:
            return MemoryRecord.model_validate_json(self.home.read(stat.path))
        except (NotFound, ValueError):
            # It is gone by now, or somebody wrote what is no record.
            return None

    def _vector(self, stat: Stat) -> numpy.ndarray[Any, Any]:
        try:
            content = self.home.read_bytes(_beside(stat))
        except NotFound:
            content = b""
        return numpy.frombuffer(content, "<f4")

    def _remove(self, stat: Stat) -> None:
        for path in (stat.path, _beside(stat)):
            try:
                self.home.delete(path)
            except NotFound:
                pass


def _beside(stat: Stat) -> str:
    """Returns where the vector of a record is."""
    directory, _, name = stat.path.rpartition("/")
    return f"{directory}/.{name.removesuffix(_SUFFIX)}.f32"


def _normal(scope: str) -> str:
    return "/" + "/".join(filter(None, scope.split("/")))


def _utc(time: datetime) -> datetime:
    """Makes times comparable; CrewAI's own have no zone and mean UTC."""
    return time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc)


def _fits(
    record: MemoryRecord, categories: list[str] | None, metadata: dict[str, Any] | None
) -> bool:
    return (not categories or any(name in record.categories for name in categories)) and (
        not metadata or all(record.metadata.get(key) == value for key, value in metadata.items())
    )
