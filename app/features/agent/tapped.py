"""Follows the copies of a tap: what passed between an agent and its MCP server, in order.

The tap writes a message to its file before it passes it on. So a read of the files, after anything
else was heard of the agent, has every call that the server had got by then.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, parse
from ...content.json.limits import Limits
from ...transport import tap
from ...transport.acp import McpServer

PROGRAM: Final = Path(tap.__file__)
_UNUSUAL: Final = re.compile(r"[^A-Za-z0-9_-]+")
"""Characters that hosts do not take in the name of a server: they make names of tools with it."""
FILES_MOST: Final = tap.FILES_MOST + 100
"""Processes of taps whose files are read; the further ones start no server."""
LIMITS: Final = Limits(
    size=2 * tap.LINE_LIMIT, depth=2 * tap.DEPTH_MOST, nodes=2 * tap.VALUES_MOST, int_digits=5_000
)
"""Wider than those of the relay, so that all that it passes on can be read."""
CHANGED: Final = "refused the copies were removed or changed: "
READ_MOST: Final = 64_000_000
"""Bytes of one file that are read at once."""
SIGNS: Final = {b">": "agent", b"<": "server", b"!": "tap"}


@frozen
class Tapped:
    """One line that passed: who sent it (agent, server, or tap for a note), and its message.

    `message` is None for a line that is not JSON; `text` is then the line as it came.
    """

    process: str
    """Which start of the server it belongs to."""
    sender: str
    message: JsonValue
    text: str = ""


class Tap:
    """A private folder of copies; a context manager, which removes it at the end."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="signoff-tap-"))
        self._read: dict[str, int] = {}
        """How much of each file was read, in bytes."""
        self._changed: set[str] = set()
        """Files that were removed or cut by someone else."""

    def __enter__(self) -> Tap:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def server(
        self,
        name: str,
        command: Sequence[str],
        env: Mapping[str, str] | None = None,
        folder: str = "",
    ) -> McpServer:
        """The server for `session/new`: the relay, with the real command behind it."""
        cwd = ("--cwd", folder) if folder else ()
        # Isolated, without site-packages: nothing of the agent's environment changes the relay,
        # and it starts fast.
        words = ("-I", "-S", str(PROGRAM), str(self._folder), *cwd, "--", *command)
        return McpServer(
            _UNUSUAL.sub("-", name) or "server", sys.executable, words, tuple((env or {}).items())
        )

    def passed(self) -> Iterator[Tapped]:
        """All that passed since the last time, file by file, each in its order."""
        try:
            found = [one for one in self._folder.iterdir() if one.name not in self._read]
        except OSError:
            return
        for path in sorted(found, key=_age)[: FILES_MOST - len(self._read)]:
            self._read[path.name] = 0
        for path in [self._folder / name for name in self._read]:
            yield from self._of_file(path)

    def _of_file(self, path: Path) -> Iterator[Tapped]:
        start = self._read[path.name]
        try:
            with path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(start)
                data = file.read(READ_MOST)
        except OSError:
            size, data = -1, b""
        if size < start:
            # The agent has the rights to do that, and no call may go unnoticed.
            if path.name not in self._changed:
                self._changed.add(path.name)
                yield Tapped(path.stem, "tap", None, CHANGED)
            return
        end = data.rfind(b"\n") + 1
        self._read[path.name] = start + end
        for record in data[:end].split(b"\n")[:-1]:
            sender = SIGNS.get(record[:1])
            if sender is not None:
                yield _tapped(path.stem, sender, record[1:])


def _age(path: Path) -> tuple[float, str]:
    try:
        return path.stat().st_ctime, path.name
    except OSError:
        return 0.0, path.name


def _tapped(process: str, sender: str, line: bytes) -> Tapped:
    text = line.decode("utf-8", "replace")
    if sender == "tap":
        return Tapped(process, sender, None, text)
    try:
        return Tapped(process, sender, parse(line, LIMITS).value)
    except JsonError:
        return Tapped(process, sender, None, text)
