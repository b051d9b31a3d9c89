"""The confirmation dialog on a stage: a small app, a clock that tests turn, and questions."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Static

from signoff.app.approval.approval import Decision, DecisionAnswer
from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.policies.verdicts import Case, Verdict, VerdictAnswer
from signoff.app.approval.questions.questions import AboutCall, OwnQuestion, Question
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.approval.trusting import TrustEffect, effect_of_trust
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.requests import CallName, Request, ToolCall
from signoff.app.protocol.server import Server, Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.schemas.form.entries import Origin
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.guarded_dialog import GuardedDialog
from signoff.app.tui.approving.trust_dialog import TrustDialog
from signoff.widgets.labels import FrameLine
from signoff.widgets.sheets import SheetView
from tests.tui import regions
from tests.tui.clocks import MovedClock, many_steps
from tests.tui.hand import Hand

DESTRUCTIVE: dict[str, JsonValue] = {
    "name": "delete_file",
    "title": "Delete File",
    "description": "Delete a file from the sandbox.",
    "inputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False},
}
HARMLESS: dict[str, JsonValue] = {**DESTRUCTIVE, "annotations": {"readOnlyHint": True}}
LONG: dict[str, JsonValue] = {f"key{index:03d}": index for index in range(200)}

TO_APPROVE = ("right", "right", "right")
"""From Deny to the last button, at which it stops."""


def ask(
    raw: Mapping[str, JsonValue] | None = None,
    arguments: Mapping[str, JsonValue] | None = None,
    *,
    trust: Trust = Trust.UNTRUSTED,
    origins: Mapping[str, Origin] | None = None,
    name: str = "demo",
    command: str = "python -m signoff.app.demo",
    itself: str = "Demo 0.1",
) -> AboutCall:
    tool = read_tool(0, dict(DESTRUCTIVE if raw is None else raw))
    given = {"path": "notes/todo.txt"} if arguments is None else arguments
    return AboutCall(
        call=CallName("demo", 1),
        server_name=name,
        server_command=command,
        server_calls_itself=itself,
        trust=trust,
        request=ToolCall(tool),
        snapshot=take_snapshot("stdio:demo", ToolCall(tool), given),
        verdict=verdict_on(tool, trust),
        origins=origins or {},
    )


def verdict_on(tool: ToolDefinition, trust: Trust) -> Verdict:
    """What a question is asked for, in words that stay whatever the policies say."""
    is_trusted = trust is Trust.TRUSTED
    words = "this server is trusted" if is_trusted else "server not trusted: every call asks"
    reasons = (tool.effect.meaning, words)
    return Verdict(VerdictAnswer.ASK, reasons, strong=tool.effect.may_destroy)


def readers(count: int) -> list[ToolDefinition]:
    """Tools that claim to be read-only."""
    hints: JsonValue = {"readOnlyHint": True}
    schema: JsonValue = {"type": "object"}
    return [
        read_tool(at, {"name": f"read_{at}", "inputSchema": schema, "annotations": hints})
        for at in range(count)
    ]


def effect_on(tools: Sequence[ToolDefinition], policy: Policy | None = None) -> TrustEffect:
    """What trust would change for these tools."""
    rules = policy or built_in("cautious")

    def case(request: Request, trust: Trust) -> Case:
        return Case(request.definition, trust, "demo", method=request.method)

    return effect_of_trust(
        tools, rules, lambda request, trust: rules.judge(case(request, trust)), case
    )


def digests(question: OwnQuestion) -> dict[str, str]:
    """What names a definition and arguments in a dialog, for texts in which both have a name."""
    snapshot = question.snapshot
    return {
        "DEFINITION": snapshot.definition_digest[:8],
        "ARGUMENTS": snapshot.arguments_digest[:8],
    }


class Host(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("the bench")


@dataclass
class Scene(Hand):
    """A guarded dialog that is open, and a hand at it; `decisions`: what it was dismissed with."""

    app: Host
    pilot: Pilot[None]
    dialog: GuardedDialog[Any]
    clock: MovedClock
    decisions: list[Any] = field(default_factory=list)

    @property
    def sheet(self) -> str:
        """All that the sheet of the dialog says, a line in one row, however little is in sight."""
        return regions.whole(self.dialog.query(SheetView).first())

    @property
    def title(self) -> str:
        """The words in the upper frame, without the time."""
        return self._frames[0].split("  ")[0]

    @property
    def keys_said(self) -> str:
        """The words in the lower frame: keys, or why they do nothing."""
        return self._frames[-1]

    @property
    def _frames(self) -> list[str]:
        lines = [line.render().plain for line in self.dialog.query(FrameLine)]
        return [re.sub("[━─┏┓┗┛┠┨╭╮╰╯├┤]+", "  ", line).strip() for line in lines]

    async def until(self, is_so: Callable[[], object], what: str = "it") -> None:
        """Wait, while the dialog looks at its clock, which stands still."""
        for _ in range(400):
            if is_so():
                return
            self.clock.look(1)
            await self.pilot.pause()
            if is_so():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"{what} did not happen")

    async def looks(self) -> None:
        """Let the dialog look at its clock as often as it wants to before it hears."""
        self.clock.look()
        await self.pilot.pause()

    async def arm(self) -> None:
        self.clock.pass_by(0.6)
        await self.until(lambda: self.dialog.is_armed)

    async def strike(self, key: str, after: float) -> None:
        """One key so many seconds after what was before; it has been heard when this returns.

        The dialog looks at its clock just before.
        """
        self.clock.pass_by(after)
        self.clock.look(1)
        character = {"enter": "\r", "space": " "}.get(key, key if len(key) == 1 else None)
        name = _character_to_key(key) if len(key) == 1 else key
        self.app.post_message(events.Key(name, character))
        await many_steps()

    async def press(self, *keys: str, after: float = 0.4) -> None:
        """Keys, each so many seconds after what was before; then what they changed is drawn."""
        for key in keys:
            await self.strike(key, after)
        await self.pilot.pause()

    async def do(self, deeds: str) -> None:
        """Deeds in words: `a` presses a key, `a@0.1` so many seconds after what was before, `a*30`
        holds it, `click:approve` clicks a button, `paste` pastes, and `~2` rests so many seconds.
        """
        for deed in deeds.split():
            key, _, after = deed.partition("@")
            key, _, times = key.partition("*")
            kind, _, rest = key.partition(":")
            if deed.startswith("~"):
                await self.rest(float(deed[1:] or 0.8))
            elif kind == "click":
                await self.pilot.click(f"#{rest}")
            elif kind == "paste":
                self.app.post_message(events.Paste("\n\n yes\r\n\x19\x19"))
                await self.looks()
            elif times:
                await self.hold(key, int(times))
            else:
                await self.press(key, after=float(after or 0.4))

    async def hold(self, key: str, times: int) -> None:
        """What a terminal sends of a key held down, 30 times a second."""
        for _ in range(times):
            await self.strike(key, 0.033)
        await self.pilot.pause()

    async def rest(self, seconds: float = 0.8) -> None:
        """Let time pass and the dialog notice."""
        self.clock.pass_by(seconds)
        await self.looks()


S = TypeVar("S", bound=Scene)


@dataclass
class Stage(Scene):
    dialog: ApprovalDialog
    decisions: list[Decision | None] = field(default_factory=list)

    @property
    def answers(self) -> list[DecisionAnswer | None]:
        return [None if one is None else one.answer for one in self.decisions]

    @property
    def told(self) -> list[Decision | None]:
        """The decisions, however long they took."""
        return [one and replace(one, seconds=None) for one in self.decisions]


@dataclass
class TrustStage(Scene):
    dialog: TrustDialog
    decisions: list[TrustEffect | None] = field(default_factory=list)


@asynccontextmanager
async def on_stage(
    kind: type[S], dialog: GuardedDialog[Any], clock: MovedClock, *, size: Any, is_armed: bool
) -> AsyncIterator[S]:
    """A dialog over an empty program."""
    app = Host()
    async with app.run_test(size=size) as pilot:
        scene = kind(app, pilot, dialog, clock)
        app.push_screen(dialog, scene.decisions.append)
        await pilot.pause()
        if is_armed:
            await scene.arm()
        yield scene


@asynccontextmanager
async def trust_stage(
    effect: TrustEffect, *, size: tuple[int, int] = (120, 36), is_armed: bool = True, **options: Any
) -> AsyncIterator[TrustStage]:
    """The question whether to trust a server; `options` go to the dialog."""
    clock = MovedClock()
    server = Server("demo", "python -m signoff.app.demo", "stdio:demo", Trust.UNTRUSTED)
    dialog = TrustDialog(server, effect, clock=clock, **options)
    async with on_stage(TrustStage, dialog, clock, size=size, is_armed=is_armed) as scene:
        yield scene


@asynccontextmanager
async def stage(
    question: Question | None = None,
    *,
    size: tuple[int, int] = (120, 36),
    is_armed: bool = True,
    **options: Any,
) -> AsyncIterator[Stage]:
    """A dialog that is open; `options` go to it."""
    clock = MovedClock()
    dialog = ApprovalDialog(question or ask(), clock=clock, **options)
    async with on_stage(Stage, dialog, clock, size=size, is_armed=is_armed) as scene:
        yield scene


def middle(widget: Any) -> Offset:
    region = widget.region
    return Offset(region.x + region.width // 2, region.y)


def mouse_event(kind: type[events.MouseEvent], at: Offset, *, button: int = 0) -> events.MouseEvent:
    return kind(None, at.x, at.y, 0, 0, button, False, False, False)
