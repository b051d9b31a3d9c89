"""What was found that is about no single call: noticed, listed, or read from the messages."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..protocol.findings import Finding, Severity
from ..protocol.server import Phase

if TYPE_CHECKING:
    from ..protocol.conformance.watcher import Watcher
    from .connection import Connection

NOTICED_KEPT = 500


class Observations:
    """All findings that are about no single call; `connection` tells of which one now."""

    def __init__(self, connection: Callable[[], Connection]) -> None:
        self.noticed: deque[Finding] = deque(maxlen=NOTICED_KEPT)
        """As it happened."""
        self._connection = connection
        self._watcher: Watcher | None = None
        """Reads along, once somebody asks for what was found."""

    def all(self) -> tuple[Finding, ...]:
        """What was observed on the connection and in the list of tools."""
        listed = self._connection().definitions.findings
        return (*listed, *self._of_the_protocol(), *self.noticed)

    def complete(self) -> tuple[Finding, ...]:
        """The same once every message that came was read, for a report that is made once."""
        self.catch_up()
        return self.all()

    def doubts(self) -> tuple[Finding, ...]:
        """The errors and warnings of `complete`."""
        return tuple(one for one in self.complete() if one.severity is not Severity.NOTE)

    def count(self) -> int:
        """How many of them to point at: notes on the protocol wait for whoever looks."""
        notes = sum(one.severity is Severity.NOTE for one in self._of_the_protocol())
        return len(self.all()) - notes

    def catch_up(self) -> None:
        """Read all messages for what is wrong with them; a screen does it piece by piece."""
        self._of_the_protocol()
        if self._watcher is not None:
            self._watcher.catch_up()

    def _of_the_protocol(self) -> tuple[Finding, ...]:
        """What is seen in the messages themselves; nothing while the tools are waited for."""
        at = self._connection()
        if not at.definitions.is_listed and at.server.phase not in (Phase.FAILED, Phase.LOST):
            return ()
        if self._watcher is None:
            from ..protocol.conformance.watcher import Watcher

            self._watcher = Watcher(at.link.wire)
        self._watcher.update()
        return self._watcher.findings
