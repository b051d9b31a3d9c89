"""What is said of schemas and of what keeps them: on `call`, `doctor` and `lint`, by code."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Ended, run
from tests.servers import filed

OUTPUT: Any = {
    "type": "object",
    "properties": {
        "when": {"type": "string", "format": "date-time"},
        "name": {"type": "string", "pattern": r"^\p{Lu}"},
        "gone": {"$ref": "#/$defs/gone"},
    },
}
INPUT: Any = {
    "type": "object",
    "properties": {"answer": {"type": "object"}, "day": {"type": "string", "format": "date"}},
}
HABITS: Any = {
    "type": "object",
    "properties": {"age": {"type": "number", "minimum": 0, "exclusiveMinimum": True}},
    "required": ["age", "name"],
}


def on(folder: Path, tools: list[Any], *words: str, target: tuple[str, ...] = ()) -> Ended:
    file = folder / "tools.json"
    file.write_text(json.dumps(tools), encoding="utf-8")
    server = (sys.executable, "-S", filed.__file__, str(file))
    return run(folder, *words, "--no-audit", "--no-memory", *target, "--", *server)


def give(folder: Path, structured: Any, **more: Any) -> Ended:
    answer = {"content": [], "structuredContent": structured, **more}
    words = ("call", "give", "-a", f"answer={json.dumps(answer)}", "-a", "day=today")
    tool = {"name": "give", "inputSchema": INPUT, "outputSchema": OUTPUT}
    return on(folder, [tool], *words, "--json", "--approve", "always")


def codes(ended: Ended) -> dict[str, str]:
    return {one["code"]: one["severity"] for one in ended.report["findings"]}


def test_a_value_that_is_not_of_its_format_is_valid_and_told(tmp_path: Path) -> None:
    ended = give(tmp_path, {"when": "yesterday", "name": "Ärger"})
    assert ended.status == 0
    schema = ended.report["schema"]
    assert schema["answer"] == "valid"
    assert [one["path"] for one in schema["rejected_by_clients"]] == ["$.when"]
    assert codes(ended)["format-mismatch"] == "error"
    assert codes(ended)["arguments-at-risk"] == "note"


@pytest.mark.parametrize(
    ("name", "answer", "status"), [("A", "not-validated", 0), ("a", "invalid", 4)]
)
def test_what_cannot_be_checked_leaves_the_rest_judged(
    name: str, answer: str, status: int, tmp_path: Path
) -> None:
    ended = give(tmp_path, {"name": name, "gone": 1})
    assert ended.status == status
    schema = ended.report["schema"]
    assert schema["answer"] == answer
    assert [one["path"] for one in schema["unchecked"]] == ["$.gone"]
    assert "1 of 2" in schema["reason"]
    assert codes(ended)["not-validated"] == "warning"


def test_an_error_result_that_breaks_the_schema_is_a_note(tmp_path: Path) -> None:
    ended = give(tmp_path, {"name": 1}, isError=True)
    assert ended.report["outcome"] == "tool-error"
    assert codes(ended)["error-breaks-schema"] == "note"
    assert "schema-mismatch" not in codes(ended)
    assert ended.report["schema"]["answer"] == "not-validated"


def test_doctor_and_lint_name_what_is_written_as_elsewhere(tmp_path: Path) -> None:
    tools = [
        {"name": "old", "inputSchema": HABITS},
        {
            "name": "python",
            "inputSchema": {"type": "object", "properties": {"a": {"pattern": "("}}},
        },
        {"name": "sound", "inputSchema": INPUT},
    ]
    for command in ("doctor", "lint"):
        ended = on(tmp_path, tools, command, "--json")
        assert ended.status == 4
        found = {
            (one["code"], one["path"])
            for one in ended.report["findings"]
            if one["code"] in ("keyword-of-other-dialect", "required-unknown", "invalid-pattern")
            or one["code"] == "unusable-schema"
        }
        assert found == {
            ("keyword-of-other-dialect", "$.inputSchema.properties.age.exclusiveMinimum"),
            ("required-unknown", "$.inputSchema.required"),
            ("invalid-pattern", "$.inputSchema.properties.a.pattern"),
        }
