"""Signoff on the bundled server, without a terminal: what a scene does with it."""

from __future__ import annotations

import contextlib
import math
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any, TypeVar

from textual.events import Paste
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea

from screenshots.still import StillClock, StillLink, held_still, still_bench
from signoff.app.approval.approval import QUIET_SECONDS, Decision, approve
from signoff.app.approval.questions.questions import Question
from signoff.app.calls.call import Call
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.server import Trust
from signoff.app.schemas.form.fields import Place
from signoff.app.transport import Link
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.app import SignoffApp
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.main import panes
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.startup import AppConfig
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.widgets.bars import PaneTabs
from signoff.widgets.forms.argument_form import ArgumentForm
from signoff.widgets.forms.form_field import FormField
from signoff.widgets.lists.tool_list import ToolList

THINKING_SECONDS = 2.4
"""How long a person takes for a decision, by the still clock."""
PATIENCE_SECONDS = 20.0
LOOKS_A_SECOND = 50

Shown = TypeVar("Shown", bound=Screen[Any])


class NotSeen(Exception):
    """What a picture waits for did not come."""


class Person:
    """Answers as a person does, without the dialog; `seconds` are what every answer takes."""

    def __init__(self, clock: StillClock, decision: Decision, seconds: float) -> None:
        self._clock = clock
        self._decision = replace(decision, seconds=seconds)

    async def ask(self, question: Question) -> Decision:
        self._clock.now += self._decision.seconds or 0.0
        return self._decision


class Studio:
    """The running program, what a scene does with it, and how it waits for what came of it."""

    def __init__(
        self, app: SignoffApp, pilot: Pilot[None], link: StillLink, clock: StillClock
    ) -> None:
        self.app = app
        self.pilot = pilot
        self.link = link
        self.clock = clock
        self.engine = app.engine
        self.dialogs = app.engine.approver
        """Who asks in the dialog."""

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

    async def filter(self, words: str) -> None:
        """Put words into the filter, which moves the cursor, and wait until it has."""
        self.app.screen.query_one("#filter", Input).value = words
        await self.pilot.pause()

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
        tabs.post_message(PaneTabs.Picked(panes.PANES.index(name)))
        pane = self.app.screen.query_one(f"#{name}")
        await self.until(f"the {name}", lambda: pane.region.height)

    async def focus_field(self, *place: str | int) -> None:
        """Put the cursor into the field of an argument, or of what is inside it."""
        form = self.app.screen.query_one(ArgumentForm)
        form.focus_field(place)
        await self.until(f"the field {place}", lambda: _field_of(self.app.focused) == place)

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
        tool = next(tool for tool in self.engine.tools if tool.name == name)
        return self.engine.call(tool, arguments)

    async def answer_of(self, name: str, arguments: dict[str, JsonValue]) -> int:
        """Make a call, wait for its end and for what it did to the tools, and return its id."""
        call_id = self.call(name, arguments)
        await self.until_call(call_id, "its end", lambda call: call.is_over)
        await self.engine.ended(call_id)
        await self.engine.compared()
        return call_id

    async def until_progress(self, call_id: int, value: float) -> None:
        await self.until_call(
            call_id, f"progress {value:g}", lambda call: (call.progress.value or 0) >= value
        )

    async def until_call(self, call_id: int, what: str, is_so: Callable[[Call], object]) -> None:
        await self.until(f"call {call_id}: {what}", lambda: is_so(self.engine.calls[call_id]))

    def decide(self, decision: Decision) -> None:
        """Answer so from now on whatever is asked, each time after some thought."""
        self.engine.approver = Person(self.clock, decision, THINKING_SECONDS)

    def consent(self) -> None:
        """Approve from now on whatever is asked, in no time."""
        self.engine.approver = Person(self.clock, approve("you"), 0.0)

    async def hosts_known(self) -> None:
        """Wait until the columns and the page have what the hosts do."""
        await self.until("the hosts", lambda: self.workplace.hosts.who_asks is not None)
        await self.redraw()

    async def ask(self) -> ApprovalDialog:
        """Call the chosen tool as the key does; returns the dialog once it listens."""
        self.engine.approver = self.dialogs
        question = await self.open("f5", ApprovalDialog)
        await self.listen(question)
        return question

    async def listen(self, question: ApprovalDialog) -> None:
        """Leave the keys alone until the question listens to them."""
        self.clock.now += QUIET_SECONDS
        await self.until("the question to listen", lambda: question.is_armed)

    async def open(self, key: str, kind: type[Shown]) -> Shown:
        """Press the key of a screen and wait until it is there."""
        await self.pilot.press(key)
        await self.until(f"the screen of {key}", lambda: isinstance(self.app.screen, kind))
        screen = self.app.screen
        assert isinstance(screen, kind)
        return screen

    async def open_first_part(self, kind: type[Screen[Any]]) -> None:
        """Open the first part of the answer on the whole screen, once it is drawn."""
        pane, newest = self.app.screen.query_one(AnswerPane), max(self.engine.calls)
        await self.until("the answer", lambda: pane.drawn == newest and pane.views)
        pane.views[0].header.focus()
        await self.open("enter", kind)

    async def back(self) -> None:
        """Close what is open over the bench."""
        if isinstance(self.app.screen, ApprovalDialog):
            # A new size of the terminal has made it deaf again.
            await self.listen(self.app.screen)
        await self.pilot.press("escape")
        await self.until("the bench", lambda: len(self.app.screen_stack) == 1)

    async def redraw(self) -> None:
        """Draw progress and elapsed times as of the still clock."""
        self.workplace.tick()
        await self.pilot.pause()


@contextlib.asynccontextmanager
async def open_studio(
    link: Link, size: tuple[int, int], *, trust: Trust = Trust.TRUSTED
) -> AsyncIterator[Studio]:
    """The program on a link that has begun, once its tools are on the screen."""
    clock = StillClock()
    still_link = StillLink(link, clock)
    with held_still(clock):
        app = SignoffApp(AppConfig.of(still_bench(still_link, trust)))
        async with app.run_test(size=size, notifications=False) as pilot:
            studio = Studio(app, pilot, still_link, clock)
            await studio.until("the tools", lambda: _are_tools_shown(app))
            studio.dialogs = app.engine.approver
            await app.engine.compared()
            yield studio


def _text_of(widget: TextArea | Input) -> str:
    return widget.text if isinstance(widget, TextArea) else widget.value


def _field_of(widget: Widget | None) -> Place:
    """The place of the argument in whose field a widget is; () for none."""
    found = (
        [] if widget is None else [one for one in widget.ancestors if isinstance(one, FormField)]
    )
    return found[0].field.place if found else ()


def _are_tools_shown(app: SignoffApp) -> bool:
    found = app.screen.query(Workplace)
    return (
        bool(found)
        and found.first().is_complete
        and found.first().display
        and app.focused is not None
    )
