"""The screens about approval, opened from the bench, and what they bring back to it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from signoff.app.approval.approval import Decision, DecisionAnswer, approve
from signoff.app.approval.grants import Remember, Scope
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.questions.questions import Question
from signoff.app.calls.call import Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.features.audit.screen import AuditScreen
from signoff.app.features.matrix.screen import MatrixScreen
from signoff.app.features.policies.grants_screen import GrantList, GrantsScreen
from signoff.app.features.policies.screen import PolicyScreen
from signoff.app.protocol.answers.copies import RepeatStatus
from signoff.app.protocol.requests import ToolCall
from signoff.app.protocol.server import Phase
from signoff.app.schemas.form.entries import Origin
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.text.pager import PagerScreen
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.widgets.forms.argument_form import ArgumentForm
from tests.approved import approved
from tests.engine.opened import Asked
from tests.servers import shifting, unsteady
from tests.tui.bench_stage import NARROW, WIDE, BenchStage, bench_stage
from tests.tui.regions import notices, seen, whole

PROSE = approved("tui-browse")
SHIFTING = (sys.executable, "-S", str(Path(shifting.__file__)))


class Approves:
    """Approves at once; `scope` is what it wants remembered."""

    def __init__(self, scope: Scope = Scope.ONCE, days: int = 0) -> None:
        self.questions: list[Any] = []
        self._remember = Remember(scope, days)

    async def ask(self, question: Question) -> Decision:
        self.questions.append(question)
        return Decision(DecisionAnswer.APPROVE, "you", remember=self._remember)


async def opens(stage: BenchStage, key: str, screen: type) -> None:
    await stage.press(key)
    await stage.until(lambda: isinstance(stage.app.screen, screen), screen.__name__)
    await stage.rests()


def grants(stage: BenchStage) -> GrantList:
    return stage.app.screen.query_one(GrantList)


def said_of_call(stage: BenchStage) -> str:
    """What stands over an answer, without its first line, which has the times."""
    headline = stage.app.screen.query_one("AnswerPane .headline", Static)
    return "\n".join(whole(headline).split("\n")[1:])


async def is_back(stage: BenchStage, key: str = "escape") -> None:
    await stage.press(key)
    await stage.until(lambda: len(stage.app.screen_stack) == 1, "the bench")


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_matrix_policy_and_log_open_over_the_bench(size: tuple[int, int]) -> None:
    async with bench_stage(argv=SHIFTING, keeps=True, size=size) as stage:
        await stage.choose("shape_shifter")
        await opens(stage, "f2", MatrixScreen)
        await stage.sees("Matrix", "shape_shifter")
        await stage.press("2")
        await stage.sees("what if")
        await is_back(stage)
        assert stage.engine.consent.what_if == {"shape_shifter": {"destructive": False}}
        await stage.sees("what if") if size == WIDE else None
        await opens(stage, "ctrl+o", PolicyScreen)
        await stage.press("down", "enter")
        await stage.until(lambda: stage.engine.policy.name == "first-use", "the policy")
        await stage.until(lambda: len(stage.app.screen_stack) == 1, "the bench")
        await stage.sees("first-use")
        await opens(stage, "ctrl+l", AuditScreen)
        await stage.sees("what-if", "policy")
        await is_back(stage)
        await opens(stage, "f10", GrantsScreen)
        assert not grants(stage).row_count
        await is_back(stage)
        await opens(stage, "D", PagerScreen)
        await stage.sees("first session with this server")
        await is_back(stage)


@pytest.mark.slow
async def test_what_is_remembered_is_listed_and_revoked() -> None:
    async with bench_stage(argv=SHIFTING, keeps=True) as stage:
        stage.engine.approver = approver = Approves(Scope.UNTIL, 7)
        await stage.call("shape_shifter")
        await stage.call("shape_shifter")
        assert len(approver.questions) == 1
        await opens(stage, "f10", GrantsScreen)
        await stage.sees("shape_shifter", "1 use")
        await stage.resize(*NARROW)
        await stage.sees("given ", " ago", "1 use", "last used ", "ends ")
        await stage.resize(*WIDE)
        await stage.press("r")
        await stage.until(lambda: not grants(stage).row_count, "the grant to go")
        PROSE.holds("grants: none", seen(grants(stage)))
        await is_back(stage)
        await stage.call("shape_shifter")
        assert len(approver.questions) == 2
        stage.engine.memory.deny_for_session(ToolCall(stage.engine.tools[0]))
        await opens(stage, "f10", GrantsScreen)
        PROSE.holds("grants: a denial", seen(grants(stage)).split("\n")[0])
        await stage.press("X")
        assert stage.engine.memory.denied == ("shape_shifter",)
        await stage.press("X")
        await stage.until(lambda: not grants(stage).row_count, "the denial to go")
        assert not stage.engine.memory.denied


@pytest.mark.slow
async def test_a_changed_definition_is_marked_and_shown() -> None:
    async with bench_stage(argv=SHIFTING, keeps=True) as stage:
        stage.engine.approver = Approves()
        change = stage.tool("change_definition")
        stage.engine.call(change, {"change": "weaken", "announce": True})
        await stage.sees("1 changed")
        await stage.choose("shape_shifter")
        await stage.sees(" chg ")
        await opens(stage, "D", PagerScreen)
        await stage.sees("readOnlyHint")
        await is_back(stage)
        await stage.press("f4")
        await stage.sees("changes", "history")


@pytest.mark.slow
async def test_a_lost_connection_is_made_again_and_the_call_retried(tmp_path: Path) -> None:
    argv = (sys.executable, "-S", str(Path(unsteady.__file__)), str(tmp_path / "lost"))
    async with bench_stage(argv=argv, keeps=True) as stage:
        stage.engine.approver = Approves()
        lost = await stage.call("lose_repeatable")
        assert lost.outcome is Outcome.CONNECTION_LOST
        await stage.sees("lost?", "shift+f5: restart")
        await stage.press("shift+f5")
        await stage.until(lambda: "Restarting" in notices(stage.app), "the words on it")
        PROSE.holds("retry notice: connects first", notices(stage.app).split("\n")[-1])
        await stage.until(lambda: stage.engine.server.phase is Phase.CONNECTED, "the connection")
        # What the next press does is said where the call is, too.
        await stage.no_longer_sees("shift+f5: restart")
        await stage.sees("R: retry")
        await stage.press("R")
        await stage.until(lambda: len(stage.engine.calls) == 2, "the retry")
        again = await stage.end()
        assert (again.outcome, again.retry_of) == (Outcome.OK, lost.id)
        # In one row, or folded in the column of the answer.
        said = re.compile(rf"retry of\s+(?:│\n.*││\s+)?call {lost.id}\b")
        await stage.until(lambda: said.search(stage.text), "what it retries")


@pytest.mark.slow
async def test_what_counts_twice_is_asked_about_whatever_the_policy_says() -> None:
    async with bench_stage("--with", "all") as stage:
        stage.engine.consent.set_policy(built_in("allow-all"))
        await stage.call("count_in_secret")
        await stage.press("C")
        second = await stage.end(after=1)
        assert second.comparison is not None
        assert second.comparison.repeat is not None
        assert second.comparison.repeat.standing is RepeatStatus.CONTRADICTED
        await stage.sees("contradicted")
        PROSE.holds("comparison: a hint is contradicted", said_of_call(stage))
        await stage.call("count_up")
        await stage.press("C")
        await stage.sees("Not called yet")
        assert stage.newest == second.id + 1
        await stage.press("C")
        await stage.is_open(ApprovalDialog)
        await stage.sees("it repeats call 3")
        await stage.no_longer_sees("moment")
        await stage.press("escape")
        assert (await stage.end(after=3)).outcome is Outcome.DENIED
        await stage.choose("count_up")
        stage.engine.approver = approver = Approves()
        fourth = await stage.engine.ended(stage.engine.call_again(3, must_ask=True))
        assert [question.verdict.strong for question in approver.questions] == [True]
        assert fourth.comparison is not None
        assert fourth.comparison.repeat is not None
        assert fourth.comparison.repeat.standing is RepeatStatus.UPHELD
        # It is asked about again for another call.
        await stage.press("C")
        await stage.sees("Not called yet")
        assert stage.newest == 5
        # A key makes a second call fair.
        tool = stage.tool("send_with_key")
        stage.engine.call(tool, {"text": "hello", "idempotencyKey": "k-1"})
        await stage.end(after=5)
        await stage.press("C")
        await stage.end(after=6)
        await stage.sees("second: duplicate")
        PROSE.holds("comparison: the same key", said_of_call(stage))


@pytest.mark.slow
async def test_calling_again_compares_and_what_is_not_idempotent_is_not_called() -> None:
    argv = (sys.executable, "-S", str(Path(unsteady.__file__)), "/")
    async with bench_stage(argv=argv, keeps=True) as stage:
        stage.engine.approver = Approves()
        await stage.call("count")
        await stage.press("C")
        await stage.end(after=1)
        await stage.sees("differs from")
        PROSE.holds("comparison: what differs", said_of_call(stage))
        await stage.call("lose_plain")
        await stage.press("C")
        await stage.is_told("Not called yet")
        PROSE.holds("repeat notice: not idempotent", notices(stage.app).split("\n")[-1])
        assert len(stage.engine.calls) == 3


async def fresh_key(stage: BenchStage) -> tuple[ArgumentForm, JsonValue]:
    """The form of a tool with a key in it that was made here."""
    await stage.choose("order_pizza")
    form = stage.app.screen.query_one(ArgumentForm)
    assert "idempotencyKey" not in form.arguments
    await stage.press("ctrl+g")
    await stage.until(lambda: "idempotencyKey" in form.arguments, "a key")
    assert form.origins["idempotencyKey"] is Origin.FILLED
    return form, form.arguments["idempotencyKey"]


@pytest.mark.slow
async def test_a_fresh_key_is_kept_on_a_retry_and_renewed_for_a_new_call() -> None:
    async with bench_stage(is_demo=True, keeps=True) as stage:
        stage.engine.approver = approver = Approves()
        form, first = await fresh_key(stage)
        call = await stage.call("order_pizza")
        assert call.snapshot.arguments()["idempotencyKey"] == first
        await stage.until(lambda: form.arguments.get("idempotencyKey") not in (None, first), "new")
        assert form.origins["idempotencyKey"] is Origin.FILLED
        again = stage.engine.retry(call.id)
        assert stage.engine.calls[again].snapshot == call.snapshot
        ended = await stage.end()
        assert ended.answer is not None
        assert ended.answer.structured == {"order": 1, "size": "small", "alreadyOrdered": True}
        # Nobody typed it, by a retry as little as from an earlier call.
        assert approver.questions[-1].origins["idempotencyKey"] is Origin.FILLED
        stage.app.screen.query_one(ToolPane).fill(call.snapshot.arguments())
        assert form.arguments["idempotencyKey"] == first
        assert form.origins["idempotencyKey"] is Origin.FILLED


@pytest.mark.slow
async def test_a_key_is_renewed_for_its_own_tool_where_another_one_is_shown_by_then() -> None:
    async with bench_stage(is_demo=True, keeps=True) as stage:
        stage.engine.approver = asked = Asked()
        form, first = await fresh_key(stage)
        await stage.press("f5")
        await asked.question()
        await stage.choose("send_message")
        before = form.arguments.get("idempotencyKey")
        asked.answer(approve("you"))
        await stage.end()
        assert form.arguments.get("idempotencyKey") == before
        await stage.choose("order_pizza")
        assert form.arguments["idempotencyKey"] not in (None, first)
        assert form.origins["idempotencyKey"] is Origin.FILLED


@pytest.mark.slow
async def test_a_mode_that_is_chosen_in_the_matrix_decides_from_then_on() -> None:
    async with bench_stage(is_demo=True, keeps=True) as stage:
        from signoff.app.hosts.rules import read_host

        stage.engine.consent.set_policy(read_host("goose"))
        await stage.choose("calculate_sum")
        await stage.press("f2")
        await stage.sees("under Goose")
        await stage.press("o", "o")
        await stage.sees("under Goose approve")
        await stage.press("enter")
        await stage.until(lambda: stage.engine.policy.name == "goose:approve", "the mode")
        await stage.sees("as Goose approve")
        await stage.press("f2")
        await stage.sees("under Goose approve")
        await stage.press("escape", "ctrl+o")
        await stage.sees("Goose approve")


@pytest.mark.slow
async def test_by_the_rules_of_a_host_the_answer_is_asked_about() -> None:
    argv = (sys.executable, "-S", str(Path(unsteady.__file__)), "/")
    async with bench_stage(argv=argv, keeps=True) as stage:
        from signoff.app.hosts.rules import read_host

        stage.engine.consent.set_policy(read_host("vscode"))
        await stage.sees("as VS Code")
        await stage.choose("look_outside")
        await stage.press("f5")
        await stage.sees("Use this response?", "secret words")
        await stage.asks(ApprovalDialog)
        await stage.press("escape")
        call = await stage.end()
        assert call.withheld
        await stage.sees("withheld by you")
        assert "secret words" not in stage.text
        await stage.press("f8")
        await stage.rests()
        assert "secret words" not in stage.text
