"""What comes between two steps of settling a call, when nothing waits for it: it counts as well."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import DecisionAnswer
from signoff.app.approval.grants import Scope
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.policies.rules import Then
from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.approval.server_questions import AboutElicitation
from signoff.app.calls.call import Outcome, State
from signoff.app.engine import request_handler
from signoff.app.engine.calls import call_task, decide, evaluate_policy
from signoff.app.engine.events import EngineEvent, ServerAnswered
from signoff.app.protocol.server import Trust
from tests.approved import approved
from tests.engine.calls.test_trials import policy
from tests.engine.opened import Approves, Opened, Remembers, opened
from tests.engine.test_asked_by_server import Answers, trusted
from tests.servers import filed, recorded

PROSE = approved("engine-calls")

READS: dict[str, Any] = {"readOnlyHint": True, "openWorldHint": False}


class HeldUp:
    """The comparison for a question, which runs in a thread and is held up."""

    def __init__(self, one: Opened) -> None:
        self._may_end = threading.Event()
        self.begun = threading.Event()
        memory = one.engine.memory
        self._real = memory.changes_since_approval
        memory.knows_earlier = lambda tool: True  # type: ignore[method-assign]
        memory.changes_since_approval = self._diff  # type: ignore[method-assign]

    def _diff(self, tool: Any) -> Any:
        self.begun.set()
        assert self._may_end.wait(60)
        return self._real(tool)

    @contextlib.contextmanager
    def meanwhile(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._may_end.set()


async def asking(one: Opened, held: HeldUp, name: str) -> int:
    number = one.begin(name)
    await one.watch.call(number, lambda call: call.state is State.ASKING)
    assert await asyncio.to_thread(held.begun.wait, 20)
    return number


async def test_a_call_that_is_cancelled_before_its_question_is_open_is_not_asked_about() -> None:
    async with opened() as one:
        held = HeldUp(one)
        one.engine.approver = approver = Approves()
        with held.meanwhile():
            number = await asking(one, held, "delete_thing")
            one.engine.cancel(number)
        call = await one.ended(number)
    assert approver.questions == []
    assert (call.outcome, call.sent) == (Outcome.DENIED, False)


async def test_a_definition_that_changes_before_the_question_is_open_closes_it(
    tmp_path: Path,
) -> None:
    file = tmp_path / "tools.json"
    thing = {"name": "thing", "inputSchema": {"type": "object"}}
    file.write_text(json.dumps([thing]))
    async with opened(argv=(sys.executable, "-S", filed.__file__, str(file))) as one:
        held = HeldUp(one)
        one.engine.approver = approver = Approves()
        with held.meanwhile():
            number = await asking(one, held, "thing")
            file.write_text(json.dumps([{**thing, "description": "Another one."}]))
            await one.engine.definitions.recheck()
        call = await one.ended(number)
    assert approver.questions == []
    assert call.outcome is Outcome.NOT_SENT
    assert "another definition now" in call.reason


async def test_a_definition_that_changes_while_the_policy_decides_leaves_no_approval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tools.json"
    thing = {"name": "thing", "inputSchema": {"type": "object"}, "annotations": READS}
    file.write_text(json.dumps([thing]))
    argv = (sys.executable, "-S", filed.__file__, str(file))
    async with opened(argv=argv, trust=Trust.TRUSTED) as one:
        real = evaluate_policy.judge

        async def judge(*args: Any) -> Verdict:
            verdict = await real(*args)
            file.write_text(json.dumps([{**thing, "description": "Another one."}]))
            await one.engine.definitions.recheck()
            return verdict

        monkeypatch.setattr(decide, "judge", judge)
        call = await one.call("thing")
    assert call.verdict.answer is VerdictAnswer.ALLOW
    assert call.outcome is Outcome.NOT_SENT
    assert call.decision is not None
    assert call.decision.answer is DecisionAnswer.WITHDRAWN


async def test_a_connection_that_is_lost_before_the_question_is_open_closes_it() -> None:
    async with opened() as one:
        held = HeldUp(one)
        one.engine.approver = approver = Approves()
        with held.meanwhile():
            number = await asking(one, held, "delete_thing")
            one.engine.link.kill()
            await one.watch.until(lambda: not one.engine.server.is_open)
        call = await one.ended(number)
    assert approver.questions == []
    assert call.outcome is Outcome.NOT_SENT


def after(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, happens: Callable[[], None], at: int = 1
) -> None:
    """Let something happen between the end of a step, the `at`th time, and what goes on from it."""
    real: Callable[..., Awaitable[Any]] = getattr(owner, name)
    times = itertools.count(1)

    async def slow(*args: Any, **more: Any) -> Any:
        found = await real(*args, **more)
        if next(times) == at:
            happens()
        return found

    monkeypatch.setattr(owner, name, slow)


@pytest.mark.skipif(sys.platform == "win32", reason="the limits are POSIX")
async def test_other_rules_while_it_is_judged_have_trials_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened(policy=built_in("ask-always")) as one:
        one.engine.approver = approver = Approves()
        rules = policy(Then.ALLOW, "a+")
        after(monkeypatch, evaluate_policy, "tried", lambda: one.engine.consent.set_policy(rules))
        call = await one.call("delete_thing", name="aaa")
    assert call.verdict.answer is VerdictAnswer.ALLOW
    assert approver.questions == []


@pytest.mark.skipif(sys.platform == "win32", reason="the limits are POSIX")
async def test_trust_that_is_taken_away_while_it_is_judged_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened(trust=Trust.TRUSTED) as one:
        one.engine.approver = approver = Approves()
        after(monkeypatch, evaluate_policy, "tried", lambda: one.engine.set_trust(Trust.UNTRUSTED))
        call = await one.call("read_thing", name="x")
    assert call.verdict.answer is VerdictAnswer.ASK
    (question,) = approver.questions
    assert question.trust is Trust.UNTRUSTED


async def test_a_remembered_approval_is_not_used_by_rules_that_ask_always_by_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(store=tmp_path) as one:
        one.engine.approver = Remembers(Scope.UNTIL, 7)
        await one.call("delete_thing", name="x")
        one.engine.approver = approver = Approves()
        assert (await one.call("delete_thing", name="x")).sent
        assert approver.questions == []
        rules = built_in("ask-always")
        after(
            monkeypatch,
            one.engine.definitions,
            "recheck",
            lambda: one.engine.consent.set_policy(rules),
        )
        await one.call("delete_thing", name="x")
        assert len(approver.questions) == 1
        assert [grant.uses for grant in one.engine.memory.grants()] == [1]


def other_policy(name: str) -> Callable[[Opened], None]:
    return lambda one: one.engine.consent.set_policy(built_in(name))


@pytest.mark.parametrize(
    ("happens", "is_sent"),
    [
        (lambda one: one.engine.set_trust(Trust.UNTRUSTED), False),
        (lambda one: one.engine.consent.set_what_if("read_thing", {"readOnly": False}), False),
        (other_policy("ask-always"), False),
        (other_policy("allow-all"), True),
    ],
    ids=["trust", "what-if", "stricter", "milder"],
)
async def test_what_nobody_was_asked_about_is_not_sent_by_rules_that_would_ask(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    happens: Callable[[Opened], None],
    is_sent: bool,
) -> None:
    record = tmp_path / "record"
    async with opened("--record", str(record), trust=Trust.TRUSTED) as one:
        one.engine.approver = approver = Approves()
        after(monkeypatch, one.engine.definitions, "refresh", lambda: happens(one))
        call = await one.call("read_thing", name="x")
        assert approver.questions == []
        assert (call.outcome is Outcome.OK, call.sent) == (is_sent, is_sent)
        if not is_sent:
            assert call.outcome is Outcome.NOT_SENT
            PROSE.holds("not sent: changed", call.reason)
        again = await one.call("read_thing", name="x")
        assert (again.outcome, len(approver.questions)) == (Outcome.OK, int(not is_sent))
    assert len(recorded(record)) == 1 + is_sent


async def test_what_a_person_approved_is_sent_whatever_the_rules_are_by_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened(trust=Trust.TRUSTED) as one:
        one.engine.approver = approver = Approves()
        rules = built_in("ask-always")
        after(
            monkeypatch,
            one.engine.definitions,
            "refresh",
            lambda: one.engine.consent.set_policy(rules),
        )
        call = await one.call("delete_thing", name="x")
    assert (call.outcome, len(approver.questions)) == (Outcome.OK, 1)


async def test_what_is_cancelled_before_anything_is_on_its_way_does_not_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while its server's lists are read, to tell later what the call has changed in them."""

    @contextlib.asynccontextmanager
    async def watched(around: Any, telling: Any) -> AsyncIterator[None]:
        one.engine.cancel(telling.call.id)
        yield

    monkeypatch.setattr(call_task, "watched", watched)
    record = tmp_path / "record"
    async with opened("--record", str(record)) as one:
        one.engine.approver = Approves()
        call = await one.call("delete_thing", name="x")
    assert call.outcome is Outcome.CANCELLED
    PROSE.holds("cancelled: before it was sent", call.reason)
    assert recorded(record) == []


async def test_what_is_cancelled_with_its_last_answer_is_not_made_again(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with trusted("--era", "modern", "--record", str(record)) as one:
        one.engine.approver = Answers({"sure": True})

        def hear(event: EngineEvent) -> None:
            if isinstance(event, ServerAnswered):
                # In the turn after the answer, and before anybody went on with it.
                asyncio.get_running_loop().call_soon(one.engine.cancel, 1)

        one.engine.subscribe(hear)
        call = await one.call("asks_elicitation")
    assert call.outcome is Outcome.CANCELLED
    assert len(recorded(record)) == 1


async def test_what_is_closed_while_an_answer_is_checked_is_not_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with trusted("--era", "legacy") as one:
        approver = one.engine.approver = Answers({"sure": "very"})
        after(
            monkeypatch,
            request_handler,
            "judge_arguments_in_worker",
            lambda: one.engine.requests.close("the connection was lost"),
            # The first time it is what the server suggests that is checked.
            at=2,
        )
        await one.call("asks_elicitation")
        (answered,) = one.watch.of(ServerAnswered)
    (question,) = approver.questions
    assert isinstance(question, AboutElicitation)
    assert answered.decision.answer is DecisionAnswer.WITHDRAWN
