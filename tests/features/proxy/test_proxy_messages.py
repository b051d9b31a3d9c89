"""What a watcher shows is what the proxy asked: the same digests, over any JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.approval import Decision, DecisionAnswer
from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.approval.questions.questions import AboutCall, AboutRead
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.cli.approving.question_text import LINE_WORDS
from signoff.app.features.proxy.messages import (
    ProxyQuestion,
    answer_message,
    question_message,
    read,
    read_answer,
    read_question,
    written,
)
from signoff.app.protocol.extensions.display_templates import DisplayTemplate
from signoff.app.protocol.extensions.tool_resolution import (
    MILDEST,
    Resolution,
    ResolutionStatus,
)
from signoff.app.protocol.requests import CallName, PromptGet, ResourceRead, ToolCall
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tool
from tests.tiers import examples

TEXTS = st.text(max_size=12) | st.sampled_from(["\x1b[2J", "\u202e", "\u2028", "\ud800", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS | st.floats(allow_nan=False, width=32),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
).filter(lambda one: "Infinity" not in json.dumps(one))
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=4)


def question_of(kind: str, name: str, arguments: dict[str, Any]) -> ProxyQuestion:
    common: dict[str, Any] = {
        "call": CallName("server", 3),
        "server_name": "server",
        "server_command": "run server",
        "server_calls_itself": name,
        "trust": Trust.UNTRUSTED,
        "verdict": Verdict(VerdictAnswer.ASK, ("because",), strong=True, unjudged=("this",)),
    }
    if kind == "resource":
        read_one = ResourceRead(name)
        snapshot = take_snapshot("s", read_one, {"uri": name})
        return AboutRead(**common, request=read_one, snapshot=snapshot)
    if kind == "prompt":
        prompt = PromptGet(name)
        snapshot = take_snapshot("s", prompt, {"name": name, "arguments": arguments})
        return AboutRead(**common, request=prompt, snapshot=snapshot)
    tool = ToolCall(read_tool(0, {"name": name, "inputSchema": {"type": "object"}, "x": arguments}))
    resolution = Resolution(ResolutionStatus.RESOLVED, MILDEST, name, was_sent=True)
    template = DisplayTemplate(f"{name} {{a}}", "$._meta", frozenset(arguments))
    return AboutCall(
        **common,
        request=tool,
        snapshot=take_snapshot("s", tool, arguments),
        resolution=resolution if arguments else None,
        template=template if arguments else None,
    )


@examples(100)
@given(st.sampled_from(["tool", "resource", "prompt"]), TEXTS, OBJECTS)
def test_a_question_is_read_as_it_was_asked(
    kind: str, name: str, arguments: dict[str, Any]
) -> None:
    question = question_of(kind, name, arguments)
    sent = question_message(question, None, 12.5)
    shown = read_question(read(written(sent)))
    assert shown.digest == sent["digest"]
    assert shown.seconds == 12.5
    assert shown.question.snapshot.digest == question.snapshot.digest
    assert shown.question.snapshot.arguments() == question.snapshot.arguments()
    assert shown.question.verdict == question.verdict
    assert LINE_WORDS.of(shown.question) == LINE_WORDS.of(question)
    if isinstance(question, AboutCall):
        assert isinstance(shown.question, AboutCall)
        assert shown.question.tool == question.tool
        assert shown.question.resolution == question.resolution
        assert shown.question.template == question.template


@pytest.mark.parametrize("changed", ["name", "arguments", "server", "command", "method"])
def test_what_was_changed_on_its_way_has_another_digest(changed: str) -> None:
    sent = question_message(question_of("tool", "t", {"a": 1}), None, 1)
    message = json.loads(written(sent))
    facts = message["facts"]
    facts[changed] = {"a": 2} if changed == "arguments" else "prompts/get"
    if changed == "method":
        facts["arguments"] = {"name": "t"}
    assert read_question(message).digest != sent["digest"]


@given(
    st.sampled_from(list(DecisionAnswer)),
    st.sampled_from(["you", "time limit"]),
    TEXTS,
    st.booleans(),
    st.none() | st.floats(0, 1e6),
)
def test_an_answer_is_read_as_it_was_given(
    answer: DecisionAnswer, by: str, reason: str, for_session: bool, seconds: float | None
) -> None:
    shown = read_question(read(written(question_message(question_of("tool", "t", {}), None, 1))))
    decision = Decision(answer, by, reason, for_session=for_session, seconds=seconds)
    assert read_answer(read(written(answer_message(shown, decision)))) == decision
