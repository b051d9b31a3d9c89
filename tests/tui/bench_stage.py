"""The real program on a real server over real pipes, driven without a terminal."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from html import unescape

from textual.pilot import Pilot
from textual.widgets._toast import Toast

from signoff.app.calls.call import Call, CallLimits
from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import read_target
from signoff.app.engine.engine import Engine
from signoff.app.engine.session_config import SessionConfig
from signoff.app.protocol.server import Start, Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.transport.negotiation import AUTO
from signoff.app.tui.app import SignoffApp
from signoff.app.tui.approving.trust_dialog import TrustDialog
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.startup import AppConfig
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.widgets.lists.tool_list import ToolList
from tests.servers import raw
from tests.tui.clocks import AheadClock, press_slowly
from tests.tui.hand import PATIENCE as PATIENCE
from tests.tui.hand import Hand

WIDE, NARROW, SMALL = (120, 36), (80, 24), (60, 18)


@dataclass
class BenchStage(Hand):
    """What a person sees and does."""

    app: SignoffApp
    pilot: Pilot[None]
    engine: Engine

    @property
    def toasts(self) -> str:
        """What pops up, as it is drawn; words that are folded there are in one row here."""
        strips = self.strips
        rows = [
            strips[y].crop(one.region.x, one.region.right).text.strip("▌ ")
            for one in self.app.screen.query(Toast)
            for y in range(max(one.region.y, 0), min(one.region.bottom, len(strips)))
        ]
        return " ".join(row for row in rows if row)

    async def is_told(self, *words: str) -> None:
        """Wait until all these words pop up."""

        def pop_up() -> bool:
            toasts = self.toasts
            return all(one in toasts for one in words)

        await self.until(pop_up, repr(words))

    async def click_on(self, words: str) -> None:
        """Click on the first row where these words stand."""
        await self.sees(words)
        rows = self.text.split("\n")
        y = next(index for index, row in enumerate(rows) if words in row)
        await self.pilot.click(offset=(rows[y].index(words) + 1, y))
        await self.pilot.pause()

    async def choose(self, tool: str) -> None:
        """Put the cursor on a tool and wait until its pane has followed."""
        assert self.app.screen.query_one(ToolList).select_name(tool), f"no tool {tool}"
        await self.sees_tool(tool)

    async def sees_tool(self, tool: str) -> None:
        pane = self.app.screen.query_one(ToolPane)

        def has_followed() -> bool:
            return pane.tool is not None and pane.tool.name == tool

        await self.until(has_followed, f"the pane of {tool}")
        await self.pilot.pause()

    async def trust(self) -> None:
        """Turn trust on by the key, and agree to what is asked then."""
        await self.press("ctrl+t")
        dialog = await self.asks(TrustDialog)
        await self.press("end", "tab")
        await self.until(lambda: dialog.sheet.end_seen, "the end of the list")
        await press_slowly(self, "enter")
        await self.has_left(dialog)

    def tool(self, name: str) -> ToolDefinition:
        return next(one for one in self.engine.tools if one.name == name)

    @property
    def pane(self) -> ToolPane:
        """The page of the chosen tool."""
        return self.app.screen_stack[0].query_one(ToolPane)

    async def edit(self, tool: str, text: str = "") -> ToolPane:
        """Choose a tool, go to its first field, and paste this text there."""
        await self.choose(tool)
        await self.press("enter")
        await self.in_field()
        if text:
            await self.paste(text)
        return self.pane

    async def call(self, tool: str) -> Call:
        """Choose a tool, call it by key, and wait for the end of the call."""
        await self.choose(tool)
        last = self.newest
        await self.press("f5")
        return await self.end(after=last)

    @property
    def newest(self) -> int:
        """The id of the newest call; 0 as long as there is none."""
        return max(self.engine.calls, default=0)

    async def end(self, *, after: int = 0) -> Call:
        """Wait for the end of the newest call, which came after the one with this id.

        A call begins some time after its key: its arguments are checked before.
        """
        await self.until(lambda: self.newest > after, "a call")
        newest = self.newest
        await self.until(lambda: self.engine.calls[newest].is_over, "the end of the call")
        return self.engine.calls[newest]


NO_OPTIONS = SessionOptions()


@asynccontextmanager
async def bench_stage(
    *switches: str,
    argv: tuple[str, ...] = (),
    is_demo: bool = False,
    size: tuple[int, int] = WIDE,
    trust: Trust = Trust.TRUSTED,
    limits: CallLimits | None = None,
    is_listed: bool = True,
    command: str = "",
    keeps: bool = False,
    url: str = "",
    protocol: str = AUTO,
    options: SessionOptions = NO_OPTIONS,
) -> AsyncIterator[BenchStage]:
    """Signoff on the scripted server with these switches, on `argv`, `url`, or the bundled server.

    `command` is shown instead of the real command line, which differs from machine to machine.
    `keeps`: it remembers approvals and definitions and keeps an audit log, and can reconnect.
    `options` are further ones of `url`.
    """
    if is_demo:
        target = read_target(SessionOptions(is_bundled=True, protocol=protocol))
    elif url:
        target = read_target(options._replace(url=url, protocol=protocol))
    else:
        target = read_target(SessionOptions(name="test"), argv or tuple(raw(*switches)))
    link = target.link()
    link.command = command or link.command
    link.begin()
    if keeps:
        given = limits or CallLimits()
        config = SessionConfig(target, trust, timeout=given.idle, max_time=given.absolute)
        engine = config.engine(link)
    else:
        engine = Engine(link, target.name, trust=trust, limits=limits, is_bundled=is_demo)
    opening = AppConfig.of(engine)
    start = Start(bundled=is_demo, argv=() if is_demo else target.argv)
    opening.session = replace(opening.session, start=start)
    app = SignoffApp(opening)
    app.animation_level = "none"
    app.dialog_clock = AheadClock()
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            stage = BenchStage(app, pilot, engine)
            if is_listed:
                await stage.until(lambda: engine.is_listed and app.focused, "the tools")
                await stage.sees("Tools ")
                place = app.screen.query_one(Workplace)
                await stage.until(lambda: place.is_complete, "the other panes")
                await stage.until(lambda: place.hosts.who_asks, "the rules of hosts")
            yield stage
    finally:
        engine.link.kill()


def screen_text(app: SignoffApp) -> str:
    """The rows of a screenshot, without what differs from run to run."""
    svg = app.export_screenshot()
    width = 12.2
    rows: dict[int, list[tuple[int, str]]] = {}
    for x, line, text in re.findall(
        r'<text class="[^"]*-r\d+" x="([\d.]+)"[^>]*-line-(\d+)\)">([^<]*)</text>', svg
    ):
        cells = unescape(text).replace("\xa0", " ")
        rows.setdefault(int(line), []).append((round(float(x) / width), cells))
    lines = []
    for number in range(app.size.height):
        row = ""
        for start, cells in sorted(rows.get(number, [])):
            row = row.ljust(start) + cells
        lines.append(row.rstrip())
    return "\n".join(lines) + "\n"
