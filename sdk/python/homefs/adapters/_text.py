"""Names and values of other packages as the text that a home keeps."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote

# What no name may have, what would lead elsewhere or hide it, and the sign of escapes itself.
_UNSAFE = re.compile(r"[%/\\\x00-\x1f\x7f]|^[.:]")


def to_name(text: str) -> str:
    """Returns a text as the name of a file, from which `from_name` tells it again."""
    return _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", text)


def from_name(name: str) -> str:
    """Returns the text that a name stands for."""
    return unquote(name, errors="strict")


def to_json(value: Any, indent: int | None = None) -> str:
    """Returns a value as JSON that people can read, whatever their language."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:
        # Lone surrogates, which only escapes can say.
        return json.dumps(value, indent=indent)
    return text
