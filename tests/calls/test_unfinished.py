"""Answers that are no results: what they ask for, in words, and nothing that accuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from signoff.app.calls.call import Outcome
from signoff.app.calls.checks import explain
from signoff.app.calls.retries import Unfinished, read_unfinished, words_of_request
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.text import visible
from signoff.app.protocol.findings.findings import Severity
from signoff.app.protocol.rpc import RpcError
from tests.approved import approved
from tests.content.json_values import json_values

PROSE = approved("calls")


def asks(requests: Any = None, **more: Any) -> Unfinished:
    result = {"resultType": "input_required", **more}
    if requests is not None:
        result["inputRequests"] = requests
    found = read_unfinished(result)
    assert found is not None
    return found


def elicitation(message: Any = "Delete 3 files?", **more: Any) -> dict[str, Any]:
    return {"method": "elicitation/create", "params": {"message": message, **more}}


def test_what_a_server_asks_for_is_named() -> None:
    found = asks(
        {
            "sure": elicitation(),
            "draft": {"method": "sampling/createMessage", "params": {"messages": []}},
            "where": {"method": "roots/list"},
        }
    )
    assert found.outcome is Outcome.INPUT_REQUIRED
    PROSE.holds("unfinished: three requests", f"{found.reason}\n{found.summary}")


def test_asking_for_what_was_not_declared_is_a_note_and_no_accusation_of_content() -> None:
    (finding,) = asks({"sure": elicitation(), "too": elicitation()}).findings
    assert (finding.code, finding.severity) == ("input-not-declared", Severity.NOTE)
    assert "elicitation" in finding.message
    assert "2026-07-28" in finding.message


def test_a_state_alone_asks_to_be_called_again() -> None:
    found = asks(requestState="opaque")
    assert "another call" in found.reason
    assert "opaque" not in found.reason
    assert found.findings == ()


@pytest.mark.parametrize(
    ("result", "code"),
    [
        ({}, "malformed-input-required"),
        ({"inputRequests": {}}, "malformed-input-required"),
        ({"inputRequests": [elicitation()]}, "malformed-input-required"),
        ({"inputRequests": {"a": 5}}, "malformed-input-required"),
        ({"inputRequests": {"a": {"method": "tools/call"}}}, "malformed-input-required"),
        ({"inputRequests": {"a": {"method": 7}}}, "malformed-input-required"),
    ],
)
def test_an_asking_that_breaks_its_own_rules_is_a_finding(
    result: dict[str, Any], code: str
) -> None:
    found = read_unfinished({"resultType": "input_required", **result})
    assert found is not None
    assert found.outcome is Outcome.INPUT_REQUIRED
    assert code in [finding.code for finding in found.findings]


def test_many_requests_and_long_words_are_cut() -> None:
    found = asks({f"k{at}" * 100: elicitation("long " * 1_000) for at in range(200)})
    assert len(found.reason) < 2_000
    assert "and 195 more" in found.reason


def test_a_url_is_shown_and_marked() -> None:
    url = "https://exa\u202emple.org/login"
    found = asks({"login": elicitation("Sign in", mode="url", url=url)})
    PROSE.holds("unfinished: a visit", found.reason)


def test_a_task_instead_of_an_answer() -> None:
    results: tuple[Any, ...] = (
        {"task": {"taskId": "t-1\x1b", "status": "working"}},
        {"resultType": "task", "taskId": "t-1\x1b", "status": "working"},
    )
    for result in results:
        found = read_unfinished(result)
        assert found is not None
        assert found.outcome is Outcome.TASK_STARTED
        PROSE.holds("unfinished: a task", found.reason)


@pytest.mark.parametrize(
    "result",
    [
        *({"content": []}, {"content": [], "task": {"taskId": "x"}}),
        *({"task": "x", "structuredContent": {}}, {"resultType": "complete", "content": []}),
        *({"resultType": "odd"}, {"contents": [], "task": {"taskId": "x"}}, "text", None),
    ],
)
def test_everything_else_is_an_answer_or_none(result: Any) -> None:
    assert read_unfinished(result) is None


@given(json_values())
def test_nothing_that_asks_breaks_the_words(value: Any) -> None:
    results: tuple[Any, ...] = (
        {"resultType": "input_required", "inputRequests": value, "requestState": value},
        {"resultType": "input_required", "inputRequests": {"k": value}},
        {"resultType": "input_required", "inputRequests": {"k": elicitation(value, mode="url")}},
        {"task": value},
        {"resultType": "task", "taskId": value, "status": value},
    )
    for result in results:
        found = read_unfinished(result)
        if found is not None:
            assert visible(found.reason) == found.reason
            assert "\n" not in found.reason
            assert all(visible(one.message) == one.message for one in found.findings)


def test_what_a_server_asks_meanwhile_in_words() -> None:
    assert words_of_request("roots/list", None) == "roots"
    params: JsonValue = {"message": "Sure?\x1b"}
    assert words_of_request("elicitation/create", params) == "elicitation: “Sure?␛”"
    assert words_of_request("odd/one\n", 5).startswith("“odd/one")


def error(code: Any, data: Any = None) -> RpcError:
    return RpcError(code, "as the server says", data)


def test_errors_with_a_meaning_of_their_own_are_explained() -> None:
    url = {"elicitations": [{"mode": "url", "url": "https://a.example/\x1b", "message": "Sign in"}]}
    wants = explain(error(-32042, url))
    assert "https://a.example/␛" in wants
    assert "do this first" in wants
    lacks = explain(error(-32021, {"requiredCapabilities": {"elicitation": {}, "sampling": {}}}))
    assert "elicitation, sampling" in lacks
    assert "2025-11-25" in explain(error(-32022, {"supported": ["2025-11-25"]}))


@pytest.mark.parametrize(
    ("code", "data"),
    [
        (-32021, None),
        (-32022, {"supported": 5}),
        (-32042, {"elicitations": "x"}),
        (-32601, None),
        (True, None),
        ("-32042", {"elicitations": [{}]}),
        (None, None),
    ],
)
def test_a_code_without_its_data_is_left_as_it_is(code: Any, data: Any) -> None:
    assert explain(error(code, data)) == ""


def test_a_tool_that_only_runs_as_a_task_explains_its_refusal() -> None:
    assert "as a task" in explain(error(-32601), needs_task=True)
    assert explain(error(-32602), needs_task=True) == ""


@given(json_values())
def test_data_of_an_error_never_breaks_the_words(data: Any) -> None:
    for code in (-32042, -32021, -32022):
        for shape in (
            data,
            {"elicitations": data, "requiredCapabilities": data, "supported": data},
            {"elicitations": [data, {"url": data}], "supported": [data]},
        ):
            words = explain(error(code, shape))
            assert visible(words) == words
