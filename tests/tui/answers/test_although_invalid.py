"""A call that is sent although it does not match the schema says so wherever it is asked about."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from signoff.app.calls.checks import although_invalid_words
from signoff.app.headless.question_text import question_lines
from signoff.app.schemas.schema import Answer, Mismatch, SchemaVerdict
from signoff.app.storage.auditing.events import asked, prompt_digest
from tests.tiers import first_quick
from tests.tui.stage import ask, stage

MISMATCH = Mismatch(("path",), "expected string, got 5", (), "type")
BROKEN = SchemaVerdict(Answer.INVALID, (MISMATCH, Mismatch(("a", 1), "no\u202e", (), "x")))
WORDS = (
    "You chose to send it although it does not match the schema: 2 problems: "
    "$.path: expected string, got 5; $.a[1]: no<U+202E>"
)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (BROKEN, WORDS),
        (SchemaVerdict(Answer.VALID), ""),
        (SchemaVerdict(Answer.NO_SCHEMA), ""),
        (
            SchemaVerdict(Answer.NOT_VALIDATED, reason="it took 3 s"),
            "You chose to send it although it could not be checked: it took 3 s",
        ),
    ],
)
def test_the_sentence(verdict: SchemaVerdict, words: str) -> None:
    assert although_invalid_words(verdict) == words


def test_many_problems_are_counted() -> None:
    verdict = SchemaVerdict(Answer.INVALID, (MISMATCH,) * 5, more=1_000)
    words = although_invalid_words(verdict)
    assert "1,005 problems" in words
    assert words.endswith("; and 1,002 more")


@pytest.mark.parametrize("size", first_quick([(120, 36), (80, 24)]))
async def test_the_dialog_says_it(size: tuple[int, int]) -> None:
    async with stage(replace(ask(), although_invalid=WORDS), size=size) as scene:
        seen = " ".join(re.sub("[│┃]", " ", scene.text).split())
        assert (
            "invalid You chose to send it although it does not match the schema: 2 problems:"
            in seen
        )
    async with stage(size=size) as scene:
        assert "You chose" not in scene.text


def test_the_plain_question_and_the_record_say_it() -> None:
    plain, invalid = ask(), replace(ask(), although_invalid=WORDS)
    assert f"invalid    {WORDS}" in question_lines(invalid)
    assert "invalid" not in "\n".join(question_lines(plain))
    assert asked(invalid)[2]["although_invalid"] is True
    assert "although_invalid" not in asked(plain)[2]
    assert prompt_digest(invalid) != prompt_digest(plain)
