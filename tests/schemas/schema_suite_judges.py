"""What the official JSON-Schema-Test-Suite is run against: a function of a schema and a value.

The suite expects formats to be asserted in its cases of `format`; no verdict of Signoff asserts
them, so `judge_with_formats` makes an invalid value of one that clients reject for its format.
"""

from __future__ import annotations

from dataclasses import replace

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.schema import SchemaAnswer, SchemaVerdict, judge

__all__ = ["judge", "judge_with_formats"]


def judge_with_formats(schema: JsonValue, value: JsonValue) -> SchemaVerdict:
    """`judge`, and INVALID where a format was found not to be kept."""
    verdict = judge(schema, value)
    kept = all(one.keyword != "format" for one in verdict.rejected_by_clients)
    return verdict if kept else replace(verdict, answer=SchemaAnswer.INVALID)
