"""Signoff on the bundled server, without a terminal, and everything that varies held still."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from textual.events import Paste
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, TextArea

from app import story
from app.bench import Bench
from app.core.approval import Decision, Question, approve
from app.core.calls import Call
from app.core.jsonio import JsonValue
from app.core.trust import Trust
from app.link import Link
from app.link.calls import PendingCall
from app.link.events import Ended, LinkEvent, Listener, Listing, Reply, Started
from app.screens import workplace
from app.screens.app import SignoffApp
from app.screens.opening import Opening
from app.screens.tool_pane import ToolPane
from app.screens.workplace import Workplace
from app.targets import Target
from widgets.argument_form import ArgumentForm
from widgets.form_field import FormField
from widgets.pane_tabs import PaneTabs
from widgets.tool_list import ToolList

ROOT = Path(__file__).resolve().parents[1]
PID = 4711
ANSWER_SECONDS = 0.1
"""How long every answer takes, by the still clock."""
PATIENCE_SECONDS = 20.0
LOOKS_A_SECOND = 50

DEMO = Target("demo", argv=("python", "-m", "app.demo"), is_bundled=True)
"""The bundled server by a command line that says nothing of the machine it runs on."""


class NotSeen(Exception):
    """What a picture waits for did not come."""


class StillClock:
    """Seconds that pass only when a scene says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


class StillLink:
    """The link to the server, with the process id, the times and the progress of every run."""

    def __init__(self, link: Link, clock: StillClock) -> None:
        self._link = link
        self._clock = clock
        self.command = link.command
        self.identity = link.identity
        self.last_progress: dict[str, float] = {}
        """By tool: the progress at which a call stands still, until it is cancelled."""

    def begin(self) -> None:
        self._link.begin()

    def attach(self, listener: Listener) -> None:
        self._link.attach(lambda event: listener(_still(event)))

    def prepare(self) -> None:
        self._link.prepare()

    async def list_tools(self) -> Listing | None:
        return await self._link.list_tools()

    async def call(self, call: PendingCall, name: str, arguments: dict[str, JsonValue]) -> Reply:
        tell, last = call.on_progress, self.last_progress.get(name, math.inf)
        call.on_progress = lambda params: tell(params) if _progress_of(params) <= last else None
        reply = await self._link.call(call, name, arguments)
        if last < math.inf:
            await asyncio.Event().wait()
        self._clock.now += ANSWER_SECONDS
        return reply

    async def close(self) -> None:
        await self._link.close()

    def kill(self) -> None:
        self._link.kill()


def _progress_of(params: JsonValue) -> float:
    value = params.get("progress") if isinstance(params, dict) else None
    return value if isinstance(value, int | float) else 0.0


def _still(event: LinkEvent) -> LinkEvent:
    if isinstance(event, Started):
        return Started(PID)
    if isinstance(event, Ended) and event.pid is not None:
        return replace(event, pid=PID)
    return event


class Consenting:
    """Answers as a person does who approves, without the dialog."""

    async def ask(self, question: Question) -> Decision:
        return approve("you")


class Studio:
    """The running program, what a scene does with it, and how it waits for what came of it."""

    def __init__(
        self, app: SignoffApp, pilot: Pilot[None], link: StillLink, clock: StillClock
    ) -> None:
        self.app = app
        self.pilot = pilot
        self.link = link
        self.clock = clock
        self.bench = app.bench

    @property
    def workplace(self) -> Workplace:
        return self.app.screen.query_one(Workplace)

    async def until(self, what: str, is_so: Callable[[], object]) -> None:
        """Wait until it is so. Raises NotSeen, with `what` in its words, if that never comes."""
        for _ in range(int(PATIENCE_SECONDS * LOOKS_A_SECOND)):
            if is_so():
                await self.pilot.pause()
                return
            await self.pilot.pause(1 / LOOKS_A_SECOND)
        raise NotSeen(f"waited {PATIENCE_SECONDS:g} s for {what}")

    async def choose(self, name: str) -> None:
        """Put the cursor on a tool and wait until its form is there."""
        tools = self.app.screen.query_one(ToolList)
        pane = self.app.screen.query_one(ToolPane)
        if not tools.select_name(name):
            raise NotSeen(f"the server lists no {name}")
        await self.until(f"{name} to be shown", lambda: pane.tool and pane.tool.name == name)

    async def go(self, name: str) -> None:
        """Go to a pane (tools, tool, calls, answer) as a click on its tab does."""
        tabs = self.app.screen.query_one(PaneTabs)
        tabs.post_message(PaneTabs.Picked(workplace.PANES.index(name)))
        pane = self.app.screen.query_one(f"#{name}")
        await self.until(f"the {name}", lambda: pane.region.height)

    async def focus_field(self, name: str) -> None:
        """Put the cursor into the field of an argument."""
        form = self.app.screen.query_one(ArgumentForm)
        form.focus_field(name)
        await self.until(f"the field {name}", lambda: _field_of(self.app.focused) == name)

    async def enter(self, text: str) -> None:
        """Put text where the cursor is, in one go."""
        widget = self.app.focused
        assert isinstance(widget, TextArea | Input)
        widget.post_message(Paste(text))
        await self.until(f"“{text}” to be entered", lambda: text in _text_of(widget))

    async def resize(self, size: tuple[int, int]) -> None:
        """Give the terminal another size in columns and rows."""
        if self.app.size != size:
            await self.pilot.resize_terminal(*size)
            await self.pilot.pause()

    def call(
        self, name: str, arguments: dict[str, JsonValue], *, last_progress: float = math.inf
    ) -> int:
        """Begin a call as the form does; returns its id. It stands still at `last_progress`."""
        self.link.last_progress[name] = last_progress
        tool = next(tool for tool in self.bench.tools if tool.name == name)
        return self.bench.call(tool, arguments)

    async def answer_of(self, name: str, arguments: dict[str, JsonValue]) -> int:
        """Make a call, wait for its end, and return its id."""
        call_id = self.call(name, arguments)
        await self.until_call(call_id, "its end", lambda call: call.is_over)
        return call_id

    async def until_progress(self, call_id: int, value: float) -> None:
        await self.until_call(
            call_id, f"progress {value:g}", lambda call: (call.progress.value or 0) >= value
        )

    async def until_call(self, call_id: int, what: str, is_so: Callable[[Call], object]) -> None:
        await self.until(f"call {call_id}: {what}", lambda: is_so(self.bench.calls[call_id]))

    def consent(self) -> None:
        """Approve from now on whatever is asked."""
        self.bench.approver = Consenting()

    async def redraw(self) -> None:
        """Draw progress and elapsed times as of the still clock."""
        self.workplace.flush()
        await self.pilot.pause()


@contextlib.asynccontextmanager
async def open_studio(
    link: Link, size: tuple[int, int], *, trust: Trust = Trust.TRUSTED
) -> AsyncIterator[Studio]:
    """The program on a link that has begun, once its tools are on the screen."""
    clock = StillClock()
    still = SimpleNamespace(monotonic=clock.monotonic)
    still_link = StillLink(link, clock)
    bench = Bench(still_link, DEMO.name, trust=trust)
    app = SignoffApp(Opening.of(bench))
    with (
        patch.object(story, "time", still),
        patch.object(workplace, "time", still),
        patch.object(Input, "cursor_blink", False),
        patch.object(TextArea, "cursor_blink", False),
    ):
        async with app.run_test(size=size, notifications=False) as pilot:
            studio = Studio(app, pilot, still_link, clock)
            await studio.until("the tools", lambda: _are_tools_shown(app))
            yield studio


def _text_of(widget: TextArea | Input) -> str:
    return widget.text if isinstance(widget, TextArea) else widget.value


def _field_of(widget: Widget | None) -> str:
    """The argument in whose field a widget is; "" for none."""
    found = (
        [] if widget is None else [one for one in widget.ancestors if isinstance(one, FormField)]
    )
    return found[0].field.name if found else ""


def _are_tools_shown(app: SignoffApp) -> bool:
    found = app.screen.query(Workplace)
    return (
        bool(found)
        and found.first().is_complete
        and found.first().display
        and app.focused is not None
    )


@contextlib.contextmanager
def quiet_surroundings() -> Iterator[None]:
    """An environment without anything of this machine: folders, colours, `python` on the path."""
    with tempfile.TemporaryDirectory(prefix="signoff-pictures-") as folder:
        settings = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
            "SIGNOFF_DEMO_DIR": f"{folder}/sandbox",
            "XDG_CACHE_HOME": f"{folder}/cache",
            "COLORTERM": "truecolor",
            "TERM": "xterm-256color",
            "TEXTUAL_ANIMATIONS": "none",
        }
        with patch.dict(os.environ, settings), contextlib.chdir(ROOT):
            for name in ("NO_COLOR", "FORCE_COLOR", "TEXTUAL_THEME", "TEXTUAL_COLOR_SYSTEM"):
                os.environ.pop(name, None)
            yield
