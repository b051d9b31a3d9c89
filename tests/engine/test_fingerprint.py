"""Approvals hold for what was started when they were given: program, script, values of --env."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import approve
from signoff.app.approval.grants import Scope
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.calls.call import Outcome
from signoff.app.engine.calls.sending import OTHER_SERVER
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.transport.stdio.program import Program
from signoff.app.transport.stdio.stdio import StdioLink
from tests.approved import approved
from tests.engine.opened import Approves, Asked, Opened, Remembers, opened
from tests.servers import shifting

PROSE = approved("engine")

NOTE = {"note": "hello"}
TOOL = "shape_shifter"
SECRET = "s3cret-value-of-the-key"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A copy of a server that a test may change."""
    return Path(shutil.copy(shifting.__file__, tmp_path / "server.py"))


@pytest.fixture
def kept(tmp_path: Path, script: Path) -> Callable[..., Any]:
    """Opens a bench on that server, which remembers from one opening to the next."""
    return partial(opened, argv=[sys.executable, "-S", str(script)], store=tmp_path / "store")


async def approve_for_days(one: Opened) -> None:
    one.engine.approver = Remembers(Scope.UNTIL, 7)
    call = await one.call(TOOL, **NOTE)
    assert call.outcome is Outcome.OK
    assert not call.findings


async def reasons(one: Opened) -> str:
    """Why a call is asked about, which is then approved; empty where it is not asked about."""
    one.engine.approver = approver = Approves()
    call = await one.call(TOOL, **NOTE)
    assert call.outcome is Outcome.OK
    return "; ".join(reason for one in approver.questions for reason in one.verdict.reasons)


async def test_another_value_of_a_variable_asks_and_names_it(
    kept: Callable[..., Any], tmp_path: Path
) -> None:
    async with kept(env={"API_KEY": SECRET, "REGION": "eu"}) as one:
        await approve_for_days(one)
    async with kept(env={"API_KEY": "another", "REGION": "eu"}) as one:
        said = await reasons(one)
        assert "API_KEY" in said
        assert "REGION" not in said
        (diff,) = [one.engine.list_diff]
        assert diff.is_empty
        assert one.engine.memory.is_known, "the history of definitions is of the same server"
    async with kept(env={"REGION": "eu", "API_KEY": SECRET}) as one:
        assert await reasons(one) == "", "the first values are what was approved"
    found = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert SECRET.encode() not in found


async def test_a_changed_script_asks_and_keeps_the_history(
    kept: Callable[..., Any], script: Path
) -> None:
    async with kept() as one:
        await approve_for_days(one)
    whole = script.read_text()
    script.write_text(f"{whole}\n# another version\n")
    async with kept() as one:
        said = await reasons(one)
        assert str(script) in said
        assert one.engine.memory.is_known
        assert one.engine.memory.seen(one.tool(TOOL)) is DefinitionStatus.SAME
        (grant,) = one.engine.memory.grants()
        assert grant.uses == 0
    script.write_text(whole)
    async with kept() as one:
        assert await reasons(one) == "", "the version that was approved"


async def test_another_program_first_on_the_path_asks(
    kept: Callable[..., Any], script: Path, tmp_path: Path
) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        (folder / "snake").symlink_to(sys.executable)
    argv = ["snake", "-S", str(script)]
    first, second = (
        partial(kept, argv=argv, env={"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"})
        for folder in folders
    )
    async with first() as one:
        await approve_for_days(one)
    async with second() as one:
        said = await reasons(one)
        PROSE.holds("other program: on the path", said, PROGRAM=folders[1] / "snake")
        assert one.engine.memory.is_known


async def test_the_same_program_at_another_place_on_an_inherited_path_asks(
    kept: Callable[..., Any], script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    argv = ["snake", "-S", str(script)]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "snake").symlink_to(sys.executable)
        monkeypatch.setenv("PATH", str(tmp_path / name), prepend=os.pathsep)
        async with kept(argv=argv) as one:
            if name == "one":
                await approve_for_days(one)
            else:
                assert str(tmp_path / "two" / "snake") in await reasons(one)
    monkeypatch.setenv("PATH", str(tmp_path / "one"), prepend=os.pathsep)
    monkeypatch.setenv("HOME", str(tmp_path))
    async with kept(argv=argv) as one:
        assert await reasons(one) == "", "what is inherited counts by the program that it finds"


async def reconnected(one: Opened) -> None:
    """End the server and connect again; returns when its tools are listed."""
    pid = one.engine.server.pid
    assert pid is not None
    os.kill(pid, 9)
    await one.watch.until(lambda: one.engine.can_reconnect)
    await one.engine.reconnect()
    await one.watch.until(lambda: one.engine.server.is_open)
    await one.engine.compared()


@pytest.mark.parametrize("scope", [Scope.SESSION, Scope.UNTIL])
async def test_connecting_again_looks_again(
    kept: Callable[..., Any], script: Path, scope: Scope
) -> None:
    async with kept() as one:
        one.engine.approver = Remembers(scope, 7 if scope is Scope.UNTIL else 0)
        await one.call(TOOL, **NOTE)
        await reconnected(one)
        assert await reasons(one) == "", "the same program"
        script.write_text(f"{script.read_text()}\n# another version\n")
        assert await reasons(one) == "", "what runs is still the one that was approved"
        await reconnected(one)
        assert str(script) in await reasons(one)
        findings = [one for one in one.engine.observed.all() if one.code == "other-program"]
        assert [str(script) in finding.message for finding in findings] == [True]


async def test_first_use_asks_again_of_another_program(
    kept: Callable[..., Any], script: Path
) -> None:
    async with kept(policy=built_in("first-use")) as one:
        assert await reasons(one)
        assert await reasons(one) == ""
        await reconnected(one)
        assert await reasons(one) == ""
        script.write_text(f"{script.read_text()}\n# another version\n")
        await reconnected(one)
        assert str(script) in await reasons(one)
        assert await reasons(one) == ""


async def test_what_was_changed_while_it_started_is_not_remembered(
    kept: Callable[..., Any], script: Path
) -> None:
    async with kept() as one:
        await approve_for_days(one)
    rewrites = "import pathlib; pathlib.Path(__file__).open('a').write('#')"
    whole = script.read_text().replace("import json\n", f"import json\n{rewrites}\n", 1)
    script.write_text(whole)
    async with kept() as one:
        one.engine.approver = approver = Remembers(Scope.SESSION)
        for _ in range(2):
            assert (await one.call(TOOL, **NOTE)).outcome is Outcome.OK
        assert len(approver.questions) == 2
        question = approver.questions[0]
        problem = question.why_not_remembered
        assert str(script) in problem
        assert not question.can_remember
        reason = next(one for one in question.verdict.reasons if problem in one)
        PROSE.holds("other program: changed after the start", reason, SCRIPT=script)
        assert one.engine.memory.grants()[0].uses == 0


async def test_a_key_that_cannot_be_used_remembers_nothing(
    kept: Callable[..., Any], tmp_path: Path
) -> None:
    async with kept(env={"API_KEY": SECRET}) as one:
        await approve_for_days(one)
    key = tmp_path / "store" / "values.key"
    before = key.read_bytes()
    key.write_bytes(b"")
    async with kept(env={"API_KEY": SECRET}) as one:
        one.engine.approver = approver = Remembers(Scope.UNTIL, 7)
        await one.call(TOOL, **NOTE)
        (question,) = approver.questions
        assert "values.key is damaged" in question.why_not_remembered
    key.write_bytes(before)
    async with kept(env={"API_KEY": SECRET}) as one:
        assert await reasons(one) == ""


def swap(one: Opened, script: Path) -> None:
    """Let another process answer under the name of the server, as after a new connection."""
    assert isinstance(one.engine.link, StdioLink)
    one.engine._connection.running.restart()
    one.engine.link._life.program = Program([sys.executable, "-S", str(script)], os.environ)
    one.engine.link._life.program._argv = one.engine.link.argv


@pytest.mark.parametrize("when", ["before the last look", "after it"])
@pytest.mark.parametrize("is_same", [True, False])
async def test_an_approval_is_sent_to_what_it_was_given_for(
    kept: Callable[..., Any], script: Path, when: str, is_same: bool
) -> None:
    async with kept() as one:
        engine = one.engine
        engine.approver = asked = Asked()
        call_id = one.begin(TOOL, **NOTE)
        await asked.question()
        recheck = engine.definitions.recheck

        async def then_swap() -> bool:
            is_listed: bool = await recheck()
            swap(one, script)
            return is_listed

        if not is_same:
            script.write_text(f"{script.read_text()}\n# another version\n")
        if when == "after it":
            engine.definitions.recheck = then_swap
        else:
            swap(one, script)
        asked.answer(approve("you"))
        call = await one.ended(call_id)
        may_go = is_same and when == "before the last look"
        assert call.sent is may_go
        assert call.reason == ("" if may_go else OTHER_SERVER)
