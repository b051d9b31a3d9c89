"""Lines for narrow terminals: whole words, and never a server's text at the beginning of a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from signoff.app.cli.output.printing import wrapped
from signoff.app.content.texts.sheet_line import GUTTER

WORDS = st.text(st.characters(exclude_categories=["C", "Z", "M"]), min_size=1, max_size=60)
LINES = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)


@given(
    LINES, st.integers(20, 120), st.sampled_from(["", "  ", f"         {GUTTER}", "asked      "])
)
def test_no_line_is_wider_and_no_word_that_fits_is_broken(
    text: str, width: int, before: str
) -> None:
    lines = wrapped(before + text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).replace(GUTTER.strip(), "").split()) == "".join(
        (before + text).replace(GUTTER.strip(), "").split()
    )
    broken = {word for line in lines for word in line.split()}
    fits = [word for word in text.split() if cell_len(word) <= min(width - 32, 40)]
    assert set(fits) <= broken | {""}


@given(LINES, st.integers(20, 80), st.integers(0, 12))
def test_text_behind_a_gutter_stays_behind_it(text: str, width: int, blanks: int) -> None:
    lines = wrapped(f"{' ' * blanks}{GUTTER}{text}", width)
    assert all(line.lstrip(" ").startswith(GUTTER.strip()) for line in lines)


@given(LINES, st.integers(40, 80))
def test_text_behind_a_label_and_a_gutter_stays_behind_it(text: str, width: int) -> None:
    first, *others = wrapped(f"says     {GUTTER}{text}", width)
    assert first.startswith(f"says     {GUTTER}"[: len(first)])
    assert all(line.startswith(f"         {GUTTER}") for line in others)


@given(LINES, st.integers(20, 80))
def test_what_follows_never_begins_a_line(text: str, width: int) -> None:
    assert all(line.startswith("  ") for line in wrapped(f"title      {text}", width)[1:])


@pytest.mark.parametrize("line", ["", "short", "x" * 500])
def test_a_log_has_lines_of_any_length(line: str) -> None:
    assert wrapped(line, None) == [line]


def test_what_follows_stands_under_the_words() -> None:
    assert wrapped("asked      it may destroy and more", 24) == [
        "asked      it may",
        "           destroy and",
        "           more",
    ]
