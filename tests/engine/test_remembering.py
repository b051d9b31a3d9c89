"""Remembered approvals on a real server: what they cover, what ends them, who honours them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import DecisionAnswer
from signoff.app.approval.grants import DAY, Scope
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.calls.call import Outcome
from signoff.app.engine.memory import Memory
from signoff.app.protocol.definitions.changes import DefinitionDiff
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.storage.store import Store
from tests.approved import approved
from tests.engine.opened import Approves, Denies, Opened, Remembers, opened
from tests.servers import shifting
from tests.tiers import first_quick

PROSE = approved("engine")

SHIFTING = (sys.executable, "-S", str(Path(shifting.__file__)))
NOTE = {"note": "hello"}


@pytest.fixture
def changing(tmp_path: Path) -> Callable[..., Any]:
    """Opens a bench on a server that changes, which remembers from one opening to the next."""
    return partial(opened, argv=SHIFTING, trust=Trust.TRUSTED, store=tmp_path / "store")


CHANGES = [
    ("reword", True),
    ("weaken", False),
    *(("reword", False), ("weaken", True), ("break", True), ("break", False)),
]


async def change(one: Opened, how: str, *, announce: bool) -> None:
    """Let the server change the definition of shape_shifter; wait for the list if it says so."""
    one.engine.approver, before = Approves(), one.tool("shape_shifter").digest
    call = await one.call("change_definition", change=how, announce=announce)
    assert call.outcome is Outcome.OK
    if announce:
        await one.watch.until(lambda: one.tool("shape_shifter").digest != before)
        await one.engine.compared()


async def asks(one: Opened, name: str = "shape_shifter", /, **arguments: Any) -> bool:
    """Whether a call of these arguments is asked about; it is approved."""
    one.engine.approver = approver = Approves()
    await one.call(name, **arguments)
    return bool(approver.questions)


async def test_a_tool_until_a_date_is_asked_about_once(changing: Callable[..., Any]) -> None:
    async with changing() as one:
        one.engine.approver = approver = Remembers(Scope.UNTIL, 7)
        first = await one.call("shape_shifter", **NOTE)
        second = await one.call("shape_shifter", note="another")
        assert len(approver.questions) == 1
        assert (first.decision.by, second.decision.by) == ("you", "remembered approval")
        assert second.verdict.answer is VerdictAnswer.ALLOW
        assert second.outcome is Outcome.OK
    async with changing() as one:
        assert not await asks(one, **NOTE)
        (grant,) = one.engine.memory.grants()
        assert grant.uses == 2
        assert one.engine.consent.revoke(grant)
        assert await asks(one, **NOTE)


@pytest.mark.parametrize("scope", [Scope.ARGUMENTS, Scope.SESSION])
async def test_what_is_for_the_session_ends_with_it(
    changing: Callable[..., Any], scope: Scope, tmp_path: Path
) -> None:
    async with changing() as one:
        one.engine.approver = Remembers(scope)
        await one.call("shape_shifter", **NOTE)
        assert not await asks(one, **NOTE)
        assert await asks(one, note="other") is (scope is Scope.ARGUMENTS)
    with Store.open(tmp_path / "store") as store:
        assert store.grants.all(0) == ()
    async with changing() as one:
        assert await asks(one, **NOTE)


async def test_one_that_is_revoked_at_the_last_moment_lets_nothing_through(
    changing: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was found, and another Signoff revokes it while the definitions are listed once more."""
    async with changing() as one:
        one.engine.approver = Remembers(Scope.UNTIL, 7)
        await one.call("shape_shifter", **NOTE)
        really = one.engine.definitions.recheck

        async def revoked_meanwhile() -> Any:
            with Store.open(tmp_path / "store") as other:
                other.grants.clear()
            return await really()

        monkeypatch.setattr(one.engine.definitions, "recheck", revoked_meanwhile)
        one.engine.approver = denies = Denies()
        call = await one.call("shape_shifter", **NOTE)
        assert (call.outcome, call.sent) == (Outcome.DENIED, False)
        (question,) = denies.questions
        PROSE.holds("remembered: revoked", question.verdict.reasons[0])


@pytest.mark.parametrize(("how", "announce"), first_quick(CHANGES, 2, several=True))
async def test_a_changed_definition_ends_it(
    changing: Callable[..., Any], how: str, announce: bool
) -> None:
    async with changing() as one:
        one.engine.approver = Remembers(Scope.UNTIL, 7)
        await one.call("shape_shifter", **NOTE)
        await change(one, how, announce=announce)
        one.engine.approver = approver = Approves()
        call = await one.call("shape_shifter", **NOTE)
        if not announce:
            # It turns out only at the last look: nothing is sent, and the tool is to be read again.
            assert call.outcome is Outcome.NOT_SENT
            assert not call.sent
            assert "another definition now" in call.reason
            approver.questions.clear()
            await one.engine.compared()
            call = await one.call("shape_shifter", **NOTE)
        (question,) = approver.questions
        assert question.seen is DefinitionStatus.CHANGED
        assert question.diff is not None
        assert question.diff_since.startswith("approved on ")
        await change(one, "restore", announce=True)
        assert await asks(one, **NOTE), "what was ended stays so when the definition comes back"
        assert one.engine.memory.grants() == ()


async def test_definitions_are_compared_only_where_they_differ(
    changing: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with changing() as one:
        compared: list[str] = []
        memory: Memory = one.engine.memory
        really = memory.changes_since_approval

        def compare(tool: ToolDefinition) -> tuple[DefinitionDiff | None, str]:
            compared.append(tool.name)
            return really(tool)

        monkeypatch.setattr(memory, "changes_since_approval", compare)
        one.engine.approver = Approves()
        await one.call("shape_shifter", **NOTE)
        await one.call("shape_shifter", **NOTE)
        assert not compared
        await change(one, "reword", announce=True)
        one.engine.approver = approver = Approves()
        await one.call("shape_shifter", **NOTE)
        assert compared == ["shape_shifter"]
        await one.call("shape_shifter", **NOTE)
        assert compared == ["shape_shifter"]
        assert [question.diff is not None for question in approver.questions] == [True, False]


async def test_a_definition_that_changed_between_sessions_asks_with_its_diff(
    changing: Callable[..., Any], tmp_path: Path
) -> None:
    shape = tmp_path / "shape"
    argv = [*SHIFTING, str(shape)]
    shape.write_text("restore")
    async with changing(argv=argv) as one:
        one.engine.approver = Remembers(Scope.UNTIL, 7)
        await one.call("shape_shifter", **NOTE)
        assert one.engine.list_diff.is_empty
    shape.write_text("weaken")
    async with changing(argv=argv) as one:
        (diff,) = one.engine.list_diff.changed
        assert (diff.tool, diff.weight.words) == ("shape_shifter", "weakened")
        one.engine.approver = approver = Approves()
        await one.call("shape_shifter", **NOTE)
        (question,) = approver.questions
        assert question.diff == diff
        assert question.verdict.answer is VerdictAnswer.ASK
        assert "changed" in question.verdict.rule
    async with changing(argv=argv) as one:
        assert one.engine.list_diff.is_empty
        assert not await asks(one, **NOTE), "read-only by a trusted server, and approved so"


async def test_a_clock_that_went_back_ends_what_has_a_date(tmp_path: Path) -> None:
    now = 1_800_000_000.0
    changing = partial(opened, argv=SHIFTING, store=tmp_path / "store", clock=lambda: now)
    async with changing() as one:
        one.engine.approver = Remembers(Scope.UNTIL, 1)
        await one.call("shape_shifter", **NOTE)
        assert not await asks(one, **NOTE)
        now -= 2 * DAY
        assert await asks(one, **NOTE)
        assert "clock" in one.engine.memory.problem
        now += 2 * DAY
        assert not await asks(one, **NOTE)
        now += DAY
        assert await asks(one, **NOTE)


async def test_a_damaged_store_remembers_nothing(
    changing: Callable[..., Any], tmp_path: Path
) -> None:
    async with changing() as one:
        one.engine.approver = Remembers(Scope.UNTIL, 7)
        await one.call("shape_shifter", **NOTE)
    (file,) = (tmp_path / "store").glob("*.sqlite3")
    file.write_bytes(b"not a database at all" * 400)
    async with changing() as one:
        one.engine.approver = approver = Remembers(Scope.UNTIL, 7)
        for _ in range(2):
            await one.call("shape_shifter", **NOTE)
        assert len(approver.questions) == 2
        assert not any(question.can_remember for question in approver.questions)
        assert approver.questions[0].why_not_remembered == one.engine.memory.problem


@pytest.mark.parametrize("policy", ["ask-always", "read-only-loop"])
async def test_policies_that_do_not_go_by_what_is_remembered(
    changing: Callable[..., Any], policy: str
) -> None:
    async with changing() as one:
        one.engine.approver = Remembers(Scope.SESSION)
        await one.call("shape_shifter", **NOTE)
        one.engine.consent.set_policy(built_in(policy))
        one.engine.approver = approver = Approves()
        call = await one.call("shape_shifter", **NOTE)
        assert call.verdict.answer is not VerdictAnswer.ALLOW
        assert not any(question.can_remember for question in approver.questions)


async def test_first_use_asks_once_and_again_after_a_change(changing: Callable[..., Any]) -> None:
    async with changing(policy=built_in("first-use"), trust=Trust.UNTRUSTED) as one:
        assert await asks(one, **NOTE)
        assert not await asks(one, note="other")
        await change(one, "reword", announce=True)
        assert await asks(one, **NOTE)


async def test_a_tool_denied_for_the_session_is_not_asked_about_again(
    changing: Callable[..., Any],
) -> None:
    async with changing(policy=built_in("allow-all")) as one:
        one.engine.consent.set_policy(built_in("ask-always"))
        one.engine.approver = approver = Denies()
        for note in ("a", "b"):
            call = await one.call("shape_shifter", note=note)
            assert call.outcome is Outcome.DENIED
        assert len(approver.questions) == 1
        assert call.decision.answer is DecisionAnswer.DENY
        # The person did it, and no policy.
        assert call.decision.by == "remembered denial"
        PROSE.holds("remembered: denied", call.status)
        PROSE.holds("remembered: advice", one.engine.advice(call).reason)
        one.engine.consent.set_policy(built_in("allow-all"))
        assert (await one.call("shape_shifter", **NOTE)).outcome is Outcome.DENIED
        one.engine.consent.allow_again("shape_shifter")
        assert (await one.call("shape_shifter", **NOTE)).outcome is Outcome.OK
