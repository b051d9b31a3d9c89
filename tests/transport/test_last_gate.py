"""The last gate for lines of a host: what needs approval passes only with a comparison."""

from __future__ import annotations

import json

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.transport.events import Blocked
from signoff.app.transport.gate import NEEDS_APPROVAL, Gate, LastGate, SendRefused, without_approval

OTHERS = ("tools/list", "completion/complete", "x/its_own", "notifications/progress", "tools/CALL")


def line_of(method: str) -> tuple[bytes, dict[str, JsonValue]]:
    message: dict[str, JsonValue] = {"jsonrpc": "2.0", "id": 7, "method": method}
    return json.dumps(message, indent=1).encode(), message


def unexpected(blocked: Blocked) -> None:
    pytest.fail(f"{blocked.method} was blocked")


@pytest.mark.parametrize("gate", [None, without_approval], ids=["none", "without"])
@pytest.mark.parametrize("method", sorted(NEEDS_APPROVAL))
def test_a_request_that_needs_approval_does_not_pass_without(
    method: str, gate: Gate | None
) -> None:
    blocked: list[Blocked] = []
    with pytest.raises(SendRefused, match=method):
        LastGate(blocked.append).pass_on(*line_of(method), gate)
    assert [(one.finding.code, one.method, one.id) for one in blocked] == [
        ("unapproved-request", method, 7)
    ]


@pytest.mark.parametrize("method", sorted(NEEDS_APPROVAL))
def test_its_gate_compares_it_and_may_refuse(method: str) -> None:
    line, message = line_of(method)
    compared: list[object] = []
    assert LastGate(unexpected).pass_on(line, message, compared.append) is line
    assert compared == [message]

    def refuses(_: dict[str, JsonValue]) -> None:
        raise SendRefused("other arguments")

    with pytest.raises(SendRefused, match="other arguments"):
        LastGate(unexpected).pass_on(line, message, refuses)


@pytest.mark.parametrize("gate", [None, without_approval], ids=["none", "without"])
@pytest.mark.parametrize("method", [*OTHERS, ""])
def test_what_needs_none_passes_as_it_came(method: str, gate: Gate | None) -> None:
    line, message = line_of(method)
    if not method:
        del message["method"]
    assert LastGate(unexpected).pass_on(line, message, gate) is line
