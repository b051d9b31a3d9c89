"""What a server is told without a screen: words on a line, and `--answer FILE`."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import Decision, DecisionAnswer
from signoff.app.approval.server_questions import AboutElicitation, filled
from signoff.app.cli.approving.approvers import (
    AnswersFromFile,
    PolicyAlone,
    WrittenAnswer,
    decided,
    read_answers,
    server_decision,
)
from signoff.app.cli.approving.question_text import question_lines
from signoff.app.cli.targets.targets import UsageError
from signoff.app.schemas.form.entries import Origin
from tests.approved import approved
from tests.cli.running import run
from tests.questions import of_server
from tests.servers import raw

PROSE = approved("headless")

MODERN = raw("--only", "asks_elicitation", "--era", "modern")
ACCEPT: dict[str, Any] = {"action": "accept", "content": {"sure": True}}


def written(**values: Any) -> AboutElicitation:
    found = filled(of_server(), values, dict.fromkeys(values, Origin.TYPED))
    assert isinstance(found, AboutElicitation)
    return found


def test_only_the_word_sends_and_only_what_can_be_sent() -> None:
    decision = server_decision("send", written(why="x"))
    assert isinstance(decision, Decision)
    assert decision.answer is DecisionAnswer.APPROVE
    assert decision.answer_sent is not None
    assert decision.answer_sent.arguments() == {"why": "x"}
    # Nothing has been filled in: it is asked again.
    assert server_decision("send", of_server()) == of_server()


@pytest.mark.parametrize("typed", ["", "yes", "Send", "approve", "send it", "fill"])
def test_anything_else_declines_or_is_asked_again(typed: str) -> None:
    decision = server_decision(typed, written(why="x"))
    if typed == "fill":
        assert not isinstance(decision, Decision)
        assert decision.draft == {}
    else:
        assert isinstance(decision, Decision)
        assert decision.answer is DecisionAnswer.DENY


def test_cancelling_and_declining_for_the_session() -> None:
    cancelled = server_decision("cancel", of_server())
    assert isinstance(cancelled, Decision)
    assert cancelled.answer is DecisionAnswer.CANCEL
    muted = server_decision("deny session", of_server())
    assert isinstance(muted, Decision)
    assert (muted.answer, muted.for_session) == (DecisionAnswer.DENY, True)


def test_what_is_filled_in_is_shown_before_it_is_sent() -> None:
    question = server_decision('fill {"why": "[b]x"}', of_server())
    assert isinstance(question, AboutElicitation)
    assert question.draft == {"why": "[b]x"}
    assert any('"why": "[b]x"' in line for line in question_lines(question))
    broken = server_decision("fill {why", of_server())
    assert isinstance(broken, AboutElicitation)
    assert broken.problems
    assert not isinstance(server_decision("send", broken), Decision)


def test_a_visit_is_consented_to_by_a_word_of_its_own() -> None:
    visit = of_server(url="https://example.com/")
    for typed, answer in (
        ("consent", DecisionAnswer.APPROVE),
        ("send", DecisionAnswer.DENY),
        ("fill {}", DecisionAnswer.DENY),
    ):
        decision = server_decision(typed, visit)
        assert isinstance(decision, Decision)
        assert decision.answer is answer, typed


def answers(folder: Path, given: object) -> str:
    path = folder / "answers.json"
    path.write_text(given if isinstance(given, str) else json.dumps(given), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ("{", "answer file: not JSON"),
        ([], "answer file: a list"),
        ({"elicitations": []}, "answer file: another kind"),
        ({"elicitation": {}}, "answer file: a table of a kind"),
        ({"elicitation": ["yes"]}, "answer file: another action"),
        ({"elicitation": [{"action": "accept", "content": []}]}, "answer file: content of a list"),
        ({"elicitation": [3]}, "answer file: a number"),
    ],
)
def test_a_mistake_in_the_file_says_where(given: object, key: str, tmp_path: Path) -> None:
    path = answers(tmp_path, given)
    with pytest.raises(UsageError) as raised:
        read_answers(path)
    words = re.sub("(not JSON): .*", r"\1: REASON", str(raised.value))
    PROSE.holds(key, words, FILE=path)


def test_all_mistakes_in_the_file_are_told_at_once(tmp_path: Path) -> None:
    given = {
        "elicitation": ["acept", "decline", {"action": 3, "content": 1}, None],
        "sampling": {},
        "samplings": [],
    }
    path = answers(tmp_path, given)
    with pytest.raises(UsageError) as raised:
        read_answers(path)
    PROSE.holds("answer file: every mistake", str(raised.value), FILE=path)


def test_what_an_entry_decides() -> None:
    sent = decided(of_server(), WrittenAnswer("accept", {"why": "x"})).answer_sent
    assert sent is not None
    assert sent.arguments() == {"why": "x"}
    assert decided(of_server(), WrittenAnswer("accept")).answer is DecisionAnswer.DENY
    assert decided(of_server(), WrittenAnswer("cancel")).answer is DecisionAnswer.CANCEL
    visit = decided(of_server(url="https://a.example/"), WrittenAnswer("accept"))
    assert visit.answer is DecisionAnswer.APPROVE


async def test_entries_are_used_up_in_order_and_what_breaks_the_form_is_declined() -> None:
    entries = {"elicitation": [WrittenAnswer("cancel"), WrittenAnswer("accept", {"why": "x"})]}
    approver = AnswersFromFile(entries, PolicyAlone("nobody"))
    found = [(await approver.ask(of_server())).answer for _ in range(3)]
    assert found == [DecisionAnswer.CANCEL, DecisionAnswer.APPROVE, DecisionAnswer.DENY]
    broken = await approver.ask(replace(written(why=1), problems=("$.why: expected string",)))
    PROSE.holds("answer file: against the form", broken.reason)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"elicitation": [ACCEPT]}, "'action': 'accept', 'content': {'sure': True}"),
        ({"elicitation": ["cancel"]}, "'action': 'cancel'"),
        ({}, "'action': 'decline'"),
    ],
)
def test_a_call_is_answered_from_the_file(
    given: dict[str, object], words: str, tmp_path: Path
) -> None:
    path = answers(tmp_path, given)
    ended = run(
        tmp_path,
        *("call", "asks_elicitation", "--trust", "--answer", path, "--no-audit", "--no-memory"),
        *("--", *MODERN),
    )
    assert ended.status == 0
    assert words in ended.stdout


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    ended = run(
        tmp_path, "call", "asks_elicitation", "--answer", str(tmp_path / "none"), "--", *MODERN
    )
    assert ended.status == 2
    assert "--answer" in ended.stderr
    assert "no such file" in ended.stderr


async def test_a_request_of_the_server_is_denied_with_a_reason_of_its_own() -> None:
    denied = await PolicyAlone("no terminal", "give a file").ask(of_server())
    assert (denied.answer, denied.reason) == (DecisionAnswer.DENY, "give a file")
