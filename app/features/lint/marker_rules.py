"""Rules on markers of drafts of extensions: tool-resolution, which resolves hints before a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...protocol.extensions.tool_resolution import (
    is_marked_in_vain,
    marker_findings,
    marker_of,
)
from ...protocol.findings.codes import meaning_of
from ...protocol.findings.findings import Severity
from ...protocol.tool import ToolDefinition
from .rule import LintHit, LintRule, Subject, of_each, sample, with_keys

_IDENTIFIER: Final = "io.modelcontextprotocol/tool-resolution"


def _malformed(tool: ToolDefinition) -> Iterator[LintHit]:
    for one in marker_findings(tool.raw):
        yield LintHit(tool, one.message, one.path)


def _in_vain(tool: ToolDefinition) -> Iterator[LintHit]:
    if is_marked_in_vain(tool):
        words = "the static hints are read-only and closed world: no resolution can differ"
        yield LintHit(tool, words, "$._meta")


def _undeclared(subject: Subject) -> Iterator[LintHit]:
    if subject.not_resolved:
        for tool in subject.tools:
            if marker_of(tool.raw) is not None:
                words = f"the tool is marked as resolvable, but {subject.not_resolved}"
                yield LintHit(tool, words, "$._meta")


def _marked(resolvable: Any, **hints: bool) -> dict[str, Any]:
    return with_keys(sample("edit_row", **hints), _meta={_IDENTIFIER: {"resolvable": resolvable}})


RULES: Final = (
    LintRule(
        "marker-malformed",
        Severity.WARNING,
        meaning_of("marker-malformed"),
        "A client resolves the hints of a tool only if `resolvable` is the boolean true. "
        "Draft tool-resolution, “Marking resolvable tools”.",
        "Write the boolean true, and no other key.",
        of_each(_malformed),
        (_marked("yes", readOnlyHint=False),),
        (_marked(True, readOnlyHint=False),),
    ),
    LintRule(
        "marker-undeclared",
        Severity.WARNING,
        meaning_of("marker-undeclared"),
        "No client resolves the hints of a server that does not declare the extension. "
        "Draft tool-resolution, “Negotiation”.",
        "Declare the extension with an empty object, or remove the marker.",
        _undeclared,
        example="a marked tool of a server without the extension in its capabilities",
    ),
    LintRule(
        "marker-in-vain",
        Severity.NOTE,
        meaning_of("marker-in-vain"),
        "A resolution may be milder than the static hints, never worse. These are the mildest. "
        "Draft tool-resolution, “Marking resolvable tools”.",
        "Remove the marker, or declare the hints of the riskiest arguments.",
        of_each(_in_vain),
        (_marked(True, readOnlyHint=True, openWorldHint=False),),
        (_marked(True, readOnlyHint=False, openWorldHint=False),),
    ),
)
