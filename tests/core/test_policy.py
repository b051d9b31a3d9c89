from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.hints import HINT_KEYS, Effect
from app.core.policy import Verdict, VerdictAnswer, cautious
from app.core.tools import ToolDefinition, read_tool, read_tools
from app.core.trust import Trust
from tests.core.json_values import json_values

CLAIMS = st.dictionaries(st.sampled_from(HINT_KEYS), st.booleans() | json_values())


def tool(name: str = "a_tool", schema: Any = None, **hints: Any) -> ToolDefinition:
    annotations = {f"{key}Hint": value for key, value in hints.items()}
    return read_tool(
        0,
        {
            "name": name,
            "inputSchema": {"type": "object"} if schema is None else schema,
            "annotations": annotations,
        },
    )


def test_a_trusted_read_only_tool_runs() -> None:
    verdict = cautious(tool(readOnly=True), Trust.TRUSTED)
    assert verdict.answer is VerdictAnswer.ALLOW
    assert verdict.reasons == ("it says it changes nothing, and this server is trusted",)


@given(CLAIMS)
def test_nothing_of_an_untrusted_server_runs_unasked(claims: dict[str, Any]) -> None:
    shown = read_tool(0, {"name": "a", "inputSchema": {"type": "object"}, "annotations": claims})
    verdict = cautious(shown, Trust.UNTRUSTED)
    assert verdict.answer is VerdictAnswer.ASK
    assert any("not trusted" in reason for reason in verdict.reasons)


@given(CLAIMS, st.sampled_from(Trust), st.lists(st.text(max_size=5), max_size=2))
def test_only_flawless_read_only_tools_of_trusted_servers_run(
    claims: dict[str, Any], trust: Trust, problems: list[str]
) -> None:
    shown = read_tool(0, {"name": "a", "inputSchema": {"type": "object"}, "annotations": claims})
    verdict = cautious(shown, trust, problems)
    allowed = (
        trust is Trust.TRUSTED
        and claims.get("readOnlyHint") is True
        and claims.get("destructiveHint") is not True
        and all(isinstance(claim, bool) for claim in claims.values())
        and not problems
    )
    assert (verdict.answer is VerdictAnswer.ALLOW) == allowed
    assert verdict.answer is not VerdictAnswer.REFUSE
    assert verdict.reasons
    assert all(problem in verdict.reasons for problem in problems)


@given(CLAIMS, st.sampled_from(Trust))
def test_what_may_destroy_asks_strongly(claims: dict[str, Any], trust: Trust) -> None:
    shown = read_tool(0, {"name": "a", "inputSchema": {"type": "object"}, "annotations": claims})
    verdict = cautious(shown, trust)
    assert verdict.strong == (
        shown.effect in (Effect.DESTRUCTIVE, Effect.UNDECLARED, Effect.CONTRADICTORY)
    )


@pytest.mark.parametrize(
    ("shown", "reason"),
    [
        (tool(readOnly=True, schema=5), "its schema is malformed"),
        (tool(readOnly=True, idempotent="yes"), "one of its hints is malformed"),
        (
            read_tools(
                [
                    {
                        "name": "a",
                        "inputSchema": {"type": "object"},
                        "annotations": {"readOnlyHint": True},
                    }
                ]
                * 2
            )[0],
            "another tool has the same name",
        ),
    ],
)
def test_a_doubt_about_the_definition_asks(shown: ToolDefinition, reason: str) -> None:
    verdict = cautious(shown, Trust.TRUSTED)
    assert verdict.answer is VerdictAnswer.ASK
    assert reason in verdict.reasons


def test_what_has_no_name_is_refused() -> None:
    for trust in Trust:
        assert cautious(read_tool(0, {}), trust).answer is VerdictAnswer.REFUSE


def test_words_and_json() -> None:
    strong = Verdict(VerdictAnswer.ASK, ("because",), strong=True)
    assert strong.words == "ask, strongly"
    assert Verdict(VerdictAnswer.ALLOW, ()).words == "allow"
    assert strong.as_json() == {
        "answer": "ask",
        "strong": True,
        "policy": "cautious",
        "reasons": ["because"],
    }


def test_trust_has_two_sides() -> None:
    assert Trust.TRUSTED.other is Trust.UNTRUSTED
    assert Trust.UNTRUSTED.other is Trust.TRUSTED
