"""Definitions from files of several kinds, and the lines on which they begin."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.lint.rule import sample
from signoff.app.features.lint.sources import EntriesError, read_entries
from signoff.app.protocol.definitions.pins import write_pin
from signoff.app.protocol.tool_reading import read_tools
from tests.content.json_values import json_values

TOOLS = [sample("read_row", readOnlyHint=True), sample('"tools": [{')]


@pytest.mark.parametrize(
    "whole",
    [
        TOOLS,
        {"tools": TOOLS},
        {"nextCursor": "[{", "tools": TOOLS, "x": [{}]},
        {"jsonrpc": "2.0", "id": 3, "result": {"tools": TOOLS, "_meta": {"tools": [{}]}}},
        {"server": {"name": "x"}, "tools": [{"name": "x", "definition": one} for one in TOOLS]},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_may_be_of_several_kinds(whole: Any, indent: int | None) -> None:
    text = json.dumps(whole, indent=indent)
    found = read_entries(text)
    assert list(found.entries) == TOOLS
    lines = text.split("\n")
    assert len(found.lines) == len(TOOLS)
    assert all("{" in lines[line - 1] for line in found.lines)
    if indent:
        first, second = found.lines
        between = "\n".join(lines[first - 1 : second - 1])
        assert "read_row" in between
        assert json.dumps('"tools": [{') not in between


def test_a_baseline_is_one_of_them() -> None:
    found = read_entries(write_pin("x", TOOLS))
    assert sorted(tool.name for tool in read_tools(found.entries)) == ['"tools": [{', "read_row"]
    assert found.lines == ()


def test_a_dump_says_which_revision_was_spoken() -> None:
    dump = {"server": {"protocol_version": "2026-07-28"}, "tools": [{"definition": TOOLS[0]}]}
    assert read_entries(json.dumps(dump)).version == "2026-07-28"
    assert read_entries(json.dumps({"tools": TOOLS})).version == ""


def test_names_that_stand_twice_are_findings_of_their_entry() -> None:
    text = '{"tools": [{"name": "a"}, {"name": "b", "name": "c"}]}'
    first, second = read_tools(read_entries(text).entries)
    assert "duplicate-key" not in {one.code for one in first.findings}
    assert "duplicate-key" in {one.code for one in second.findings}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON: empty"),
        ("{", "not JSON"),
        ("3", "not a list of tools"),
        ("{}", 'no "tools"'),
        ('{"tools": {}}', 'no "tools"'),
        ('{"signoff_pin": 2}', "only format 1"),
    ],
)
def test_what_has_no_definitions_is_refused(text: str, words: str) -> None:
    with pytest.raises(EntriesError, match=words):
        read_entries(text)


@pytest.mark.slow
@given(json_values() | st.fixed_dictionaries({"tools": st.lists(json_values(), max_size=4)}))
def test_any_json_is_read_or_refused(whole: Any) -> None:
    try:
        found = read_entries(json.dumps(whole))
    except EntriesError:
        return
    read_tools(found.entries)
    assert len(found.lines) <= len(found.entries)
