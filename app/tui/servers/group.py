"""The servers of a session: each with an engine of its own, and one queue of questions over all.

An engine does not know of others. What merges their lists is here and on the screen of the servers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from textual.screen import Screen

from ...approval.combinations import Combinations, combine, namesakes
from ...approval.policies.verdicts import Verdict
from ...engine.events import EngineEvent, QuestionVoided, ToolsChanged
from ...protocol.server import Phase
from ..approving.asker import DialogApprover, DialogTurns

if TYPE_CHECKING:
    from ...approval.combinations import ServerTool
    from ...calls.call import Call
    from ...engine.engine import Engine
    from ...protocol.tool import ToolDefinition
    from ..startup import AppConfig, ServerNotOpened


Lists: TypeAlias = "tuple[tuple[str, tuple[ToolDefinition, ...]], ...]"
"""Names of servers, each with its tools."""


@dataclass(eq=False)
class Member:
    """One server of a session."""

    opening: AppConfig
    screen: Screen[None] | None = None
    """Its main screen, once a person has been there."""
    was_prepared: bool = False

    @property
    def name(self) -> str:
        """Its name, which no other server of the session has."""
        return self.opening.session.target.name

    @property
    def engine(self) -> Engine:
        return self.opening.engine


@dataclass
class ServerGroup:
    """All servers of a session, in the order in which they were added."""

    members: list[Member] = field(default_factory=list)
    missing: list[ServerNotOpened] = field(default_factory=list)
    """Servers that were not started."""
    changed: Callable[[], None] = lambda: None
    """Called when anything about the servers is to be drawn again."""
    turns: DialogTurns = field(default_factory=DialogTurns)
    _combined: tuple[Lists, Combinations, dict[str, tuple[str, ...]]] | None = None
    """Combinations and namesakes, with the lists that they are of."""

    def begin(self, screen: Screen[None], opening: AppConfig) -> Member:
        """Add a server and listen to it; its questions are asked from `screen`.

        Call it on the event loop.
        """
        member = Member(opening)
        self.members.append(member)
        if opening.approver is None:
            seconds = opening.session.decision_seconds
            opening.approver = DialogApprover(screen, seconds, self.turns)
            opening.engine.approver = opening.approver
        else:
            # The questions of a server that was there first are in its own queue.
            self.turns = opening.approver.turns

        # What a model has read of one server, it could send to another.
        opening.engine.labels = self.members[0].engine.labels
        opening.approver.also_on = lambda name: self.others(member, name)

        def listen(event: EngineEvent) -> None:
            self._take(member, event)

        opening.open(listen)
        self.changed()
        return member

    def _take(self, member: Member, event: EngineEvent) -> None:
        if isinstance(event, QuestionVoided) and member.screen is None:
            assert member.opening.approver is not None
            member.opening.approver.void(event.call, event.reason)
        if isinstance(event, ToolsChanged) and not member.was_prepared:
            member.was_prepared = True
            member.engine.prepare()
        self.changed()

    def __iter__(self) -> Iterator[Member]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def named(self, name: str) -> Member | None:
        """The server of this name."""
        return next((one for one in self.members if one.name == name), None)

    @property
    def lists(self) -> Lists:
        """The tools of each server that has listed any, by its name."""
        return tuple((one.name, one.engine.tools) for one in self.members if one.engine.tools)

    @property
    def combinations(self) -> Combinations:
        """What the servers could do together."""
        return self._of_lists()[1]

    @property
    def namesakes(self) -> dict[str, tuple[str, ...]]:
        """Names of tools that several servers have, with these servers."""
        return self._of_lists()[2]

    def others(self, member: Member, tool: str) -> tuple[str, ...]:
        """The other servers that have a tool of this exact name."""
        return tuple(one for one in self.namesakes.get(tool, ()) if one != member.name)

    def _of_lists(self) -> tuple[Lists, Combinations, dict[str, tuple[str, ...]]]:
        lists = self.lists
        found = self._combined
        if found is None or not _are_same(found[0], lists):
            found = self._combined = lists, combine(lists), dict(namesakes(lists))
        return found

    def judge(self, one: ServerTool) -> Verdict:
        """The verdict of a server's policy on one of its tools, as it is now."""
        member = self.named(one.server)
        assert member is not None
        return member.engine.verdict(one.tool)

    def newest_calls(self, most: int) -> list[tuple[Member, Call]]:
        """The newest calls over all servers, the newest first."""
        found = [
            (member, call)
            for member in self.members
            for call in sorted(member.engine.calls.values(), key=lambda one: -one.id)[:most]
        ]
        return sorted(found, key=lambda one: -one[1].created)[:most]

    @property
    def waiting(self) -> int:
        """The number of servers that are still to list their tools."""
        return sum(
            not one.engine.is_listed and one.engine.server.phase is Phase.CONNECTING
            for one in self.members
        )

    async def close(self) -> None:
        """End all servers, at the same time."""
        closing = [one.engine.close() for one in self.members]
        await asyncio.gather(*closing, return_exceptions=True)

    def kill(self) -> None:
        """End all servers by force."""
        for one in self.members:
            one.opening.current_link.kill()


def _are_same(before: Lists, now: Lists) -> bool:
    """True if no server has listed its tools again."""
    return len(before) == len(now) and all(
        name == other and tools is listed
        for (name, tools), (other, listed) in zip(before, now, strict=True)
    )
