"""Arguments on the command line that are not what the schema wants: said, with each place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from signoff.app.cli.options.arguments import InvalidArguments, assign, mismatches
from signoff.app.content.text import visible
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.schemas.schema import judge_arguments
from tests.approved import approved
from tests.cli.running import call, run
from tests.servers import recorded

PROSE = approved("headless")

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 3},
        "ratio": {"type": "number"},
        "really": {"type": "boolean"},
        "level": {"enum": ["low", "medium", "high"]},
        "path": {"type": "string"},
        "data": {"type": "object"},
        "numbers": {"type": "array", "items": {"type": "number"}},
        "either": {"anyOf": [{"type": "string"}, {"type": "object"}]},
        "any": {},
        "token": {"type": "integer", "format": "password"},
    },
}


def read(*assignments: str, schema: Any = SCHEMA, **more: Any) -> dict[str, Any]:
    tool = read_tool(0, {"name": "thing", "inputSchema": schema})
    return assign(tool, {}, assignments, **more)


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("n=3", 3),
        ("ratio=1.5", 1.5),
        ("really=true", True),
        ("level=low", "low"),
        ("path=12", "12"),
        ('data={"a": [1]}', {"a": [1]}),
        ("numbers=[1, 2]", [1, 2]),
        ("either=abc", "abc"),
        ("either=12", "12"),
        ('either={"a": 1}', {"a": 1}),
        ("any=abc", "abc"),
        ("any=12", 12),
    ],
)
def test_a_value_is_what_the_schema_wants(given: str, value: Any) -> None:
    assert list(read(given).values()) == [value]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("n=abc", ["-a n=abc: not an integer", "expected integer ≥ 3", "example: -a n=3"]),
        ("n=1.5", ["-a n=1.5: not an integer"]),
        ("ratio=much", ["-a ratio=much: not a number", "example: -a ratio=1.5"]),
        ("really=yes", ["-a really=yes", "example: -a really=true"]),
        ("level=hihg", ["did you mean high?", "expected one of low, medium, high"]),
        ("data=abc", ["-a data=abc: not JSON", "expected object", "-a 'data={"]),
        ("numbers=1,2", ["-a numbers=1,2: not JSON", "expected array of numbers", "[1"]),
        ('data={"a":1,"a":2}', ["key given twice: a"]),
        ("pth=x", ["-a pth: the input schema has no argument with this name; did you mean path?"]),
        ("token=hunter2", ["-a token=…: invalid; expected integer"]),
        ("n=\x1b[31m\u202e", ["not an integer"]),
    ],
)
def test_a_value_that_is_not_is_a_mistake(given: str, words: list[str]) -> None:
    with pytest.raises(InvalidArguments) as caught:
        read(given)
    said = str(caught.value)
    for one in words:
        assert one in said, said
    assert "With --although-invalid the policy decides" in said
    assert "hunter2" not in said
    assert visible(said, multiline=True) == said


def test_all_mistakes_are_said_at_once() -> None:
    with pytest.raises(InvalidArguments) as caught:
        read("n=abc", "pth=x", "path=fine", "really=maybe")
    assert [one.path for one in caught.value.problems] == ["$.n", "$.pth", "$.really"]
    assert caught.value.arguments == {"path": "fine"}


def test_although_invalid_takes_them_as_strings() -> None:
    found = read("n=abc", "pth=x", "data=abc", although_invalid=True)
    assert found == {"n": "abc", "pth": "x", "data": "abc"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "string"}},
        {"type": "object", "properties": {"a": {}}, "patternProperties": {"^x": {}}},
        "no schema",
        {
            "anyOf": [
                {"properties": {"a": {}}},
                {"properties": {"other": {}}, "required": ["other"]},
            ]
        },
        {"properties": {"a": {}}, "if": {"required": ["a"]}, "then": {"properties": {"other": {}}}},
    ],
)
def test_a_name_that_the_schema_takes_is_no_mistake(schema: Any) -> None:
    assert read("other=abc", schema=schema) == {"other": "abc"}


@pytest.mark.parametrize(
    "schema",
    [{"type": "object", "properties": {}}, {"type": "object", "additionalProperties": False}],
)
def test_a_tool_without_arguments_takes_none(schema: Any) -> None:
    with pytest.raises(InvalidArguments, match="no argument with this name; it has none"):
        read("other=abc", schema=schema)


def test_a_name_in_the_document_gets_a_suggestion_too() -> None:
    schema = {**SCHEMA, "additionalProperties": False}
    tool = read_tool(0, {"name": "thing", "inputSchema": schema})
    (found,) = mismatches(tool, judge_arguments(schema, {"pth": "x"}))
    assert found.path == "$.pth"
    PROSE.holds("argument: a misspelt name", found.message)


def test_arguments_that_break_the_schema_end_with_2_and_each_place(tmp_path: Path) -> None:
    record = tmp_path / "record"
    wrong = ("--args", '{"name": 5, "really": "yes"}', "--approve", "always", "--json")
    ended = run(tmp_path, *call("delete_thing", *wrong, server=("--record", str(record))))
    assert ended.status == 2
    report = ended.report
    assert (report["outcome"], report["sent"], report["decision"]) == (
        "invalid-arguments",
        False,
        None,
    )
    assert [one["path"] for one in report["argument_errors"]] == ["$.name", "$.really"]
    assert all(one["message"] and one["schema_path"] for one in report["argument_errors"])
    assert "(2 places)" in ended.stderr
    assert "$.name: " in ended.stderr
    assert recorded(record) == []


def test_although_invalid_sends_them_once_approved(tmp_path: Path) -> None:
    record = tmp_path / "record"
    words = ("-a", "name=x", "-a", "really=perhaps", "--although-invalid", "--json")
    server = ("--record", str(record))
    denied = run(tmp_path, *call("delete_thing", *words, "--approve", "policy", server=server))
    assert (denied.status, recorded(record)) == (3, [])
    sent = run(tmp_path, *call("delete_thing", *words, "--approve", "always", server=server))
    assert sent.status == 0
    assert sent.report["arguments"] == {"name": "x", "really": "perhaps"}
    assert "arguments-break-schema" in {one["code"] for one in sent.report["findings"]}
    assert len(recorded(record)) == 1


def test_a_secret_in_a_mistake_is_not_repeated(tmp_path: Path) -> None:
    wrong = ("--args", '{"name": {"password": "hunter2hunter2"}}', "--json")
    ended = run(tmp_path, *call("delete_thing", *wrong))
    assert ended.status == 2
    assert "hunter2" not in ended.stdout + ended.stderr
