"""The folder in which the demo's file tools may act, and the rule that nothing leaves it.

Glob patterns are matched over paths with slashes, in a time that no pattern can blow up. Messages
for the operator go to standard error, since standard output is the protocol's.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from mcp.server.mcpserver.exceptions import ToolError

_SEED = {
    "notes/todo.txt": "Buy milk\nWater the plants\nAsk before deleting anything\n",
    "notes/ideas.md": "# Ideas\n\n- a lamp that follows the reader\n- a quieter doorbell\n",
    "reports/2025-q4.csv": "month,visits\n10,1200\n11,1340\n12,1810\n",
    "reports/2026-q1.csv": "month,visits\n1,1490\n2,1620\n3,1755\n",
    "drafts/letter.txt": "Dear reader,\nthis file exists to be deleted.\n",
    "config/settings.json": '{\n  "theme": "dark",\n  "confirmDeletes": true\n}\n',
    "config/logging.conf": "level = info\nfile = demo.log\n",
    "src/app.ts": 'import { add } from "./lib/sum";\n\nconsole.log(add(2, 3));\n',
    "src/lib/sum.ts": "export const add = (a: number, b: number) => a + b;\n",
    "src/lib/text.ts": "export const shout = (words: string) => words.toUpperCase();\n",
}
SUGGESTED = ("notes/todo.txt", "drafts/letter.txt", "notes/ideas.md")
"""Files of a fresh sandbox, named as examples where a path is asked for.

They are the same in every run: examples are a part of a tool's definition, to which approvals are
bound.
"""


class OutsideSandbox(ToolError):
    """A path that would leave the sandbox, or that cannot be a path at all."""


class Sandbox:
    """A folder of plain files, made on first use.

    Without a configured folder it is a fresh temporary one, removed by `close`. A configured
    folder is never removed and is seeded only while it is empty.
    """

    def __init__(self, configured: str | None = None) -> None:
        self._configured = Path(configured) if configured else None
        self._root: Path | None = None

    @property
    def root(self) -> Path:
        """The folder with symlinks resolved; the first access makes and seeds it."""
        if self._root is None:
            chosen = self._configured or Path(tempfile.mkdtemp(prefix="signoff-demo-"))
            chosen.mkdir(parents=True, exist_ok=True)
            self._root = chosen.resolve()
            if not any(self._root.iterdir()):
                for name, content in _SEED.items():
                    self.write(name, content)
        return self._root

    def path(self, relative: str) -> Path:
        """The place of `relative` in the sandbox, which need not exist.

        Raises OutsideSandbox for absolute paths, "..", and for any symlink on the way, wherever
        it points: a link can be exchanged between the check and the use.
        """
        pure = PurePath(relative)
        if "\0" in relative or not pure.parts or pure.anchor or ".." in pure.parts:
            raise OutsideSandbox(f"{relative!r} is not a path inside the sandbox.")
        place = self.root
        for part in pure.parts:
            place = place / part
            try:
                linked = place.is_symlink()
            except OSError as error:
                raise OutsideSandbox(
                    f"{relative[:80]!r} is not a path in the sandbox: {error.strerror}."
                ) from error
            if linked:
                raise OutsideSandbox(f"{relative!r} leads through a symlink; links are refused.")
        return place

    def write(self, relative: str, content: str) -> None:
        """Write a file, with the folders it needs; an existing file is replaced."""
        place = self.path(relative)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")

    def delete(self, relative: str) -> bool:
        """Delete one file; False if it was not there. Folders are refused."""
        place = self.path(relative)
        if place.is_dir():
            raise OutsideSandbox(f"{relative!r} is a folder; only files are deleted.")
        try:
            place.unlink()
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def files(self) -> Iterator[tuple[str, Path]]:
        """Regular files in a stable order, as (path with slashes, place); links are skipped."""
        for folder, folders, names in os.walk(self.root, followlinks=False):
            folders.sort()
            for name in sorted(names):
                place = Path(folder, name)
                if stat.S_ISREG(place.lstat().st_mode):
                    yield place.relative_to(self.root).as_posix(), place

    def close(self) -> None:
        """Remove the folder if it is a temporary one of ours."""
        if self._root is not None and self._configured is None:
            shutil.rmtree(self._root, ignore_errors=True)


def matches(path: str, pattern: str) -> bool:
    """Whether the whole path matches: `*`, `?` and `[...]` within a folder, `**` through folders.

    Each part of the pattern is held against each part of the path at most once.
    """
    parts = path.split("/")
    # The places in the path that the pattern so far can have reached.
    reached = {0}
    for wanted in pattern.removeprefix("./").split("/"):
        if wanted == "**":
            reached = set(range(min(reached), len(parts) + 1)) if reached else set()
        else:
            reached = {
                at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], wanted)
            }
    return len(parts) in reached


def tell(words: str) -> None:
    """One line of the server's log."""
    print(f"demo: {words}", file=sys.stderr, flush=True)
