from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonError, digest
from signoff.app.content.text import visible
from signoff.app.protocol.definitions.lists import compare_lists
from signoff.app.protocol.definitions.pins import PinError, read_pin, write_pin
from tests.approved import approved
from tests.protocol.definitions_made import DEFINITIONS, ODD, reordered

PROSE = approved("definitions")

TOOLS: Any = [
    {"name": "b", "description": "\u202eb", "inputSchema": {"type": "object", "a": 1}},
    {"name": "a"},
]


def pinned(**changes: Any) -> Any:
    whole = json.loads(write_pin("demo", TOOLS))
    return {**whole, **changes}


def refusal(value: Any) -> PinError:
    text = value if isinstance(value, str | bytes) else json.dumps(value)
    with pytest.raises(PinError) as caught:
        read_pin(text)
    error = caught.value
    assert visible(str(error)) == str(error)
    return error


@pytest.mark.slow
@settings(deadline=None)
@given(st.text(max_size=8), st.lists(DEFINITIONS | ODD, max_size=5))
def test_a_baseline_reads_back_as_what_was_written(name: str, entries: list[Any]) -> None:
    text = write_pin(name, entries)
    pin = read_pin(text)
    assert pin.server == name
    assert sorted(map(digest, pin.entries)) == sorted(map(digest, entries))
    assert compare_lists(entries, pin.entries).is_empty
    assert read_pin(text.encode()) == pin
    assert write_pin(name, pin.entries) == text


@pytest.mark.slow
@settings(deadline=None)
@given(st.data(), st.lists(DEFINITIONS | ODD, max_size=5))
def test_the_same_definitions_give_the_same_bytes(data: st.DataObject, entries: list[Any]) -> None:
    shuffled = [reordered(one) for one in data.draw(st.permutations(entries))]
    assert write_pin("demo", shuffled) == write_pin("demo", entries)


def test_a_baseline_can_be_read_by_people_and_compared_by_git() -> None:
    text = write_pin("demo", [TOOLS[0]])
    assert text.isascii()
    assert text.endswith("}\n")
    assert text.split("\n") == [
        *("{", '  "server": "demo",', '  "signoff_pin": 1,', '  "tools": {', '    "b": ['),
        *("      {", '        "definition": {', '          "description": "\\u202eb",'),
        *('          "inputSchema": {', '            "a": 1,', '            "type": "object"'),
        *("          },", '          "name": "b"', "        },"),
        *(f'        "digest": "{digest(TOOLS[0])}"', "      }", "    ]", "  }", "}", ""),
    ]


def test_duplicates_and_entries_without_a_name_are_kept() -> None:
    entries: Any = [
        *({"name": "a", "x": 1}, {"name": "a", "x": 1}, {"name": "a"}, 5, None, {"name": 7}),
    ]
    pin = read_pin(write_pin("", entries))
    assert len(pin.entries) == 6
    assert compare_lists(entries, pin.entries).is_empty


def test_a_definition_as_deep_as_any_that_is_read_can_be_pinned() -> None:
    value: Any = 1
    for _ in range(99):
        value = [value]
    entry = {"name": "deep", "x": value}
    assert read_pin(write_pin("demo", [entry])).entries == (entry,)


def test_what_could_not_be_read_back_is_not_pinned() -> None:
    with pytest.raises(JsonError):
        write_pin("demo", [{"name": "a", "x": float("nan")}])
    for depth in (102, 5_000):
        value: Any = 1
        for _ in range(depth):
            value = [value]
        with pytest.raises(JsonError):
            write_pin("demo", [value])


@pytest.mark.parametrize(
    ("value", "where", "words"),
    [
        ("", "$", "not JSON: empty"),
        ("{", "$", "not JSON: expecting property name"),
        (b"\xff", "$", "not JSON: not UTF-8"),
        ("<<<<<<< ours\n{}", "$", "line 1, column 1"),
        ("[1]", "$", "signoff_pin is missing"),
        ("{}", "$", "signoff_pin is missing"),
        (pinned(signoff_pin=2), "$.signoff_pin", "only format 1 is supported"),
        (pinned(signoff_pin=True), "$.signoff_pin", "only format 1 is supported"),
        (pinned(signoff_pin="1"), "$.signoff_pin", "only format 1 is supported"),
        ({"signoff_pin": 1, "tools": {}}, "$", "server is missing"),
        ({"signoff_pin": 1, "server": "x"}, "$", "tools is missing"),
        (pinned(server=5), "$.server", "is not a string"),
        (pinned(tools=[]), "$.tools", "is not an object"),
        (pinned(tools={"a": {}}), "$.tools.a", "is not a list of definitions"),
        (pinned(tools={"a": []}), "$.tools.a", "is not a list of definitions"),
        (pinned(tools={"a": [5]}), "$.tools.a[0]", "is not an object"),
        (pinned(tools={"a": [{"digest": "x"}]}), "$.tools.a[0]", "definition is missing"),
        (pinned(**{"x\u202e": 1}), '$["x<U+202E>"]', "is not part of a baseline"),
        ('{"signoff_pin": 1, "signoff_pin": 1}', "$", '"signoff_pin" is twice'),
    ],
)
def test_a_broken_baseline_is_refused_with_what_and_where(
    value: Any, where: str, words: str
) -> None:
    error = refusal(value)
    assert error.where == where
    assert words in error.reason
    assert where == "$" or str(error).startswith(f"{where}: ")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("digest",), "0" * 64),
        (("digest",), None),
        (("digest",), digest(TOOLS[1])),
        (("definition", "description"), "b"),
        (("definition", "inputSchema", "a"), 1.0),
    ],
)
def test_an_edited_definition_or_digest_is_refused(place: tuple[str, ...], value: Any) -> None:
    whole = pinned()
    holder = whole["tools"]["b"][0]
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = value
    error = refusal(whole)
    assert error.where == "$.tools.b[0].digest"
    assert "edited" in error.reason


def test_a_definition_under_another_name_is_refused() -> None:
    whole = pinned()
    whole["tools"]["c"] = whole["tools"].pop("b")
    error = refusal(whole)
    assert error.where == "$.tools.c[0].definition"
    PROSE.holds("pin: another name", str(error))
