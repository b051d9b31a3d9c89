"""What clients reject although its schema allows it: told, and no verdict changes."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.calls.checks import as_due, schema_findings
from signoff.app.protocol.answers.content import read_answer
from signoff.app.protocol.answers.verdict_words import Tone, headline
from signoff.app.protocol.clients.findings import answer_rejections, argument_rejections
from signoff.app.protocol.findings.findings import Severity
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.schemas.evaluator import is_valid_at_once
from signoff.app.schemas.schema import SchemaAnswer, judge, judge_arguments
from tests.approved import approved

PROSE = approved("clients")


def rejected(schema: Any, value: Any) -> list[tuple[Any, str]]:
    verdict = judge(schema, value)
    assert verdict.answer is SchemaAnswer.VALID
    return [(one.path, one.format or one.keyword) for one in verdict.rejected_by_clients]


@pytest.mark.parametrize(
    ("schema", "value", "found"),
    [
        (
            {"properties": {"when": {"format": "date-time"}}},
            {"when": "x"},
            [(("when",), "date-time")],
        ),
        ({"properties": {"when": {"format": "date-time"}}}, {"when": 5}, []),
        ({"properties": {"when": {"format": "date-time"}}}, {}, []),
        ({"items": {"format": "date"}}, ["2026-02-28", "2026-02-30"], [((1,), "date")]),
        ({"format": "regex"}, "(", [((), "regex")]),
        ({"format": "odd"}, "x", []),
        ({"anyOf": [{"format": "date"}, {"const": "now"}]}, "now", []),
        ({"anyOf": [{"format": "date"}, {"type": "null"}]}, "x", [((), "anyOf")]),
        ({"properties": {"format": {"type": "string"}}}, {"format": "x"}, []),
    ],
)
def test_what_is_rejected(schema: Any, value: Any, found: Any) -> None:
    assert rejected(schema, value) == found


def test_an_error_of_the_schema_is_not_told_twice() -> None:
    verdict = judge({"type": "integer", "format": "date"}, "x")
    assert verdict.answer is SchemaAnswer.INVALID
    assert [one.keyword for one in verdict.errors] == ["type"]
    assert [one.format for one in verdict.rejected_by_clients] == ["date"]


def test_it_is_a_finding_that_names_the_clients() -> None:
    schema: Any = {"properties": {"when": {"format": "date-time"}, "where": {"format": "iri"}}}
    verdict = judge(schema, {"when": "x", "where": " "})
    when, where = answer_rejections(verdict, is_error=False)
    assert (when.code, when.severity) == ("format-mismatch", Severity.ERROR)
    assert when.path == "$.structuredContent.when"
    PROSE.holds("rejection: a finding", when.message)
    # No client is known to assert this one.
    assert (where.code, where.severity) == ("format-mismatch", Severity.NOTE)
    assert "TypeScript" not in where.message
    spoken = headline(verdict, {}, schema)
    assert spoken.tone is Tone.UNSURE
    PROSE.holds("rejection: the headline", spoken.words)
    assert {one.code for one in argument_rejections(verdict)} == {"arguments-at-risk"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("date-time", "2026-01-31 10:00:00Z"),
        ("uuid", "urn:uuid:f81d4fae-7dec-41d0-a765-00a0c91e6bf6"),
        ("duration", "P1Y2D"),
        ("hostname", "example."),
    ],
)
def test_what_ajv_takes_is_not_said_to_be_rejected_by_its_clients(name: str, value: str) -> None:
    (found,) = answer_rejections(judge({"format": name}, value), is_error=False)
    assert found.severity is Severity.NOTE
    assert "TypeScript" not in found.message


def test_a_multiple_in_decimals_is_a_warning() -> None:
    verdict = judge({"properties": {"ratio": {"multipleOf": 0.01}}}, {"ratio": 0.07})
    (found,) = answer_rejections(verdict, is_error=False)
    assert (found.code, found.severity) == ("binary-fractions", Severity.WARNING)
    (found,) = answer_rejections(verdict, is_error=True)
    assert (found.code, found.severity) == ("binary-fractions", Severity.NOTE)


def test_many_are_told_of_some_and_counted() -> None:
    verdict = judge({"items": {"format": "date"}}, ["x"] * 9)
    found = answer_rejections(verdict, is_error=False)
    assert len(found) == 5
    assert found[-1].message.endswith("; and 4 more")


def test_no_secret_is_repeated() -> None:
    schema: Any = {"properties": {"token": {"format": "uuid"}}}
    verdict = judge_arguments(schema, {"token": "hunter2-and-more"})
    assert verdict.rejected_by_clients
    assert "hunter2" not in repr(verdict)


@pytest.mark.parametrize("value", ["2026-01-31", "x"])
def test_what_is_told_at_once_is_of_its_format(value: str) -> None:
    schema: Any = {"properties": {"day": {"type": "string", "format": "date"}}}
    said = judge(schema, {"day": value}).rejected_by_clients
    assert is_valid_at_once(schema, {"day": value}) is not bool(said)


def test_an_error_result_need_not_obey_the_output_schema() -> None:
    schema: Any = {"type": "object", "properties": {"a": {"type": "integer"}}}
    tool = read_tool(0, {"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema})
    failed = read_answer({"content": [], "isError": True, "structuredContent": {"a": "x"}})
    sound = read_answer({"content": [], "structuredContent": {"a": "x"}})
    assert failed is not None
    assert sound is not None
    verdict = judge(tool.output_schema, failed.structured)
    (found,) = schema_findings(tool, failed, verdict)
    assert (found.code, found.severity) == ("error-breaks-schema", Severity.NOTE)
    assert "TypeScript SDK 1.32.2 rejects" in found.message
    due = as_due(failed, verdict)
    assert (due.answer, due.errors) == (SchemaAnswer.NOT_VALIDATED, ())
    (found,) = schema_findings(tool, sound, verdict)
    assert (found.code, found.severity) == ("schema-mismatch", Severity.ERROR)
    assert as_due(sound, verdict) is verdict
