"""An error about a request that the server's protocol does not have names the option for it."""

from __future__ import annotations

import pytest

from signoff.app.calls.checks import asking_findings, cannot_ask, error_findings, explain
from signoff.app.protocol.answers.content import read_answer
from signoff.app.protocol.findings.spec_sections import MODERN
from signoff.app.protocol.rpc import RpcError

SDK = "Cannot send {!r}: this transport context has no back-channel for server-initiated requests."


@pytest.mark.parametrize("method", ["elicitation/create", "sampling/createMessage", "roots/list"])
def test_the_option_is_named_in_the_reason_and_in_a_finding(method: str) -> None:
    problem = RpcError(-32600, SDK.format(method), None)
    for words in (explain(problem, version=MODERN), error_findings(problem, {}, MODERN)[0].message):
        assert method in words
        assert "--protocol legacy" in words
    assert not explain(problem, version="2025-11-25")
    assert not error_findings(problem, {}, "2025-11-25")


@pytest.mark.parametrize("is_error", [True, False])
def test_a_failed_result_has_it_and_no_other_one(is_error: bool) -> None:
    text = f"Error executing tool: {SDK.format('elicitation/create')}"
    answer = read_answer({"content": [{"type": "text", "text": text}], "isError": is_error})
    assert answer is not None
    assert bool(asking_findings(answer, MODERN)) is is_error
    assert not asking_findings(answer, "2025-06-18")


@pytest.mark.parametrize(
    "text", ["Cannot send the mail: no address", "elicitation/create was declined", ""]
)
def test_other_errors_do_not(text: str) -> None:
    assert not cannot_ask(text, MODERN)
