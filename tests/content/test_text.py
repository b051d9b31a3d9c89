from __future__ import annotations

import time
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content import text as text_module
from signoff.app.content.text import (
    MAX_COMBINING,
    Cut,
    Span,
    cut,
    hidden,
    seconds,
    sentence,
    size,
    spans,
    visible,
)
from tests.tiers import first_quick

# Anything that Unicode has, and much of what a hostile server would choose.
UNSEEN = (
    "\x00\x07\x08\x0b\r\x1b\x7f\x85\x9b\xa0\xad\u034f\u061c\u115f\u1160\u180e\u200b\u200d\u200e"
    "\u2028\u2029\u202e\u2060\u2066\u2800\u3000\u3164\ufeff\uffa0\ue000\ufdd0\ufffe\ud800\udfff"
    "\U000e0041\U000e0100\U000f0000\U0010ffff"
)
MARKABLE = UNSEEN + "\ufe0f\u0301\u20e3❤1 \t\n5"
NASTY = MARKABLE + "a␠×"
# Not `text(one_of(...))`: its alternatives would become one alphabet, of which these few are lost.
ANY_TEXT = st.lists(st.one_of(st.sampled_from(NASTY), st.characters(codec=None)), max_size=60).map(
    "".join
)
INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


# Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt 15.0), and what is drawn as a
# blank without being one; written down here, so that the sanitiser's own table has no say.
IGNORABLE = [
    *((0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164)),
    *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3)),
    *((0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
]
BLANK = [(0x00A0, 0x00A0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F)]
BLANK += [(0x205F, 0x205F), (0x2800, 0x2800), (0x3000, 0x3000), (0x16FE4, 0x16FE4)]
BLANK += [(0x1D159, 0x1D159)]
CONTROL = [(0x00, 0x1F), (0x7F, 0x9F), (0xD800, 0xDFFF), (0xE000, 0xF8FF), (0xFDD0, 0xFDEF)]
CONTROL += [(plane * 0x10000 + 0xFFFE, plane * 0x10000 + 0xFFFF) for plane in range(17)]
CONTROL += [(0xF0000, 0xF0010), (0x10FFF0, 0x10FFFD)]
HOSTILE = (*IGNORABLE, *BLANK, *CONTROL)
EVERY_HOSTILE = [chr(point) for low, high in HOSTILE for point in range(low, high + 1)]
ENDS = [chr(point) for ends in HOSTILE for point in ends]
"""The first and the last of each range."""
AROUND = (("a", "b"), ("", ""), ("a ", " b"), ("\u3042", "\u3042"), ("\u202e", ""))


def is_marked(char: str, before: str, after: str) -> None:
    text = f"{before}{char}{after}"
    for multiline in (False, True):
        shown = visible(text, multiline=multiline)
        may_stay = multiline and char in "\n\t"
        assert (char in shown) is may_stay, (hex(ord(char)), multiline)
        pieces = spans(text, multiline=multiline)
        assert may_stay or any(one.mark and char not in one.text for one in pieces)


@pytest.mark.parametrize(("before", "after"), first_quick(AROUND, several=True))
def test_every_hostile_character_is_marked_wherever_it_stands(before: str, after: str) -> None:
    for char in EVERY_HOSTILE:
        is_marked(char, before, after)


@pytest.mark.parametrize(("before", "after"), AROUND)
def test_the_ends_of_the_ranges_are_marked_wherever_they_stand(before: str, after: str) -> None:
    for char in (*UNSEEN, *ENDS):
        is_marked(char, before, after)


def test_every_hostile_character_is_found_hidden() -> None:
    assert set(UNSEEN) <= set(EVERY_HOSTILE)
    for char in EVERY_HOSTILE:
        if char not in "\n\t":
            assert hidden(f"a{char}b"), hex(ord(char))


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 101])
def test_a_character_that_unicode_calls_invisible_is_marked(step: int) -> None:
    """All of them, but of the million that are private or not assigned only each `step`-th."""
    kinds = ((point, unicodedata.category(chr(point))) for point in range(0x110000))
    unseen = [
        chr(point)
        for point, kind in kinds
        if kind in INVISIBLE and (kind not in ("Cn", "Co") or point % step == 0)
    ]
    left = set(unseen) & set(visible("a".join(["", *unseen, ""])))
    assert [hex(ord(char)) for char in sorted(left)] == []


@pytest.mark.parametrize("char", sorted(set(NASTY)))
def test_the_properties_hold_of_every_character_they_are_about(char: str) -> None:
    """Whatever is drawn at random: each of them alone, repeated, and beside each other one."""
    for text in (char, char * 5, *(f"{char}{other}{char}" for other in NASTY)):
        for multiline in (False, True):
            shown = visible(text, multiline=multiline)
            shown.encode("utf-8")
            assert visible(shown, multiline=multiline) == shown
            assert len(shown) <= 10 * len(text)
            assert "".join(one.text for one in spans(text, multiline=multiline)) == shown


@given(ANY_TEXT, st.booleans())
def test_result_can_be_written_anywhere(text: str, multiline: bool) -> None:
    shown = visible(text, multiline=multiline)
    shown.encode("utf-8")
    kept = "\n\t" if multiline else ""
    left = {c for c in shown if unicodedata.category(c) in INVISIBLE or c in UNSEEN}
    # A selector after an emoji base only chooses its drawing.
    assert left - set(kept) - {"\ufe0e", "\ufe0f"} == set()


@given(ANY_TEXT, st.booleans())
def test_second_pass_changes_nothing(text: str, multiline: bool) -> None:
    once = visible(text, multiline=multiline)
    assert visible(once, multiline=multiline) == once


@given(ANY_TEXT, st.booleans())
def test_a_text_looks_the_same_before_there_is_a_table_of_all_characters(
    text: str, multiline: bool
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(text_module, "has_table", lambda: False)
        early = visible(text, multiline=multiline)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(text_module, "has_table", lambda: True)
        assert visible(text, multiline=multiline) == early


@given(ANY_TEXT, st.booleans())
def test_length_is_bounded(text: str, multiline: bool) -> None:
    assert len(visible(text, multiline=multiline)) <= 10 * len(text)


@given(ANY_TEXT, st.booleans(), st.integers(0, 8), st.integers(0, 8))
def test_spans_join_to_the_visible_text(
    text: str, multiline: bool, blanks: int, lines: int
) -> None:
    pieces = spans(text, multiline=multiline, max_blanks=blanks, max_newlines=lines)
    joined = visible(text, multiline=multiline, max_blanks=blanks, max_newlines=lines)
    assert "".join(piece.text for piece in pieces) == joined
    assert all(piece.text for piece in pieces)
    assert all(a.mark != b.mark for a, b in pairwise(pieces))


@given(*[st.text(st.sampled_from(MARKABLE), max_size=12)] * 2)
def test_different_texts_stay_different(one: str, other: str) -> None:
    # Without the characters that marks are made of, the marks can be read back.
    for multiline in (False, True):
        alike = visible(one, multiline=multiline) == visible(other, multiline=multiline)
        assert alike == (one == other)


@given(ANY_TEXT)
def test_no_long_run_of_blanks_or_empty_lines_is_left(text: str) -> None:
    shown = visible(text, multiline=True)
    assert "    " not in shown.replace("\t", " ")
    assert "\n\n\n\n" not in shown.replace(" ", "").replace("\t", "")


@given(st.text(st.sampled_from("a\u0301\u0302\u0488 \n\u202e"), max_size=40))
def test_no_base_carries_many_combining_marks(text: str) -> None:
    run = 0
    for char in visible(text, multiline=True):
        run = run + 1 if unicodedata.category(char)[0] == "M" else 0
        assert run <= MAX_COMBINING


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;pwn\x07", "␛]0;pwn␇"),
        ("\x1b[2J", "␛[2J"),
        ("\x9b2J", "<U+009B>2J"),
        ("safe\rrm -rf\b\v", "safe␍rm -rf␈␋"),
        ("\x00\x7f", "␀␡"),
        ("a\nb\tc", "a⏎b␉c"),
        ("user\u202etxt.exe", "user<U+202E>txt.exe"),
        ("pay\u200bpal\ufeff", "pay<U+200B>pal<U+FEFF>"),
        ("\ud800", "\\ud800"),
        ("\U000e0053", "<U+E0053>"),
        ("a\xa0b", "a<U+00A0>b"),
        ("x" + " " * 600 + "rm", "x␠×600rm"),
        ("x   y", "x   y"),
        (" " * 45, "␠×45"),
        (" " * 4 + "5", "␠×3␠5"),
        ("\x00" * 100_000, "␀×100000"),
        ("\n" * 300 + "end", "⏎×300end"),
        ("👨\u200d👩", "👨<U+200D>👩"),
        ("❤\ufe0f 1\ufe0f\u20e3", "❤\ufe0f 1\ufe0f\u20e3"),
        ("1\ufe0f 2\ufe0f\u0301 #\ufe0e", "1<U+FE0F> 2<U+FE0F><U+0301> #<U+FE0E>"),
        ("a\ufe0f❤\ufe0f\ufe0f", "a<U+FE0F>❤\ufe0f<U+FE0F>"),
        ("e\u0301", "e\u0301"),
        ("\u0301e", "<U+0301>e"),
        ("e" + "\u0301" * 10, "e" + "\u0301" * 4 + "<U+0301>×6"),
        ("[@click=app.quit]x[/]", "[@click=app.quit]x[/]"),
        ("汉字 हिन्दी Ünïcødé 😀", "汉字 हिन्दी Ünïcødé 😀"),
    ],
)
def test_one_line(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n\tb\r\n", "a\n\tb␍\n"),
        ("a\n\n\n\n\nb", "a⏎×5\nb"),
        ("a\n \n\t\n \n  b", "a⏎␠⏎␉⏎␠⏎\n  b"),
        ("a" + "\t" * 9, "a␉×9"),
        ("a\n\u0301", "a\n<U+0301>"),
        ("a\u2028b\x85c", "a<U+2028>b<U+0085>c"),
    ],
)
def test_several_lines(text: str, shown: str) -> None:
    assert visible(text, multiline=True) == shown


def test_marks_are_told_from_the_same_characters_written_out() -> None:
    assert spans("\x1b␛") == [Span("␛", True), Span("␛", False)]


def test_limits_can_be_widened() -> None:
    text = "if x:\n        y\n\n\n\n\nz"
    assert visible(text, multiline=True, max_blanks=8, max_newlines=5) == text


@pytest.mark.parametrize(
    "text",
    [("\n" * 999 + "x") * 1_000, (" " * 999 + "x") * 1_000, ("\t" * 999 + "x") * 1_000],
    ids=["newlines", "blanks", "tabs"],
)
def test_runs_just_below_a_high_limit_cost_little(text: str) -> None:
    start = time.perf_counter()
    assert visible(text, multiline=True, max_blanks=999, max_newlines=999) == text
    mark = visible(text + "\x00", multiline=True, max_blanks=999, max_newlines=999)
    assert mark == text + "␀"
    # Trying each run again from each of its characters takes minutes.
    assert time.perf_counter() - start < 20


def test_blanks_between_allowed_newlines_still_count() -> None:
    text = "a\n\n" + " " * 50 + "\n\n\nb"
    assert visible(text, multiline=True, max_newlines=9) == "a\n\n␠×50\n\n\nb"


def test_of_ascii_on_one_line_all_stays_but_the_controls() -> None:
    kept = "".join(char for char in map(chr, range(128)) if visible(f"a{char}b") == f"a{char}b")
    assert kept == "".join(map(chr, range(0x20, 0x7F)))


def test_negative_limits_are_refused() -> None:
    with pytest.raises(ValueError, match="not negative"):
        visible("a", max_blanks=-1)


def test_hidden_characters_in_words() -> None:
    text = "a\u202eb\u202e\x1b\ud800\ue000\ufdd0" + " " * 600 + "\n\tdone"
    assert hidden(text) == (
        "U+202E RIGHT-TO-LEFT OVERRIDE ×2",
        "U+001B ESCAPE",
        "U+D800 lone surrogate",
        "U+E000 private use",
        "U+FDD0 noncharacter",
        "U+0020 SPACE ×600 in a row",
    )


def test_ordinary_text_hides_nothing() -> None:
    assert hidden("Delete a file.\n\n    Args:\n\tpath: wohin damit? 🗑️") == ()


def test_list_of_hidden_characters_is_short() -> None:
    assert len(hidden("".join(chr(0xE0020 + n) for n in range(90)))) == 20


@given(ANY_TEXT)
def test_hidden_speaks_exactly_when_something_is_replaced(text: str) -> None:
    replaced = visible(text, multiline=True, max_blanks=40, max_newlines=60) != text
    assert bool(hidden(text)) == replaced


def test_cut_counts_code_points() -> None:
    whole = cut("x" * 200_000, 424)
    assert whole.text == "x" * 424
    assert whole.notice == "cut: 424 of 200,000 characters"
    assert cut("short", 5) == Cut("short", 5, False)
    assert cut("short", 5).notice == ""


def test_cut_keeps_a_base_and_its_marks_together() -> None:
    assert cut("abe\u0301\u0302", 3).text == "ab"
    assert cut("a👍\U0001f3fd!", 2).text == "a"


@given(ANY_TEXT, st.integers(0, 70))
def test_cut_is_a_beginning_within_the_limit(text: str, limit: int) -> None:
    part = cut(text, limit)
    assert text.startswith(part.text)
    assert len(part.text) <= limit
    assert part.is_cut == (part.text != text)
    assert part.total == len(text)


def test_cut_of_nothing_but_marks_is_not_empty() -> None:
    assert len(cut("\u0301" * 1000, 500).text) == 500


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 B"),
        (512, "512 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (4_400_000, "4.4 MB"),
        (999_999, "1.0 MB"),
        (16_000_000_000, "16.0 GB"),
        (5 * 10**15, "5000.0 TB"),
    ],
)
def test_size(count: int, words: str) -> None:
    assert size(count) == words


@pytest.mark.parametrize(
    ("duration", "words"),
    [
        (0.1, "0.1 s"),
        (12.34, "12.3 s"),
        (-1, "0.0 s"),
        (59.94, "59.9 s"),
        (59.97, "1 min 00 s"),
        (125, "2 min 05 s"),
        (3599.7, "1 h 00 min"),
        (7384, "2 h 03 min"),
        (float("inf"), "?"),
    ],
)
def test_seconds(duration: float, words: str) -> None:
    assert seconds(duration) == words


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("the disk is full", "the disk is full."),
        ("did you mean policy?", "did you mean policy?"),
        ("It was lost.", "It was lost."),
        ("and so on…", "and so on…"),
        ("", "."),
    ],
)
def test_a_sentence_has_one_end(words: str, expected: str) -> None:
    assert sentence(words) == expected
    assert sentence(ValueError(words)) == expected
    assert sentence(words, begins=True) == expected[:1].upper() + expected[1:]
