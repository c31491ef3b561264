"""What arguments may be."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Literal, Union

from homefs._path import HomePath

#: A path inside a home: `notes/x.md` and `/notes/x.md` are the same.
StrPath = Union[str, PurePosixPath, HomePath]
#: What is written to a file: text, which is kept as UTF-8, or bytes.
Content = Union[str, bytes, bytearray, memoryview]
#: When a change returns: when it survives power loss, or the loss of the machine.
Durability = Literal["journal", "remote"]
#: What a search compares.
SearchKind = Literal["hybrid", "text", "vector"]
#: What counts beside relevance.
Strategy = Literal["balanced", "relevance", "importance", "recency"]
#: Whose tokens are counted.
Tokenizer = Literal["o200k", "cl100k", "approx"]
#: What becomes of a memory that is there already, nearly.
Alike = Literal["merge", "link"]
#: What may be granted.
Right = Literal["read", "write", "manage"]
#: Which way spaces are synced.
Direction = Literal["both", "pull", "push"]
