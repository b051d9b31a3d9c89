"""What is written of a cancelled call: whether, and how, the server was told to stop."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.calls.call import Call, CallLimits, Outcome, State
from signoff.app.cli.targets.live import no_tool_words
from signoff.app.protocol.server import Trust
from tests.engine.opened import Approves, Asked, Opened, opened
from tests.transport.webbed import ECHO, greets, greets_modern, result, web
from tests.transport.webbed import Asked as Request

SERVER = Path(__file__).parents[1] / "servers" / "asks_back.py"
FORM = {"type": "object", "properties": {"why": {"type": "string"}}}
PARAMS = {"message": "Sure?", "requestedSchema": FORM}
ASKS = {"sure": {"method": "elicitation/create", "params": PARAMS}}
LIMIT = CallLimits(idle=0.3)


class ApprovesCalls(Asked):
    """Approves each call, and leaves requests of the server without an answer."""

    async def ask(self, question: Any) -> Any:
        if hasattr(question, "elicitation"):
            return await super().ask(question)
        return await Approves().ask(question)


async def cancelled(one: Opened) -> Call:
    call_id = one.begin("echo")
    await one.watch.call(call_id, lambda call: call.state in (State.RUNNING, State.INPUT))
    one.engine.cancel(call_id)
    return await one.ended(call_id)


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_call_that_is_cancelled_between_its_rounds_sends_no_cancellation(
    transport: str,
) -> None:
    members = {"result": {"resultType": "input_required", "inputRequests": ASKS}}

    def answers(asked: Request) -> bytes:
        is_call = asked.method == "tools/call"
        return result(asked, members["result"]) if is_call else greets_modern(asked)

    async with web(answers) as served:
        argv = (sys.executable, str(SERVER), json.dumps(members)) if transport == "stdio" else ()
        url = served.url if transport == "http" else ""
        async with opened(argv=argv, url=url, trust=Trust.TRUSTED) as one:
            one.engine.approver = asked = ApprovesCalls()
            call_id = one.begin("echo")
            await asked.question()
            one.engine.cancel(call_id)
            call = await one.ended(call_id)
    assert (call.outcome, call.sent, call.status) == (Outcome.CANCELLED, True, "cancelled")


@pytest.mark.parametrize(
    ("greeting", "words"),
    [(greets, "cancel sent"), (greets_modern, "cancelled by closing its stream")],
)
async def test_over_http_the_words_are_those_of_the_revision(greeting: Any, words: str) -> None:
    async def answers(asked: Request) -> bytes:
        if asked.method == "tools/call":
            await asyncio.sleep(60)
        return bytes(greeting(asked))

    async with (
        web(answers) as served,
        opened(url=served.url, trust=Trust.TRUSTED, limits=LIMIT) as one,
    ):
        one.engine.approver = Approves()
        late = await one.call("echo")
        call = await cancelled(one)
    assert call.status == (words if words.startswith("cancelled") else f"cancelled; {words}")
    assert late.reason == f"idle time limit of 0.3 s; {words}"


async def test_a_tool_that_is_left_out_is_not_called_unknown() -> None:
    bad = {"x-mcp-header": "not a token", "type": "string"}
    tool = {"name": "bad", "inputSchema": {"type": "object", "properties": {"a": bad}}}
    async with (
        web(lambda asked: greets_modern(asked, tools=[ECHO, tool])) as served,
        opened(url=served.url) as one,
    ):
        words = no_tool_words(one.engine, "bad")
        other = no_tool_words(one.engine, "ba")
    assert words.startswith("the tool “bad” is left out: its x-mcp-header is invalid")
    assert "“x-mcp-header”): property 'a'" in words
    assert other.startswith("the server has no tool “ba”")
