"""Did you mean: only what there is, safe to show, and bounded."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.suggest import LONGEST, MAX_KNOWN, did_you_mean, near
from signoff.app.content.text import visible
from tests.approved import approved

PROSE = approved("suggestions")

TOOLS = ("delete_file", "delete_user", "create_record", "launch_confetti", "search")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("delete_fil", "delete_file"),
        ("deleteFile", "delete_file"),
        ("DELETE-FILE", "delete_file"),
        ("confetti", "launch_confetti"),
        ("serach", "search"),
        ("creat_recrod", "create_record"),
        ("nothing of the kind", ""),
        ("", ""),
        ("x" * 200, ""),
    ],
)
def test_what_was_probably_meant(typed: str, meant: str) -> None:
    assert did_you_mean(typed, TOOLS) == (f"; did you mean {meant}?" if meant else "")


@pytest.mark.parametrize(
    ("typed", "known"), [("kimi-code", "codex"), ("codex", "qwen-code"), ("rm", "run")]
)
def test_names_that_share_a_word_are_not_alike(typed: str, known: str) -> None:
    assert near(typed, [known]) == ()


def test_a_longer_name_may_have_another_beginning() -> None:
    assert near("delete_note", ["remove_note"]) == ("remove_note",)


def test_two_swapped_letters_of_three() -> None:
    assert near("rnu", ["run"]) == ("run",)


def test_several() -> None:
    PROSE.holds("suggestion: one of several", did_you_mean("delete", TOOLS, 3))


def test_a_name_that_cannot_be_seen_is_quoted_and_shown() -> None:
    PROSE.holds("suggestion: an unseen character", did_you_mean("delete", ["dele\u200bte"]))


@given(st.text(max_size=150), st.lists(st.text(max_size=150), max_size=20))
def test_it_never_makes_a_name_up(typed: str, known: list[str]) -> None:
    found = near(typed, known, 3)
    assert set(found) <= set(known) - {typed}
    assert len(found) <= 3
    words = did_you_mean(typed, known, 3)
    assert visible(words) == words


def test_a_great_many_names_take_no_time() -> None:
    start = time.monotonic()
    for length in (50, LONGEST - 8):
        near("a" * length, (f"{'b' * length}{number}" for number in range(10 * MAX_KNOWN)), 3)
    assert time.monotonic() - start < 40
