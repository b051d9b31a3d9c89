"""Rules on the entry as a whole and on the list: size, changes since a baseline, clients.

Baselines are written and weighed by `signoff diff --pin`. Defects for client libraries are found
when definitions are read, by a table.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from ...content.json.jsonio import JsonValue
from ...protocol.definitions.change_values import DefinitionDiff, Weight
from ...protocol.findings.codes import meaning_of
from ...protocol.findings.findings import Severity
from ...protocol.tool import ToolDefinition, shortened_name
from .rule import (
    LIST_TOKENS,
    TOOL_TOKENS,
    LintHit,
    LintRule,
    Subject,
    giving,
    sample,
    seen_already,
    taking,
    with_keys,
)

_READ_BY_MODELS: Final = ("name", "description", "inputSchema")
_ASCII_IN_TOKEN: Final = 4
HOW_COUNTED: Final = (
    "estimated from name, description and input schema as compact JSON. Four ASCII characters "
    "count as one token, and so does every other character"
)


def tokens(tool: ToolDefinition) -> int:
    """About how many tokens a definition takes in a model's context; see `HOW_COUNTED`.

    Counting exactly would take the tokeniser of each model; they differ by a third and more.
    """
    entry: dict[str, JsonValue] = tool.raw if isinstance(tool.raw, dict) else {}
    told = {key: entry[key] for key in _READ_BY_MODELS if key in entry}
    try:
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    except (RecursionError, ValueError):
        return 0
    plain = sum(character.isascii() for character in text)
    return -(-plain // _ASCII_IN_TOKEN) + len(text) - plain


def _heavy(subject: Subject) -> Iterator[LintHit]:
    for tool in subject.tools:
        if (number := tokens(tool)) > subject.limits.tool_tokens:
            most = subject.limits.tool_tokens
            message = f"takes about {number:,} tokens of a model's context, over {most:,}"
            yield LintHit(tool, message, "$")


def _list_heavy(subject: Subject) -> Iterator[LintHit]:
    number = sum(map(tokens, subject.tools))
    if number > subject.limits.list_tokens:
        message = (
            f"all {len(subject.tools):,} definitions take about {number:,} tokens of a model's "
            f"context, over {subject.limits.list_tokens:,}"
        )
        yield LintHit(None, message)


_LONG: Final = "Reads one row of the table, and says where it was found. " * 160

_ICON: Final = {"src": "https://example.com/a.png"}

RULES: Final = (
    LintRule(
        "malformed-tool",
        Severity.ERROR,
        "an entry has no name, or a part of the wrong type",
        "It cannot be called. A strict client drops the whole list.",
        "Send name and description as strings, and annotations as an object.",
        seen_already("malformed-tool"),
        ({"description": "Reads a row."},),
        (sample("read_row"),),
    ),
    LintRule(
        "malformed-icon",
        Severity.WARNING,
        meaning_of("malformed-icon"),
        "Strict clients reject the entry. Clients must not open other schemes.",
        "Use an https: or data: address as src, and an array of strings as sizes.",
        seen_already("malformed-icon"),
        (with_keys(sample("read_row"), icons=[_ICON | {"sizes": "48x48"}]),),
        (with_keys(sample("read_row"), icons=[_ICON | {"sizes": ["48x48"]}]),),
    ),
    LintRule(
        "duplicate-key",
        Severity.ERROR,
        "a JSON object has a key twice",
        "Readers differ in which one counts, so the approved value may differ from the sent one.",
        "Write each key once.",
        seen_already("duplicate-key"),
        example='{"name": "delete_file", "annotations": {…}, "annotations": {…}}',
    ),
    LintRule(
        "definition-unreadable",
        Severity.ERROR,
        "an entry cannot be read",
        "It cannot be called.",
        "Send plain JSON: no NaN, no number beyond a double, at most 100 levels.",
        seen_already("definition-unreadable"),
        example='"default": NaN',
    ),
    LintRule(
        "definition-too-large",
        Severity.ERROR,
        "an entry is too large to keep",
        "It has over two million characters, too many for any model.",
        "Remove lists of values; let a tool look them up.",
        seen_already("definition-too-large"),
        example='"enum" with 200,000 names of customers',
    ),
    LintRule(
        "definition-heavy",
        Severity.WARNING,
        "a definition uses much of a model's context",
        f"Over {TOOL_TOKENS:,} tokens (`limits.tool_tokens` in the rules), {HOW_COUNTED}. It is "
        "sent with every request, used or not.",
        "Shorten the description, use $ref for repeated parts, and remove long enums.",
        _heavy,
        (sample("read_row", _LONG),),
        (sample("read_row"),),
    ),
    LintRule(
        "list-heavy",
        Severity.WARNING,
        "all definitions together use much of a model's context",
        f"Over {LIST_TOKENS:,} tokens (`limits.list_tokens` in the rules), {HOW_COUNTED}. Models "
        "choose worse among many tools, and hosts have their own limits.",
        "Offer fewer tools, or toolsets to choose from.",
        _list_heavy,
        tuple(sample(f"read_row_{number}", _LONG) for number in range(12)),
        (sample("read_row"),),
    ),
    LintRule(
        "task-only",
        Severity.NOTE,
        meaning_of("task-only"),
        "Only 2025-11-25 has these tasks, and few clients support them: for others the call fails.",
        'Set taskSupport to "optional" and support plain calls, too.',
        seen_already("task-only"),
        (with_keys(sample("read_row"), execution={"taskSupport": "required"}),),
        (with_keys(sample("read_row"), execution={"taskSupport": "optional"}),),
    ),
    LintRule(
        "malformed-execution",
        Severity.WARNING,
        meaning_of("malformed-execution"),
        "Clients with task support do not know how to call it.",
        'Set {"taskSupport": "forbidden"}, "optional" or "required", or remove it.',
        seen_already("malformed-execution"),
        (with_keys(sample("read_row"), execution="required"),),
        (with_keys(sample("read_row"), execution={"taskSupport": "optional"}),),
    ),
    LintRule(
        "task-support-unknown",
        Severity.NOTE,
        meaning_of("task-support-unknown"),
        "Only 2025-11-25 has it; the negotiated revision does not.",
        "Remove it for clients of other revisions.",
        seen_already("task-support-unknown"),
        example='"execution": {"taskSupport": "optional"} under 2026-07-28',
    ),
    LintRule(
        "app-only",
        Severity.WARNING,
        "the tool is declared for an app's page, not for a model",
        "Hosts without support for `_meta.ui.visibility` offer it to the model anyway.",
        "Nothing, if intended. Make sure that a mistaken call by a model does no harm.",
        seen_already("app-only"),
        (with_keys(sample("read_row"), _meta={"ui": {"visibility": ["app"]}}),),
        (sample("read_row"),),
    ),
    LintRule(
        "malformed-visibility",
        Severity.WARNING,
        meaning_of("malformed-visibility"),
        "Hosts ignore it, and offer the tool to the model.",
        'Set a list of "model" and "app".',
        seen_already("malformed-visibility"),
        (with_keys(sample("read_row"), _meta={"ui": {"visibility": "app"}}),),
        (with_keys(sample("read_row"), _meta={"ui": {"visibility": ["model"]}}),),
    ),
)


_KEY: Final = {"type": "string", "description": "Which row."}
_BASELINE: Final = "If intended, update the baseline: signoff diff --pin FILE --update."


def _breaking(subject: Subject) -> Iterator[LintHit]:
    yield from _changes(subject, {Weight.BREAKING})
    diff = subject.since_pin
    for name in diff.duplicated if diff else ():
        tool = _tool(subject, name)
        yield LintHit(tool, "several tools have this name now; fewer had it before", "$.name")


def _weakened(subject: Subject) -> Iterator[LintHit]:
    yield from _changes(subject, {Weight.WEAKENED, Weight.WORSENED})


def _output(subject: Subject) -> Iterator[LintHit]:
    yield from _changes(subject, {Weight.OUTPUT})


def _gone(subject: Subject) -> Iterator[LintHit]:
    diff = subject.since_pin
    if diff is None:
        return
    renamed = {one.old: one.new for one in diff.renamed}
    for name in diff.gone:
        shown = shortened_name(name)
        new = renamed.get(name)
        words = "is gone" if new is None else f"was removed; {shortened_name(new)} looks like it"
        yield LintHit(None, f"{shown} {words}")


def _changes(subject: Subject, weights: set[Weight]) -> Iterator[LintHit]:
    diff = subject.since_pin
    for one in diff.changed if diff else ():
        tool = _changed_tool(subject, one)
        for change in one.changes:
            if change.weight in weights:
                yield LintHit(tool, change.words, change.path)


def _changed_tool(subject: Subject, one: DefinitionDiff) -> ToolDefinition | None:
    found = [tool for tool in subject.tools if tool.name == one.tool]
    same = (tool for tool in found if len(found) > 1 and tool.digest == one.new_digest)
    return next(same, found[0] if found else None)


def _tool(subject: Subject, name: str) -> ToolDefinition | None:
    return next((tool for tool in subject.tools if tool.name == name), None)


PIN_RULES: Final = (
    LintRule(
        "pin-breaking",
        Severity.ERROR,
        "a call that worked may fail or mean something else",
        "Callers with the old definition (scripts, prompts) fail.",
        f"Revert it, or give the new tool a new name. {_BASELINE}",
        _breaking,
        (taking({"key": _KEY, "table": _KEY}, required=["key", "table"]),),
        (taking({"key": _KEY, "table": _KEY}, required=["key"]),),
        pinned=(taking({"key": _KEY}, required=["key"]),),
    ),
    LintRule(
        "pin-hints-changed",
        Severity.WARNING,
        "hints declare less harm than before, or promise less",
        "Hosts decide differently from now on.",
        f"Give the reason in your release notes. {_BASELINE}",
        _weakened,
        (sample("edit_row", readOnlyHint=False, destructiveHint=False),),
        (sample("edit_row", readOnlyHint=False, destructiveHint=True),),
        pinned=(sample("edit_row", readOnlyHint=False, destructiveHint=True),),
    ),
    LintRule(
        "pin-output-changed",
        Severity.WARNING,
        "the output schema changed",
        "Programs that use the old responses may not understand the new ones.",
        f"Add properties, and keep the old ones. {_BASELINE}",
        _output,
        (giving({"type": "object", "properties": {"id": {"type": "string"}}}),),
        (giving({"type": "object", "properties": {"key": {"type": "string"}}}),),
        pinned=(giving({"type": "object", "properties": {"key": {"type": "string"}}}),),
    ),
    LintRule(
        "pin-gone",
        Severity.WARNING,
        "a tool of the baseline was removed",
        "Calls of it get an error.",
        f"Keep it for a while, and mark it as deprecated in its description. {_BASELINE}",
        _gone,
        (sample("read_rows"),),
        (sample("read_row"), sample("read_rows")),
        pinned=(sample("read_row"),),
    ),
)


_ROW: Final = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}
_UPPER: Final = {"type": "object", "properties": {"key": {"type": "string", "pattern": "^\\p{Lu}"}}}

CLIENT_RULES: Final = (
    LintRule(
        "clients-lose-tools",
        Severity.ERROR,
        meaning_of("clients-lose-tools"),
        "If they cannot read one entry, they lose all tools of the server, silently.",
        "Change the member at the path; signoff compat lists each client.",
        seen_already("clients-lose-tools"),
        (with_keys(sample("read_row", readOnlyHint=True), title=None),),
        (sample("read_row", readOnlyHint=True),),
    ),
    LintRule(
        "clients-reject-results",
        Severity.ERROR,
        meaning_of("clients-reject-results"),
        "They cannot use its output schema, so no result reaches the program or the model.",
        "Change the schema at the path; signoff compat lists each client.",
        seen_already("clients-reject-results"),
        (giving(_UPPER),),
        (giving(_ROW),),
    ),
)
