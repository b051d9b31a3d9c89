"""The prompt of a scripted model: tools, arguments, and what is made in one turn."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.measure.scripted.dialects import ModelRequest, Offered
from signoff.app.features.measure.scripted.model import Planned, Script
from signoff.app.features.measure.scripted.prompt_script import (
    PromptError,
    ScriptedAgent,
    read_calls,
)
from tests.approved import approved
from tests.tiers import examples

PROSE = approved("agents")
NAMES = st.text(st.characters(codec="utf-8", exclude_characters='{[+"'), min_size=1).filter(
    lambda name: len(name.split()) == 1 and name == name.strip()
)
VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)
CALLS = st.lists(
    st.tuples(NAMES, st.dictionaries(st.text(max_size=4), VALUES, max_size=3), st.booleans()),
    min_size=1,
    max_size=4,
)


def calls(prompt: str) -> list[tuple[str, Any, bool]]:
    return [(one.tool, one.arguments, one.with_next) for one in read_calls(prompt)]


@examples(30)
@given(CALLS, st.sampled_from([" ", "\n", " \t "]))
def test_what_was_written_is_read(planned: list[tuple[str, Any, bool]], blank: str) -> None:
    *before, (tool, arguments, _) = planned
    planned = [*before, (tool, arguments, False)]
    words = [
        f"{tool}{blank}{json.dumps(arguments)}{blank}{'+' if joined else ''}"
        for tool, arguments, joined in planned
    ]
    assert calls(blank.join(words)) == planned


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("a", [("a", {}, False)]),
        ("a b", [("a", {}, False), ("b", {}, False)]),
        ('a{"x":1}b', [("a", {"x": 1}, False), ("b", {}, False)]),
        ("a + b", [("a", {}, True), ("b", {}, False)]),
        ('"a b{" {"x": 1} "c"', [("a b{", {"x": 1}, False), ("c", {}, False)]),
        (" + ".join(["a"] * 50), [("a", {}, True)] * 49 + [("a", {}, False)]),
        ('a {"x": "}"} + b {}', [("a", {"x": "}"}, True), ("b", {}, False)]),
    ],
)
def test_arguments_may_be_left_out(prompt: str, wanted: list[tuple[str, Any, bool]]) -> None:
    assert calls(prompt) == wanted


@pytest.mark.parametrize(
    ("name", "prompt"),
    [
        ("prompt: nothing", "  "),
        ("prompt: no name", '{"a": 1}'),
        ("prompt: a plus first", "+ a"),
        ("prompt: two pluses", "a + + b"),
        ("prompt: a plus last", "a +"),
        ("prompt: no JSON", "a {path: x}"),
        ("prompt: cut JSON", 'a {"path": '),
        ("prompt: a list", "a [1, 2]"),
        ("prompt: no blank", "a {}+b"),
        ("prompt: a number that JSON has not", 'a {"x": NaN}'),
        ("prompt: a number that is too large", 'a {"x": 1e999}'),
        ("prompt: a key twice", 'a {"x": 1, "x": 2}'),
        ("prompt: too deep", 'a {"x": ' + "[" * 300 + "]" * 300 + "}"),
        ("prompt: open quotes", '"a b {}'),
        ("prompt: too many at once", " + ".join(["a"] * 51)),
    ],
)
def test_what_is_wrong_is_told(name: str, prompt: str) -> None:
    with pytest.raises(PromptError) as problem:
        read_calls(prompt)
    PROSE.holds(name, str(problem.value))


def test_deep_arguments_are_refused() -> None:
    with pytest.raises(PromptError):
        read_calls('a {"x":' + "[" * 100_000)


def test_the_prompt_that_is_sent_has_the_marker() -> None:
    script = Script("signoff-1", lambda tool, server: ("", tool))
    agent = ScriptedAgent((), {}, "", script)
    assert agent.compose("a") == "a\n(signoff-1)"
    assert script.planned == [Planned("call 1", "a", {})]


@pytest.mark.parametrize(
    ("offered", "is_found"),
    [
        ("mcp__my-notes__delete", True),
        ("my_notes_delete", True),
        ("MCP_My-Notes_delete", True),
        ("delete", True),
        ("mcp__my-notes__soft_delete", False),
        ("mcp__other__delete", False),
    ],
)
def test_only_tools_of_the_server_are_called(offered: str, is_found: bool) -> None:
    script = Script("marker", lambda tool, server: ("", f"{server}/{tool}"), server="my notes")
    script.planned = [Planned("call 1", "delete", {})]
    step = script.step(ModelRequest((Offered(offered),), (), "marker", "m", is_streamed=False))
    assert isinstance(step, tuple)
    assert step[0].name == (offered if is_found else "my notes/delete")


@pytest.mark.parametrize(
    ("offered", "tools", "is_found"),
    [
        ("mcp__demo__削除_file", {"削除_file"}, False),
        ("mcp__demo__-file", {"-file"}, False),
        ("mcp__demo__file", {"file", "-file"}, True),
        ("mcp__demo__file", set(), True),
    ],
)
def test_a_name_that_ends_in_another_is_not_called_for_it(
    offered: str, tools: set[str], is_found: bool
) -> None:
    script = Script("marker", lambda tool, server: ("", f"?{tool}"), server="demo", tools=tools)
    script.planned = [Planned("call 1", "file", {})]
    step = script.step(ModelRequest((Offered(offered),), (), "marker", "m", is_streamed=False))
    assert isinstance(step, tuple)
    assert step[0].name == (offered if is_found else "?file")
