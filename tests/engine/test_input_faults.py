"""Calls that end in a request for input with a fault: the fault is named, on either transport."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.calls.call import Call, Outcome
from signoff.app.protocol.server import Trust
from tests.engine.opened import Approves, opened
from tests.tiers import first_quick
from tests.transport.webbed import Asked, answer, greets_modern, web

SERVER = Path(__file__).parents[1] / "servers" / "asks_back.py"
TRANSPORTS = pytest.mark.parametrize("transport", first_quick(["http", "stdio"]))
ASKS = {"sure": {"method": "elicitation/create", "params": {"message": "Sure?"}}}


async def called(transport: str, members: Any, without: tuple[str, ...] = ()) -> Call:
    def answers(asked: Asked) -> bytes:
        if asked.method != "tools/call":
            return greets_modern(asked)
        body = {"jsonrpc": "2.0", "id": asked.message["id"], **members}
        status = "400 Bad Request" if "error" in members else "200 OK"
        return answer(status, json.dumps(body).encode())

    async with web(answers) as served:
        argv = (sys.executable, str(SERVER), json.dumps(members)) if transport == "stdio" else ()
        url = served.url if transport == "http" else ""
        async with opened(argv=argv, url=url, trust=Trust.TRUSTED, without=without) as one:
            one.engine.approver = Approves()
            return await one.call("echo")


def found(call: Call) -> list[tuple[str, str]]:
    return [(one.code, one.path) for one in call.findings]


@TRANSPORTS
@pytest.mark.parametrize(
    ("more", "fault", "path"),
    first_quick(
        [
            ({"requestState": {"a": 1}}, "requestState is an object, not a string", "requestState"),
            ({"requestState": 7}, "requestState is 7, not a string", "requestState"),
            ({"inputRequests": [1]}, "inputRequests is an array, not an object", "inputRequests"),
            (
                {"inputRequests": {"sure": {"method": "elicitation/ask"}}},
                "its method is “elicitation/ask”; it must be one of elicitation/create, "
                "sampling/createMessage, roots/list",
                "inputRequests.sure",
            ),
        ],
        2,
        several=True,
    ),
)
async def test_a_malformed_request_for_input_is_no_missing_capability(
    transport: str, more: Any, fault: str, path: str
) -> None:
    result = {"resultType": "input_required", "inputRequests": ASKS, **more}
    call = await called(transport, {"result": result})
    assert call.outcome is Outcome.INPUT_REQUIRED
    broken = "the call was not finished: its request for input breaks the specification"
    assert call.reason.startswith(f"{broken} ({fault})")
    assert ("malformed-input-required", f"$.{path}") in found(call)
    assert not any("declare" in one.message for one in call.findings)


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_what_was_not_declared_is_named_alone(transport: str) -> None:
    asked = {**ASKS, "where": {"method": "roots/list"}}
    result = {"resultType": "input_required", "inputRequests": asked}
    call = await called(transport, {"result": result}, without=("roots",))
    assert call.reason.startswith("Signoff did not declare that capability")
    (finding,) = [one for one in call.findings if one.code == "input-not-declared"]
    assert finding.message.startswith("the server requests roots, not declared by Signoff")


@TRANSPORTS
@pytest.mark.parametrize(
    ("wanted", "without", "meaning"),
    first_quick(
        [
            (
                {"elicitation": {}},
                (),
                "the server reports that the client lacks elicitation, which",
            ),
            (
                {"elicitation": {"form": {}}, "roots": {}},
                (),
                "the server reports that the client lacks elicitation, roots, which",
            ),
            (
                {"elicitation": {"url": {}}},
                ("elicitation.url",),
                "the tool needs a client with elicitation.url, not declared by Signoff",
            ),
            (
                {"sampling": {}, "roots": {}},
                ("roots",),
                "the tool needs a client with roots, not declared by Signoff",
            ),
        ],
        2,
        several=True,
    ),
)
async def test_an_error_that_denies_a_declared_capability_is_the_servers(
    transport: str, wanted: Any, without: tuple[str, ...], meaning: str
) -> None:
    data = {"requiredCapabilities": wanted}
    problem = {"code": -32021, "message": "Missing capability", "data": data}
    call = await called(transport, {"error": problem}, without)
    assert call.outcome is Outcome.PROTOCOL_ERROR
    assert call.reason.startswith(meaning)
    assert ("capability-denied" in [one.code for one in call.findings]) is (not without)
