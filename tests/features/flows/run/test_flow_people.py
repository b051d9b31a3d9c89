"""Simulated people: who they are, and whether a server survives them."""

from __future__ import annotations

import asyncio
import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import DecisionAnswer
from signoff.app.cli.approving.people import Person
from signoff.app.cli.approving.person import read_simulated
from signoff.app.engine.events import QuestionVoided
from signoff.app.features.flows.reading import load_flow
from signoff.app.features.flows.run.session import opened_flow, prepare
from tests.approved import approved, untimed
from tests.cli.running import ROOT, run
from tests.questions import of_server
from tests.servers import raw
from tests.tiers import first_quick

PROSE = approved("flows")

LOST = "the connection was lost"

FLOW = """\
server: demo
decision_seconds: 0.4
steps:
  - call: delete_file
    with: {path: notes/todo.txt}
    person: deny
    expect: {verdict: ask, dialog: notes/todo.txt, sent: false, outcome: denied}
  - call: ask_two_questions
    answers: {elicitation: [accept, accept]}
    expect: {outcome: ok}
"""


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("slwo:3", "person: a misspelt one"),
        ("slow", "person: no seconds"),
        ("slow:x", "person: seconds"),
        ("slow:-1", "person: seconds"),
        ("slow:nan", "person: seconds"),
        ("erratic", "person: no seed"),
        ("erratic:1.5", "person: a seed with a fraction"),
        ("absent:3", "person: too much"),
    ],
)
def test_nobody_of_that_name(text: str, key: str) -> None:
    with pytest.raises(ValueError, match=text.partition(":")[0]) as caught:
        read_simulated(text)
    PROSE.holds(key, str(caught.value), GIVEN=repr(text))


def test_a_seed_tells_the_same_moods_again() -> None:
    first = list(islice(read_simulated("erratic:7").people(), 50))
    assert first == list(islice(read_simulated("erratic:7").people(), 50))
    assert first != list(islice(read_simulated("erratic:8").people(), 50))
    assert {one.answer for one in first} == {"approve", "deny", "close", "never", "absent"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "person", first_quick(["absent", "denies", "approves", "slow:0.1", "slow:9"], 2)
)
def test_the_demo_survives(tmp_path: Path, person: str) -> None:
    (tmp_path / "a.flow.yaml").write_text(FLOW)
    ended = run(tmp_path, "test", "a.flow.yaml", "--person", person, "--json")
    assert ended.status == 0, ended.stdout
    (flow,) = ended.report["flows"]
    assert flow["person"] == person
    first, _, last = flow["steps"]
    is_sent = person in ("approves", "slow:0.1")
    assert (first["proof"] is None) == is_sent
    assert [check["name"] for check in last["checks"]] == ["survives"]


def test_a_server_that_does_not_survive_is_told(tmp_path: Path) -> None:
    text = f"""\
command: {json.dumps(raw("--with", "all"))}
steps:
  - call: crash
    person: deny
"""
    (tmp_path / "a.flow.yaml").write_text(text)
    assert run(tmp_path, "test", ".").status == 0
    ended = run(tmp_path, "test", ".", "--person", "approves")
    assert ended.status == 1
    assert "survives" in ended.stdout


@pytest.mark.slow
def test_one_call_under_a_simulated_person(tmp_path: Path) -> None:
    words = ("call", "delete_file", "demo", "-a", "path=notes/todo.txt", "--json")
    ended = run(tmp_path, *words, "--person", "absent", "--decision-seconds", "0.3")
    assert ended.status == 3
    assert ended.report["decision"]["by"] == "time limit"
    assert ended.report["sent"] is False
    ended = run(tmp_path, *words, "--person", "slow:0.1")
    assert ended.report["decision"] == {
        "answer": "approve",
        "by": "script",
        "reason": "--person slow:0.1",
    }
    both = run(tmp_path, *words, "--person", "denies", "--approve", "always")
    assert both.status == 2


@pytest.mark.parametrize(
    ("person", "sent"), first_quick([("approves", True), ("denies", False)], several=True)
)
def test_a_simulated_person_answers_in_plain_mode(tmp_path: Path, person: str, sent: bool) -> None:
    script = 'call delete_file !{"path": "notes/todo.txt"}\n'
    ended = run(tmp_path, "--plain", "demo", "--person", person, stdin=script)
    assert ended.status == 0
    lines = ended.stdout.splitlines()
    [told] = [line for line in lines if line.startswith("--person ")]
    PROSE.holds("person: in plain mode", told, PERSON=person)
    assert '  "path": "notes/todo.txt"' in ended.stdout
    [answered] = [line for line in lines if line.startswith("answered ")]
    named = {"ANSWER": "approved" if sent else "denied", "PERSON": person}
    PROSE.holds("person: its answer in plain mode", answered, **named)
    assert ("Deleted: " in ended.stdout) == sent
    ended = run(tmp_path, "--plain", "demo", "--person", "somebody")
    assert ended.status == 2
    PROSE.holds("person: an unknown one", ended.stderr)


OF_TWO = """\
server: demo
steps:
  - call: increment_counter
    with: {id: a}
    person: approve
    expect: {sent: true, decided_by: you, structured: {at: /value, equals: VALUE}}
    capture: {count: /structuredContent/value}
  - call: append_note
    with: {path: notes/todo.txt, text: a}
    person: deny
    expect: {verdict: ask, sent: false}
  - call: calculate_sum
    with: {a: "${count}", b: 1}
    expect: {content: "2"}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "person", "status", "key"),
    [
        ("1", "approves", 0, "person: what is not checked then"),
        ("1", "denies", 0, "person: what depends on another answer"),
        ("7", "slow:0.1", 1, ""),
    ],
)
def test_what_is_expected_counts_until_another_answer_and_what_depends_on_it_is_not_run(
    tmp_path: Path, value: str, person: str, status: int, key: str
) -> None:
    (tmp_path / "a.flow.yaml").write_text(OF_TWO.replace("VALUE", value))
    ended = run(tmp_path, "test", "a.flow.yaml", "--person", person)
    assert ended.status == status, ended.stdout
    if key:
        PROSE.holds(key, untimed(ended.stdout))
    else:
        assert "/value: 7" in ended.stdout


async def test_a_void_reaches_whoever_is_asked_about_that_question(tmp_path: Path) -> None:
    """As with a question that outlasts the step that led to it."""
    (tmp_path / "a.flow.yaml").write_text(FLOW)
    prepared = prepare(load_flow(tmp_path / "a.flow.yaml"), {}, {})
    question = of_server()
    async with opened_flow(prepared, None) as session:
        # Before the first step, and in one of the steps.
        for is_in_step in (False, True):
            first = session.attend(Person("absent"), {}) if is_in_step else session.person
            first.person = Person("absent")
            asking = asyncio.create_task(first.ask(question))
            await asyncio.sleep(0)
            session.attend(Person(), {})
            session.attend(Person(), {})
            session.hear(QuestionVoided(question.call, LOST))
            decision = await asking
            assert decision.answer is DecisionAnswer.WITHDRAWN
            assert decision.reason == LOST


DECLINED = {"action": "decline"}
SOON = {"const": "soon", "format": "date"}
UNCHECKED = {"$ref": "#/nowhere"}


@pytest.mark.parametrize(
    ("surface", "field", "answer"),
    first_quick(
        [
            (
                "headless",
                {"type": "integer", "minimum": 5},
                {"action": "accept", "content": {"a": 5}},
            ),
            ("headless", {"type": "boolean"}, {"action": "accept", "content": {"a": True}}),
            ("headless", {"type": "string", "pattern": "^[0-9]+$"}, DECLINED),
            ("headless", {"type": "string", "format": "email", "maxLength": 4}, DECLINED),
            ("headless", {"type": "array", "minItems": 1, "items": SOON}, DECLINED),
            ("headless", UNCHECKED, DECLINED),
            ("plain", UNCHECKED, DECLINED),
            ("flow", UNCHECKED, DECLINED),
        ],
        3,
        several=True,
    ),
)
def test_a_simulated_person_sends_only_what_a_form_lets_through(
    tmp_path: Path, surface: str, field: dict[str, Any], answer: dict[str, Any]
) -> None:
    schema = {"type": "object", "properties": {"a": field}, "required": ["a"]}
    server = [sys.executable, str(ROOT / "tests" / "servers" / "asks_for.py"), json.dumps(schema)]
    told = json.dumps(answer)
    if surface == "flow":
        (tmp_path / "a.flow.yaml").write_text(
            f"command: {json.dumps(server)}\n"
            f"steps:\n  - call: ask\n    expect: {{content: {{contains: {json.dumps(told)}}}}}\n"
        )
        ended = run(tmp_path, "test", "a.flow.yaml", "--person", "approves", "--json")
        assert ended.status == 0, ended.stdout + ended.stderr
        return
    common = ("--protocol", "legacy", "--no-audit", "--no-memory", "--person", "approves")
    if surface == "plain":
        ended = run(tmp_path, "--plain", *common, "--", *server, stdin="call ask\n\nquit\n")
        assert told in " ".join(ended.stdout.split())
    else:
        ended = run(tmp_path, "call", "ask", "--json", *common, "--", *server)
        assert ended.report["result"]["content"][0]["text"] == told


SENT_UNCHECKED = """\
server: demo
steps:
  - call: ask_two_questions
    person: approve
    answers: {elicitation: {content: {name: 7}, unchecked: %s}}
    expect: {outcome: %s, content: {contains: %s}}
"""


@pytest.mark.parametrize(
    ("unchecked", "outcome", "text"),
    first_quick([("true", "tool-error", "breaks"), ("false", "ok", "declined")], several=True),
)
def test_values_that_a_form_refuses_are_sent_unchecked_alone(
    tmp_path: Path, unchecked: str, outcome: str, text: str
) -> None:
    (tmp_path / "a.flow.yaml").write_text(SENT_UNCHECKED % (unchecked, outcome, text))
    ended = run(tmp_path, "test", "a.flow.yaml")
    assert ended.status == 0, ended.stdout
