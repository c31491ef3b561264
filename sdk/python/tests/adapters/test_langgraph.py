"""The store of LangGraph, against the one of its own package, and in a graph."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import homefs

pytest.importorskip("langgraph.store.base", reason="needs the package langgraph: homefs[langgraph]")

from langgraph.store.base import (  # noqa: E402
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore  # noqa: E402

from homefs.adapters.langgraph import HomeStore  # noqa: E402

DOCS = {
    ("docs", "a"): {"title": "First", "author": "Ann", "rank": 1, "tags": ["x"], "in": {"n": 1}},
    ("docs", "b"): {"title": "Second", "author": "Bob", "rank": 2.5, "tags": [], "in": {"n": 2}},
    ("img", "c"): {"title": "Image", "author": "Ann", "rank": 3, "draft": True, "in": None},
    ("docs", "d"): {"title": "Fourth", "author": "Ann", "rank": "4", "in": {"n": 1, "m": 2}},
}

FILTERS: list[dict[str, Any]] = [
    {},
    {"author": "Ann"},
    {"author": "Ann", "rank": 1},
    {"rank": {"$gt": 1}},
    {"rank": {"$gte": 2.5}},
    {"rank": {"$lt": 3}},
    {"rank": {"$lte": 1}},
    {"rank": {"$gt": 1, "$lt": 3}},
    {"author": {"$ne": "Ann"}},
    {"author": {"$eq": "Bob"}},
    {"draft": True},
    {"draft": {"$ne": True}},
    {"missing": None},
    {"tags": ["x"]},
    {"tags": []},
    {"in": {"n": 1}},
    {"in": {"n": {"$gte": 2}}} | {"author": "Bob"},
]

NAMESPACES = [
    ("a", "b", "c"),
    ("a", "b", "d", "e"),
    ("a", "b", "d", "i"),
    ("a", "c", "f"),
    ("b", "a", "f"),
    ("users", "123"),
    ("users", "456", "settings"),
    ("admin", "users", "789"),
]

LISTINGS: list[dict[str, Any]] = [
    {},
    {"prefix": ("a",)},
    {"prefix": ("a", "*", "f")},
    {"prefix": ("*", "a")},
    {"suffix": ("f",)},
    {"suffix": ("users", "*")},
    {"prefix": ("a",), "suffix": ("f",)},
    {"prefix": ("a", "b"), "max_depth": 2},
    {"max_depth": 1},
    {"max_depth": 3, "limit": 2, "offset": 1},
    {"limit": 3},
    {"offset": 5},
    {"prefix": ("a", "b", "c", "d", "e", "f", "g")},
]


@pytest.fixture
def graph_store(home: homefs.Home) -> HomeStore:
    return HomeStore(home)


def keys(items: Iterable[Item]) -> set[tuple[tuple[str, ...], str]]:
    return {(item.namespace, item.key) for item in items}


def test_items_are_put_got_and_deleted(graph_store: HomeStore) -> None:
    graph_store.put(("docs", "a"), "k", {"title": "é", "n": [1, None, 2.5]})
    item = graph_store.get(("docs", "a"), "k")
    assert item is not None
    assert (item.namespace, item.key) == (("docs", "a"), "k")
    assert item.value == {"title": "é", "n": [1, None, 2.5]}
    graph_store.put(("docs", "a"), "k", {"title": "new"})
    again = graph_store.get(("docs", "a"), "k")
    assert again is not None and again.value == {"title": "new"}
    assert again.created_at == item.created_at and again.updated_at > item.updated_at
    assert graph_store.get(("docs",), "k") is None
    assert graph_store.get(("docs", "a", "k"), "k") is None
    graph_store.delete(("docs", "a"), "k")
    graph_store.delete(("docs", "a"), "k")
    assert graph_store.get(("docs", "a"), "k") is None


def test_items_are_files_that_people_can_read(graph_store: HomeStore) -> None:
    graph_store.put(("users", "7"), "likes", {"food": "süß"})
    home = graph_store.home
    assert home.read("/langgraph/users/7/likes.json") == '{\n  "food": "süß"\n}\n'
    home.write("/langgraph/users/7/likes.json", '{"food": "sour"}')
    home.write("/langgraph/users/7/notes.md", "not an item")
    item = graph_store.get(("users", "7"), "likes")
    assert item is not None and item.value == {"food": "sour"}
    home.write("/langgraph/users/7/broken.json", "{")
    home.write("/langgraph/users/7/list.json", "[]")
    assert [item.key for item in graph_store.search(("users",))] == ["likes"]
    with pytest.raises(ValueError):
        graph_store.get(("users", "7"), "broken")


@pytest.mark.parametrize(
    "key",
    [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "%2F",
        "a%",
        ".hidden",
        "x.json",
        "a\x00b",
        "a\nb",
        "ключ",
        ":meta",
    ],
)
def test_any_text_is_a_key_and_a_label(graph_store: HomeStore, key: str) -> None:
    graph_store.put(("ns",), key, {"is": key})
    item = graph_store.get(("ns",), key)
    assert item is not None and item.value == {"is": key}
    assert keys(graph_store.search(("ns",))) == {(("ns",), key)}
    assert all(
        stat.path.startswith("/langgraph/ns/") for stat in graph_store.home.walk("/langgraph/ns")
    )
    if key and "." not in key and "\x00" not in key:
        graph_store.put((key, "x"), "k", {"is": 1})
        assert (key, "x") in graph_store.list_namespaces()
        assert keys(graph_store.search((key,))) == {((key, "x"), "k")}


def test_labels_are_not_patterns_nor_beginnings(graph_store: HomeStore) -> None:
    for namespace in [("a",), ("ab",), ("a", "b"), ("*",), ("A",)]:
        graph_store.put(namespace, "k", {})
    assert {item.namespace for item in graph_store.search(("a",))} == {("a",), ("a", "b")}
    assert {item.namespace for item in graph_store.search(("*",))} == {("*",)}
    assert graph_store.list_namespaces(prefix=("a",)) == [("a",), ("a", "b")]


def test_namespaces_that_cannot_be_are_refused(graph_store: HomeStore) -> None:
    for namespace in [(), ("",), ("a.b",), ("langgraph", "x")]:
        with pytest.raises(InvalidNamespaceError):
            graph_store.put(namespace, "k", {})
    # What is given to `batch` has not been looked at, and one that is wrong stops all.
    for namespace in [("a", ""), ("..",), ("a.b",), ("a", 7)]:
        for op in (GetOp(namespace, "k"), PutOp(namespace, "k", {}), SearchOp(namespace)):
            with pytest.raises(InvalidNamespaceError):
                graph_store.batch([PutOp(("fine",), "k", {}), op])  # type: ignore[list-item]
    assert graph_store.list_namespaces() == []


@pytest.mark.parametrize("wanted", FILTERS, ids=str)
def test_filters_agree_with_the_reference(graph_store: HomeStore, wanted: dict[str, Any]) -> None:
    reference = InMemoryStore()
    for (label, key), value in DOCS.items():
        for store in (graph_store, reference):
            store.put(("test", label), key, value)
    found = graph_store.search(("test",), filter=wanted)
    assert keys(found) == keys(reference.search(("test",), filter=wanted))


def test_a_filter_that_cannot_compare_finds_nothing(graph_store: HomeStore) -> None:
    graph_store.put(("test",), "k", {"rank": None, "name": "b", "many": [1]})
    for name in ("$gt", "$gte", "$lt", "$lte"):
        assert graph_store.search(("test",), filter={"rank": {name: 1}}) == []
        assert graph_store.search(("test",), filter={"many": {name: 1}}) == []
        assert graph_store.search(("test",), filter={"missing": {name: 1}}) == []
    assert len(graph_store.search(("test",), filter={"name": {"$gt": "a"}})) == 1
    with pytest.raises(ValueError):
        graph_store.search(("test",), filter={"name": {"$like": "a"}})


@pytest.mark.parametrize("listing", LISTINGS, ids=str)
def test_listings_agree_with_the_reference(graph_store: HomeStore, listing: dict[str, Any]) -> None:
    reference = InMemoryStore()
    for namespace in NAMESPACES:
        for store in (graph_store, reference):
            store.put(namespace, "k", {})
    assert graph_store.list_namespaces(**listing) == reference.list_namespaces(**listing)


def test_a_namespace_without_items_is_not_listed(graph_store: HomeStore) -> None:
    assert graph_store.list_namespaces() == [] and graph_store.search(()) == []
    graph_store.put(("a",), "k", {})
    graph_store.delete(("a",), "k")
    assert graph_store.list_namespaces() == []


def test_searches_without_a_query_are_newest_first_and_paged(graph_store: HomeStore) -> None:
    for number in range(7):
        graph_store.put(("n", str(number % 2)), f"k{number}", {"n": number})
    graph_store.put(("n", "0"), "k0", {"n": 0})
    order = [item.key for item in graph_store.search(("n",), limit=100)]
    assert order == ["k0", "k6", "k5", "k4", "k3", "k2", "k1"]
    assert [item.key for item in graph_store.search(("n",), limit=3, offset=2)] == order[2:5]
    assert [item.key for item in graph_store.search((), limit=2)] == order[:2]
    assert graph_store.search(("n",), limit=0) == []


def test_a_query_is_answered_by_meaning(graph_store: HomeStore) -> None:
    docs = {
        "pets": "The dog sleeps in the kitchen",
        "money": "Invoices are paid within thirty days",
        "work": "Deploy the service on Fridays only",
    }
    for key, text in docs.items():
        graph_store.put(("facts",), key, {"text": text, "lang": "en"})
    graph_store.put(("other",), "dog", {"text": "dog dog dog"})
    found = graph_store.search(("facts",), query="dog in the kitchen")
    assert found[0].key == "pets" and found[0].score is not None
    assert keys(found) == {(("facts",), key) for key in docs}
    assert graph_store.search(("facts",), query="paid invoices", limit=1)[0].key == "money"
    assert graph_store.search(("facts",), query='"deploy the" -tag:x service*', limit=1)
    assert graph_store.search(("facts",), query="dog", filter={"lang": "fr"}) == []
    first = graph_store.search(("facts",), query="service", limit=1)
    rest = graph_store.search(("facts",), query="service", limit=2, offset=1)
    assert keys([*first, *rest]) == keys(found)
    assert graph_store.search(("nowhere",), query="dog") == []
    assert len(graph_store.search(("facts",), query=" ")) == 3


def test_an_item_that_is_not_indexed_comes_last(graph_store: HomeStore) -> None:
    graph_store.put(("facts",), "hidden", {"text": "about dogs"}, index=False)
    graph_store.put(("facts",), "shown", {"text": "all about dogs and cats"})
    found = graph_store.search(("facts",), query="about dogs")
    assert [(item.key, item.score is None) for item in found] == [
        ("shown", False),
        ("hidden", True),
    ]
    graph_store.put(("facts",), "hidden", {"text": "about dogs"})
    found = graph_store.search(("facts",), query="about dogs")
    assert all(item.score is not None for item in found)


def wait_until_gone(store: HomeStore, key: str) -> None:
    deadline = time.monotonic() + 30
    while store.get(("t",), key, refresh_ttl=False) is not None:
        assert time.monotonic() < deadline, f"{key} does not expire"


def test_items_expire(home: homefs.Home) -> None:
    store = HomeStore(home, ttl={"default_ttl": 0.2 / 60, "refresh_on_read": False})
    store.put(("t",), "short", {})
    store.put(("t",), "long", {}, ttl=60)
    store.put(("t",), "ever", {}, ttl=None)
    wait_until_gone(store, "short")
    assert {item.key for item in store.search(("t",))} == {"long", "ever"}
    store.put(("t",), "short", {}, ttl=None)
    assert home.stat("/langgraph/t/short.json").expires is None
    store.put(("t",), "long", {}, ttl=None)
    assert home.stat("/langgraph/t/long.json").expires is None


def test_reading_lets_an_item_live_on(home: homefs.Home) -> None:
    store = HomeStore(home)
    path = "/langgraph/t/k.json"
    for read in (
        lambda: store.get(("t",), "k"),
        lambda: store.search(("t",)),
        lambda: store.search(("t",), query="k"),
    ):
        store.put(("t",), "k", {"k": 1}, ttl=5)
        before = home.stat(path)
        assert store.get(("t",), "k", refresh_ttl=False)
        assert home.stat(path).expires == before.expires
        assert read()
        after = home.stat(path)
        assert after.expires is not None and before.expires is not None
        assert homefs.moment(after.expires) > homefs.moment(before.expires)
        assert after.modified == before.modified


def test_a_batch_reads_before_it_writes(graph_store: HomeStore) -> None:
    graph_store.put(("a",), "k", {"n": 1})
    results = graph_store.batch(
        [
            PutOp(("a",), "k", {"n": 2}),
            GetOp(("a",), "k"),
            PutOp(("a",), "k", {"n": 3}),
            PutOp(("b",), "k", {"n": 4}),
            SearchOp(("b",)),
            ListNamespacesOp((MatchCondition("prefix", ("a",)),)),
            GetOp(("a",), "missing"),
        ]
    )
    assert isinstance(results[1], Item) and results[1].value == {"n": 1}
    assert [results[0], *results[2:]] == [None, None, None, [], [("a",)], None]
    item = graph_store.get(("a",), "k")
    assert item is not None and item.value == {"n": 3}


def test_coroutines_do_the_same(graph_store: HomeStore) -> None:
    async def run() -> None:
        await asyncio.gather(*(graph_store.aput(("n",), str(n), {"n": n}) for n in range(20)))
        item = await graph_store.aget(("n",), "7")
        assert item is not None and item.value == {"n": 7}
        assert len(await graph_store.asearch(("n",), limit=50)) == 20
        assert await graph_store.alist_namespaces() == [("n",)]
        await graph_store.adelete(("n",), "7")
        assert await graph_store.aget(("n",), "7") is None

    asyncio.run(run())


def test_two_processes_would_see_the_same(store: Path) -> None:
    with homefs.open("me", store=store) as one, homefs.open("me", store=store) as two:
        HomeStore(one).put(("a",), "k", {"n": 1})
        item = HomeStore(two).get(("a",), "k")
        assert item is not None and item.value == {"n": 1}
        assert HomeStore(two, "elsewhere").get(("a",), "k") is None


def test_a_graph_remembers_across_threads(graph_store: HomeStore) -> None:
    graphs = pytest.importorskip("langgraph.graph", reason="needs the package langgraph")
    from langgraph.store.base import BaseStore
    from typing_extensions import TypedDict

    class State(TypedDict):
        said: str

    def node(state: State, *, store: BaseStore) -> State:
        item = store.get(("users", "7"), "last")
        store.put(("users", "7"), "last", {"said": state["said"]})
        return {"said": str(item.value["said"]) if item else "nothing"}

    builder = graphs.StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(graphs.START, "node")
    graph = builder.compile(store=graph_store)
    assert graph.invoke({"said": "one"}) == {"said": "nothing"}
    assert graph.invoke({"said": "two"}) == {"said": "one"}


def test_the_tests_of_langgraph_pass(tmp_path: Path) -> None:
    package = f"langgraph-checkpoint=={version('langgraph-checkpoint')}"
    # Only its source package has the tests.
    options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(tmp_path)]
    got = subprocess.run([sys.executable, "-m", "pip", "download", *options, package])
    if got.returncode != 0:
        pytest.skip(f"needs the source package of {package}")
    (archive,) = tmp_path.glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path, filter="data")
    folder = tmp_path / archive.name.removesuffix(".tar.gz")
    plugin = ["-p", "langgraph_reference", "-o", "asyncio_mode=auto", "-q", "-rs"]
    command = [sys.executable, "-m", "pytest", *plugin, "tests/test_store.py"]
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = os.environ | {"PYTHONPATH": paths}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
