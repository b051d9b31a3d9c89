"""Answers to a host that has its model judge calls: one lets them run, the other does not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.measure.running.judging import judgement, judging_text
from signoff.app.features.measure.scripted.dialects import ChatCompletions, ModelRequest, Offered
from signoff.app.features.measure.scripted.model import HARMLESS, Planned, Script


def members(**listed: Any) -> dict[str, Any]:
    return {"type": "object", "properties": listed}


FLAG = {"type": "boolean"}


@pytest.mark.parametrize(
    ("schema", "yes", "no"),
    [
        (members(shouldBlock=FLAG), {"shouldBlock": False}, {"shouldBlock": True}),
        (members(allowed=FLAG), {"allowed": True}, {"allowed": False}),
        (members(isSafe=FLAG), {"isSafe": True}, {"isSafe": False}),
        (members(is_unsafe=FLAG), {"is_unsafe": False}, {"is_unsafe": True}),
        (members(act=FLAG), {"act": False}, {"act": True}),
        (
            members(decision={"enum": ["deny", "ask_user", "allow"]}),
            {"decision": "allow"},
            {"decision": "deny"},
        ),
        (
            members(risk={"enum": ["low", "medium", "high"]}, approve=FLAG),
            {"risk": "low", "approve": True},
            {"risk": "high", "approve": False},
        ),
        (members(x={"enum": ["a", "b", "c"]}), {"x": "a"}, {"x": "c"}),
        (
            members(riskScore={"type": "integer", "maximum": 10}),
            {"riskScore": 0},
            {"riskScore": 10},
        ),
        (
            {"$defs": {"v": members(block=FLAG)}, **members(verdict={"$ref": "#/$defs/v"})},
            {"verdict": {"block": False}},
            {"verdict": {"block": True}},
        ),
        ({"$ref": "#"}, {}, {}),
    ],
)
def test_names_tell_what_a_yes_is(schema: Any, yes: Any, no: Any) -> None:
    assert judgement(schema, allows=True) == yes
    assert judgement(schema, allows=False) == no


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "enum", "properties", "anyOf", "$ref", "a"]), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@given(JSON, st.booleans())
def test_any_schema_has_an_answer(schema: Any, allows: bool) -> None:
    judgement(schema, allows=allows)


def request(text: str, **more: Any) -> ModelRequest:
    body = {"messages": [{"role": "user", "content": text}], **more}
    return ChatCompletions().read("/v1/chat/completions", body)


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("Answer ALLOW or DENY.", "ALLOW", "DENY"),
        ("Safe or Unsafe?", "Safe", "Unsafe"),
        ("Is it fine? yes / no", "yes", "no"),
        (
            "Allow it or deny it: <block>yes</block> (why?) or <block>no</block>",
            "<block>no</block>",
            "<block>yes</block>",
        ),
        (
            "<Safe>True</Safe>, else <Safe>False</Safe>",
            "<Safe>True</Safe>",
            "<Safe>False</Safe>",
        ),
        (
            "<decision>deny</decision> unless <decision>allow</decision>",
            "<decision>allow</decision>",
            "<decision>deny</decision>",
        ),
        ("<a>yes</a> and <b>no</b>", "yes", "no"),
        ("Write a title.", "", ""),
    ],
)
def test_a_word_is_chosen_from_those_that_are_given(text: str, yes: str, no: str) -> None:
    assert judging_text(request(text), allows=True) == yes
    assert judging_text(request(text), allows=False) == no


def script(*, allows: bool) -> Script:
    made = Script("marker", lambda tool, server: ("", tool), allows=allows)
    made.planned = [Planned("a", "probe_a", {"note": "x"})]
    tools = (Offered("probe_a"), Offered("own"))
    made.step(ModelRequest(tools, (), "marker", "m", is_streamed=False))
    return made


def tool(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": members(shouldBlock=FLAG)}}


CHOSEN = {"type": "function", "function": {"name": "judge"}}


@pytest.mark.parametrize("allows", [True, False])
@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"tools": [tool("respond_in_schema")]}, "respond_in_schema"),
        ({"tools": [tool("other"), tool("judge")], "tool_choice": CHOSEN}, "judge"),
    ],
)
def test_a_judging_tool_is_called_while_a_call_is_open(more: Any, name: str, allows: bool) -> None:
    made = script(allows=allows)
    step = made.step(request("May it run?", **more))
    assert isinstance(step, tuple)
    assert (step[0].name, step[0].arguments) == (name, {"shouldBlock": not allows})
    assert (made.judgements, len(made.attempts)) == (1, 1)


def test_nothing_is_judged_before_a_call_or_by_its_own_answer() -> None:
    made = Script("marker", lambda tool, server: ("", tool))
    assert made.step(request("May it run?", tools=[tool("judge")])) == HARMLESS
    made = script(allows=True)
    answer = {"role": "tool", "tool_call_id": "aside_1", "content": "fine"}
    body: dict[str, Any] = {"messages": [answer], "tools": [tool("judge")]}
    assert made.step(ChatCompletions().read("/v1/chat/completions", body)) == HARMLESS
    assert made.judgements == 0
