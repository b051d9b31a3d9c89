from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from signoff.app.content.text import visible
from signoff.widgets.cells import LEAST_NAME, fit, fit_name, left, right, server_name, server_text
from tests.widgets.tool_samples import HOSTILE

ODD = st.text(
    st.sampled_from("ab 漢字é́\u0308👩\u200d👧🇩🇪\ufe0f❤①\u202e\x1b[]…") | st.characters(),
    max_size=60,
)
PLAIN = Style()


@given(ODD, st.integers(0, 30))
def test_sanitised_text_fits_and_says_when_it_is_cut(text: str, width: int) -> None:
    clean = visible(text)
    shown = fit(clean, width)
    assert cell_len(shown) <= width
    if shown != clean and width:
        assert shown.endswith("…")
        assert clean.startswith(shown[:-1])
    assert cell_len(left(clean, width)) == cell_len(right(clean, width)) == width


@given(ODD | st.sampled_from(HOSTILE), st.integers(1, 40))
def test_server_text_is_as_wide_as_asked_and_inert(text: str, width: int) -> None:
    segments = server_text(text, width, PLAIN)
    shown = "".join(segment.text for segment in segments)
    assert cell_len(shown) == width
    assert all(unicodedata.category(char) not in ("Cc", "Cs") for char in shown)
    assert "\x1b" not in shown
    if not shown.rstrip().endswith("…"):
        assert shown.rstrip() == visible(text).rstrip()


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("漢字", 3, "漢…"), ("漢字", 2, "…"), ("abc", 0, "")],
)
def test_examples(text: str, width: int, shown: str) -> None:
    assert fit(text, width) == shown


def test_marks_are_inverse_and_the_same_characters_written_out_are_not() -> None:
    marked = server_text("a\u202eb", 20, PLAIN)
    written = server_text("a<U+202E>b", 20, PLAIN)
    assert [segment.text for segment in marked if segment.style and segment.style.reverse] == [
        "<U+202E>"
    ]
    assert not [segment for segment in written if segment.style and segment.style.reverse]


@given(ODD | st.sampled_from(HOSTILE), st.integers(1, 60))
def test_a_name_is_as_wide_as_asked_and_inert(text: str, width: int) -> None:
    shown = "".join(segment.text for segment in server_name(text, width, PLAIN))
    assert cell_len(shown) == width
    assert all(unicodedata.category(char) not in ("Cc", "Cs") for char in shown)
    assert "\x1b" not in shown
    if cell_len(visible(text)) <= width:
        assert shown.rstrip() == visible(text).rstrip()
    else:
        assert "…" in shown


@given(ODD, st.integers(0, 60))
def test_a_name_loses_its_middle_and_nothing_else(text: str, width: int) -> None:
    clean = visible(text)
    shown = fit_name(clean, width)
    assert cell_len(shown) <= width
    if shown != clean and width >= LEAST_NAME:
        start, end = next(
            (shown[:place], shown[place + 1 :])
            for place, char in enumerate(shown)
            if char == "…" and not clean.startswith(shown[: place + 1])
        )
        assert clean.startswith(start)
        assert clean.endswith(end)


def test_names_that_begin_alike_are_told_apart() -> None:
    names = [f"{'company_platform_' * 5}{verb}_account" for verb in ("list", "delete")]
    for width in (LEAST_NAME, 30, 80):
        assert len({fit_name(name, width) for name in names}) == 2 or width == LEAST_NAME
        shown = ["".join(s.text for s in server_name(name, width, PLAIN)) for name in names]
        assert shown == [fit_name(name, width) for name in names]
    assert fit_name(names[1], 30) == "company_plat…rm_delete_account"
