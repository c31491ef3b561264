"""What arguments may be."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Union

from homefs._path import HomePath

#: A path inside a home: `notes/x.md` and `/notes/x.md` are the same.
StrPath = Union[str, PurePosixPath, HomePath]
#: What is written to a file: text, which is kept as UTF-8, or bytes.
Content = Union[str, bytes, bytearray, memoryview]
