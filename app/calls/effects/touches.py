"""Observed touches of paths, programs and addresses between two moments. Pure."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum, auto

from .deeds import FileAccess, SeenAddress, SeenFile, SeenProcess

PATHS_MAX = 5_000
"""Paths that one call may touch and that are kept; the others are counted."""
OTHERS_MAX = 200
"""Programs and addresses, likewise."""
Doers = tuple[int, ...]
"""A thread, and the threads that started it, as far back as to one that was there at first."""
_COUNTED = re.compile(r"[0-9a-f]{8,}|\d+")


class PathAccess(Enum):
    """Effect of one system call on a path."""

    MADE = auto()
    """It was not there before."""
    OPENED_OR_MADE = auto()
    OPENED = auto()
    """To write: it was there before."""
    EMPTIED = auto()
    WROTE = auto()
    APPENDED = auto()
    MAPPED = auto()
    """Shared and writable: later stores in the mapping do not appear as system calls."""
    GONE = auto()
    LEFT = auto()
    """It has another name now."""
    CAME = auto()
    """Another file has its name now."""
    ATTRIBUTES = auto()
    READ = auto()


def shape_of(path: str) -> str:
    """A path with `#` for its numbers: a program that writes `beat-7` writes `beat-8` next."""
    return _COUNTED.sub("#", path)


def _shapes(argv: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(shape_of, argv))


@dataclass
class Idle:
    """A server's effects by itself, without a request, each with its thread.

    A touch is a thread's own: another thread that does the same to the same file is not excused.
    """

    touches: dict[tuple[str, PathAccess], set[int]] = field(default_factory=dict)
    others: dict[Hashable, set[int]] = field(default_factory=dict)
    """Programs and addresses."""
    deeds: dict[str, set[FileAccess]] = field(default_factory=dict)
    """Changes of files while the server was idle, by the shape of their paths."""
    since: int = 0

    def start(self, process: SeenProcess, by: Doers = ()) -> None:
        """A program was started."""
        self._note(_shapes(process.argv), by)

    def reach(self, address: SeenAddress, by: Doers = ()) -> None:
        """An address was reached for."""
        self._note(address, by)

    def touch(self, path: str, touch: PathAccess, by: Doers = ()) -> None:
        """A path was touched."""
        if len(self.touches) < PATHS_MAX:
            self.touches.setdefault((shape_of(path), touch), set()).update(by or (0,))

    def become(self, one: SeenFile) -> None:
        """Record a changed file."""
        if len(self.deeds) < PATHS_MAX:
            self.deeds.setdefault(shape_of(one.path), set()).add(one.deed)

    def explains_file(self, one: SeenFile) -> bool:
        """True if the same became of the file, as far as two looks at it can tell."""
        deeds = self.deeds.get(shape_of(one.path), set())
        is_rewritten = FileAccess.CHANGED in deeds and one.deed is FileAccess.APPENDED
        return one.deed in deeds or is_rewritten

    def _note(self, what: Hashable, by: Doers) -> None:
        if len(self.others) < OTHERS_MAX:
            self.others.setdefault(what, set()).update(by or (0,))

    def explains(self, what: SeenProcess | SeenAddress, by: Doers = ()) -> bool:
        """True if the same was done by the same threads, or those that these have started."""
        key = _shapes(what.argv) if isinstance(what, SeenProcess) else what
        return self._is_known(self.others.get(key), by)

    def has_started(self, argv: tuple[str, ...]) -> bool:
        """True if a program was started with these words, by any thread."""
        return _shapes(argv) in self.others

    def explains_touch(self, path: str, touch: PathAccess, by: Doers = ()) -> bool:
        """Likewise, of a path."""
        return bool(self.touches) and self._is_known(self.touches.get((shape_of(path), touch)), by)

    def _is_known(self, doers: set[int] | None, by: Doers) -> bool:
        if doers is None or doers.isdisjoint(by or (0,)):
            return False
        # A thread may start the next one and end: that goes on from here.
        doers.update(by[:1])
        return True


@dataclass
class ObservationWindow:
    """Observations between two moments, except of idle times; several may be open at once."""

    touches: dict[str, list[PathAccess]] = field(default_factory=dict)
    processes: list[SeenProcess] = field(default_factory=list)
    addresses: list[SeenAddress] = field(default_factory=list)
    more: int = 0
    idle: Idle | None = None
    explained: set[str] = field(default_factory=set)
    """Paths that the server touched as it does when idle."""
    since: int = 0
    """How many processes and threads there had been when it was opened."""
    news: int = 0
    """How often something was seen that had not been seen before."""

    def start(self, process: SeenProcess, by: Doers = ()) -> None:
        """A program was started."""
        if process in self.processes or (self.idle and self.idle.explains(process, by)):
            return
        self.news += 1
        if len(self.processes) < OTHERS_MAX:
            self.processes.append(process)
        else:
            self.more += 1

    def reach(self, address: SeenAddress, by: Doers = ()) -> None:
        """An address was reached for."""
        if address in self.addresses or (self.idle and self.idle.explains(address, by)):
            return
        self.news += 1
        if len(self.addresses) < OTHERS_MAX:
            self.addresses.append(address)
        else:
            self.more += 1

    def touch(self, path: str, touch: PathAccess, by: Doers = ()) -> None:
        """Take note; a path at a time has few kinds of touches, however often it is written."""
        if self.idle is not None and self.idle.explains_touch(path, touch, by):
            if len(self.explained) < PATHS_MAX:
                self.explained.add(path)
            return
        if path not in self.touches and len(self.touches) >= PATHS_MAX:
            self.more += 1
            return
        touches = self.touches.setdefault(path, [])
        if not touches or touches[-1] is not touch:
            touches.append(touch)
            self.news += 1
