"""What a question says of a tool's definition: name, oddities, claims, description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..content.text import count, visible
from ..content.texts.sheet_line import Piece, SheetLine, labelled
from ..protocol.definitions.history import Seen
from ..protocol.findings import Finding, Severity
from ..protocol.hints import Effect
from ..protocol.tools import ToolDefinition
from .hint_lines import claimed, hint_table, table_columns
from .parts import Room
from .question_words import PLAIN_NAME, definition_words
from .questions import AboutAnswer, AboutCall
from .sheet_text import excerpt, has_gaps, quoted, text_lines

EFFECT_ROLES: Final[Mapping[Effect, str]] = {
    Effect.READ_ONLY: "success",
    Effect.ADDITIVE: "primary",
    Effect.DESTRUCTIVE: "error",
    Effect.UNDECLARED: "warning",
    Effect.CONTRADICTORY: "error",
}
SEEN_ROLES: Final[Mapping[Seen, str]] = {Seen.CHANGED: "warning", Seen.NEW: "noticed"}
NAME_LIMIT: Final = 2_000
EXCERPT_LIMIT: Final = 500
WHOLE_LIMIT: Final = 200_000
_EXCERPT_LINES: Final = 4
_FINDINGS_SHOWN: Final = 4
"""Where there is room; half of it elsewhere."""


def tool_line(tool: ToolDefinition, indent: int) -> SheetLine:
    """Its exact name, its title, and its effect."""
    if PLAIN_NAME.match(tool.name):
        name: tuple[Piece, ...] = ((tool.name, "strong"),)
    else:
        name = tuple((text, role or "strong") for text, role in quoted(tool.name, NAME_LIMIT))
    title: tuple[Piece, ...] = (("   title ", "dim"), *quoted(tool.title)) if tool.title else ()
    effect = ((f"{tool.effect.sign} {tool.effect.value}", EFFECT_ROLES[tool.effect]),)
    old: tuple[Piece, ...] = (("   deprecated", "warning"),) if tool.deprecation else ()
    return labelled(
        "tool", indent, *name, *title, *old, aside=effect, exact=has_gaps(tool.name, tool.title)
    )


def noticed_in(tool: ToolDefinition, is_roomy: bool) -> tuple[list[Finding], int]:
    """What is odd about the definition: what is shown of it, and how much is not."""
    noticed = [
        finding
        for finding in tool.findings
        if finding.severity is not Severity.NOTE or finding.code == "titles-disagree"
    ]
    noticed.sort(key=lambda finding: finding.code != "hidden-characters")
    most = _FINDINGS_SHOWN if is_roomy else _FINDINGS_SHOWN // 2
    return noticed[:most], max(len(noticed) - most, 0)


def finding_lines(findings: Sequence[Finding], more: int, indent: int) -> Iterator[SheetLine]:
    """What is odd about the definition."""
    for finding in findings:
        place = (
            visible(finding.path.removeprefix("$.")) if finding.code == "hidden-characters" else ""
        )
        words = visible(f"{place} {finding.message}".strip())
        yield labelled("", indent, ("▲ ", "warning"), (words, "noticed"))
    if more:
        yield labelled("", indent, (f"▲ and {count(more, 'more finding')}", "noticed"))


def claim_lines(question: AboutCall | AboutAnswer, room: Room) -> Iterator[SheetLine]:
    """The hints, as a table where all is shown, and whether the definition is the one of before."""
    definition = ((definition_words(question), SEEN_ROLES.get(question.seen, "dim")),)
    tool, indent = question.request.definition, room.indent
    if room.in_full and room.columns >= table_columns(question.overrides):
        yield from hint_table(tool, indent, question.overrides)
        yield labelled("", indent, *definition)
    else:
        yield labelled("claims", indent, *claimed(tool), aside=definition)


def description_lines(tool: ToolDefinition, room: Room) -> Iterator[SheetLine]:
    """What the server says of the tool, whole or as much as there is room for."""
    indent, whole = room.indent, room.in_full
    if not tool.description:
        yield labelled("says", indent, ("nothing: it has no description", "dim"))
        return
    cells = max(room.columns - indent - 2, 10)
    limit = WHOLE_LIMIT if whole else EXCERPT_LIMIT if room.is_roomy else min(cells, EXCERPT_LIMIT)
    most = None if whole else _EXCERPT_LINES if room.is_roomy else 1
    lines = excerpt(tool.description.strip("\n"), limit).split("\n")[:most]
    shown = sum(len(line) + 1 for line in lines) - 1
    total = len(tool.description.strip("\n"))
    for at, parts in enumerate(text_lines("\n".join(lines))):
        label = "" if at else "says"
        if indent:
            yield SheetLine(parts, label=label, indent=indent, gutter=True)
        else:
            yield SheetLine(parts, gutter=True)
    if whole:
        rest = f"cut: {shown:,} of {total:,} characters · " if shown < total else ""
        yield labelled("", indent, (f"{rest}v shows less", "dim"))
    elif shown < total:
        rest = ", press v to view all" if room.has_keys else ""
        notice = f"cut: {shown:,} of {total:,} characters{rest}"
        yield labelled("", indent, (notice, "dim"))
