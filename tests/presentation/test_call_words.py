"""A call is worded once: its facts, the time it took, its response part by part, its JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.approval import Decision, DecisionAnswer
from signoff.app.approval.grants import Remember, Scope
from signoff.app.calls.call import NOTHING_SENT, Call, Outcome, Page
from signoff.app.content.html import facts as html_facts
from signoff.app.content.texts.facts import lines, main_lines, texts
from signoff.app.presentation.calls import (
    as_json,
    facts,
    follows,
    outcome_words,
    took_words,
)
from signoff.app.presentation.responses import PartLook, heading, parts
from signoff.app.presentation.server import ShowsAll
from signoff.app.protocol.answers.content import TextPart, UnknownPart, read_answer
from tests.widgets.call_samples import ended as ended_call
from tests.widgets.call_samples import running

SHOWN = PartLook(1_000, "elsewhere: all of it")


def ended(outcome: Outcome = Outcome.OK, **changes: Any) -> Call:
    return ended_call(1, outcome, 0.5, **changes)


def words(call: Call, label: str) -> str:
    return next((one.words for one in facts(call) if one.label == label), "")


def test_every_surface_has_the_same_outcome() -> None:
    call = ended(decision=Decision(DecisionAnswer.APPROVE, "you", "seen", seconds=2.0))
    one_line = outcome_words(call)
    assert one_line == "answered, 0.5 s"
    assert f"outcome     {one_line}" in texts(list(lines(facts(call))))
    assert f"outcome  {one_line}" in texts(list(main_lines(facts(call), 9)))
    assert one_line in html_facts((one.label, one.words) for one in facts(call))
    assert words(call, "decision") == "approved by you, after 2.0 s: seen"
    assert "definition" not in "".join(texts(list(main_lines(facts(call), 9))))


@pytest.mark.parametrize("outcome", list(Outcome))
def test_what_was_not_sent_has_no_time_and_says_so_once(outcome: Outcome) -> None:
    said = outcome_words(ended(outcome, sent_at=None, reason="why it was not"))
    assert said.count("sent") == 1, said
    assert "0.5 s" not in said
    assert took_words(ended(outcome)) == "0.5 s"


def test_a_reason_that_the_decision_has_is_not_repeated() -> None:
    denied = Decision(DecisionAnswer.DENY, "you", "too broad", remember=Remember(Scope.SESSION))
    call = ended(Outcome.DENIED, sent_at=None, decision=denied, reason="too broad")
    whole = "\n".join(texts(list(lines(facts(call)))))
    assert whole.count("too broad") == 1
    assert "remembered: this tool, this session" in whole
    assert NOTHING_SENT in whole


def test_a_running_call_has_a_time_only_if_it_is_known_when() -> None:
    call = running(1)
    assert outcome_words(call) == "running"
    assert outcome_words(call, 4.0) == "running, 3.0 s"
    assert words(call, "decision") == "none yet"


def test_what_it_follows_is_one_line() -> None:
    call = ended(retry_of=3, page=Page(1, 2, 1))
    assert follows(call) == ["retry of call 3", "page 2 of call 1"]
    assert words(call, "follows") == "retry of call 3, page 2 of call 1"


@given(st.text(max_size=60), st.text(max_size=20))
def test_each_part_is_safe_and_cut_once(text: str, mime: str) -> None:
    answer = read_answer(
        {
            "content": [
                {"type": "text", "text": text},
                {"type": "resource", "resource": {"uri": "x://a", "mimeType": mime, "text": text}},
                {"type": "hologram", "mimeType": mime},
                {"type": "resource", "resource": {"uri": text, "mimeType": mime, "blob": "AAAA"}},
            ],
            "structuredContent": {"a": text},
        }
    )
    assert answer is not None
    shown = list(parts(ended(answer=answer), SHOWN))
    assert len(shown) == len(answer.parts) + 1
    assert shown[0].heading[0][0] == ""
    for line in (line for one in shown for line in one.sheet):
        assert line.plain.isprintable(), line
    assert not list(parts(ended(answer=answer, withheld=True), SHOWN))


def test_a_heading_has_kind_and_size_before_anything_is_read() -> None:
    assert heading(TextPart("abc")) == "text  3 characters"
    assert heading(UnknownPart({}, "no type")) == "✗ no type"


def test_a_cut_text_names_the_place_of_the_whole() -> None:
    answer = read_answer({"content": [{"type": "text", "text": "secret" * 100}]})
    look = replace(SHOWN, text_max=30, conceal=lambda text: text.replace("secret", "***"))
    shown = "\n".join(line.plain for line in next(parts(ended(answer=answer), look)).sheet)
    assert "secret" not in shown
    assert shown.endswith("; elsewhere: all of it")


def test_its_json_hides_what_repeats_a_secret() -> None:
    class Hides(ShowsAll):
        def value(self, value: Any) -> Any:
            return "hidden"

    found = as_json(ended(raw={"a": 1}), Hides(), None)
    assert (found["result"], found["outcome"], found["sent"]) == ("hidden", "ok", True)
    assert list(found)[-1] == "duration_ms"
