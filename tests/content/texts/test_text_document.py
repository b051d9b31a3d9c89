from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.texts.document import PARSED_AT_ONCE, PARSED_MAX, TextDocument, raw_pieces

HOSTILE = st.text(st.sampled_from('ab \t\r\n"\\\x00\x7f\x1b\u202e\u200b漢😀\u0301\ud800\u2028'))


@given(HOSTILE)
def test_the_raw_view_is_json_of_exactly_this_text(text: str) -> None:
    drawn = [
        "".join(piece for piece, _ in raw_pieces(line + "\n" * (at < text.count("\n"))))
        for at, line in enumerate(text.split("\n"))
    ]
    assert json.loads('"' + "".join(drawn) + '"') == text
    assert all(line.isprintable() for line in drawn)


def test_trailing_blanks_and_carriage_returns_stand_out() -> None:
    assert raw_pieces("a  \r\n") == [("a  ", ""), ("\\r\\n", "warning")]


@pytest.mark.parametrize(
    ("text", "mime", "views"),
    [
        ("x", "", ("plain", "raw")),
        ("{}", "", ("tree", "rendered", "plain", "raw")),
        ('[{"a":1}]', "", ("tree", "table", "rendered", "plain", "raw")),
        ("{broken", "application/json", ("rendered", "plain", "raw")),
        ("a,b\n", "text/csv", ("table", "plain", "raw")),
        ("# x", "text/markdown", ("rendered", "plain", "raw")),
        ("<p>", "text/html", ("rendered", "plain", "raw")),
    ],
)
def test_views(text: str, mime: str, views: tuple[str, ...]) -> None:
    assert TextDocument(text, mime).views == views


def test_broken_json_says_why() -> None:
    document = TextDocument("{broken", "application/json")
    assert document.views
    assert "not JSON" in document.trouble
    assert document.lay_out() == "{broken"


def test_large_json_is_not_read_where_the_screen_waits() -> None:
    large = json.dumps(["x" * 100] * (PARSED_AT_ONCE // 100))
    document = TextDocument(large)
    assert document.views == ("tree", "rendered", "plain", "raw")
    assert not document.is_parsed
    assert document.laid_out == large
    assert document.parse()
    assert document.lay_out().count("\n") > 1_000
    huge = TextDocument(json.dumps(["x" * 100] * (PARSED_MAX // 100)))
    assert huge.views == ("rendered", "plain", "raw")
    assert not huge.can_be_laid_out
