"""The rule on structuredContent that some hosts keep from their models, and the tip about them.

A definition does not show whether the text of a response repeats its structuredContent. So every
output schema is worth one line for the whole list, and only responses in a given audit log are
findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...content.text import count
from ...hosts.model_view.fates import ADVICE, text_only, text_only_words
from ...hosts.model_view.table import model_hosts
from ...protocol.findings.findings import Severity
from ...protocol.tool import ToolDefinition
from .rule import LintHit, LintRule, Subject


def model_view_tip(tools: Sequence[ToolDefinition]) -> str:
    """A line about the tools with an output schema; empty if there is none."""
    number = _with_schema(tools)
    if not number:
        return ""
    have = "has" if number == 1 else "have"
    of = f"{count(number, 'tool')} {have} an output schema"
    return f"{of}; {text_only_words()} of a result, so send the same values as text, too"


def model_view_json(tools: Sequence[ToolDefinition]) -> dict[str, Any]:
    """The same as JSON, with the ids of the hosts."""
    return {
        "output_schemas": _with_schema(tools),
        "text_only": [one.id for one in text_only()],
        "of": len(model_hosts()),
    }


def _with_schema(tools: Sequence[ToolDefinition]) -> int:
    return sum(one.has_output_schema for one in tools)


def _without_copy(subject: Subject) -> Iterator[LintHit]:
    if not subject.halves:
        return
    for tool in subject.tools:
        if seen := subject.halves.get(tool.digest):
            message = (
                f"{count(seen.answers, 'response')} had structuredContent that the text did not "
                f"repeat; the last is {seen.last} in the audit log; {text_only_words()}"
            )
            yield LintHit(tool, message, "$.outputSchema")


RULES: Final = (
    LintRule(
        "text-copy-missing",
        Severity.NOTE,
        "responses had structuredContent that their text does not repeat",
        "Some hosts give their models only the text of a response, others only structuredContent. "
        "Found in the log of --audit, in calls of exactly this definition.",
        f"{ADVICE[:1].upper()}{ADVICE[1:]}, as the specification recommends.",
        _without_copy,
    ),
)
