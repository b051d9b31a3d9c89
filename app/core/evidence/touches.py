"""What was seen of paths, programs and addresses between two moments. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from signoff.app.core.evidence.deeds import SeenAddress, SeenProcess

PATHS_MAX = 5_000
"""Paths that one call may touch and that are kept; the others are counted."""
OTHERS_MAX = 200
"""Programs and addresses, likewise."""


class Touch(Enum):
    """What one system call did to a path."""

    MADE = auto()
    """It was not there before."""
    OPENED_OR_MADE = auto()
    OPENED = auto()
    """To write: it was there before."""
    EMPTIED = auto()
    WROTE = auto()
    APPENDED = auto()
    GONE = auto()
    LEFT = auto()
    """It has another name now."""
    CAME = auto()
    """Another file has its name now."""
    ATTRIBUTES = auto()
    READ = auto()


@dataclass
class Window:
    """What was seen between two moments; several may be open at once."""

    touches: dict[str, list[Touch]] = field(default_factory=dict)
    processes: list[SeenProcess] = field(default_factory=list)
    addresses: list[SeenAddress] = field(default_factory=list)
    more: int = 0

    def start(self, process: SeenProcess) -> None:
        """A program was started."""
        if process in self.processes:
            return
        if len(self.processes) < OTHERS_MAX:
            self.processes.append(process)
        else:
            self.more += 1

    def reach(self, address: SeenAddress) -> None:
        """An address was reached for."""
        if address in self.addresses:
            return
        if len(self.addresses) < OTHERS_MAX:
            self.addresses.append(address)
        else:
            self.more += 1

    def touch(self, path: str, touch: Touch) -> None:
        """Take note; a path at a time has few kinds of touches, however often it is written."""
        if path not in self.touches and len(self.touches) >= PATHS_MAX:
            self.more += 1
            return
        touches = self.touches.setdefault(path, [])
        if not touches or touches[-1] is not touch:
            touches.append(touch)
