"""What calls return, as `homefs --json` shows it. Made by `cargo xtask gen`; do not edit.

Times are text as RFC 3339 in UTC, with all digits that the store has; `moment` reads one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from homefs._record import Node, Placed, Quoted, Record, moment

__all__ = [
    "Entry",
    "Record",
    "moment",
    "ConflictSide",
    "Conflicting",
    "Edition",
    "Event",
    "Explained",
    "Forgotten",
    "Grant",
    "Hit",
    "LinkTo",
    "Links",
    "Match",
    "Metadata",
    "Noted",
    "Output",
    "PurgedThere",
    "Recall",
    "Recollection",
    "Remembered",
    "Source",
    "SourceChange",
    "Space",
    "Standing",
    "Stat",
    "Synced",
    "Tag",
    "Trashed",
]


@dataclass(frozen=True)
class ConflictSide(Record):
    """One of the contents of a conflict."""

    size: int
    """Its length in bytes."""
    digest: str
    """The beginning of its digest."""


@dataclass(frozen=True)
class Conflicting(Record):
    """One thing that two machines changed, and what was done about it."""

    number: str
    """What names it: 16 hexadecimal digits."""
    path: str
    """What was changed, as it is called now."""
    what: str
    """What happened, in plain words."""
    machine: str
    """The machine that merged."""
    time: str
    """When."""
    ours: ConflictSide | None
    """The content on this side, where it is about contents. The side of the machine that
    merged is what it had; to all others this side is what the remote had.
    """
    theirs: ConflictSide | None
    """The content on the other side."""
    beside: str | None
    """Where the other content is, if it was put beside."""

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> Record:
        if fields["ours"] is not None:
            fields["ours"] = ConflictSide._of(fields["ours"])
        if fields["theirs"] is not None:
            fields["theirs"] = ConflictSide._of(fields["theirs"])
        return super()._of(fields)


@dataclass(frozen=True)
class Edition(Record):
    """One settled content of a file."""

    version: int
    """The change that made it."""
    time: str
    """When."""
    agent: str
    """By whom."""
    machine: str | None
    """The machine on which it was written, as people call it; none for this one."""
    size: int
    """Its length in bytes."""


@dataclass(frozen=True)
class Event(Record):
    """One change that a watch saw."""

    path: str
    """What changed."""
    kind: str
    """What it is."""
    action: str
    """What happened to it."""
    version: int
    """The change."""
    space: str
    """The space."""
    time: str
    """When."""
    agent: str
    """By whom."""


@dataclass(frozen=True)
class Explained(Record):
    """How a recall judged a candidate."""

    path: str
    """Where its file is."""
    lines: tuple[int, int]
    """Its first and last line, counted from 1."""
    relevance: float
    """How well it fits."""
    importance: float
    """The factor of its importance."""
    recency: float
    """The factor of its age."""
    score: float
    """All together."""
    tokens: int
    """Its tokens."""
    outcome: str
    """What became of it."""
    duplicate_of: str | None
    """What says the same."""


@dataclass(frozen=True)
class Forgotten(Record):
    """What forgetting took away, and where."""

    path: str
    """Where it was."""
    nodes: int
    """How many nodes."""
    bytes: int
    """How many bytes they held last."""
    erased_from: tuple[str, ...]
    """The places from which it is erased for good; none if it is in the trash."""
    in_trash_until: str | None
    """Until when it can be brought back, unless it is erased."""
    remote: PurgedThere | None
    """How far the erasing has come beyond this machine, if there is a remote."""

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> Record:
        if fields["remote"] is not None:
            fields["remote"] = PurgedThere._of(fields["remote"])
        return super()._of(fields)


@dataclass(frozen=True)
class Grant(Record):
    """One rule of access."""

    path: str
    """Where, inside the space."""
    subject: str
    """Who: an agent, or a group as `group:NAME`."""
    right: str
    """What."""


@dataclass(frozen=True)
class Hit(Record):
    """A part of a file that a search found."""

    path: str
    """Where its file is."""
    version: int
    """The last change of the file."""
    lines: tuple[int, int]
    """Its first and last line, counted from 1."""
    title: str
    """The headings it stands under, or the title of the file; may be empty."""
    score: float
    """How well it fits, from 0 to 1."""
    text_score: float
    """The part of words, from 0 to 1."""
    vector_score: float
    """The part of meaning, from 0 to 1."""
    excerpt: str
    """The sentence that fits best."""
    modified: str
    """When the file was last written."""


@dataclass(frozen=True)
class LinkTo(Record):
    """A link in a note."""

    target: str
    """What is written."""
    path: str | None
    """The note it leads to, if there is one."""


@dataclass(frozen=True)
class Links(Record):
    """What a note links to, and what links to it."""

    to: tuple[LinkTo, ...]
    """Links in the note, in order."""
    from_: tuple[str, ...]
    """Notes with a link to it."""

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> Record:
        fields["to"] = tuple(map(LinkTo._of, fields["to"]))
        fields["from_"] = fields.pop("from")
        return super()._of(fields)

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields by name, as JSON has them."""
        fields = super().as_dict()
        fields["from"] = fields.pop("from_")
        return fields


@dataclass(frozen=True)
class Match(Record):
    """A line that matches. What is not UTF-8 is shown as U+FFFD, and line ends are left out."""

    path: str
    """Its file."""
    line: int
    """Its number, counted from 1."""
    text: str
    """What it says."""
    before: tuple[str, ...]
    """The lines before it."""
    after: tuple[str, ...]
    """The lines after it."""


@dataclass(frozen=True)
class Metadata(Record):
    """What is noted about a file or directory."""

    path: str
    """Where it is."""
    importance: float | None
    """How much it matters, from 0 to 1."""
    tags: tuple[str, ...]
    """Its tags."""
    expires: str | None
    """From when on it is no longer there."""
    source: str | None
    """Where it comes from."""
    title: str | None
    """What it is called."""
    other: dict[str, str]
    """Other notes by key."""


@dataclass(frozen=True)
class Noted(Record):
    """A file as timelines and lists of stale files show it."""

    path: str
    """Where it is."""
    title: str
    """Its title, or its first heading or words."""
    modified: str
    """When it was last written."""
    importance: float
    """How much it matters."""
    tags: tuple[str, ...]
    """Its tags."""
    read: str | None
    """When it was last read on this machine, as far as anybody noticed."""
    node: str
    """Its node."""


@dataclass(frozen=True)
class Output(Record):
    """What came of a script."""

    stdout: str
    """What it wrote to standard output; what is not UTF-8 is shown as U+FFFD."""
    stderr: str
    """What it wrote to standard error, and why it was stopped."""
    status: int
    """Its exit status; 124 if it ran out of time, 137 if another limit stopped it, 130 if it
    was interrupted.
    """
    truncated: bool
    """Whether output was cut off at the limit."""


@dataclass(frozen=True)
class PurgedThere(Record):
    """How far the purges of a space have come beyond this machine."""

    commit: int | None
    """The last commit that purged something; none while a purge made here is still to be
    pushed, or where nothing was ever purged.
    """
    waiting: tuple[str, ...]
    """Machines that have pushed before, and have not said yet that they erased it too."""


@dataclass(frozen=True)
class Recall(Quoted, Record):
    """The memories that answer a question and fit a budget."""

    text: str
    """Compact Markdown to be quoted, the most useful first."""
    tokens: int
    """Its tokens."""
    memories: tuple[Recollection, ...]
    """What the text is made of, in its order."""
    explained: tuple[Explained, ...]
    """How every candidate was judged; none unless that was asked."""
    unseen: int
    """Files that were asked for by their names only, since their contents are not here yet."""
    unsearched: tuple[str, ...]
    """Where sources are attached whose files were not searched; `grep` finds their lines."""

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> Record:
        fields["memories"] = tuple(map(Recollection._of, fields["memories"]))
        fields["explained"] = tuple(map(Explained._of, fields["explained"]))
        return super()._of(fields)


@dataclass(frozen=True)
class Recollection(Record):
    """One memory of a recall."""

    path: str
    """Where its file is."""
    handle: str
    """The handle of its file, which every face takes instead of the path."""
    version: int
    """The last change of the file."""
    lines: tuple[int, int]
    """The first and last line that is quoted, counted from 1."""
    text: str
    """What is quoted."""
    score: float
    """Relevance, importance and recency together."""
    modified: str
    """When the file was last written."""
    older: bool
    """Whether another memory was said to take its place."""
    tokens: int
    """Its tokens, citation included."""


@dataclass(frozen=True)
class Remembered(Placed, Record):
    """A memory that was kept."""

    path: str
    """Where."""
    version: int
    """The change that made it."""
    alike: str | None
    """The memory that was nearly the same, if one was looked for and found."""


@dataclass(frozen=True)
class Source(Record):
    """A folder, bucket or collection that is attached."""

    path: str
    """Where it is shown."""
    source: str
    """Its address."""
    settings: dict[str, str]
    """How it is read, by the names that its kind has for it."""
    read_only: bool
    """Whether changes are refused."""
    trouble: str | None
    """Why it does not answer, if it did not when it was last asked."""


@dataclass(frozen=True)
class SourceChange(Record):
    """One thing that was changed over a source."""

    path: str
    """Where."""
    change: str
    """What was done."""
    kind: str | None
    """What is there now; for what was removed, nothing."""


@dataclass(frozen=True)
class Space(Record):
    """A space that the agent sees."""

    space: str
    """Its name."""
    path: str
    """Where it is seen."""
    bytes: int
    """Bytes that live in it."""
    nodes: int
    """Nodes that live in it."""
    bytes_max: int | None
    """Most bytes."""
    nodes_max: int | None
    """Most nodes."""
    right: str | None
    """What the agent may do there."""


@dataclass(frozen=True)
class Standing(Quoted, Record):
    """What an agent should know at its start."""

    text: str
    """Compact Markdown: what is pinned, what matters most, and what else there is."""
    tokens: int
    """Its tokens."""


@dataclass(frozen=True)
class Stat(Node, Record):
    """What is known of a file or directory without reading it."""

    path: str
    """Where it is."""
    kind: str
    """What it is."""
    size: int
    """Its length in bytes; of a link that of its target."""
    mode: str
    """Permission bits as octal text, such as `0644`."""
    uid: int
    """Owning user on the host."""
    gid: int
    """Owning group on the host."""
    links: int
    """Names that lead to it."""
    created: str
    """When it was made."""
    modified: str
    """When its content last changed."""
    changed: str
    """When anything about it last changed."""
    expires: str | None
    """From when on it is no longer there."""
    version: int
    """Its last change."""
    space: str
    """The space that holds it."""
    node: str
    """Its node, the same through renames."""


@dataclass(frozen=True)
class Synced(Record):
    """What a sync did to one space."""

    space: str
    """The space."""
    commit: int
    """The number of the commit that this machine and the remote agree on; 0 before the first."""
    pulled: int
    """Nodes that changed here."""
    pushed: int
    """Nodes that changed there."""
    conflicts: int
    """Conflicts that were noted."""


@dataclass(frozen=True)
class Tag(Record):
    """A tag, and how many files have it."""

    tag: str
    """The tag."""
    count: int
    """How many files have it."""


@dataclass(frozen=True)
class Trashed(Record):
    """A removed file or directory that can be brought back."""

    path: str
    """Where it was."""
    kind: str
    """What it was."""
    size: int
    """Its length in bytes."""
    version: int
    """The change that removed it."""
    time: str
    """When."""
    agent: str
    """By whom."""
    node: str
    """Its node."""


#: What a listing has of each name.
Entry = Stat
