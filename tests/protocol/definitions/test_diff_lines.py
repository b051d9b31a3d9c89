from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.app.content.text import visible
from signoff.app.protocol.definitions.changes import ListDiff, Weight, compare_definitions
from signoff.app.protocol.definitions.diff_lines import (
    DiffLine,
    Effort,
    definition_lines,
    list_lines,
    text_hunks,
    text_steps,
)
from signoff.app.protocol.definitions.lists import compare_lists
from tests.approved import approved
from tests.protocol.definitions_made import DEFINITIONS, ODD, WORDS, edited

PROSE = approved("definitions")


def shown(old: Any, new: Any, max_lines: int = 400) -> list[str]:
    return [line.plain for line in definition_lines(compare_definitions(old, new), max_lines)]


def text_shown(old: str, new: str) -> list[str]:
    """The lines below the one that says that the description changed."""
    head, *lines = shown({"description": old}, {"description": new})
    PROSE.holds("line: another description", head)
    return lines


def check_safe(lines: list[DiffLine]) -> None:
    for line in lines:
        assert line.sign in ("-", "+", "~", " ")
        assert "\n" not in line.plain
        assert visible(line.plain, max_blanks=10_000) == line.plain
        assert all(text for text, _ in line.pieces)
        assert len(line.plain) < 3_000
        assert "".join(span.text for span in line.spans()) == line.plain
        assert not line.is_theirs or line.sign != "~"


@settings(deadline=None)
@given(st.data(), DEFINITIONS | ODD)
def test_every_change_has_a_line_and_every_line_is_safe(data: st.DataObject, old: Any) -> None:
    diff = compare_definitions(old, data.draw(edited(old)))
    lines = definition_lines(diff)
    check_safe(lines)
    ours = [line.plain for line in lines if not line.is_theirs]
    for change in diff.changes:
        sign = "~" if change.had and change.has else "+" if change.has else "-"
        assert f"{sign} {change.path}  {change.words}" in ours


@settings(deadline=None)
@given(WORDS, WORDS)
def test_texts_that_differ_are_shown_differently(old: str, new: str) -> None:
    diff = compare_definitions({"description": old}, {"description": new})
    lines = [line for line in definition_lines(diff) if line.is_theirs]
    check_safe(lines)
    before = [line.plain[1:] for line in lines if line.sign == "-"]
    after = [line.plain[1:] for line in lines if line.sign == "+"]
    assert (before != after) == (old != new)


PLAIN = st.text(st.sampled_from("ab c.\n"), max_size=60)


@settings(deadline=None)
@given(PLAIN, PLAIN, st.sampled_from([0, 10, 400_000]))
def test_no_stretch_of_either_text_is_lost(old: str, new: str, pairs: int) -> None:
    steps = list(text_steps(old, new, Effort(pairs=pairs)))
    assert "".join(step.old for step in steps) == old
    assert "".join(step.new for step in steps) == new
    assert all(step.is_changed == (step.old != step.new) for step in steps)
    assert all(one.is_changed is not other.is_changed for one, other in pairwise(steps))
    hunks = text_hunks(old, new, Effort(pairs=pairs))
    in_hunks = [step for hunk in hunks for step in hunk.steps if step.is_changed]
    assert in_hunks == [step for step in steps if step.is_changed]
    for hunk in hunks:
        for side in ("old", "new"):
            middle = "".join(getattr(step, side) for step in hunk.steps)
            text = {"old": old, "new": new}[side]
            assert hunk.before + middle + hunk.after in text
            assert not hunk.at_start or text.startswith(hunk.before + middle)
            assert not hunk.at_end or text.endswith(middle + hunk.after)


def test_a_hint_is_said_in_one_line() -> None:
    [line] = shown({"annotations": {"destructiveHint": True}}, {"annotations": {}})
    PROSE.holds("line: a hint no longer set", line)
    assert shown({}, {"annotations": {"destructiveHint": "no"}})[1:] == ['+ ┃ "no"']


def test_a_short_value_stands_in_one_line() -> None:
    old, new = ({"inputSchema": {"enum": values}} for values in (["a"], ["a", "b"]))
    head, *lines = shown(old, new)
    PROSE.holds("line: a value newly accepted", head)
    assert lines == ['- ┃ ["a"]', '+ ┃ ["a", "b"]']


def test_of_a_long_value_only_what_differs_is_shown() -> None:
    values: list[Any] = [f"value number {n}" for n in range(40)]
    lines = shown({"_meta": {"x": values}}, {"_meta": {"x": [*values[:20], "new", *values[20:]]}})
    assert lines[1:] == [
        *("  ┃ …", '  ┃   "value number 19",', '+ ┃   "new",', '  ┃   "value number 20",'),
    ]


def test_values_of_different_kinds_are_shown_one_after_the_other() -> None:
    lines = shown({"_meta": {"x": 1}}, {"_meta": {"x": {"a": None}}})
    assert lines[1:] == ["- ┃ 1", '+ ┃ {"a": null}']


def test_the_words_that_changed_are_marked() -> None:
    diff = compare_definitions({"description": "reads a file"}, {"description": "wipes a file"})
    _, old, new = definition_lines(diff)
    assert old.pieces == (('"', "dim"), ("reads", "strong"), (" a file", ""), ('"', "dim"))
    assert new.pieces == (('"', "dim"), ("wipes", "strong"), (" a file", ""), ('"', "dim"))
    assert (old.weight, old.is_theirs, old.sign, new.sign) == (Weight.REWORDED, True, "-", "+")


def test_of_a_long_text_only_what_differs_is_shown_with_its_surroundings() -> None:
    words = [f"word{n}" for n in range(500)]
    old, new = " ".join(words), " ".join([*words[:250], "evil", *words[251:]])
    assert text_shown(old, new) == [
        "- ┃ …word246 word247 word248 word249 word250 word251 word252 word253 word254…",
        "+ ┃ …word246 word247 word248 word249 evil word251 word252 word253 word254…",
    ]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("a b", "a\u200b b", ['+ ┃ "a<U+200B> b"']),
        ("a\u200bb", "ab", ['- ┃ "a<U+200B>b"', '+ ┃ "ab"']),
        ("a b", "a  b", ['- ┃ "a␠b"', '+ ┃ "a␠␠b"']),
        ("a", "a ", ['+ ┃ "a␠"']),
        ("a\tb", "a b", ['- ┃ "a␉b"', '+ ┃ "a␠b"']),
        ("", "\u202e", ['+ ┃ "<U+202E>"']),
        ("a b", "a \x1b[2J b", ['+ ┃ "a ␛[2J b"']),
        ("a b", "a\u00a0b", ['- ┃ "a␠b"', '+ ┃ "a<U+00A0>b"']),
        ("a", "a\nb\nc", ['+ ┃ "a⏎', "+ ┃ b⏎", '+ ┃ c"']),
        ("a\nb", "a", ['- ┃ "a⏎', '- ┃ b"']),
    ],
)
def test_what_cannot_be_seen_is_a_mark(old: str, new: str, lines: list[str]) -> None:
    shown_lines = [line for line in text_shown(old, new) if not line.startswith("~")]
    assert shown_lines == lines


def test_lines_far_down_are_not_pushed_out_of_sight() -> None:
    lines = text_shown("Reads.", "Reads." + "\n" * 3_000 + "And deletes everything.")
    assert len(lines) < 5
    assert "And deletes everything." in lines[-1]
    assert any("⏎×" in line for line in lines)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("the paypal tool", "the p\u0430ypal tool", "U+0430 CYRILLIC SMALL LETTER A"),
        ("caf\u00e9 tool", "cafe\u0301 tool", "U+0301 COMBINING ACUTE ACCENT"),
    ],
)
def test_words_that_look_alike_are_told_apart(old: str, new: str, words: str) -> None:
    remarks = [line for line in text_shown(old, new) if line.startswith("~ these look alike")]
    assert len(remarks) == 1
    assert words in remarks[0]


def test_no_remark_where_words_differ_plainly() -> None:
    assert not [line for line in text_shown("größer", "kleiner") if line.startswith("~")]
    assert not [line for line in text_shown("abc", "abd") if line.startswith("~")]


def test_a_long_line_says_that_it_is_cut() -> None:
    (line,) = text_shown("", "x" * 5_000)
    PROSE.holds("cut: a long line", line.lstrip('+ ┃"x'))
    assert len(line) < 450


def test_a_change_of_many_lines_says_that_it_is_cut() -> None:
    lines = text_shown("", "\n".join(f"line {n}" for n in range(100)))
    assert len(lines) == 41
    PROSE.holds("cut: a long change", lines[-1])


def test_many_changes_say_that_they_are_cut() -> None:
    old, new = ({"_meta": {f"k{n}": n + by for n in range(700)}} for by in (0, 1_000))
    lines = shown(old, new, max_lines=30)
    assert len(lines) == 31
    PROSE.holds("cut: many changes", f"{lines[-1]}\n{shown(old, new, 3_000)[-1]}")


def tool(name: str, **fields: Any) -> Any:
    return {"name": name, "description": "Deletes one file from the scratch folder", **fields}


def test_a_list_names_every_tool() -> None:
    schema = {"properties": {"city": {"type": "string"}, "day": {"type": "integer"}}}
    old: Any = [
        tool("delete"),
        {"name": "weather", "inputSchema": schema},
        {"name": "gone\u202e"},
        5,
    ]
    new: Any = [
        *({**tool("wipe"), "title": "Wipe"}, {"name": "weather"}, {"name": "weather"}, None, None),
    ]
    lines = list_lines(compare_lists(old, new))
    check_safe(lines)
    heads = [line.plain for line in lines if not line.is_theirs and " $" not in line.plain[:3]]
    titles = [line.plain for line in lines if line.plain.startswith("+ $.title")]
    PROSE.holds("list: every tool", "\n".join([*heads, *titles]))
    assert not [line for line in lines if line.plain.startswith("~ $.name")]


def test_a_long_list_says_that_it_is_cut() -> None:
    diff = ListDiff(added=tuple(f"t{n}" for n in range(500)))
    lines = list_lines(diff, max_lines=100)
    assert len(lines) == 101
    PROSE.holds("cut: many tools", lines[-1].plain)
    assert len(list_lines(diff, max_lines=500)) == 500
    assert list_lines(ListDiff()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a b " * 120_000, "b a " * 120_000),
        ("ab. " * 120_000, "ac. " * 120_000),
        ("x" * 500_000, "y" * 500_000),
        ("\u0301" * 250_000, "\u0302" * 250_000),
        (" " * 500_000, "\n" * 500_000),
    ],
)
def test_a_megabyte_of_text_is_drawn(old: str, new: str) -> None:
    diff = compare_definitions({"description": old}, {"description": new})
    check_safe(definition_lines(diff))


@pytest.mark.slow
def test_a_megabyte_of_json_is_drawn() -> None:
    old: Any
    new: Any
    old, new = ({"_meta": [[n, by] for n in range(60_000)] + [by] * by} for by in (1, 2))
    diff = compare_definitions(old, new)
    check_safe(definition_lines(diff))


def test_many_texts_that_are_costly_to_match_are_drawn() -> None:
    old: Any
    new: Any
    old, new = (
        {"_meta": {f"k{n}": " ".join((one * 60)[n:]) for n in range(400)}} for one in ("abc", "cab")
    )
    diff = compare_definitions(old, new)
    definition_lines(diff, max_lines=2_000)
