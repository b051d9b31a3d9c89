"""Listed tools, when to list them again, and their comparison with earlier lists."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from enum import Enum
from typing import Protocol

from ..calls.call import Call
from ..content.json.jsonio import JsonValue
from ..protocol.definitions.change_values import ListDiff
from ..protocol.extensions.on_tools import with_drafts
from ..protocol.findings.findings import Finding, warning
from ..protocol.requests import Request, ToolCall
from ..protocol.tool import ToolDefinition
from ..protocol.tool_reading import read_tools
from ..transport.events import Listing
from ..transport.time_limits import TimeLimits
from .timing import Background


class Relisted(Enum):
    """Result of listing the tools again; only after `DONE` is the current list known."""

    DONE = "done"
    FAILED = "failed"
    TOO_SLOW = "too slow"


SAME_LISTS_MAX = 2
"""Unchanged lists in a row after announcements of changes; from then on they are ignored."""
OTHER_DEFINITION = "has another definition now"
RELIST_SECONDS = 1.0
RELIST_SECONDS_MAX = 30.0
RECHECK_SECONDS = 10.0
"""How long a server may take to list its tools again before something is sent."""


class Definitions:
    """Keeps the newest list. `list_again` requests it; `changed` is called with each new one."""

    def __init__(
        self,
        list_again: Callable[[], Awaitable[Listing | None]],
        changed: Callable[[bool], None],
    ) -> None:
        self._list_again = list_again
        self._changed = changed
        self.tools: tuple[ToolDefinition, ...] = ()
        self._findings: tuple[Finding, ...] = ()
        self.first_page = 0
        """The number of tools on the first page of the list; 0 if it is the only one."""
        """About the newest list."""
        self.missing = ""
        """Why the server may have more tools than the newest list; empty if that is whole."""
        self.experimental: frozenset[str] = frozenset()
        """Names of drafts whose part of a definition is read, too."""
        self.version = ""
        """The negotiated version of the protocol, by which entries are read."""
        self._read_by = ""
        self.is_listed = False
        """Whether there has been a list at all."""
        self._is_current = False
        """Whether there has been one on this connection."""
        self._told = 0
        """Number of announced changes of the tools."""
        self._known = 0
        """How much of it has been listed since."""
        self._is_announced = False
        """Whether the server itself announced one of those that were not listed yet."""
        self._same_lists = 0
        """Lists in a row that followed an announcement and were the same as before."""
        self._announces_idly = False
        """Whether there were too many of them on this connection."""
        self.limits = TimeLimits()
        """How long a list may take, without the time of a sign-in."""
        self._news = asyncio.Event()
        self._listed = asyncio.Event()
        self._turn = asyncio.Lock()

    @property
    def announced(self) -> int:
        """Number of changes of the tools that the server has announced so far."""
        return self._told

    @property
    def has_news(self) -> bool:
        """True if the server notified a change of its tools, and has not listed them since.

        A server that announces changes with every list, though there are none, would never be done:
        only the newest list counts then.
        """
        return self._known < self._told and self._same_lists < SAME_LISTS_MAX

    @property
    def findings(self) -> tuple[Finding, ...]:
        """About the newest list, and about announcements of changes."""
        if not self._announces_idly:
            return self._findings
        words = "the server keeps announcing changes of its tools, but they do not change"
        return (*self._findings, warning("list-not-changed", words))

    def restart(self) -> None:
        """Begin another connection; the earlier list does not describe it."""
        self._is_current = False
        self._same_lists, self._announces_idly = 0, False
        self._listed.clear()

    async def wait_until_listed(self) -> None:
        """Wait for the list of this connection, for a while at most."""
        if not self._listed.is_set():
            with contextlib.suppress(TimeoutError):
                async with self.limits.within(RECHECK_SECONDS):
                    await self._listed.wait()

    def tell_changed(self, *, is_announced: bool = True) -> None:
        """Handle the server's notification that its tools changed, or may have changed."""
        self._told += 1
        self._is_announced = self._is_announced or is_announced
        self._news.set()

    def take(self, listing: Listing) -> None:
        """Another list came."""
        is_first = not self.is_listed
        self.is_listed = self._is_current = True
        self._listed.set()
        self._findings, self.missing = listing.findings, listing.missing
        self.first_page = listing.first_page
        if not is_first and self._read_by == self.version and _same(self.tools, listing.entries):
            # Reading them again takes several times as long as seeing that they are the same.
            return
        tools = with_drafts(read_tools(listing.entries, self.version), self.experimental)
        now = [tool.raw for tool in tools]
        if is_first or self._read_by != self.version or not _same(self.tools, now):
            self.tools, self._read_by = tools, self.version
            self._changed(is_first)

    async def refresh(self) -> Relisted:
        """List again if the server has announced changes of its tools since."""
        told = self._told
        is_in_time = True
        if self._known < told:
            try:
                async with self.limits.within(RECHECK_SECONDS):
                    await self._relist(told)
            except TimeoutError:
                is_in_time = False
        if self._known >= told:
            return Relisted.DONE
        return Relisted.FAILED if is_in_time else Relisted.TOO_SLOW

    async def recheck(self) -> Relisted:
        """List again, with or without an announced change."""
        try:
            async with self.limits.within(RECHECK_SECONDS), self._turn:
                if not await self._list_anew():
                    return Relisted.FAILED
                return Relisted.DONE
        except TimeoutError:
            return Relisted.TOO_SLOW

    def digest(self, request: Request) -> str | None:
        """The digest of a request's definition as it is now; None if its tool is gone."""
        return request.definition.digest if request.tool is None else self._digest(request.tool)

    def current(self, call: Call) -> Request:
        """Return a call's request with the tool as now listed, or as it was if it is gone."""
        same = [tool for tool in self.tools if call.is_of(tool)]
        return ToolCall(same[0]) if len(same) == 1 else call.request

    def change_of(self, request: Request) -> str:
        """The change of the tool, in words that follow its name; empty without a change."""
        tool = request.tool
        if tool is None:
            return ""
        current = self._digest(tool)
        if current == tool.digest:
            return ""
        if current is not None:
            return OTHER_DEFINITION
        if not self._is_current:
            return "was not listed yet on this connection"
        is_there = any(one.name == tool.name for one in self.tools)
        return "has the name of another tool now" if is_there else "is no longer listed"

    def why_void(self, request: Request) -> str:
        """The reason why an approval request is void; empty while nothing has changed."""
        what = self.change_of(request)
        if what == OTHER_DEFINITION:
            return "the tool definition changed"
        return f"the tool {what}" if what else ""

    async def follow(self) -> None:
        """List again after announced changes: coalesced, ever slower for frequent ones."""
        pause = RELIST_SECONDS
        # What changes during the first listing may not be in it: list again after it.
        await self._listed.wait()
        while True:
            await self._news.wait()
            self._news.clear()
            started = time.monotonic()
            await self.refresh()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), RELIST_SECONDS)
            # Changes that come every few seconds are followed; only a flood is slowed down.
            insists = self._news.is_set()
            if insists:
                await asyncio.sleep(max(0.0, pause - (time.monotonic() - started)))
            pause = min(RELIST_SECONDS_MAX, pause * 2) if insists else RELIST_SECONDS

    def _digest(self, tool: ToolDefinition) -> str | None:
        """None also where the tool is not alone any more.

        Nothing is listed on a connection that has just begun.
        """
        if not self._is_current:
            return None
        same = [one for one in self.tools if one.name == tool.name]
        if len(same) > 1:
            if not tool.has_duplicate_name:
                return None
            same = [one for one in same if one.index == tool.index]
        return same[0].digest if same else None

    async def _relist(self, told: int) -> None:
        async with self._turn:
            if self._known >= told:
                return
            await self._list_anew()

    async def _list_anew(self) -> bool:
        """List again, and count the lists that an announcement left the same; False: no list."""
        told, before = self._told, self.tools
        listing = await self._list_again()
        if listing is None:
            return False
        was_announced = self._known < self._told and self._is_announced
        self._is_announced = False
        self._known = max(self._known, told)
        self.take(listing)
        if self.tools is not before:
            self._same_lists = 0
        elif was_announced:
            self._same_lists += 1
            self._announces_idly = self._announces_idly or self._same_lists >= SAME_LISTS_MAX
        return True


def _same(tools: Sequence[ToolDefinition], entries: Sequence[JsonValue]) -> bool:
    """True if a list has these very entries, exactly: to Python, true would be 1 and 1.0."""
    from ..protocol.definitions.lists import plainly_same

    return len(tools) == len(entries) and all(
        plainly_same(tool.raw, raw) for tool, raw in zip(tools, entries, strict=True)
    )


class CompareLists(Protocol):
    """Compares a list of tools with the one before it."""

    def __call__(self, tools: Sequence[ToolDefinition], *, is_whole: bool) -> ListDiff: ...


class DefinitionDiffTask:
    """Compares each list with the one before it, one comparison after the other."""

    def __init__(
        self,
        definitions: Definitions,
        tasks: Background,
        ready: Callable[[], Awaitable[None]],
        compare: Callable[[], CompareLists],
        compared: Callable[[], None],
    ) -> None:
        """`ready` waits for earlier log entries. `compare` may take long: its result runs in a
        thread, and is made on the loop. `compared` is called at its end.
        """
        self.diff = ListDiff()
        """What the newest comparison found that was not empty."""
        self.may_begin = asyncio.Event()
        """Set after the first paint, or by a caller that cannot wait for it."""
        self._definitions = definitions
        self._tasks = tasks
        self._ready = ready
        self._compare = compare
        self._compared = compared
        self._newest: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """There is another list: compare it as soon as may be."""
        self._newest = self._tasks.begin(self._compare_after(self._newest))

    async def wait(self) -> None:
        """Wait until the list of this connection was compared."""
        self.may_begin.set()
        if self._definitions.is_listed:
            await self._definitions.wait_until_listed()
        if self._newest is not None and not self._newest.done():
            await asyncio.wait({self._newest})

    async def _compare_after(self, before: asyncio.Task[None] | None) -> None:
        if before is not None and not before.done():
            await asyncio.wait({before})
        await self.may_begin.wait()
        await self._ready()
        listed = self._definitions
        diff = await asyncio.to_thread(self._compare(), listed.tools, is_whole=not listed.missing)
        if not diff.is_empty:
            self.diff = diff
        self._compared()
