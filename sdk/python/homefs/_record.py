"""What records have in common, and what some have beside their fields."""

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


class Node:
    """What a node has beside what is known of it."""

    path: str
    kind: str
    created: str
    modified: str

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


class Quoted:
    """What is a text to be quoted."""

    text: str

    def __str__(self) -> str:
        return self.text


class Placed:
    """What is somewhere, and shown so."""

    path: str

    def __str__(self) -> str:
        return self.path
