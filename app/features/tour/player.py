"""Plays the steps of the tour on the running program, with a picture of each part.

Keys take their usual way, and the dialogs are the real ones: a picture shows the real program.
`self_contained` makes a picture an SVG without references.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from textual.pilot import Pilot

from ....widgets.lists.tool_list import ToolList
from ...approval.policies.policy import Policy
from ...calls.call import State
from ...content.frozen import frozen
from ...engine.engine import Engine
from ...engine.policy_state import read_rulebook
from ...engine.session_config import SessionConfig
from ...transport import Link
from ...tui.app import SignoffApp
from ...tui.approving.approval import ApprovalDialog
from ...tui.approving.guarded_dialog import GuardedDialog
from ...tui.main.workplace import Workplace
from ...tui.startup import AppConfig
from ...tui.tools.tool_pane import ToolPane
from .course import Move, QuizAnswer, TourStep
from .scene import Scene, scene_of

MONOSPACE: Final = "'Fira Code', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_REMOTE_SOURCE: Final = re.compile(r',\s*url\("[^"]*"\)\s*format\("[^"]*"\)')


def self_contained(svg: str) -> str:
    """The same picture without the fonts that Textual names on a remote host."""
    svg = _REMOTE_SOURCE.sub("", svg)
    svg = svg.replace("font-family: Fira Code, monospace;", f"font-family: {MONOSPACE};")
    return svg.replace("font-family: arial;", "font-family: Helvetica, Arial, sans-serif;")


SIZE = (100, 30)
PATIENCE_SECONDS = 30.0
"""How long one thing may take to come."""
ALL_SECONDS = 420.0
_LOOK = 0.03
_STILL = 0.7
"""Seconds without a key, after which a press was meant."""
_TABS_MOST = 8


class TourFailed(Exception):
    """A step failed; the text names it and the missing event, safe to show."""


@frozen
class Played:
    """A step that was done. `pictures`: an SVG for each of its parts."""

    step: TourStep
    pictures: tuple[str, ...]
    told: QuizAnswer | None


async def play(link: Link, session: SessionConfig, steps: Sequence[TourStep]) -> list[Played]:
    """Play the steps in order on a link to the bundled server that has begun.

    Raises TourFailed, and TimeoutError if it takes too long in total.
    """
    app = SignoffApp(AppConfig(link, session))
    app.animation_level = "none"
    async with asyncio.timeout(ALL_SECONDS), app.run_test(size=SIZE, notifications=False) as pilot:
        player = TourPlayer(app, pilot, is_filming=True)
        await player.begin()
        return [await player.play(step) for step in steps]


class TourPlayer:
    """Does steps on a running program; pictures are empty if it `is_filming` not."""

    def __init__(self, app: SignoffApp, pilot: Pilot[None], *, is_filming: bool = False) -> None:
        self._is_filming = is_filming
        self._app = app
        self._pilot = pilot
        self._doing = "the start"
        self._since = 0
        self._screens: set[str] = set()
        self._hosts: Mapping[str, Policy] = {}

    @property
    def _engine(self) -> Engine:
        return self._app.engine

    async def begin(self) -> None:
        self._hosts = {host.name: host for host in read_rulebook().hosts}
        await self._until("the tools", self._is_ready)
        # The notes on this machine's folders come after the tools.
        await self._engine.compared()

    async def play(self, step: TourStep) -> Played:
        self._doing = f"step “{step.title}”"
        self._since = max(self._engine.calls, default=0)
        self._screens.clear()
        pictures = []
        for part in step.parts:
            picture = ""
            for move in part.moves:
                # Closing the screen that a step is about does not take its picture back.
                picture = (
                    await (self._key(move) if isinstance(move, str) else self._move(move))
                ) or picture
            goal = part.goal
            await self._until("what the step asks for", lambda goal=goal: goal(self._scene()))  # type: ignore[misc]
            pictures.append(picture or self._picture())
        return Played(step, tuple(pictures), step.quiz.tell(self._scene()))

    async def _key(self, key: str) -> str:
        """Press a key; returns a picture of the screen that it opened, if any."""
        if key == "f6":
            await self._go_to("answer")
            return ""
        before = self._app.screen
        if key.endswith("?"):
            if len(self._app.screen_stack) == 1 or isinstance(before, ApprovalDialog):
                return ""
            if isinstance(before, GuardedDialog):
                await self._agree(before)
                return ""
            key = key.removesuffix("?")
        await self._pilot.press(key)
        await self._pilot.pause(_LOOK)
        now = self._app.screen
        if isinstance(now, ApprovalDialog):
            return ""
        await self._rest()
        if now is before or len(self._app.screen_stack) == 1:
            return ""
        self._screens.add(type(now).__name__)
        return self._picture()

    async def _agree(self, dialog: GuardedDialog[Any]) -> None:
        """Press the second of two buttons, as it wants to be pressed."""
        await self._until("the question to listen", lambda: dialog.is_armed)
        for key in ("end", "tab", "enter"):
            await self._pilot.pause(_STILL)
            await self._pilot.press(key)
        await self._until("the question to go", lambda: self._app.screen is not dialog)

    async def _move(self, move: Move) -> str:
        """Make a call; a picture of the question if it is not approved."""
        engine, app = self._engine, self._app
        app.screen.query_one(Workplace).focus_tools()
        if not app.screen.query_one(ToolList).select_name(move.tool):
            raise TourFailed(f"{self._doing}: the server lists no {move.tool}")
        pane = app.screen.query_one(ToolPane)
        await self._until(
            f"{move.tool} to be shown", lambda: pane.tool and pane.tool.name == move.tool
        )
        pane.fill(move.arguments)
        await self._rest()
        last = max(engine.calls, default=0)
        await self._pilot.press("f5")
        await self._until(f"a call of {move.tool}", lambda: max(engine.calls, default=0) > last)
        call_id = max(engine.calls)
        await self._until(
            "a question or an answer",
            lambda: isinstance(app.screen, ApprovalDialog) or engine.calls[call_id].is_over,
        )
        shown = ""
        if isinstance(app.screen, ApprovalDialog):
            shown = await self._decide(app.screen, move.ends)
        if move.ends == "close":
            await self._until(
                "the server's question", lambda: isinstance(app.screen, ApprovalDialog)
            )
            assert isinstance(app.screen, ApprovalDialog)
            shown = await self._decide(app.screen, "deny")
        if move.ends == "run":
            await self._until(
                "progress",
                lambda: (
                    (engine.calls[call_id].progress.value or 0) >= 3
                    or engine.calls[call_id].is_over
                ),
            )
            await self._pilot.pause(0.2)
        else:
            await self._until("its end", lambda: engine.calls[call_id].state is State.ENDED)
            await engine.ended(call_id)
            if move.ends in ("", "approve") and self._is_filming:
                await self._go_to("answer")
        await self._rest()
        return shown if move.ends in ("deny", "edit", "close") else ""

    async def _decide(self, dialog: ApprovalDialog, ends: str) -> str:
        """Answer the question by its keys; a picture of it, once it listens."""
        await self._until("the question to listen", lambda: dialog.is_armed)
        if not dialog.can_approve:
            await self._pilot.press("end")
            await self._pilot.pause(_STILL)
        await self._pilot.pause()
        shown = self._picture()
        if ends == "edit":
            for _ in range(_TABS_MOST):
                if self._app.focused is not None and self._app.focused.id == "edit":
                    break
                await self._pilot.press("tab")
                await self._pilot.pause(_LOOK)
            await self._pilot.pause(_STILL)
            await self._pilot.press("enter")
        elif ends in ("approve", "run", "close"):
            await self._until("the question to take an answer", lambda: dialog.can_approve)
            await self._pilot.press("ctrl+y")
            await self._pilot.pause(_STILL)
            await self._pilot.press("ctrl+y")
        else:
            await self._pilot.press("escape")
        await self._until("the question to go", lambda: self._app.screen is not dialog)
        return shown

    async def _go_to(self, pane: str) -> None:
        """By f6, as a person goes there."""
        for _ in range(4):
            focused = self._app.focused
            found = self._app.screen.query_one(f"#{pane}")
            if focused is not None and found in focused.ancestors_with_self:
                return
            await self._pilot.press("f6")
            await self._pilot.pause(_LOOK)

    def _scene(self) -> Scene:
        return scene_of(self._engine, self._since, self._hosts, self._screens)

    def _is_ready(self) -> bool:
        found = self._app.screen.query(Workplace)
        is_shown = bool(found) and found.first().is_complete and found.first().display
        return is_shown and self._app.focused is not None

    async def _rest(self) -> None:
        """Wait until the screen is stable for a moment; running calls may go on."""
        if not self._is_filming:
            await self._pilot.pause()
            return
        before = ""
        for _ in range(20):
            await self._pilot.pause(0.06)
            now = self._picture()
            if now == before:
                return
            before = now

    async def _until(self, what: str, is_so: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not is_so():
            if time.monotonic() > end:
                words = f"{self._doing}: waited {PATIENCE_SECONDS:g} s for {what}"
                raise TourFailed(words)
            await self._pilot.pause(_LOOK)

    def _picture(self) -> str:
        if not self._is_filming:
            return ""
        return self_contained(self._app.export_screenshot(title="Signoff", simplify=True))
