"""A store of LangGraph on the files of a home.

    store = HomeStore(homefs.open(agent="akashi"))
    graph = builder.compile(store=store)

A namespace is a directory below `/langgraph` and an item the file `<key>.json` in it, so that
people and other agents can read, find and edit items; what is deleted goes to the trash. A query
is answered by the search of the home, which needs no embedding model of yours: the whole item is
found by words and meaning. Items that expire are gone at that moment.
"""

from __future__ import annotations

import asyncio
import json
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from homefs import Home, NotADirectory, NotFound, Stat
from homefs.adapters._text import from_name, to_json, to_name

__all__ = ["HomeStore"]

_SUFFIX = ".json"
#: Where an item keeps how many minutes it lives after its last use.
_TTL = "langgraph.ttl"
#: Where an item keeps that no query finds it.
_HIDDEN = "langgraph.hidden"
#: Fewest parts of files that a query looks at: one item may have several, and a filter drops some.
_HITS_MIN = 200

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class HomeStore(BaseStore):
    """The long-term memory of a graph, in a directory of a home."""

    supports_ttl = True

    __slots__ = ("home", "path", "ttl_config")

    def __init__(
        self, home: Home, path: str = "/langgraph", *, ttl: TTLConfig | None = None
    ) -> None:
        self.home = home
        self.path = "/" + path.strip("/")
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Does several operations; those that read see none of those that write."""
        ops = list(ops)
        for op in ops:
            validate_op_namespace(op)
        results: list[Result] = [None] * len(ops)
        for number, op in enumerate(ops):
            if isinstance(op, GetOp):
                results[number] = self._get(op)
            elif isinstance(op, SearchOp):
                results[number] = self._search(op)
            elif isinstance(op, ListNamespacesOp):
                results[number] = self._list_namespaces(op)
            elif not isinstance(op, PutOp):
                raise ValueError(f"unknown operation: {type(op).__name__}")
        for op in ops:
            if isinstance(op, PutOp):
                self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Does several operations, without blocking the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _get(self, op: GetOp) -> Item | None:
        try:
            stat = self.home.stat(self._file(op.namespace, op.key))
            value = self._value(stat.path)
        except (NotFound, NotADirectory):
            return None
        if op.refresh_ttl:
            self._refresh(stat)
        return Item(
            value=value,
            key=op.key,
            namespace=tuple(op.namespace),
            created_at=stat.created_at,
            updated_at=stat.modified_at,
        )

    def _put(self, op: PutOp) -> None:
        path = self._file(op.namespace, op.key)
        if op.value is None:
            try:
                self.home.delete(path)
            except (NotFound, NotADirectory):
                pass
            return
        self.home.write(path, to_json(dict(op.value), indent=2) + "\n")
        hidden = "yes" if op.index is False else None
        noted = self.home.meta(path)
        if op.ttl is not None:
            other = {_TTL: repr(op.ttl), _HIDDEN: hidden}
            self.home.set_meta(path, ttl=_span(op.ttl), other=other)
        elif noted.expires is not None or noted.other.get(_HIDDEN) != hidden:
            self.home.set_meta(path, ttl="", other={_TTL: None, _HIDDEN: hidden})

    def _search(self, op: SearchOp) -> list[SearchItem]:
        below = self._directory(op.namespace_prefix)
        wanted = op.offset + op.limit
        found: list[SearchItem] = []
        for stat, score in self._ranked(below, op):
            if len(found) >= wanted:
                break
            try:
                value = self._value(stat.path)
            except (NotFound, ValueError):
                # It is gone by now, or somebody wrote what is no item.
                continue
            if not _fits(value, op.filter):
                continue
            namespace, key = self._place(stat)
            found.append(
                SearchItem(namespace, key, value, stat.created_at, stat.modified_at, score)
            )
            if op.refresh_ttl and len(found) > op.offset:
                self._refresh(stat)
        return found[op.offset :]

    def _ranked(self, below: str, op: SearchOp) -> Iterator[tuple[Stat, float | None]]:
        """Goes through the items below a directory: what a query finds first, then the newest."""
        seen: set[str] = set()
        if op.query and op.query.strip():
            limit = max(_HITS_MIN, 4 * (op.offset + op.limit))
            try:
                hits = self.home.search(_plain(op.query), limit=limit, below=below)
            except (NotFound, NotADirectory):
                return
            for hit in hits:
                if hit.path in seen or not hit.path.endswith(_SUFFIX):
                    continue
                try:
                    stat, noted = self.home.stat(hit.path), self.home.meta(hit.path)
                except NotFound:
                    continue
                if _HIDDEN not in noted.other:
                    seen.add(hit.path)
                    yield stat, hit.score
        items = [stat for stat in self._items(below) if stat.path not in seen]
        for stat in sorted(items, key=lambda stat: (stat.modified, stat.version), reverse=True):
            yield stat, None

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found = {self._place(stat)[0] for stat in self._items(self.path)}
        conditions = op.match_conditions or ()
        kept = {
            namespace[: op.max_depth]
            for namespace in found
            if all(_matches(condition, namespace) for condition in conditions)
        }
        return sorted(kept)[op.offset : op.offset + op.limit]

    def _items(self, below: str) -> list[Stat]:
        try:
            nodes = self.home.walk(below)
        except (NotFound, NotADirectory):
            return []
        return [stat for stat in nodes if stat.is_file and stat.path.endswith(_SUFFIX)]

    def _value(self, path: str) -> dict[str, Any]:
        value = json.loads(self.home.read(path))
        if not isinstance(value, dict):
            raise ValueError(f"{path} is no item: it holds no JSON object")
        return value

    def _refresh(self, stat: Stat) -> None:
        """Lets an item that expires live as long again."""
        if stat.expires is None:
            return
        try:
            ttl = self.home.meta(stat.path).other.get(_TTL)
            if ttl is not None:
                self.home.set_meta(stat.path, ttl=_span(float(ttl)))
        except NotFound:
            pass

    def _directory(self, namespace: Iterable[str]) -> str:
        # Labels have no dots, so that none is called as an item is.
        return "/".join([self.path, *map(to_name, namespace)])

    def _file(self, namespace: Iterable[str], key: str) -> str:
        return f"{self._directory(namespace)}/{to_name(key)}{_SUFFIX}"

    def _place(self, stat: Stat) -> tuple[tuple[str, ...], str]:
        """Tells namespace and key of an item."""
        *labels, name = stat.path.removeprefix(self.path + "/").split("/")
        return tuple(map(from_name, labels)), from_name(name.removesuffix(_SUFFIX))


def _span(minutes: float) -> str:
    return f"{max(1, math.ceil(minutes * 60_000))}ms"


def _plain(query: str) -> str:
    """Takes from a question what the language of searches would read as more than words."""
    words = re.sub(r"\b(tag|path|after|before):", r"\1 ", query)
    return re.sub(r'["*]|(?<!\S)-+', " ", words)


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"unknown kind of match: {condition.match_type}")
    if len(path) > len(namespace):
        return False
    labels = (
        namespace[: len(path)]
        if condition.match_type == "prefix"
        else namespace[len(namespace) - len(path) :]
    )
    return all(wanted in ("*", label) for wanted, label in zip(path, labels, strict=True))


def _fits(value: Any, wanted: dict[str, Any] | None) -> bool:
    return not wanted or all(_agrees(value.get(key), part) for key, part in wanted.items())


def _agrees(value: Any, wanted: Any) -> bool:
    """Tells whether a part of an item is as a filter wants it, parts of parts included."""
    if isinstance(wanted, dict):
        if any(key.startswith("$") for key in wanted):
            return all(_compares(value, name, other) for name, other in wanted.items())
        return isinstance(value, dict) and all(
            _agrees(value.get(key), part) for key, part in wanted.items()
        )
    if isinstance(wanted, (list, tuple)):
        return (
            isinstance(value, list)
            and len(value) == len(wanted)
            and all(map(_agrees, value, wanted))
        )
    return bool(value == wanted)


def _compares(value: Any, name: str, other: Any) -> bool:
    if name == "$eq":
        return bool(value == other)
    if name == "$ne":
        return bool(value != other)
    if name not in _COMPARISONS:
        raise ValueError(f"unknown operator of a filter: {name}")
    if not (isinstance(value, str) and isinstance(other, str)):
        try:
            value, other = float(value), float(other)
        except (TypeError, ValueError):
            # What cannot be compared is neither more nor less.
            return False
    return _COMPARISONS[name](value, other)
