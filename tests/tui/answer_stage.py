"""The answer pane on a stage: alone in an app, with answers that need no server."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from textual.app import App, ComposeResult
from textual.widgets import Input

from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.calls.call import Call, Outcome, State
from signoff.app.protocol.answers.content import read_answer
from signoff.app.protocol.requests import CallName, ToolCall
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.tui.answers.body import Body
from signoff.app.tui.answers.links import LinkBody
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.answers.part_view import PartView
from tests.showing import Stage, showing
from tests.tui.clocks import AheadClock
from tests.tui.drawn import drawn
from tests.tui.hand import Hand


def call_of(result: Any, *, id: int = 1, tool: str = "parts", **more: Any) -> Call:
    """A call that ended with this raw result."""
    definition = read_tool(0, {"name": tool, "inputSchema": {"type": "object"}})
    answer = read_answer(result)
    call = Call(
        name=CallName("test", id),
        request=ToolCall(definition),
        snapshot=take_snapshot("stdio:test", ToolCall(definition), {}),
        verdict=Verdict(VerdictAnswer.ALLOW, ("it is a test",)),
        created=0.0,
        state=State.ENDED,
        sent_at=0.0,
        ended_at=0.1,
        outcome=Outcome.OK,
        answer=answer,
        raw=result,
        findings=() if answer is None else answer.findings,
    )
    return replace(call, **more)


def texts(*parts: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": part} for part in parts]}


def said(**annotations: Any) -> dict[str, Any]:
    return {"annotations": annotations}


def blob(data: bytes, mime: str = "application/octet-stream", uri: str = "x:1") -> dict[str, Any]:
    coded = base64.b64encode(data).decode()
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "blob": coded}}


B = TypeVar("B", bound=Body)


class PaneApp(App[None]):
    CSS = "AnswerPane { height: 1fr; border: round $foreground; padding: 0 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.dialog_clock = AheadClock()
        self.followed: list[str] = []
        """The URIs of links that somebody wants to open."""

    def compose(self) -> ComposeResult:
        yield AnswerPane("the server")

    def on_link_body_open_wanted(self, message: LinkBody.OpenWanted) -> None:
        self.followed.append(message.part.uri)


@dataclass
class PaneStage(Hand):
    app: PaneApp

    @property
    def pane(self) -> AnswerPane:
        return self.app.screen_stack[0].query_one(AnswerPane)

    def header(self, at: int) -> str:
        """The header of a part, with the keys above it."""
        return drawn(self.views[at].header)

    @property
    def keys(self) -> str:
        """The keys in the lower border of the pane."""
        return self.text.split("\n")[-1].strip("╰─╯ ")

    @property
    def audience(self) -> str:
        """The line that counts the parts for each audience."""
        return drawn(self.pane.query_one(".audience"))

    @property
    def views(self) -> list[PartView]:
        return self.pane.views

    @property
    def made(self) -> list[int]:
        """The places of the parts that have bodies."""
        return [at for at, view in enumerate(self.views) if view.body is not None]

    @property
    def notices(self) -> list[str]:
        return [str(one.message) for one in self.app._notifications]

    async def told(self, words: str) -> None:
        """Wait for a notice that has these words."""
        await self.until(lambda: any(words in one for one in self.notices), f"a notice {words!r}")

    async def shows(self, call: Call) -> None:
        """Show a call and wait until what is in sight of it is made."""
        self.pane.show(call)
        await self.rests()

    async def rests(self) -> None:
        """Wait until nothing has been made or moved for a while."""
        seen: list[object] = []
        while len(seen) < 4 or any(one != seen[-1] for one in seen[-4:]):
            await self.pilot.pause(0.02)
            seen.append((self.made, self.pane.scroll_y, self.text))

    async def name(self, path: object) -> None:
        """Type a path into the dialog that asks for one, and go on."""
        self.app.screen.query_one(Input).value = str(path)
        await self.pilot.pause()
        await self.press("enter")


@dataclass
class BodyStage(Hand, Generic[B]):
    """The body of one part alone, and what it posts."""

    body: B
    stage: Stage[B]

    @property
    def rows(self) -> list[str]:
        return self.text.split("\n")


@asynccontextmanager
async def body_stage(body: B, size: tuple[int, int] = (80, 24)) -> AsyncIterator[BodyStage[B]]:
    async with showing(body, size=size, scrolls=True) as stage:
        app: Any = stage.app
        app.dialog_clock = AheadClock()
        yield BodyStage(app, stage.pilot, body, stage)


@asynccontextmanager
async def pane_stage(
    result: Any = None, *, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[PaneStage]:
    """The pane with the answer to a call; its first part has the focus."""
    app = PaneApp()
    app.animation_level = "none"
    async with app.run_test(size=size, notifications=True) as pilot:
        stage = PaneStage(app, pilot)
        if result is not None:
            await stage.shows(call_of(result))
            if stage.views:
                stage.views[0].header.focus()
                await pilot.pause()
        yield stage
