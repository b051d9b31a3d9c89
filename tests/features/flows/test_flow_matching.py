"""Matchers of flows: what holds, and what is said where it does not."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.cli.output.results import FlowResult, Status, StepResult, WireProof, totals
from signoff.app.content.files.tree import SourceLocation
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.features.flows.checking import progress_matches
from signoff.app.features.flows.matching import (
    UnknownVariable,
    filled_in,
    filled_text,
    match_text,
    match_value,
    near,
    pointed,
)
from signoff.app.features.flows.run.run_flow import filled_arguments
from signoff.app.protocol.progress import Progress
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.schemas.schema import SchemaAnswer, judge
from tests.approved import approved
from tests.schemas.judges import Judges

PROSE = approved("flows")

VALUE: JsonValue = {
    "a": [1, {"b/c": "text", "~": None}],
    "n": 3,
    "t": True,
    "s": "long text",
    "~1": 0,
}


@pytest.mark.parametrize(
    ("wanted", "text", "holds"),
    [
        ("b", "abc", True),
        ("d", "abc", False),
        ("", None, True),
        ({"equals": "abc"}, "abc", True),
        ({"equals": "ab"}, "abc", False),
        ({"equals": ""}, None, False),
        ({"contains": ["a", "c"]}, "abc", True),
        ({"contains": ["a", "d"]}, "abc", False),
        ({"lacks": ["d"]}, "abc", True),
        ({"lacks": ["d", "a"]}, "abc", False),
        ({"regex": "^a.c$"}, "abc", True),
        ({"regex": "^b"}, "abc", False),
        ({"regex": ""}, None, False),
    ],
)
async def test_texts(wanted: Any, text: str | None, holds: bool) -> None:
    assert all(one.passed for one in await match_text(wanted, text, Judges())) is holds


@pytest.mark.parametrize(
    ("wanted", "holds"),
    [
        ({"at": "/a/0", "equals": 1}, True),
        ({"at": "/a/0", "equals": 1.0}, True),
        ({"at": "/t", "equals": 1}, False),
        ({"at": "/a/1/b~1c", "equals": "text"}, True),
        ({"at": "/a/1/~0", "equals": None}, True),
        ({"at": "/~01", "equals": 0}, True),
        ({"at": "/nothing", "equals": None}, False),
        ({"at": "/a", "contains": 1}, True),
        ({"at": "/a", "contains": True}, False),
        ({"at": "/s", "contains": "text"}, True),
        ({"contains": {"n": 3}}, True),
        ({"contains": "n"}, True),
        ({"contains": {"n": 4}}, False),
        ({"at": "/a", "lacks": 2}, True),
        ({"at": "/s", "regex": "^long"}, True),
        ({"at": "/n", "regex": "^3$"}, True),
        ({"at": "/n", "schema": {"type": "integer"}}, True),
        ({"at": "/n", "schema": {"type": "string"}}, False),
        ({"at": "/nothing", "schema": True}, False),
        ({"at": "/n", "least": 3, "most": 3}, True),
        ({"at": "/n", "least": 4}, False),
        ({"at": "/t", "least": 0}, False),
        ({"at": "/a", "length": 2}, True),
        ({"at": "/n", "length": 1}, False),
        ({"at": "/nothing", "absent": True}, True),
        ({"at": "/n", "absent": True}, False),
        ({"at": "/n", "absent": False}, True),
    ],
    ids=str,
)
async def test_values(wanted: dict[str, Any], holds: bool) -> None:
    found = await match_value(wanted, VALUE, True, Judges())
    assert found
    assert all(one.passed for one in found) is holds


async def test_nothing_is_there() -> None:
    (one,) = await match_value({"equals": None}, None, False, Judges())
    assert (one.passed, one.seen) == (False, "nothing")


def test_what_is_near_is_shown_of_a_long_text() -> None:
    text = "x" * 1_000 + "the file notes/todo.txt is gone"
    assert "notes/todo.txt" in near(text, "notes/todo.md", "cut")
    assert near(text, "nothing like it", "cut") == "cut"


@pytest.mark.parametrize("pointer", ["/a/2", "/a/-1", "/a/x", "/n/0", "/x", "/a/00001x"])
def test_pointers_that_lead_nowhere(pointer: str) -> None:
    assert pointed(VALUE, pointer) == ()


def test_variables() -> None:
    values: dict[str, JsonValue] = {"n": 3, "s": "x", "o": {"a": 1}}
    assert filled_in({"a": "${n}", "b": ["${s}-${n}", "$${n}", 1]}, values) == {
        "a": 3,
        "b": ["x-3", "${n}", 1],
    }
    assert filled_in("${o}", values) == {"a": 1}
    assert filled_text("${o}", values) == '{"a": 1}'
    with pytest.raises(UnknownVariable):
        filled_in("a ${b}", values)


def test_progress() -> None:
    log = [Progress(1, 3), Progress(2, 3), Progress(2, 3)]
    found = progress_matches({"reports": 3, "increasing": True, "total": 3}, log)
    assert [one.passed for one in found] == [True, False, True]
    assert found[1].seen == "2 comes after 2: 1/3, 2/3, 2/3"
    assert progress_matches({"reports": 1, "total": 1}, [])[0].seen == "0: nothing"


def test_arguments_filled_in_keep_their_schema() -> None:
    schema: JsonValue = {
        "type": "object",
        "required": ["a", "b", "c", "d", "e", "f", "g"],
        "properties": {
            "a": {"type": "string", "minLength": 10},
            "b": {"type": "integer", "minimum": 5},
            "c": {"enum": ["x", "y"]},
            "d": {"type": "array", "items": {"type": "boolean"}, "minItems": 2},
            "e": {"type": "object", "required": ["z"], "properties": {"z": {"format": "date"}}},
            "f": {"anyOf": [{"type": "null"}, {"type": "string"}]},
            "g": {"type": "string", "maxLength": 2},
            "h": {"type": "string"},
        },
    }
    (tool,) = read_tools([{"name": "t", "inputSchema": schema}])
    assert judge(schema, filled_arguments(tool)).answer is SchemaAnswer.VALID


def test_totals_hide_no_second_tries() -> None:
    failed = StepResult("a", SourceLocation(), Status.FAILED)
    again = StepResult("a", SourceLocation(), Status.PASSED, earlier=(failed,))
    one = FlowResult(
        "f", "", "s", "p", steps=(again, failed, StepResult("b", SourceLocation(), Status.NOT_RUN))
    )
    PROSE.holds("totals: a second try", totals((one,)))
    assert one.status is Status.FAILED


def test_a_proof_in_words() -> None:
    assert WireProof("tools/call", 0).words == "0 tools/call frames"
    assert WireProof("tools/call", 1).words == "1 tools/call frame"
    assert not WireProof("tools/call", None).holds
