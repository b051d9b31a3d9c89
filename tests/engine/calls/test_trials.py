"""A policy's own patterns and schemas: tried where they can be stopped, and what comes of it."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any

import pytest

from signoff.app.approval.matrix import SET_BY_PERSON
from signoff.app.approval.policies.argument_rules import ArgumentCondition, Comparison
from signoff.app.approval.policies.patterns import Trial, TrialOf, Tried, carry_out, carry_out_all
from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.rules import FactCondition, FactOf, Rule, Then
from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.calls.call import Outcome
from signoff.app.engine.calls.context import REMEMBERED, PatternCache
from signoff.app.protocol.hints import Effect
from signoff.app.protocol.server import Trust
from signoff.app.sandbox import worker
from tests.approved import approved
from tests.engine.opened import Approves, opened
from tests.tiers import first_quick

PROSE = approved("engine-calls")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the limits are POSIX")

EVIL = "(a+)+b"
FLOOD: dict[str, Any] = {
    "$ref": "#/$defs/d0",
    "$defs": {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)}
    | {"d30": {}},
}
LONG = "a" * 44
STOPPED = ("took longer than 1 s", "used more than 1 s of processor time")


def pattern(text: str, found: Any = LONG) -> Trial:
    return Trial(TrialOf.PATTERN, text, found)


def policy(then: Then, *wanted: str, schema: Any = None) -> Policy:
    """Rules of one test each, in this order, and one that asks."""
    tests = [ArgumentCondition("/name", Comparison.MATCHES, one) for one in wanted]
    if schema is not None:
        tests.append(ArgumentCondition("/name", Comparison.SCHEMA, schema))
    rules = [Rule(n, then, arguments=(test,)) for n, test in enumerate(tests, start=1)]
    return Policy("own", (*rules, Rule(len(rules) + 1, Then.ASK)))


def begin_of_trials(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set as soon as a trial is handed to a worker."""
    begun = asyncio.Event()
    real = worker.run_limited

    async def told(function: Any, *args: Any, **limits: Any) -> Any:
        if function is carry_out_all:
            begun.set()
        return await real(function, *args, **limits)

    monkeypatch.setattr(worker, "run_limited", told)
    return begun


class TestTrials:
    async def test_what_comes_of_them_is_what_comes_of_them_here(self) -> None:
        trials = [
            pattern("a+"),
            pattern("b"),
            pattern("("),
            Trial(TrialOf.SCHEMA, {"maxLength": 3}, LONG),
            Trial(TrialOf.SCHEMA, {"minLength": 3}, LONG),
            Trial(TrialOf.SCHEMA, {"$ref": "https://example.org"}, LONG),
        ]
        found = await PatternCache().carried_out(trials)
        assert [found[trial.key] for trial in trials] == [carry_out(trial) for trial in trials]
        assert [found[trial.key].held for trial in trials] == [True, False, None, False, True, None]

    @pytest.mark.parametrize(
        "trial",
        first_quick([pattern(EVIL), Trial(TrialOf.SCHEMA, FLOOD, {})]),
        ids=["pattern", "schema"],
    )
    async def test_one_that_takes_too_long_is_stopped_and_never_waited_for_again(
        self, trial: Trial, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        trials = PatternCache()
        async with asyncio.timeout(60):
            found = await trials.carried_out([trial])
        assert found[trial.key].held is None
        assert found[trial.key].why in STOPPED
        runs = self.count_runs(monkeypatch)
        assert await trials.carried_out([trial]) == found
        assert trials.are_known([trial])
        assert runs == []

    @pytest.mark.slow
    async def test_whoever_wants_the_same_meanwhile_waits_for_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        runs, trials = self.count_runs(monkeypatch), PatternCache()
        both = await asyncio.gather(*(trials.carried_out([pattern(EVIL)]) for _ in range(2)))
        assert both[0] == both[1]
        assert len(runs) == 1

    @pytest.mark.slow
    async def test_the_slow_one_is_found_among_others_which_are_told(self) -> None:
        trials = [pattern("a+"), pattern(EVIL), pattern("b")]
        found = await PatternCache().carried_out(trials)
        assert [found[trial.key].held for trial in trials] == [True, None, False]

    @pytest.mark.slow
    async def test_many_slow_ones_have_a_limit_altogether(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("signoff.app.engine.calls.context.ALONE_SECONDS", 0.2)
        monkeypatch.setattr("signoff.app.engine.calls.context.ALTOGETHER_SECONDS", 0.5)
        trials = [pattern(EVIL, "a" * n) for n in range(40, 100)]
        carried = PatternCache()
        start = time.monotonic()
        found = await carried.carried_out(trials)
        assert time.monotonic() - start < 30
        words = [found[trial.key].why for trial in trials]
        assert all(found[trial.key].held is None for trial in trials)
        PROSE.holds("trial: not tested", words[-1])
        # Only what was tried is remembered.
        assert carried.are_known(trials[:1])
        assert not carried.are_known(trials[-1:])

    @pytest.mark.slow
    async def test_what_is_remembered_is_bounded(self) -> None:
        trials = PatternCache()
        many = [pattern("a+", str(n)) for n in range(REMEMBERED + 10)]
        assert len(await trials.carried_out(many)) == len(many)
        assert len(trials.known) == REMEMBERED
        assert not trials.are_known(many[:1])
        assert trials.are_known(many[-REMEMBERED:])

    async def test_without_a_worker_nothing_is_known_and_nothing_remembered(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(worker, "_idle", [])
        monkeypatch.setattr(sys, "executable", "/there/is/no/python")
        trials = PatternCache()
        found = await trials.carried_out([pattern("a+"), pattern("b")])
        words = "was not tested: the worker process could not be started"
        assert set(found.values()) == {Tried(None, words)}
        assert not trials.known

    async def test_cancelling_ends_the_trial(self) -> None:
        trials = PatternCache()
        running = asyncio.create_task(trials.carried_out([pattern(EVIL)]))
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert (await trials.carried_out([pattern("a+")])).popitem()[1].held is True

    @staticmethod
    def count_runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
        runs: list[str] = []
        real = worker.run_limited

        async def counted(function: Any, *args: Any, **limits: Any) -> Any:
            runs.append(function.__name__)
            return await real(function, *args, **limits)

        monkeypatch.setattr(worker, "run_limited", counted)
        return runs


class TestCalls:
    @pytest.mark.slow
    async def test_an_allowing_rule_that_cannot_be_judged_does_not_count(self) -> None:
        async with opened(trust=Trust.TRUSTED, policy=policy(Then.ALLOW, EVIL)) as one:
            one.engine.approver = approver = Approves()
            call = await one.call("read_thing", name=LONG)
            allowed = await one.call("read_thing", name="aab")
        [asked] = approver.questions
        words = (
            f'rule 1 cannot be judged and does not count: its pattern "{EVIL}" for argument /name'
        )
        assert asked.verdict.answer is VerdictAnswer.ASK
        assert asked.verdict.reasons[0].startswith(words)
        assert asked.verdict.unjudged == asked.verdict.reasons[:1]
        assert call.verdict.as_json()["unjudged"] == list(asked.verdict.unjudged)
        assert allowed.decision is not None
        assert (allowed.decision.by, allowed.verdict.unjudged) == ("policy", ())

    @pytest.mark.parametrize(
        "refusing", first_quick([policy(Then.REFUSE, EVIL), policy(Then.REFUSE, schema=FLOOD)])
    )
    async def test_a_refusing_rule_that_cannot_be_judged_refuses(self, refusing: Policy) -> None:
        async with opened(policy=refusing) as one:
            one.engine.approver = approver = Approves()
            call = await one.call("read_thing", name=LONG)
        assert (call.outcome, call.sent) == (Outcome.DENIED, False)
        assert "rule 1" in call.reason
        assert call.reason.startswith(call.verdict.unjudged)
        assert approver.questions == []

    async def test_a_refusing_rule_that_can_be_judged_and_does_not_match_lets_the_next_decide(
        self,
    ) -> None:
        refusing = policy(Then.REFUSE, "b+", "c+", schema={"maxLength": 3})
        async with opened(policy=refusing) as one:
            one.engine.approver = approver = Approves()
            call = await one.call("read_thing", name=LONG)
            refused = await one.call("read_thing", name="ccccc")
        assert (call.outcome, len(approver.questions)) == (Outcome.OK, 1)
        assert approver.questions[0].verdict.rule == "rule 4"
        assert refused.verdict.rule == "rule 2"

    async def test_a_what_if_is_tried_as_well(self) -> None:
        destroys = FactCondition(FactOf.EFFECT, frozenset({Effect.DESTRUCTIVE.value}))
        matches = ArgumentCondition("/name", Comparison.MATCHES, "a+")
        refuse = Rule(1, Then.REFUSE, conditions=(destroys,), arguments=(matches,))
        strict = Policy("own", (refuse, Rule(2, Then.ALLOW)))
        async with opened(trust=Trust.TRUSTED, policy=strict) as one:
            one.engine.consent.set_what_if("read_thing", {"readOnly": False, "destructive": True})
            call = await one.call("read_thing", name=LONG)
        assert call.outcome is Outcome.DENIED
        assert call.verdict.reasons[:2] == (SET_BY_PERSON, "rule 1 applies")

    async def test_a_verdict_without_trials_says_so_and_a_call_is_not_decided_by_it(self) -> None:
        async with opened(policy=policy(Then.ALLOW, "a+")) as one:
            tool = one.tool("read_thing")
            arguments = {"name": LONG}
            early = one.engine.verdict(tool, arguments)
            PROSE.holds("verdict: not tested", early.reasons[0])
            assert not one.engine.is_tried(tool, arguments)
            assert (await one.engine.tried_verdict(tool, arguments, ())).unjudged == ()
            assert one.engine.is_tried(tool, arguments)
            assert one.engine.is_tried(tool, None)
            assert one.engine.verdict(tool, arguments).answer is VerdictAnswer.ALLOW

    async def test_cancelling_a_call_that_is_being_judged_ends_it_at_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("signoff.app.engine.calls.context.ALONE_SECONDS", 60.0)
        async with opened(policy=policy(Then.ALLOW, EVIL)) as one:
            one.engine.approver = approver = Approves()
            begun = begin_of_trials(monkeypatch)
            call_id = one.begin("read_thing", name=LONG)
            await begun.wait()
            one.engine.cancel(call_id)
            call = await one.ended(call_id, seconds=30)
        assert (call.outcome, call.sent) == (Outcome.CANCELLED, False)
        PROSE.holds("cancelled: before it was sent", call.reason)
        assert call.decision is not None
        PROSE.holds("cancelled: before it was judged", call.decision.reason)
        assert approver.questions == []

    async def test_leaving_does_not_wait_for_a_pattern(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("signoff.app.engine.calls.context.ALONE_SECONDS", 60.0)
        async with opened(policy=policy(Then.ALLOW, EVIL)) as one:
            begun = begin_of_trials(monkeypatch)
            call_id = one.begin("read_thing", name=LONG)
            await begun.wait()
        assert one.engine.calls[call_id].is_over


async def test_a_cheap_schema_that_is_kept_needs_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = begin_of_trials(monkeypatch)
    cheap: Any = {"type": "string", "maxLength": 3}
    kept, broken = (Trial(TrialOf.SCHEMA, cheap, one) for one in ("abc", "abcd"))
    cache = PatternCache()
    assert await cache.carried_out([kept]) == {kept.key: Tried(True)} == {kept.key: carry_out(kept)}
    assert cache.are_known([kept])
    assert not begun.is_set()
    tried = (await cache.carried_out([kept, broken]))[broken.key]
    assert (tried, begun.is_set()) == (carry_out(broken), True)
