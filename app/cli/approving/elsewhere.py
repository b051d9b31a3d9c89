"""What hosts do before they run a tool, for a question without a screen."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from ...presentation.feature import has_hook, hook

if TYPE_CHECKING:
    from ...approval.questions.questions import AboutCall
    from ...approval.who_asks import HostGroup, WhoAsks
    from ...engine.engine import Engine
    from ...engine.session_config import Target

_WHO_ASKS: Final = "who asks"
"""The part of a feature that reads the hosts."""


class HostsElsewhere:
    """Reads the hosts and their files in a thread, again for another list of names."""

    def __init__(self, engine: Engine, target: Target) -> None:
        self._engine = engine
        self._target = target
        self._names: tuple[str, ...] | None = None
        self._hosts: WhoAsks | None = None

    async def groups(self, question: AboutCall) -> tuple[HostGroup, ...]:
        """The hosts by what they do; none if they cannot be read."""
        names = tuple(tool.name for tool in self._engine.tools)
        if names != self._names and has_hook(_WHO_ASKS):
            self._names = names
            try:
                self._hosts = await asyncio.to_thread(
                    hook(_WHO_ASKS), self._engine.tools, self._target
                )
            except (OSError, ValueError):
                # The question does not depend on it.
                self._hosts = None
        if self._hosts is None:
            return ()
        return tuple(self._hosts.groups(question.tool, question.trust, question.overrides))
