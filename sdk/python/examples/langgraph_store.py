"""A graph whose long-term memory is a home: what one thread learns, another knows.

python langgraph_store.py STORE
"""

from __future__ import annotations

import sys
from uuid import uuid4

from langgraph.graph import START, StateGraph
from langgraph.store.base import BaseStore
from typing_extensions import TypedDict

import homefs
from homefs.adapters.langgraph import HomeStore


class State(TypedDict):
    """What goes through the graph."""

    user: str
    said: str
    known: list[str]


def listen(state: State, *, store: BaseStore) -> State:
    """Finds what is known about what the user says, and keeps what was said."""
    namespace = ("users", state["user"])
    found = store.search(namespace, query=state["said"], limit=2)
    known = [str(item.value["text"]) for item in found]
    store.put(namespace, uuid4().hex, {"text": state["said"]})
    return {**state, "known": known}


def main(path: str) -> None:
    """Runs the graph three times; the home is opened anew for the last."""
    builder = StateGraph(State)
    builder.add_node("listen", listen)
    builder.add_edge(START, "listen")

    with homefs.open(agent="akashi", store=path) as home:
        graph = builder.compile(store=HomeStore(home))
        graph.invoke({"user": "7", "said": "I keep two cats", "known": []})
        graph.invoke({"user": "7", "said": "My office is in Oslo", "known": []})

    with homefs.open(agent="akashi", store=path) as home:
        graph = builder.compile(store=HomeStore(home))
        state = graph.invoke({"user": "7", "said": "What do the cats eat?", "known": []})
        print("best match:", state["known"][0])
        # The same memories by other faces: as files, and by a search of the whole home.
        print("files:", len(home.find("*.json", "/langgraph/users/7")))
        print("found by:", home.search("cats", limit=1)[0].path.rpartition("/")[0])


if __name__ == "__main__":
    main(sys.argv[1])
