"""What calls return: small records that do not change, with the fields of `homefs --json`.

Times are text as RFC 3339 in UTC, with all digits that the store has; `moment` reads one.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any


def moment(text: str) -> datetime:
    """Reads a time of a record; what is finer than a microsecond is left out."""
    seconds, _, fraction = text.rstrip("Z").partition(".")
    micros = int(re.sub(r"\D", "", fraction).ljust(6, "0")[:6])
    read = datetime.strptime(seconds, "%Y-%m-%dT%H:%M:%S")
    return read.replace(microsecond=micros, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Record:
    """What all records have in common."""

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> Record:
        """Makes a record of all its fields, much faster than by its constructor."""
        made = object.__new__(cls)
        object.__setattr__(made, "__dict__", fields)
        return made

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields by name, as JSON has them."""
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class Stat(Record):
    """A node, and what is known of it without reading it."""

    path: str
    kind: str
    size: int
    mode: str
    uid: int
    gid: int
    links: int
    created: str
    modified: str
    changed: str
    expires: str | None
    version: int
    space: str
    node: str

    @property
    def name(self) -> str:
        """Its last name; empty for the root."""
        return self.path.rpartition("/")[2]

    @property
    def is_dir(self) -> bool:
        """Whether it is a directory."""
        return self.kind == "directory"

    @property
    def is_file(self) -> bool:
        """Whether it is a file."""
        return self.kind == "file"

    @property
    def modified_at(self) -> datetime:
        """When its content last changed."""
        return moment(self.modified)

    @property
    def created_at(self) -> datetime:
        """When it was made."""
        return moment(self.created)


#: What a listing has of each name.
Entry = Stat


@dataclass(frozen=True)
class Metadata(Record):
    """What is noted about a node."""

    path: str
    importance: float | None
    tags: tuple[str, ...]
    expires: str | None
    source: str | None
    title: str | None
    other: dict[str, str]


@dataclass(frozen=True)
class Match(Record):
    """A line that matches."""

    path: str
    line: int
    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Hit(Record):
    """A part of a file that a search found."""

    path: str
    version: int
    lines: tuple[int, int]
    title: str
    score: float
    text_score: float
    vector_score: float
    excerpt: str
    modified: str


@dataclass(frozen=True)
class Recollection(Record):
    """One memory of a recall."""

    path: str
    version: int
    lines: tuple[int, int]
    text: str
    score: float
    modified: str
    tokens: int


@dataclass(frozen=True)
class Explained(Record):
    """How a recall judged a candidate."""

    path: str
    lines: tuple[int, int]
    relevance: float
    importance: float
    recency: float
    score: float
    tokens: int
    outcome: str
    duplicate_of: str | None


@dataclass(frozen=True)
class Recall(Record):
    """The memories that answer a question and fit a budget; as text, what is to be quoted."""

    text: str
    tokens: int
    memories: tuple[Recollection, ...]
    explained: tuple[Explained, ...] = ()
    unseen: int = 0
    """Files that were asked for by their names only, since their contents are not here yet."""

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> Record:
        for name, of in (("memories", Recollection), ("explained", Explained)):
            fields[name] = tuple(of._of(item) for item in fields.get(name, ()))
        return super()._of(fields)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Standing(Record):
    """What an agent should know at its start; as text, what is to be quoted."""

    text: str
    tokens: int

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Remembered(Record):
    """A memory that was kept."""

    path: str
    version: int
    alike: str | None

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True)
class Forgotten(Record):
    """What forgetting took away, and where."""

    path: str
    nodes: int
    bytes: int
    erased_from: tuple[str, ...]
    in_trash_until: str | None
    remote: Any


@dataclass(frozen=True)
class Links(Record):
    """What a note links to, and what links to it."""

    to: tuple[dict[str, Any], ...]
    from_: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields by name, as JSON has them."""
        return {"to": self.to, "from": self.from_}


@dataclass(frozen=True)
class Tag(Record):
    """A tag, and how many files have it."""

    tag: str
    count: int


@dataclass(frozen=True)
class Noted(Record):
    """A file as timelines show it."""

    path: str
    title: str
    modified: str
    importance: float
    tags: tuple[str, ...]
    read: str | None
    node: str


@dataclass(frozen=True)
class Edition(Record):
    """One version of a file."""

    version: int
    time: str
    agent: str
    machine: str | None
    size: int


@dataclass(frozen=True)
class Trashed(Record):
    """Something removed that can be brought back."""

    path: str
    kind: str
    size: int
    version: int
    time: str
    agent: str
    node: str


@dataclass(frozen=True)
class Event(Record):
    """One change that was watched; `action` is "changed" or "removed"."""

    path: str
    kind: str
    action: str
    version: int
    space: str
    time: str
    agent: str


@dataclass(frozen=True)
class Grant(Record):
    """One rule of access."""

    path: str
    subject: str
    right: str


@dataclass(frozen=True)
class Space(Record):
    """A space that the agent sees."""

    space: str
    path: str | None
    bytes: int
    nodes: int
    bytes_max: int | None
    nodes_max: int | None
    right: str | None


@dataclass(frozen=True)
class Synced(Record):
    """What a sync did to one space."""

    space: str
    commit: int
    pulled: int
    pushed: int
    conflicts: int


@dataclass(frozen=True)
class Conflicting(Record):
    """One thing that two machines changed."""

    number: str
    path: str
    what: str
    machine: str
    time: str
    ours: dict[str, Any] | None
    theirs: dict[str, Any] | None
    beside: str | None


@dataclass(frozen=True)
class Source(Record):
    """A folder, bucket or collection that is attached."""

    path: str
    source: str
    settings: dict[str, str]
    read_only: bool


@dataclass(frozen=True)
class SourceChange(Record):
    """One thing that was changed over a source."""

    path: str
    change: str
    kind: str | None


@dataclass(frozen=True)
class Output(Record):
    """What came of a script."""

    stdout: str
    stderr: str
    status: int
    truncated: bool
