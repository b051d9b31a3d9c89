"""What a server changes at the last moment: nothing is sent on what was not looked at."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.grants import Scope
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.calls.call import Outcome
from signoff.app.protocol.hints import Effect
from signoff.app.protocol.server import Phase, Trust
from signoff.app.protocol.tool_reading import ENTRY_MAX, read_tools
from tests.approved import approved
from tests.engine.opened import Approves, Opened, Remembers, opened
from tests.servers import filed

PROSE = approved("engine-calls")

READS: dict[str, Any] = {"readOnlyHint": True, "openWorldHint": False}


def tool(name: str = "thing", /, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


class Server:
    """A server whose tools a test writes down."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "tools.json"
        argv = (sys.executable, "-S", str(Path(filed.__file__)), str(self._file))
        self.opened: Callable[..., Any] = partial(
            opened, argv=argv, trust=Trust.TRUSTED, store=folder / "store"
        )

    def lists(self, *tools: dict[str, Any]) -> None:
        self._file.write_text(json.dumps(tools))

    def lives(self) -> None:
        self._file.with_name("tools.json.lives").touch()


@pytest.fixture
def server(tmp_path: Path) -> Server:
    made = Server(tmp_path)
    made.lists(tool())
    return made


async def connect_again(one: Opened) -> None:
    await one.watch.until(lambda: one.engine.can_reconnect)
    await one.engine.reconnect()


async def test_what_python_takes_for_equal_is_a_change(server: Server) -> None:
    server.lists(tool(annotations=READS), tool("other"))
    async with server.opened(policy=built_in("first-use")) as one:
        one.engine.approver = Remembers(Scope.UNTIL, 7)
        await one.call("thing")
        server.lists(tool(annotations={**READS, "readOnlyHint": 1}), tool("other"))
        await one.call("other")
        await one.engine.compared()
        one.engine.approver = approver = Approves()
        await one.call("thing")
        (question,) = approver.questions
        assert question.diff is not None
        assert one.engine.memory.ended == ("thing",)


async def test_a_namesake_at_the_last_look_ends_the_call(server: Server) -> None:
    async with server.opened() as one:
        one.engine.approver = approver = Remembers(Scope.UNTIL, 7)
        await one.call("thing")
        server.lists(tool(), tool(description="A namesake."))
        call = await one.call("thing")
        assert not call.sent
        PROSE.holds("not sent: a namesake", call.reason)
        assert len(approver.questions) == 1
        assert (await one.call("thing")).sent
        PROSE.holds("verdict: a namesake", "\n".join(approver.questions[-1].verdict.reasons))


async def test_another_process_is_looked_at_before_anything_is_sent_to_it(server: Server) -> None:
    server.lists(tool(annotations=READS), tool("die"))
    async with server.opened() as one:
        assert (await one.call("thing")).sent
        one.engine.approver = Approves()
        await one.call("die")
        server.lists(tool(annotations={"destructiveHint": True}), tool("die"))
        await connect_again(one)
        one.engine.approver = approver = Approves()
        call = await one.call("thing")
        if call.tool.hints.effect is Effect.DESTRUCTIVE:
            # It was listed before it was called: then it is asked about as what it is now.
            assert [asked.tool.digest for asked in approver.questions] == [call.tool.digest]
        else:
            assert call.outcome is Outcome.NOT_SENT
            assert "another definition now" in call.reason or "not listed yet" in call.reason


async def test_another_definition_does_not_make_an_unknown_outcome_known(server: Server) -> None:
    repeatable = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True}
    server.lists(tool("die", annotations=repeatable))
    async with server.opened(policy=built_in("allow-all")) as one:
        lost = await one.call("die")
        assert one.engine.advice(lost).is_offered
        server.lists(tool("die", description="A little different."))
        server.lives()
        await connect_again(one)
        await one.watch.until(lambda: one.engine.server.phase is Phase.CONNECTED)
        await one.watch.until(lambda: one.engine.tools[0].description)
        assert not one.engine.advice(lost).is_offered, "by now it does not say so any more"
        one.engine.approver = approver = Approves()
        await one.call("die")
        (question,) = approver.questions
        assert "is unknown" in question.verdict.reasons[0]


async def test_an_approval_of_what_was_never_sent_is_not_remembered(server: Server) -> None:
    async with server.opened() as one:
        one.engine.approver = Remembers(Scope.UNTIL, 7)
        server.lists(tool(description="Changed without a word."))
        call = await one.call("thing")
        assert not call.sent
        assert one.engine.memory.grants() == ()


async def test_an_entry_that_cannot_be_read_holds_up_no_call_of_another() -> None:
    switches = ("--only", "delete_thing,change_silently,change_tools", "--monstrous", "deep,nodes")
    async with opened(*switches) as one:
        deep = one.tool("deep")
        assert not deep.callable
        verdict = one.engine.verdict(deep)
        assert verdict.answer.value == "refuse"
        one.engine.approver = Approves()
        for name in ("delete_thing", "change_tools", "change_silently", "change_silently"):
            call = await one.call(name)
            assert call.outcome is Outcome.OK, (name, call.reason)
        refused = await one.call("deep")
        assert not refused.sent
        assert [tool.name for tool in one.engine.tools if not tool.callable] == ["deep", "nodes"]


def test_an_entry_of_megabytes_is_kept_by_its_name_only() -> None:
    huge, small = read_tools([tool(description="\u200b" * (ENTRY_MAX // 6)), tool("small")])
    assert (huge.name, huge.callable, small.callable) == ("thing", False, True)
    assert [finding.code for finding in huge.findings] == ["definition-too-large"]
    assert huge.description == ""
