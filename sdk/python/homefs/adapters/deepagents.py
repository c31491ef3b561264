"""A backend of deepagents on a home; its asynchronous methods are those of the protocol.

    agent = create_deep_agent(model, backend=HomeSandbox(homefs.open(agent="akashi")))

`HomeBackend` gives an agent the files of a home, or those below a directory of it, so that
`CompositeBackend(default, routes={"/memories/": HomeBackend(home, "/memories")})` keeps what it
remembers. `HomeSandbox` also gives it a shell, which runs inside this process on these files and
starts nothing on the host.
"""

from __future__ import annotations

import base64
import posixpath
from pathlib import PurePosixPath

from deepagents.backends.protocol import (
    BackendProtocol,
    DeleteResult,
    EditResult,
    ExecuteResponse,
    FileData,
    FileDownloadResponse,
    FileInfo,
    FileOperationError,
    FileUploadResponse,
    GlobResult,
    GrepMatch,
    GrepResult,
    LsResult,
    ReadResult,
    SandboxBackendProtocol,
    WriteResult,
)
from deepagents.backends.utils import (
    compile_grep_include_glob,
    perform_string_replacement,
    slice_read_response,
)

from homefs import Conflict, Error, Home, IsADirectory, NotFound, Stat

__all__ = ["HomeBackend", "HomeSandbox"]

#: Most matches of a search that names no number.
_MATCHES_MAX = 100_000

#: Files that a model looks at rather than reads, which go to it as they are.
_SEEN = frozenset(
    ".png .jpeg .jpg .webp .gif .heic .heif .mp4 .mpeg .mov .avi .flv .mpg .webm .wmv .3gpp .mkv "
    ".wav .mp3 .aiff .aac .ogg .flac .pdf .ppt .pptx".split()
)


class HomeBackend(BackendProtocol):
    """The files at and below a directory of a home, by default all of them."""

    def __init__(self, home: Home, root: str = "/") -> None:
        self.home = home
        self.root = "/" + root.strip("/") if root.strip("/") else ""

    def ls(self, path: str) -> LsResult:
        """Lists a directory."""
        try:
            if not self.home.is_dir(self._in(path)):
                kind = "not_a_directory" if self.home.exists(self._in(path)) else "path_not_found"
                return LsResult(error=f"Path '{path}': {kind}")
            return LsResult(entries=[self._info(stat) for stat in self.home.ls(self._in(path))])
        except Error as error:
            return LsResult(error=f"Cannot list '{path}': {error.message}")

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        """Reads lines of a text, or the whole of anything else."""
        try:
            data = self._data(file_path)
        except (NotFound, IsADirectory):
            return ReadResult(error=f"File '{file_path}' not found")
        except Error as error:
            return ReadResult(error=f"Error reading file '{file_path}': {error.message}")
        if data["encoding"] == "base64":
            return ReadResult(file_data=data)
        return slice_read_response(data, offset, limit)

    def write(self, file_path: str, content: str) -> WriteResult:
        """Writes a whole file."""
        try:
            self.home.write(self._in(file_path), content)
        except Error as error:
            return WriteResult(error=f"Error writing file '{file_path}': {error.message}")
        return WriteResult(path=file_path)

    def edit(
        self, file_path: str, old_string: str, new_string: str, replace_all: bool = False
    ) -> EditResult:
        """Replaces a text that occurs once, or every occurrence of it."""
        try:
            while True:
                version = self.home.stat(self.home._real_path(self._in(file_path))).version
                content = self.home.read(self._in(file_path))
                edited = perform_string_replacement(content, old_string, new_string, replace_all)
                if isinstance(edited, str):
                    return EditResult(error=edited)
                try:
                    self.home.write(self._in(file_path), edited[0], expected_version=version)
                except Conflict:
                    # Somebody else wrote it meanwhile: the text may occur no longer.
                    continue
                return EditResult(path=file_path, occurrences=edited[1])
        except (NotFound, IsADirectory):
            return EditResult(error=f"Error: File '{file_path}' not found")
        except Error as error:
            return EditResult(error=f"Error editing file '{file_path}': {error.message}")

    def delete(self, file_path: str) -> DeleteResult:
        """Removes a node with all below it, to the trash."""
        try:
            self.home.delete(self._in(file_path), recursive=True)
        except NotFound:
            return DeleteResult(error=f"Error: '{file_path}' not found")
        except Error as error:
            return DeleteResult(error=f"Error deleting '{file_path}': {error.message}")
        return DeleteResult(path=file_path)

    def grep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
    ) -> GrepResult:
        """Finds lines with a text in them."""
        wanted = _MATCHES_MAX if max_count is None else max_count
        top = self._in(path or "/")
        try:
            fits = compile_grep_include_glob(glob) if glob else None
            # One more than wanted tells that there are more; a pattern of names drops some.
            limit = _MATCHES_MAX if fits else wanted + 1
            lines = self.home.grep(pattern, top, literal=True, limit=limit)
            found = [line for line in lines if not fits or fits(_relative(line.path, top))]
        except NotFound:
            return GrepResult(matches=[])
        except Error as error:
            return GrepResult(error=error.message)
        except ValueError as error:
            return GrepResult(error=str(error))
        matches = [
            GrepMatch(path=self._out(line.path), line=line.line, text=line.text)
            for line in found[:wanted]
        ]
        truncated = len(found) > wanted or len(lines) >= limit
        return GrepResult(matches=matches, truncated=truncated)

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        """Finds files by a pattern of their paths."""
        top = self._in(path or "/")
        try:
            fits = compile_grep_include_glob(pattern)
            found = self.home.walk(top)
        except NotFound:
            return GlobResult(matches=[])
        except Error as error:
            return GlobResult(error=error.message)
        except ValueError as error:
            return GlobResult(error=str(error))
        files = (stat for stat in found if stat.is_file and fits(_relative(stat.path, top)))
        return GlobResult(matches=[self._info(stat) for stat in files])

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Writes files; each succeeds or fails for itself."""
        responses = []
        for path, content in files:
            try:
                self.home.write(self._in(path), content)
                responses.append(FileUploadResponse(path=path))
            except Error as error:
                responses.append(FileUploadResponse(path=path, error=_code(error)))
        return responses

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """Reads files; each succeeds or fails for itself."""
        responses = []
        for path in paths:
            try:
                content = self.home.read_bytes(self._in(path))
                responses.append(FileDownloadResponse(path=path, content=content))
            except Error as error:
                responses.append(FileDownloadResponse(path=path, error=_code(error)))
        return responses

    def _in(self, path: str) -> str:
        """Returns where a path is in the home; `..` leads no higher than the root."""
        inside = posixpath.normpath("/" + path.lstrip("/"))
        return (self.root + inside).rstrip("/") or "/"

    def _out(self, path: str) -> str:
        return path.removeprefix(self.root)

    def _info(self, stat: Stat) -> FileInfo:
        if stat.kind == "link":
            try:
                target = self.home.stat(self.home._real_path(stat.path))
                is_dir, size = target.is_dir, target.size
            except Error:
                # A link that leads nowhere is what it is.
                is_dir, size = False, stat.size
        else:
            is_dir, size = stat.is_dir, stat.size
        path = self._out(stat.path) + ("/" if is_dir else "")
        size = 0 if is_dir else size
        return FileInfo(path=path, is_dir=is_dir, size=size, modified_at=stat.modified)

    def _data(self, file_path: str) -> FileData:
        content = self.home.read_bytes(self._in(file_path))
        stat = self.home.stat(self._in(file_path))
        try:
            if PurePosixPath(file_path).suffix.lower() in _SEEN:
                raise ValueError
            text, encoding = content.decode(), "utf-8"
        except ValueError:
            text, encoding = base64.standard_b64encode(content).decode(), "base64"
        return FileData(
            content=text, encoding=encoding, created_at=stat.created, modified_at=stat.modified
        )


class HomeSandbox(HomeBackend, SandboxBackendProtocol):
    """All files of a home, and a shell on them that keeps its directory and variables."""

    def __init__(self, home: Home, *, session: str | None = "deepagents") -> None:
        super().__init__(home)
        self._session = session

    @property
    def id(self) -> str:
        """What tells the sandbox from others."""
        return f"homefs-{self.home.agent}"

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        """Runs a script on the files of the home."""
        try:
            done = self.home.sh(command, session=self._session, timeout=timeout or None)
        except Error as error:
            return ExecuteResponse(output=f"Error: {error.message}", exit_code=1)
        output = "\n".join(part.rstrip("\n") for part in (done.stdout, done.stderr) if part)
        return ExecuteResponse(output, exit_code=done.status, truncated=done.truncated)


def _relative(path: str, top: str) -> str:
    """Returns a path as seen from a directory, or the name of the file that the path is."""
    if path == top:
        return path.rpartition("/")[2]
    return path[len(top.rstrip("/")) + 1 :]


def _code(error: Error) -> FileOperationError | str:
    """Says an error in the words that the protocol has for it."""
    if isinstance(error, FileNotFoundError):
        return "file_not_found"
    if isinstance(error, PermissionError):
        return "permission_denied"
    if isinstance(error, IsADirectoryError):
        return "is_directory"
    if isinstance(error, (NotADirectoryError, FileExistsError, ValueError)):
        return "invalid_path"
    return error.message
