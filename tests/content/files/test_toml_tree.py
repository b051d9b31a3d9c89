"""TOML with places: the line of every key, table and item, and values as the parser has them."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.files.toml_tree import TomlError, lines_of, read_toml
from signoff.app.content.files.tree import NOWHERE, Problem, SourceLocation
from tests.approved import approved

PROSE = approved("files")

LITERALS = st.sampled_from(
    [
        "1",
        "true",
        "2026-11-15",
        "1979-05-27 07:32:00",
        '"a # b"',
        r'"a \" ]"',
        "'a \" b'",
        "''",
        '"""\n[x]\ny = 1 \\""" z"""',
        "'''\n[[rule]]\nit''s'''",
        '""""quoted""""',
        "[]",
        "{}",
        '[1, # ]\n "]",\n\n 3,]',
        "[[1, 2],\n [\n3]]",
        '{ a = 1, b = { c = "}" } }',
        '[{ a = 1 },\n { b = "x" }]',
    ]
)
KEYS = st.sampled_from(["a", "b", "c-d", '"e f"', "'g.h'", r'"\u0069"', "1"])
BARE = {'"e f"': "e f", "'g.h'": "g.h", r'"\u0069"': "i"}


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[tuple[str | int, ...], int]]:
    """A TOML document, and the lines of what it says, counted while it was written."""
    lines: list[str] = []
    found: dict[tuple[str | int, ...], int] = {}

    def here() -> int:
        return "\n".join([*lines, ""]).count("\n") + 1 if lines else 1

    def pairs(place: tuple[str | int, ...]) -> None:
        for key in draw(st.lists(KEYS, max_size=4, unique=True)):
            found[*place, BARE.get(key, key)] = here()
            comment = draw(st.sampled_from(["", "  # [x] = '''", " "]))
            gap = draw(st.sampled_from(["=", " = ", "\t=\t"]))
            lines.append(f"{key}{gap}{draw(LITERALS)}{comment}")
            lines.extend(draw(st.sampled_from([[], [""], ["# a = 1", ""]])))

    pairs(())
    for number in range(draw(st.integers(0, 3))):
        found["rule", number] = here()
        lines.append(draw(st.sampled_from(["[[rule]]", "[[ rule ]] # x"])))
        pairs(("rule", number))
        if draw(st.booleans()):
            found["rule", number, "sub"] = here()
            lines.append("[rule.sub]")
            pairs(("rule", number, "sub"))
        for index in range(draw(st.integers(0, 2))):
            found["rule", number, "argument", index] = here()
            lines.append('[[rule."argument"]]')
            pairs(("rule", number, "argument", index))
    return "\n".join(lines), found


@given(documents())
def test_every_key_is_found_on_its_line(
    drawn: tuple[str, dict[tuple[str | int, ...], int]],
) -> None:
    text, expected = drawn
    tomllib.loads(text)
    found = lines_of(text)
    assert {place: found.get(place) for place in expected} == expected


@pytest.mark.slow
@given(documents())
def test_every_value_of_the_document_has_a_line(
    drawn: tuple[str, dict[tuple[str | int, ...], int]],
) -> None:
    text, _ = drawn
    found = lines_of(text)
    for place in _places(tomllib.loads(text), ()):
        assert place in found


def test_dotted_keys_and_values_within() -> None:
    text = 'a.b . "c" = [\n 1,\n {x = [\n5]},\n]\nd = 1'
    found = lines_of(text)
    assert found["a", "b", "c"] == 1
    assert found["a", "b", "c", 1, "x"] == 3
    assert found["a", "b", "c", 1, "x", 0] == 4
    assert found["d",] == 6


@given(documents())
def test_the_tree_is_what_the_parser_reads_with_its_lines(
    drawn: tuple[str, dict[tuple[str | int, ...], int]],
) -> None:
    text, expected = drawn
    tree = read_toml(text, 100_000)
    assert tree.plain() == tomllib.loads(text)
    for place, line in expected.items():
        found, key = tree, tree.spot
        for step in place:
            if isinstance(step, str):
                found, key = found.members[step], found.keys[step]
            elif isinstance(found.value, list):
                found = found.value[step]
                key = found.spot
        assert (found.spot.line, key.line) == (line, line)


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("a = 1\nb = ", 2, "toml: no value"),
        ("a = 1\na = 2", 2, "toml: a key given twice"),
        ("x" * 101, 0, "toml: too long"),
    ],
)
def test_what_cannot_be_read(text: str, line: int, key: str) -> None:
    with pytest.raises(TomlError) as raised:
        read_toml(text, 100)
    problem = raised.value.problem
    assert problem == Problem(SourceLocation(line), problem.message)
    PROSE.holds(key, problem.message)


def test_what_is_nested_too_deeply_is_refused_in_words() -> None:
    with pytest.raises(TomlError) as raised:
        read_toml(f"a = {'[' * 5_000}{']' * 5_000}", 100_000)
    problem = raised.value.problem
    assert problem == Problem(NOWHERE, problem.message)
    PROSE.holds("toml: too deep", problem.message)


def _places(value: Any, place: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = [place]
    for key, item in inner:
        found.append((*place, key))
        if isinstance(item, dict | list):
            found += _places(item, (*place, key))
    return found
