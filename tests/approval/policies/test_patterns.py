from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.policies.argument_rules import LONGEST_MATCHED
from signoff.app.approval.policies.patterns import (
    glob_ways_out,
    hostile_texts,
    pattern_fault,
    repeats_itself,
    ways_out,
)
from signoff.app.content.text import visible

PARTS = st.recursive(
    st.sampled_from(
        [
            "a",
            "b",
            "[a-z]",
            "[^/]",
            r"\w",
            r"\d",
            r"\S",
            ".",
            "/",
            r"\.",
            "^",
            "$",
            "(?=a)",
            "(?i:a)",
        ]
    ),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,30}", "+?", "*+"])).map(
            lambda both: f"({both[0]}){both[1]}"
        ),
        inner.map(lambda one: f"(?>{one})"),
    ),
    max_leaves=6,
)


class TestFaults:
    @pytest.mark.parametrize(
        "pattern", ["", "a", "(?<=ab)c", "(?<!a)b", r"(?P<q>['\"]).*?(?P=q)", "[[a]", "(?i)[^x]"]
    )
    def test_what_is_a_pattern(self, pattern: str) -> None:
        assert pattern_fault(pattern) == ""

    @pytest.mark.parametrize(
        ("pattern", "words"),
        [
            ("(", "unterminated subpattern"),
            ("[", "unterminated character set"),
            ("(?<=a+)b", "look-behind requires fixed-width pattern"),
            ("a(?:(?<!a*)b)+", "look-behind requires fixed-width pattern"),
            ("a{99999999999}", "too large"),
            ("(" * 5_000 + ")" * 5_000, "recursion"),
            ("*\x1b", "nothing to repeat"),
        ],
    )
    def test_what_is_none(self, pattern: str, words: str) -> None:
        fault = pattern_fault(pattern)
        assert words in fault
        assert visible(fault) == fault

    def test_a_pattern_is_not_compiled_to_find_its_mistakes(self) -> None:
        # Compiling it would take minutes.
        assert pattern_fault("(?i)" + "[\x00-\U0010ffff]" * 20_000) == ""

    @given(PARTS | st.text("ab()[]*+?|\\{}1,<=!^$", max_size=12))
    def test_it_says_what_compiling_says(self, pattern: str) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                re.compile(pattern)
        except (re.error, OverflowError):
            assert pattern_fault(pattern)
        else:
            assert pattern_fault(pattern) == ""


class TestHostileTexts:
    def test_every_repeat_is_fed_and_broken_off(self) -> None:
        texts = hostile_texts(r"ab/(\d+)x*(?:c|dd)+e")
        for fed in ("ab/" + "0" * 40, "ab/0" + "x" * 40, "ab/0" + "c" * 40, "ab/0" + "dd" * 20):
            assert any(text.startswith(fed) for text in texts)
        assert {text[-1] for text in texts} == {"\x00", "\n"}
        assert sorted({len(text) > 100 for text in texts}) == [False, True]

    @pytest.mark.parametrize("pattern", ["", "abc", "a{3}", "(a|b)?", "[0-9a-f]{8}"])
    def test_without_a_repeat_there_are_none(self, pattern: str) -> None:
        assert hostile_texts(pattern) == ()

    @given(PARTS)
    def test_they_are_of_a_length_that_is_tried(self, pattern: str) -> None:
        texts = hostile_texts(pattern)
        assert all(0 < len(text) <= LONGEST_MATCHED for text in texts)
        assert len(texts) <= 240
        repeats_itself(pattern)
        ways_out(pattern)

    @pytest.mark.parametrize(
        "pattern",
        ["(" * 300 + "a+" + ")+" * 300, "a*" * 900, "(?:" * 400 + "a" + "){9}" * 400, "a+" * 5_000],
    )
    def test_large_ones_take_no_time(self, pattern: str) -> None:
        assert all(len(text) <= LONGEST_MATCHED for text in hostile_texts(pattern))
        assert repeats_itself(pattern) in (True, False)


@pytest.mark.parametrize(
    ("pattern", "does"),
    [
        ("(a+)+", True),
        ("x(?:a*b?)*y", True),
        ("((a+)?)*", True),
        ("(?:a{1,30}){1,30}", True),
        ("(?:(?:a+))+", True),
        ("(?:/[a-z]+)*", False),
        ("(?:[a-z]+/)*", False),
        ("(a{2})+", False),
        ("(a+)", False),
        ("(a+)?", False),
        ("(a++)+", False),
        ("(?>a+)+", False),
        ("a*b*", False),
    ],
)
def test_a_repeat_right_within_a_repeat(pattern: str, does: bool) -> None:
    assert repeats_itself(pattern) is does


@pytest.mark.parametrize(
    ("pattern", "way"),
    [
        ("scratch/[a-z0-9._-]+", "scratch/.."),
        ("/tmp/.*", "/tmp/../x"),
        (r"^/tmp/.*\.txt$", "/tmp/../x.txt"),
    ],
)
def test_ways_out_of_a_folder(pattern: str, way: str) -> None:
    assert way in ways_out(pattern)
    assert re.fullmatch(pattern, way)


@pytest.mark.parametrize(
    "pattern", ["", "/.*", "[a-z]+", "delete_.*", "(?:a/)?b", "(/tmp/|/var/).*"]
)
def test_what_does_not_begin_with_a_folder_leads_nowhere(pattern: str) -> None:
    assert ways_out(pattern) == ()


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        ("scratch/*", ("scratch/..", "scratch/../x", "scratch/x/../../x")),
        ("delete_*", ()),
        ("a/b", ()),
    ],
)
def test_ways_out_of_a_glob(glob: str, found: tuple[str, ...]) -> None:
    assert glob_ways_out(glob) == found


def test_ways_out_of_a_glob_keep_its_end() -> None:
    assert "/tmp/../x.txt" in glob_ways_out("/tmp/*.txt")
    # "..." is a name like any other.
    assert "/tmp/...txt" not in glob_ways_out("/tmp/*.txt")
    assert "/a/../xb]c" not in glob_ways_out("/a/[xy]c")
