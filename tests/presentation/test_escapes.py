"""Any text in Markdown: no markup, no link, no mention; one function does it for every page."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.presentation import escapes
from signoff.app.presentation.escapes import markdown, own_markdown, unlinked

PIECES = ("https://", "www.", "WwW.", "@", "#", "a", "<b>", "`", "|", "[", "](", "*", "&#64;", "/")


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_nothing_is_active(pieces: list[str]) -> None:
    made = markdown("".join(pieces))
    assert not re.search(r"[<>`|*\[\]@]|://|www\.|&#(?:64|35);", made, re.IGNORECASE)


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_plain_text_has_no_link_or_mention(pieces: list[str]) -> None:
    assert not re.search(r"@|#\d|://|www\.", unlinked("".join([*pieces, "1"])), re.IGNORECASE)


def test_plain_text_keeps_what_is_no_link() -> None:
    assert unlinked("a/b.py: `$.x` #/defs [1] <b>") == "a/b.py: `$.x` #/defs [1] <b>"


@pytest.mark.parametrize("text", ["@octocat", "#1", "a@b.example", "acme/a#7"])
def test_no_mention_is_left_behind_a_reference_to_a_character(text: str) -> None:
    assert not re.search("[@#]", html.unescape(markdown(text)))


def test_an_address_of_our_own_stays_a_link() -> None:
    assert own_markdown("https://a.example/x") == "https://a.example/x"


def test_no_other_module_writes_references_to_characters() -> None:
    app = Path(escapes.__file__).parents[1]
    found = [
        str(one.relative_to(app))
        for one in app.rglob("*.py")
        if 'f"&#{' in one.read_text(encoding="utf-8")
    ]
    assert found == [str(Path("presentation", "escapes.py"))]
