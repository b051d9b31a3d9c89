"""The response below the list: each kind of part in lines, every byte through the sanitiser."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.calls.call import Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.features.resources.response import TEXT_MAX, response_lines
from signoff.app.protocol.answers.content import (
    Answer,
    BlobResourcePart,
    ImagePart,
    LinkPart,
    Part,
    TextPart,
    TextResourcePart,
    UnknownPart,
)
from signoff.app.protocol.answers.copies import Copies
from tests.widgets.call_samples import ended


def lines(*parts: Part, **changes: Any) -> str:
    answer = Answer(parts, False, None, False, Copies(), ())
    call = ended(3, **{"answer": answer, **changes})
    return "\n".join(one.plain for one in response_lines(call))


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (TextPart("one\n\ttwo\x1b[31m\u202e"), "two␛[31m<U+202E>"),
        (TextResourcePart("x://a", "text/plain", "\x07bell"), "␇bell"),
        (BlobResourcePart("x://a", "a/b\x1b", "AAAA"), "a/b␛"),
        (ImagePart("AAAA", "image/png\x1b"), "image/png␛"),
        (LinkPart("x://\x1b", "", "", "", "", None), "x://␛"),
        (UnknownPart({"a": "\x1b"}, "a part without a type"), "a part without a type"),
    ],
)
def test_each_kind_of_part_is_shown_and_made_safe(part: Part, words: str) -> None:
    shown = lines(part)
    assert words in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_a_long_text_is_cut_and_says_so() -> None:
    shown = lines(TextPart("x" * (TEXT_MAX + 5)))
    assert shown.count("x") < TEXT_MAX + 100
    assert "characters" in shown


def test_a_withheld_or_missing_response_shows_none_of_it() -> None:
    raw: JsonValue = "secret"
    assert "secret" not in lines(TextPart(str(raw)), withheld=True)
    assert "server gone" in lines(
        answer=None, outcome=Outcome.CONNECTION_LOST, reason="server gone"
    )
