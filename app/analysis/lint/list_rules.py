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
from ...protocol.findings.findings import Severity
from ...protocol.tool import ToolDefinition, shortened_name
from .rule import (
    LIST_TOKENS,
    TOOL_TOKENS,
    LintHit,
    Rule,
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
    "estimated: one token for four ASCII characters of name, description and input schema as "
    "compact JSON, and one for each other character"
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
    Rule(
        "malformed-tool",
        Severity.ERROR,
        "an entry lacks a name, or a part of it has the wrong type",
        "It cannot be called; a strict client drops the whole list with it.",
        "Send a name and a description that are texts, and an object as annotations.",
        seen_already("malformed-tool"),
        ({"description": "Reads a row."},),
        (sample("read_row"),),
    ),
    Rule(
        "malformed-icon",
        Severity.WARNING,
        "`icons` is not an array, or an icon has no usable `src` or `sizes`",
        "Strict clients refuse the entry, and a client must not open other schemes.",
        "Give an https: or data: address as src, and sizes as an array of strings.",
        seen_already("malformed-icon"),
        (with_keys(sample("read_row"), icons=[_ICON | {"sizes": "48x48"}]),),
        (with_keys(sample("read_row"), icons=[_ICON | {"sizes": ["48x48"]}]),),
    ),
    Rule(
        "duplicate-key",
        Severity.ERROR,
        "a JSON object has a key twice",
        "Which one counts depends on the reader: what was approved may not be what is called.",
        "Write each key once.",
        seen_already("duplicate-key"),
    ),
    Rule(
        "definition-unreadable",
        Severity.ERROR,
        "an entry cannot be read",
        "It cannot be called.",
        "Send plain JSON: no NaN, no number beyond a double, not nested over 100 levels.",
        seen_already("definition-unreadable"),
    ),
    Rule(
        "definition-too-large",
        Severity.ERROR,
        "an entry is too large to be kept",
        "It is larger than two million characters: no model can be given it.",
        "Take lists of values out of it; let a tool look them up.",
        seen_already("definition-too-large"),
    ),
    Rule(
        "definition-heavy",
        Severity.WARNING,
        "a definition takes much of a model's context",
        f"Over {TOOL_TOKENS:,} tokens (`limits.tool_tokens` in the rules), {HOW_COUNTED}. It is "
        "sent with every request, whether the tool is used or not.",
        "Shorten the description, refer to what repeats with $ref, and take long enums out.",
        _heavy,
        (sample("read_row", _LONG),),
        (sample("read_row"),),
    ),
    Rule(
        "list-heavy",
        Severity.WARNING,
        "all definitions together take much of a model's context",
        f"Over {LIST_TOKENS:,} tokens (`limits.list_tokens` in the rules), {HOW_COUNTED}. Models "
        "choose worse among many tools, and hosts have limits of their own.",
        "Offer fewer tools, or sets of them to choose from.",
        _list_heavy,
        tuple(sample(f"read_row_{number}", _LONG) for number in range(12)),
        (sample("read_row"),),
    ),
    Rule(
        "task-only",
        Severity.NOTE,
        "the tool runs only as a task",
        "Tasks are of 2025-11-25 alone, and few clients call them: for others it fails.",
        'Say taskSupport "optional" and answer plain calls, too.',
        seen_already("task-only"),
        (with_keys(sample("read_row"), execution={"taskSupport": "required"}),),
        (with_keys(sample("read_row"), execution={"taskSupport": "optional"}),),
    ),
    Rule(
        "malformed-execution",
        Severity.WARNING,
        "`execution` is not what the specification has",
        "Clients that know tasks cannot tell how to call it.",
        'Say {"taskSupport": "forbidden"}, "optional" or "required", or leave it out.',
        seen_already("malformed-execution"),
        (with_keys(sample("read_row"), execution="required"),),
        (with_keys(sample("read_row"), execution={"taskSupport": "optional"}),),
    ),
    Rule(
        "task-support-unknown",
        Severity.NOTE,
        "`execution.taskSupport` means nothing in this revision",
        "It is of 2025-11-25 alone: the negotiated revision has no such tasks.",
        "Leave it out for clients of other revisions.",
        seen_already("task-support-unknown"),
    ),
    Rule(
        "app-only",
        Severity.WARNING,
        "the tool says that it is for the page of an app, not for a model",
        "Hosts that do not know `_meta.ui.visibility` offer it to the model all the same.",
        "Nothing, if that is meant; but let no call do harm that a model makes by mistake.",
        seen_already("app-only"),
        (with_keys(sample("read_row"), _meta={"ui": {"visibility": ["app"]}}),),
        (sample("read_row"),),
    ),
    Rule(
        "malformed-visibility",
        Severity.WARNING,
        "`_meta.ui.visibility` is not what its specification has",
        "Hosts ignore it, and offer the tool to the model.",
        'Say a list of "model" and "app".',
        seen_already("malformed-visibility"),
        (with_keys(sample("read_row"), _meta={"ui": {"visibility": "app"}}),),
        (with_keys(sample("read_row"), _meta={"ui": {"visibility": ["model"]}}),),
    ),
)


_KEY: Final = {"type": "string", "description": "Which row."}
_BASELINE: Final = "Where it is meant, write the baseline anew: signoff diff --pin FILE --update."


def _breaking(subject: Subject) -> Iterator[LintHit]:
    yield from _changes(subject, {Weight.BREAKING})
    diff = subject.since_pin
    for name in diff.duplicated if diff else ():
        tool = _tool(subject, name)
        yield LintHit(tool, "several tools have this name now, and fewer had it before", "$.name")


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
        words = "is gone" if new is None else f"is gone; {shortened_name(new)} looks like it"
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
    Rule(
        "pin-breaking",
        Severity.ERROR,
        "a call that worked may be refused, or mean something else",
        "Whoever calls it by the old definition - a script, a prompt, a habit - fails.",
        f"Take it back, or give the new tool a new name. {_BASELINE}",
        _breaking,
        (taking({"key": _KEY, "table": _KEY}, required=["key", "table"]),),
        (taking({"key": _KEY, "table": _KEY}, required=["key"]),),
        pinned=(taking({"key": _KEY}, required=["key"]),),
    ),
    Rule(
        "pin-hints-changed",
        Severity.WARNING,
        "hints claim less harm than before, or promise less",
        "Hosts decide otherwise from now on, with the same answers of the same people.",
        f"Say in your release notes why. {_BASELINE}",
        _weakened,
        (sample("edit_row", readOnlyHint=False, destructiveHint=False),),
        (sample("edit_row", readOnlyHint=False, destructiveHint=True),),
        pinned=(sample("edit_row", readOnlyHint=False, destructiveHint=True),),
    ),
    Rule(
        "pin-output-changed",
        Severity.WARNING,
        "the output schema is another one",
        "What is built on the old answers may not understand the new ones.",
        f"Add properties, and keep what there was. {_BASELINE}",
        _output,
        (giving({"type": "object", "properties": {"id": {"type": "string"}}}),),
        (giving({"type": "object", "properties": {"key": {"type": "string"}}}),),
        pinned=(giving({"type": "object", "properties": {"key": {"type": "string"}}}),),
    ),
    Rule(
        "pin-gone",
        Severity.WARNING,
        "a tool of the baseline is gone",
        "Whoever calls it gets an error.",
        f"Keep it for a while, and say in its description that it is deprecated. {_BASELINE}",
        _gone,
        (sample("read_rows"),),
        (sample("read_row"), sample("read_rows")),
        pinned=(sample("read_row"),),
    ),
)


_ROW: Final = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}
_UPPER: Final = {"type": "object", "properties": {"key": {"type": "string", "pattern": "^\\p{Lu}"}}}

CLIENT_RULES: Final = (
    Rule(
        "clients-lose-tools",
        Severity.ERROR,
        "some client libraries refuse the whole list of tools",
        "One entry that they cannot read costs the server all of its tools there, without a word.",
        "Change the member at the path; signoff compat lists each client.",
        seen_already("clients-lose-tools"),
        (with_keys(sample("read_row", readOnlyHint=True), title=None),),
        (sample("read_row", readOnlyHint=True),),
    ),
    Rule(
        "clients-reject-results",
        Severity.ERROR,
        "some client libraries reject every result of the tool",
        "They cannot use its output schema, so no result reaches the program or the model.",
        "Change the schema at the path; signoff compat lists each client.",
        seen_already("clients-reject-results"),
        (giving(_UPPER),),
        (giving(_ROW),),
    ),
)
