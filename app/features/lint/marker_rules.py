"""Rules on markers of drafts of extensions: tool-resolution, which resolves hints before a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...approval.if_resolved import NO_HOST_RESOLVES, SENT_BEFORE
from ...content.labels import some_named
from ...content.text import count
from ...protocol.extensions.tool_resolution import (
    NAME,
    is_marked_in_vain,
    marker_findings,
    marker_of,
)
from ...protocol.findings.codes import meaning_of
from ...protocol.findings.findings import Severity
from ...protocol.tool import ToolDefinition
from ...schemas.parameters import choices, resolved
from .rule import LintHit, LintRule, Subject, of_each, sample, taking, with_keys

_IDENTIFIER: Final = "io.modelcontextprotocol/tool-resolution"
ACTIONS: Final = frozenset({"action", "command", "method", "mode", "op", "operation"})
"""Names of parameters by which one tool does several things."""
_NAMED: Final = 5


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


def _has_actions(tool: ToolDefinition) -> bool:
    """True if a parameter chooses among several actions."""
    schema = tool.input_schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return False
    listed = (
        choices(resolved(properties[name], schema), schema) or ()
        for name in ACTIONS & properties.keys()
    )
    return any(sum(isinstance(one, str) for one in some) > 1 for some in listed)


def _candidates(subject: Subject) -> Iterator[LintHit]:
    """One note on the whole list: what the server could gain by the draft."""
    if NAME not in subject.drafts:
        return
    found = [
        one.display_name
        for one in subject.tools
        if one.effect.may_destroy and marker_of(one.raw) is None and _has_actions(one)
    ]
    if found:
        tools = count(len(found), "tool")
        words = f"{tools} may destroy in one of several actions: {some_named(found, _NAMED, str)}"
        yield LintHit(None, words)


def _acting(**hints: bool) -> dict[str, Any]:
    entry = taking({"action": {"enum": ["read", "delete"], "description": "What is done."}})
    return {**entry, "name": "manage_rows", "annotations": hints}


def _marked(resolvable: Any, **hints: bool) -> dict[str, Any]:
    return with_keys(sample("edit_row", **hints), _meta={_IDENTIFIER: {"resolvable": resolvable}})


RULES: Final = (
    LintRule(
        "resolution-candidate",
        Severity.NOTE,
        "hosts could ask less about tools with hints resolved for each call (a draft)",
        "Static hints describe the worst action, so hosts ask about the harmless ones, too. "
        f"With tool-resolution they could distinguish them; {NO_HOST_RESOLVES}. {SENT_BEFORE}",
        "Mark these tools as resolvable and answer tools/resolve, or split them by action.",
        _candidates,
        (_acting(readOnlyHint=False, openWorldHint=False),),
        (_acting(readOnlyHint=True, openWorldHint=False),),
    ),
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
