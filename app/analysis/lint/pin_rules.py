"""Rules on what changed since a baseline, as `signoff diff --pin` writes and weighs it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...protocol.definitions.change_values import DefinitionDiff, Weight
from ...protocol.findings import Severity
from ...protocol.tools import ToolDefinition, shortened_name
from .rule import Rule, Spotted, Subject
from .sample import giving, sample, taking

_KEY: Final = {"type": "string", "description": "Which row."}
_BASELINE: Final = "Where it is meant, write the baseline anew: signoff diff --pin FILE --update."


def _breaking(subject: Subject) -> Iterator[Spotted]:
    yield from _changes(subject, {Weight.BREAKING})
    diff = subject.since_pin
    for name in diff.duplicated if diff else ():
        tool = _tool(subject, name)
        yield Spotted(tool, "several tools have this name now, and fewer had it before", "$.name")


def _weakened(subject: Subject) -> Iterator[Spotted]:
    yield from _changes(subject, {Weight.WEAKENED, Weight.WORSENED})


def _output(subject: Subject) -> Iterator[Spotted]:
    yield from _changes(subject, {Weight.OUTPUT})


def _gone(subject: Subject) -> Iterator[Spotted]:
    diff = subject.since_pin
    if diff is None:
        return
    renamed = {one.old: one.new for one in diff.renamed}
    for name in diff.gone:
        shown = shortened_name(name)
        new = renamed.get(name)
        words = "is gone" if new is None else f"is gone; {shortened_name(new)} looks like it"
        yield Spotted(None, f"{shown} {words}")


def _changes(subject: Subject, weights: set[Weight]) -> Iterator[Spotted]:
    diff = subject.since_pin
    for one in diff.changed if diff else ():
        tool = _changed_tool(subject, one)
        for change in one.changes:
            if change.weight in weights:
                yield Spotted(tool, change.words, change.path)


def _changed_tool(subject: Subject, one: DefinitionDiff) -> ToolDefinition | None:
    found = [tool for tool in subject.tools if tool.name == one.tool]
    same = (tool for tool in found if len(found) > 1 and tool.digest == one.new_digest)
    return next(same, found[0] if found else None)


def _tool(subject: Subject, name: str) -> ToolDefinition | None:
    return next((tool for tool in subject.tools if tool.name == name), None)


RULES: Final = (
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
