"""The surfaces that a flow runs on: each makes the calls of the steps, and answers their questions.

A question is answered as a person of that surface does: by a decision, by a typed word, or by keys
in the dialog. What the surface shows of each call has to be safe on a terminal.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import unicodedata
from collections.abc import AsyncIterator, Callable
from typing import Any
from weakref import WeakKeyDictionary

from textual.widget import Widget

from signoff.app.approval.approval import ONCE, Decision, DecisionAnswer
from signoff.app.approval.questions.questions import AboutAnswer, OwnQuestion, Question
from signoff.app.approval.server_questions import AboutElicitation, ServerQuestion, filled
from signoff.app.calls.call import Call
from signoff.app.cli.approving.approvers import LineApprover
from signoff.app.cli.approving.keyboard import Keyboard
from signoff.app.cli.approving.people import Person, ServerReply
from signoff.app.cli.approving.person import ScriptedPerson, own_decision, server_reply
from signoff.app.cli.approving.question_text import offered
from signoff.app.cli.calling import make_call
from signoff.app.cli.output.readable import print_call
from signoff.app.cli.output.reports import exit_status
from signoff.app.cli.plain.console import Console
from signoff.app.cli.plain.telling import tell
from signoff.app.cli.targets.live import Options
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.engine import Engine
from signoff.app.engine.events import EngineEvent
from signoff.app.features.flows.flow import Step
from signoff.app.features.flows.run.session import FlowSession
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.schemas.form.entries import Origin
from signoff.app.tui.app import SignoffApp
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.form_dialog import FormQuestionDialog
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.startup import AppConfig
from signoff.widgets.sheets import SheetView
from tests.tui import layout, regions
from tests.tui.bench_stage import WIDE, BenchStage
from tests.tui.clocks import AheadClock, arm, press_slowly

QUICK_SECONDS = 5.0
"""How long a call by key may take to begin, before its arguments count as refused by the form."""


def assert_safe(text: str) -> None:
    """No character of a server moves the cursor, changes a colour or turns the direction."""
    wrong = {one for one in text if one != "\n" and unicodedata.category(one) in ("Cc", "Cf", "Cs")}
    assert not wrong, f"shown as they are: {sorted(map(hex, map(ord, wrong)))}\n{text!a}"


class HeadlessSession(FlowSession):
    """Makes calls as `signoff call --json` does, and compares its report with the call."""

    async def ended(self, step: Step, tool: ToolDefinition | None, given: dict[str, Any]) -> Call:
        """Make the request of a step, and read what the command prints."""
        made: list[Call] = []
        make = super().ended

        class Following:
            async def ended(self, begin: Callable[[], int], *, is_told: bool) -> Call:
                made.append(await make(step, tool, given))
                return made[0]

        options = Options(self.prepared.config, as_json=True, session=Following())  # type: ignore[arg-type]
        printed, lines = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = await make_call(options, self.engine, None, lambda: 0)  # type: ignore[arg-type]
        (call,) = made
        with contextlib.redirect_stdout(lines):
            print_call(self.engine, call, self.hiding(call))
        assert_safe(printed.getvalue())
        assert_safe(lines.getvalue())
        report = json.loads(printed.getvalue())
        assert status == exit_status(call)
        assert (report["outcome"], report["sent"]) == (call.outcome, call.sent)
        assert report["verdict"]["answer"] == call.verdict.answer
        by = None if call.decision is None else call.decision.by
        assert (report["decision"] or {"by": None})["by"] == by
        codes = [one["code"] for one in report["findings"]]
        assert {one.code for one in call.findings} <= set(codes)
        if call.schema is not None:
            assert report["schema"]["answer"] == call.schema.answer
        return call


class _Typing(Keyboard):
    """Lines that a person has typed, each after the prompt for it."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self._lines = lines

    async def quiet(self, seconds: float = 0) -> bool:
        return False

    async def line(self) -> str | None:
        return self._lines.pop(0)

    async def is_more_coming(self) -> bool:
        return False


class SeenPerson(ScriptedPerson):
    """Remembers each question as its surface shows it."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.shown: dict[int, list[str]] = {}

    def _lines(self, question: Question) -> list[str]:
        return self.shown.get(id(question)) or super()._lines(question)


class PlainPerson(SeenPerson):
    """Types the words that plain mode asks for."""

    async def _to_own(self, question: OwnQuestion, person: Person) -> tuple[Decision, str]:
        wanted, trouble = own_decision(question, person)
        return await self._typed(question, wanted, [_own_word(question, wanted)]), trouble

    async def _to_server(
        self, question: ServerQuestion, reply: ServerReply
    ) -> tuple[Decision, str]:
        wanted, trouble = server_reply(question, reply)
        if reply.is_unchecked or trouble:
            return wanted, trouble
        lines = {DecisionAnswer.CANCEL: ["cancel"], DecisionAnswer.DENY: [""]}.get(wanted.answer)
        if lines is None:
            is_visit = isinstance(question, AboutElicitation) and question.elicitation.mode == "url"
            values = json.dumps(reply.values if reply.values is not None else question.draft or {})
            lines = ["consent"] if is_visit else [f"fill {values}", "send"]
        return await self._typed(question, wanted, lines), trouble

    async def _typed(self, question: Question, wanted: Decision, lines: list[str]) -> Decision:
        said: list[str] = []
        approver = LineApprover(
            None, keyboard=_Typing(lines), say=said.append, say_whole=said.append, can_edit=True,
            prompt=said.append,
        )  # fmt: skip
        decision = await approver.ask(question)
        assert_safe("\n".join(said))
        self.shown[id(question)] = said
        assert (decision.answer, decision.remember) == (wanted.answer, wanted.remember)
        assert decision.for_session == wanted.for_session
        return decision


def _own_word(question: OwnQuestion, wanted: Decision) -> str:
    """The word for a decision about a call, a read, or a response."""
    if wanted.for_session:
        return "deny session"
    if wanted.answer is DecisionAnswer.EDIT:
        return "edit"
    if wanted.answer is not DecisionAnswer.APPROVE:
        return "no"
    if isinstance(question, AboutAnswer):
        return "use"
    return next(word for word, what in offered(question).items() if what == wanted.remember)


class PlainSession(FlowSession):
    """Prints each call as plain mode does."""

    person_type = PlainPerson

    async def ended(self, step: Step, tool: ToolDefinition | None, given: dict[str, Any]) -> Call:
        """Make the request of a step, and print its end."""
        call = await super().ended(step, tool, given)
        printed = io.StringIO()
        tell(self.engine, call, Console(printed), self.hiding(call), is_all=True)
        assert_safe(printed.getvalue())
        assert f"call {call.id}" in printed.getvalue()
        return call


class ScreenPerson(SeenPerson):
    """Presses the keys of the dialog."""

    stage: BenchStage
    dialogs: Any
    turn: asyncio.Lock

    async def _to_own(self, question: OwnQuestion, person: Person) -> tuple[Decision, str]:
        wanted, trouble = own_decision(question, person)
        closes = person.answer == "close"
        decision = await self._pressed(question, question, wanted, closes=closes)
        assert (decision.answer, decision.remember) == (wanted.answer, wanted.remember)
        assert decision.for_session == wanted.for_session
        return decision, trouble

    async def _to_server(
        self, question: ServerQuestion, reply: ServerReply
    ) -> tuple[Decision, str]:
        wanted, trouble = server_reply(question, reply)
        is_visit = isinstance(question, AboutElicitation) and question.elicitation.mode == "url"
        if reply.is_unchecked or trouble or is_visit:
            return wanted, trouble
        written = question
        if wanted.answer is DecisionAnswer.APPROVE:
            values: dict[str, JsonValue] = dict(
                reply.values if reply.values is not None else question.draft or {}
            )
            written = filled(question, values, dict.fromkeys(values, Origin.TYPED))
            if not written.is_ready:
                return wanted, trouble
        closes = wanted.answer is DecisionAnswer.CANCEL
        decision = await self._pressed(question, written, wanted, closes=closes)
        assert decision.answer is wanted.answer
        return decision, trouble

    async def _pressed(
        self, question: Question, written: Question, wanted: Decision, *, closes: bool
    ) -> Decision:
        """Answer by keys; `written` is the question with the values of its form."""
        # Two that wait for a program to rest would keep each other from seeing it.
        async with self.turn:
            decision, rows = await self._in_dialog(written, wanted, closes=closes)
        self.shown[id(question)] = rows
        return decision

    async def _in_dialog(
        self, question: Question, wanted: Decision, *, closes: bool
    ) -> tuple[Decision, list[str]]:
        stage = self.stage
        answer = asyncio.ensure_future(self.dialogs.ask(question))
        await stage.until(lambda: isinstance(stage.app.screen, ApprovalDialog), "the dialog")
        dialog = stage.app.screen
        assert isinstance(dialog, ApprovalDialog)
        await arm(stage, dialog)
        if isinstance(dialog, FormQuestionDialog) and not closes:
            if not dialog._has_begun:
                await stage.until(lambda: dialog.is_filling, "the form")
            if dialog.is_filling:
                await stage.press("shift+tab")
                await stage.until(lambda: not dialog.is_filling, "the buttons")
                await arm(stage, dialog)
        sheet = dialog.query(SheetView).first()
        rows = regions.whole(sheet).split("\n")
        assert_safe(stage.text)
        assert not [*layout.overlaps(dialog), *layout.cut_texts(dialog)]
        if closes:
            await press_slowly(stage, "escape")
        else:
            await self._choose(dialog, wanted)
            while not answer.done() and stage.app.screen is dialog:
                await press_slowly(stage, "enter")
        decision: Decision = await answer
        await stage.until(lambda: stage.app.screen is not dialog, "the end of the dialog")
        return decision, rows

    async def _choose(self, dialog: ApprovalDialog, wanted: Decision) -> None:
        """Go to the button, for an approval to be remembered by way of the choices."""
        box = dialog._box
        if wanted.answer is DecisionAnswer.EDIT:
            assert box.edit is not None
            await self._go_to(dialog, box.edit)
        elif wanted.for_session:
            assert box.deny_session is not None
            await self._go_to(dialog, box.deny_session)
        elif wanted.answer is not DecisionAnswer.APPROVE:
            await self._go_to(dialog, box.deny)
        else:
            if wanted.remember != ONCE:
                await self._go_to(dialog, box.remember.choices)
                for _ in range(10):
                    if box.remember.remember == wanted.remember:
                        break
                    await press_slowly(self.stage, "down")
                    await arm(self.stage, dialog)
            await self.stage.press("end")
            await self._go_to(dialog, box.approve)
            await arm(self.stage, dialog)

    async def _go_to(self, dialog: ApprovalDialog, widget: Widget) -> None:
        for _ in range(10):
            if dialog.focused is widget:
                return
            await press_slowly(self.stage, "tab")
        raise AssertionError(f"{widget} is out of reach:\n{self.stage.text}")


_STAGES: WeakKeyDictionary[Engine, tuple[BenchStage, Any, asyncio.Lock]] = WeakKeyDictionary()


class ScreenSession(FlowSession):
    """Makes calls by key on the real screen, as far as its form takes the arguments."""

    person_type = ScreenPerson

    @staticmethod
    @contextlib.asynccontextmanager
    async def opening(
        options: Options,
        listener: Callable[[EngineEvent], None],
        approver: ScriptedPerson | None,
    ) -> AsyncIterator[Engine]:
        """Open the server in the program."""
        link = options.config.target.link()
        link.begin()
        engine = options.config.engine(link, listener=listener)
        app = SignoffApp(AppConfig.of(engine))
        app.animation_level = "none"
        app.dialog_clock = AheadClock()
        try:
            async with app.run_test(size=WIDE, notifications=True) as pilot:
                stage = BenchStage(app, pilot, engine)
                await stage.until(lambda: engine.is_listed and app.focused, "the tools")
                await stage.until(lambda: app.screen.query(Workplace), "the panes")
                place = app.screen.query_one(Workplace)
                await stage.until(lambda: place.is_complete, "the other panes")
                _STAGES[engine] = stage, engine.approver, asyncio.Lock()
                yield engine
        finally:
            await engine.close()

    def attend(self, person: Person, replies: Any) -> ScriptedPerson:
        """Let the person press keys from now on."""
        found = super().attend(person, replies)
        assert isinstance(found, ScreenPerson)
        found.stage, found.dialogs, found.turn = _STAGES[self.engine]
        return found

    async def ended(self, step: Step, tool: ToolDefinition | None, given: dict[str, Any]) -> Call:
        """Fill the form in and press the key, or make the call behind the screen."""
        stage, _, turn = _STAGES[self.engine]
        number = 0
        if tool is not None:
            async with turn:
                number = await self._called(stage, tool, given)
        if number:
            call = await self.followed(step, number)
        else:
            call = await super().ended(step, tool, given)
        await stage.until(lambda: len(stage.app.screen_stack) == 1, "the main screen")
        await stage.pilot.pause()
        assert_safe(stage.text)
        return call

    async def _called(self, stage: BenchStage, tool: ToolDefinition, given: dict[str, Any]) -> int:
        """The number of a call that was made by key; 0 if the form refuses its arguments."""
        place = stage.app.screen.query_one(Workplace)
        if not self.engine.server.is_open or not place.edit_in_form(tool.name, given):
            return 0
        await stage.sees_tool(tool.name)
        last = stage.newest
        await stage.press("f5")
        end = asyncio.get_running_loop().time() + QUICK_SECONDS
        while stage.newest == last and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.02)
        if stage.newest == last:
            return 0
        assert self.engine.calls[stage.newest].snapshot.arguments() == given
        return stage.newest
