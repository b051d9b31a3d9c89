"""Which hosts ask, in the columns of the list of tools and beside the chosen one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ....widgets.matrix.rows import CellWord, word
from ...engine.engine import Engine
from ...presentation.feature import has_hook, hook
from ...protocol.tool import ToolDefinition

if TYPE_CHECKING:
    from textual.worker import Worker

    from ...approval.questions.questions import AboutCall
    from ...approval.who_asks import HostGroup, WhoAsks
    from ...engine.session_config import Target
    from .panes import Panes

HOST_COLUMNS: Final = 4
"""Hosts with a column in the list of tools, at most."""
PAUSE_SECONDS: Final = 1.0
"""Least time between two readings: a server may change its list all the time."""
_WHO_ASKS: Final = "who asks"
"""The part of a feature that reads the hosts."""


class HostsShown:
    """Reads which hosts ask, in a thread, and draws it.

    It is read again for another list of names, since settings of hosts name tools.
    """

    def __init__(self, engine: Engine, place: Panes) -> None:
        self._engine = engine
        self._place = place
        self._wanted: tuple[Target, tuple[str, ...], tuple[str, ...]] | None = None
        """The server, the names of its tools, and the hosts whose columns come first."""
        self._reading: Worker[None] | None = None
        self._drawn: tuple[object, ...] | None = None
        """Trust and what-if of the columns as they are drawn."""
        self.who_asks: WhoAsks | None = None
        """The decisions of hosts, once they are read."""

    def reserve(self) -> None:
        """Keep the room of the columns, so that nothing moves when they are known."""
        if self.who_asks is None and has_hook(_WHO_ASKS):
            self._place.tools_pane.show_hosts([("", False)] * HOST_COLUMNS)

    def learn(self, target: Target, first: Sequence[str]) -> None:
        """Read which hosts ask, unless that is known; those named by `first` come first."""
        names = tuple(tool.name for tool in self._engine.tools)
        wanted = target, names, tuple(first)
        if wanted == self._wanted or not has_hook(_WHO_ASKS):
            return
        self._wanted = wanted
        if self._reading is None or self._reading.is_finished:
            self._reading = self._place.run_worker(self._learn, group="hosts", exit_on_error=False)

    def put_first(self, names: Sequence[str]) -> None:
        """Give these hosts the first columns."""
        if self._wanted is not None:
            self.learn(self._wanted[0], names)

    async def _learn(self) -> None:
        known = None
        while self._wanted is not None and self._wanted != known:
            known = self._wanted
            self.who_asks = await asyncio.to_thread(self._read, known[0], known[2])
            self._drawn = None
            self.show()
            await asyncio.sleep(PAUSE_SECONDS)

    def _read(self, target: Target, first: Sequence[str]) -> WhoAsks:
        # Its modules are imported here, too, where they hold nothing up.
        found: WhoAsks = hook(_WHO_ASKS)(self._engine.tools, target, first)
        return found

    def groups(self, question: AboutCall) -> tuple[HostGroup, ...]:
        """What hosts do before they run the tool of a question; none until they are read."""
        hosts = self.who_asks
        if hosts is None:
            return ()
        return tuple(hosts.groups(question.tool, question.trust, question.overrides))

    def show(self) -> None:
        """Draw the decisions with the trust and the what-if of the moment."""
        place, engine, hosts = self._place, self._engine, self.who_asks
        if hosts is None:
            return
        tool, trust = place.tool_pane.tool, engine.server.trust
        if tool is not None:
            supposed = engine.overrides(tool)
            groups = hosts.groups(tool, trust, supposed)
            flips = hosts.flips(tool, trust, supposed)
            place.tool_pane.show_hosts(groups, flips)
        now = (trust, dict(engine.consent.what_if))
        if now == self._drawn:
            return
        self._drawn = now

        def words(one: ToolDefinition) -> list[CellWord]:
            found = hosts.verdicts(one, trust, engine.overrides(one), HOST_COLUMNS)
            return [*map(word, found)]

        place.tools_pane.show_hosts(hosts.titles[:HOST_COLUMNS], words)
