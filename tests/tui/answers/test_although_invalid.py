"""A call that is sent although it does not match the schema says so wherever it is asked about."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from signoff.app.calls.checks import although_invalid_words
from signoff.app.cli.approving.question_text import question_lines
from signoff.app.schemas.schema import Mismatch, SchemaAnswer, SchemaVerdict
from signoff.app.storage.auditing.events import asked, prompt_digest
from tests.approved import approved
from tests.tui.stage import ask, stage

MISMATCH = Mismatch(("path",), "expected string, got 5", (), "type")
BROKEN = SchemaVerdict(SchemaAnswer.INVALID, (MISMATCH, Mismatch(("a", 1), "no\u202e", (), "x")))
TEXTS = approved("approval")
WORDS = although_invalid_words(BROKEN)


@pytest.mark.parametrize(
    ("verdict", "key"),
    [
        (BROKEN, "although invalid: two problems"),
        (
            SchemaVerdict(SchemaAnswer.INVALID, (MISMATCH,) * 5, more=1_000),
            "although invalid: many problems",
        ),
        (
            SchemaVerdict(SchemaAnswer.NOT_VALIDATED, reason="it took 3 s"),
            "although invalid: not checked",
        ),
    ],
)
def test_the_sentence(verdict: SchemaVerdict, key: str) -> None:
    TEXTS.holds(key, although_invalid_words(verdict))


@pytest.mark.parametrize("answer", [SchemaAnswer.VALID, SchemaAnswer.NO_SCHEMA])
def test_no_sentence_without_a_problem(answer: SchemaAnswer) -> None:
    assert although_invalid_words(SchemaVerdict(answer)) == ""


async def test_the_dialog_says_it() -> None:
    async with stage(replace(ask(), although_invalid=WORDS), size=(80, 24)) as scene:
        seen = " ".join(re.sub("[│┃]", " ", scene.text).split())
        assert f"invalid {WORDS}" in seen
    async with stage(size=(80, 24)) as scene:
        assert "You chose" not in scene.text


def test_the_plain_question_and_the_record_say_it() -> None:
    plain, invalid = ask(), replace(ask(), although_invalid=WORDS)
    assert f"invalid    {WORDS}" in question_lines(invalid)
    assert "invalid" not in "\n".join(question_lines(plain))
    assert asked(invalid)[2]["although_invalid"] is True
    assert "although_invalid" not in asked(plain)[2]
    assert prompt_digest(invalid) != prompt_digest(plain)
