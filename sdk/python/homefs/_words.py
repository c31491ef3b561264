"""Words of which an argument is one. Made by `cargo xtask gen`; do not edit."""

from typing import Literal

#: What happened to a node.
Action = Literal["changed", "removed"]

#: What becomes of a memory that is there already, nearly.
Alike = Literal["merge", "link"]

#: Which way changes go.
Direction = Literal["both", "pull", "push"]

#: When a change is acknowledged.
Durability = Literal["memory", "journal", "remote"]

#: What a node is.
Kind = Literal["file", "directory", "link", "pipe", "socket", "character device", "block device"]

#: What became of a candidate of a recall.
Outcome = Literal[
    "kept",
    "excerpted",
    "duplicate",
    "below_minimum",
    "no_answer",
    "no_room",
    "empty",
    "ignored",
]

#: What an agent or group may do below a path.
Right = Literal["read", "write", "manage"]

#: What a search goes by.
SearchKind = Literal["hybrid", "text", "vector"]

#: Which content of a conflict is taken.
Side = Literal["ours", "theirs"]

#: What happened to a path of a source.
SourceChangeKind = Literal["removed", "added", "changed", "conflicting"]

#: What counts beside relevance.
Strategy = Literal["balanced", "relevance", "importance", "recency"]

#: Whose tokens are counted.
Tokenizer = Literal["o200k", "cl100k", "approx"]
