"""Why it is asked, in every combination: nothing is said twice, and nothing is left out."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.grants import Grant
from signoff.app.approval.policies.policy import BUILT_IN_NAMES, Policy
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.policies.verdicts import (
    DOUBT_BY_FINDING,
    NOTHING_SAID,
    Case,
    VerdictAnswer,
    about_reading,
)
from signoff.app.approval.questions.question_lines import question_parts
from signoff.app.approval.questions.questions import AboutCall, Question
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.calls.checks import PROBLEMS_SHOWN, although_invalid_words, argument_problems
from signoff.app.cli.approving.question_text import question_lines
from signoff.app.content.text import visible
from signoff.app.content.texts.sheet_line import SheetLine
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.protocol.findings.findings import Severity
from signoff.app.protocol.hints import Effect
from signoff.app.protocol.requests import SILENT, ToolCall
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.schemas.schema import Mismatch, SchemaAnswer, SchemaVerdict
from tests.questions import of_read
from tests.tui.stage import ask

POLICIES = [
    *(built_in(name) for name in BUILT_IN_NAMES),
    *(mode for name in host_names() for mode in read_host(name).variants),
]
CLAIMS = st.sampled_from([True, False, None, "yes", 1])
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
TOPICS = {
    "destroys": re.compile(
        r"\bmay be destructive\b|\bdeclare[sd] (?:it )?destructive\b"
        r"|\b(?:counts|treated) as destructive\b"
    ),
    "contradicts": re.compile(r"\bboth read-only and destructive\b"),
    "read-only": re.compile(
        r"(?<!not )\bdeclare[sd] (?:it )?read-only\b(?! and)|(?<!not a )\bread-only tool\b"
    ),
    "additive": re.compile(r"\bdeclare[sd] (?:it )?not destructive\b|\bwithout destroying\b"),
    "cannot be undone": re.compile(r"\bcannot be brought back\b|\bmay not be possible to undo\b"),
    "same name": re.compile(r"\btools have this name\b|\banother tool has the same name\b"),
    "malformed schema": re.compile(r"\binputSchema is\b|\bits schema is malformed\b"),
    "log": re.compile(r"\bthe audit log cannot be written\b"),
    "definition": re.compile(r"\bits definition has changed\b"),
    "no claims": re.compile(r"\bon the server is not declared\b|\bhas no hints\b"),
}
"""What a sentence may be about; each is said once at most, however it is worded."""
MEANS = {
    Effect.READ_ONLY: "read-only",
    Effect.ADDITIVE: "additive",
    Effect.CONTRADICTORY: "contradicts",
}
GRANT = Grant(1, "server", "demo", "", "thing", "", None, "session", 0.0, None)


@st.composite
def tools(draw: st.DrawFn) -> ToolDefinition:
    hints = {key: draw(CLAIMS) for key in HINTS if draw(st.booleans())}
    entry: dict[str, Any] = {"name": "thing", "annotations": hints}
    entry["inputSchema"] = draw(st.sampled_from([{"type": "object"}, [], {"type": "array"}]))
    many = [entry, {**entry, "title": "other"}] if draw(st.booleans()) else [entry]
    return read_tools(many)[0]


@st.composite
def questions(draw: st.DrawFn) -> AboutCall:
    tool: ToolDefinition = draw(tools())
    policy: Policy = draw(st.sampled_from(POLICIES))
    breaks = [
        Mismatch(("path",), f"wrong in way {number}", ("type",), "type")
        for number in range(draw(st.integers(0, PROBLEMS_SHOWN + 2)))
    ]
    judged = SchemaVerdict(SchemaAnswer.INVALID if breaks else SchemaAnswer.VALID, tuple(breaks))
    problems = argument_problems(judged)
    case = Case(
        tool,
        draw(st.sampled_from(list(Trust))),
        "demo",
        {"path": "x"},
        tuple(problems),
        draw(st.sampled_from(list(DefinitionStatus))),
        grant=GRANT if draw(st.booleans()) else None,
        unlogged=draw(st.sampled_from(["", "the disk is full"])),
    )
    verdict = policy.judge(case)
    although = although_invalid_words(judged) if draw(st.booleans()) else ""
    return replace(
        ask(),
        request=ToolCall(tool),
        snapshot=take_snapshot("stdio:demo", ToolCall(tool), {"path": "x"}),
        trust=case.trust,
        verdict=replace(verdict, answer=VerdictAnswer.ASK),
        although_invalid=although,
        argument_problems=tuple(visible(one) for one in problems),
    )


def dialog_text(question: Question, *, is_roomy: bool = True) -> str:
    parts = question_parts(question, columns=100, is_roomy=is_roomy)
    return "\n".join(map(_text, [*parts.first, *parts.noticed, *parts.rest]))


def _text(line: SheetLine) -> str:
    pieces, aside = ("".join(one[0] for one in some) for some in (line.pieces, line.aside))
    return f"{line.label} {pieces}   {aside}"


def line_text(question: Question) -> str:
    return "\n".join(question_lines(question))


def without_policy(text: str, question: Question) -> str:
    """Without the name of the rule, which is a name and no reason."""
    return text.replace(visible(question.verdict.rule), "") if question.verdict.rule else text


def assert_said_once(text: str) -> None:
    for topic, words in TOPICS.items():
        found = words.findall(text)
        assert len(found) <= 1, f"{topic}: {found}\n{text}"
    # Each of several hints is malformed in its own way.
    assert not ("of its hints is malformed" in text and "neither true nor false" in text), text


def assert_nothing_lost(text: str, question: AboutCall) -> None:
    """Each reason stands there, or what stands there instead says the same and more."""
    shown = {
        doubt
        for code, doubt in DOUBT_BY_FINDING.items()
        for finding in question.tool.findings
        if finding.code == code and visible(finding.message) in text
    }
    for reason in question.verdict.reasons:
        by_line = question.although_invalid and reason in question.argument_problems
        assert reason in text or reason in shown or by_line, f"{reason!r} is missing:\n{text}"
    effect = question.tool.effect
    topic = MEANS.get(effect, "destroys")
    assert TOPICS[topic].search(text), f"what {effect.value} means is missing:\n{text}"
    if question.although_invalid:
        assert question.although_invalid in text
    for finding in question.tool.findings:
        if finding.severity is not Severity.NOTE:
            assert visible(finding.message) in text or "more finding" in text


@given(questions(), st.booleans())
def test_the_dialog_says_each_reason_once_and_all_of_them(
    question: AboutCall, is_roomy: bool
) -> None:
    text = without_policy(dialog_text(question, is_roomy=is_roomy), question)
    assert_said_once(text)
    assert_nothing_lost(text, question)
    for problem in question.argument_problems[:PROBLEMS_SHOWN]:
        assert text.count(problem.partition(": ")[2]) <= 1


@given(questions())
def test_the_question_in_lines_says_the_same(question: AboutCall) -> None:
    text = without_policy(line_text(question), question).replace("It may destroy something.", "")
    assert_said_once(text)
    assert_nothing_lost(text, question)


@pytest.mark.parametrize(
    "others", [{}, {"openWorldHint": True}, {"idempotentHint": False}], ids=str
)
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_every_policy_says_of_a_contradiction_once_what_it_is(
    policy: Policy, others: dict[str, bool]
) -> None:
    hints: dict[str, Any] = {"readOnlyHint": True, "destructiveHint": True, **others}
    entry: dict[str, Any] = {"name": "t", "annotations": hints, "inputSchema": {}}
    tool = read_tools([entry])[0]
    for trust in Trust:
        verdict = policy.judge(Case(tool, trust, "demo", {}))
        verdict = replace(verdict, answer=VerdictAnswer.ASK)
        question = replace(ask(), request=ToolCall(tool), trust=trust, verdict=verdict)
        assert_said_once(without_policy(dialog_text(question), question))
        assert_said_once(without_policy(line_text(question), question))


@given(questions())
def test_the_verdict_itself_says_nothing_twice(question: Question) -> None:
    assert_said_once("; ".join(question.verdict.reasons))
    assert len(set(question.verdict.reasons)) == len(question.verdict.reasons)


@given(st.sampled_from(POLICIES), st.sampled_from(list(Trust)))
def test_a_read_says_nothing_twice(policy: Policy, trust: Trust) -> None:
    verdict = about_reading(policy.judge(Case(SILENT, trust, "demo", {"uri": "demo://a"})))
    question = of_read(
        ask(),
        "demo://a",
        trust=trust,
        verdict=replace(verdict, answer=VerdictAnswer.ASK),
    )
    for text in (dialog_text(question), line_text(question)):
        assert_said_once(without_policy(text, question))
        assert all(reason in text for reason in verdict.reasons)
        assert NOTHING_SAID in text or "has no hints" in text
