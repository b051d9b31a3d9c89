"""Lines about a tool's definition: name, findings, hints, description.

`hint_table` shows the four hints: declared, default, effective.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Final

from rich.cells import cell_len

from ...content.text import count, visible
from ...content.texts.sheet_line import GLUE, Piece, SheetLine, labelled
from ...protocol.definitions.addressed import marked
from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.findings.findings import Finding, Severity, brief
from ...protocol.findings.model_texts import ADDRESSES_MODEL
from ...protocol.hints import USED_WORDS, Claim, Effect, Hint, used_words
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from .question_words import (
    NOT_THE_SERVERS,
    PLAIN_NAME,
    WHAT_IF,
    claim_word,
    definition_words,
    what_if_words,
)
from .questions import AboutAnswer, AboutCall
from .sheet import Room, excerpt, has_gaps, quoted, text_lines

EFFECT_ROLES: Final[Mapping[Effect, str]] = {
    Effect.READ_ONLY: "success",
    Effect.ADDITIVE: "primary",
    Effect.DESTRUCTIVE: "error",
    Effect.UNDECLARED: "warning",
    Effect.CONTRADICTORY: "error",
}
SEEN_ROLES: Final[Mapping[DefinitionStatus, str]] = {
    DefinitionStatus.CHANGED: "warning",
    DefinitionStatus.NEW: "noticed",
}
NAME_LIMIT: Final = 2_000
EXCERPT_LIMIT: Final = 500
WHOLE_LIMIT: Final = 200_000
_PLACED: Final = (ADDRESSES_MODEL, "hidden-characters")
"""Findings that come first, one of each, and that need their place."""
_FINDINGS_SHOWN: Final = 4
"""Findings shown in a roomy dialog; half of them elsewhere."""


def tool_line(tool: ToolDefinition, indent: int, definition: Sequence[Piece] = ()) -> SheetLine:
    """Its exact name, its title, and its effect; before that, the state of the definition."""
    if PLAIN_NAME.match(tool.name):
        name: tuple[Piece, ...] = ((tool.name, "strong"),)
    else:
        name = tuple((text, role or "strong") for text, role in quoted(tool.name, NAME_LIMIT))
    title: tuple[Piece, ...] = (("   title ", "dim"), *quoted(tool.title)) if tool.title else ()
    effect = (f"{tool.effect.sign} {tool.effect.value}", EFFECT_ROLES[tool.effect])
    aside = (*definition, ("   ", ""), effect) if definition else (effect,)
    old: tuple[Piece, ...] = (("   deprecated", "warning"),) if tool.deprecation else ()
    return labelled(
        "tool", indent, *name, *title, *old, aside=aside, exact=has_gaps(tool.name, tool.title)
    )


def noticed_in(tool: ToolDefinition, is_roomy: bool) -> tuple[list[Finding], int]:
    """Return the findings on the definition that are shown, and the number of others."""
    noticed = [
        finding
        for finding in tool.findings
        if finding.severity is not Severity.NOTE
        or finding.code in ("titles-disagree", "action-metadata")
    ]
    codes = [finding.code for finding in noticed]
    firsts = [codes.index(code) for code in _PLACED if code in codes]
    noticed = [
        *(noticed[at] for at in firsts),
        *(one for at, one in enumerate(noticed) if at not in firsts and one.code in _PLACED),
        *(one for one in noticed if one.code not in _PLACED),
    ]
    most = _FINDINGS_SHOWN if is_roomy else _FINDINGS_SHOWN // 2
    return noticed[:most], max(len(noticed) - most, 0)


def finding_lines(findings: Sequence[Finding], more: int, indent: int) -> Iterator[SheetLine]:
    """Show findings on the definition."""
    for finding in findings:
        place = visible(finding.path.removeprefix("$.")) if finding.code in _PLACED else ""
        words = f"{place} {finding.message}".strip()
        yield brief(replace(finding, message=words), indent)
    if more:
        yield labelled("", indent, (f"▲ and {count(more, 'more finding')}", "noticed"))


def claim_lines(question: AboutCall | AboutAnswer, room: Room) -> Iterator[SheetLine]:
    """The hints, as a table where all is shown, and whether the definition is the one of before.

    If there is room, the definition is in the line of the tool.
    """
    tool, indent = question.request.definition, room.indent
    definition = () if room.is_roomy else definition_pieces(question)
    if room.in_full and room.columns >= TABLE_COLUMNS + _WHAT_IF_COLUMNS * bool(question.overrides):
        yield from hint_table(tool, indent, question.overrides, question.trust)
        if definition:
            yield labelled("", indent, *definition)
    else:
        yield labelled("hints", indent, *claimed(tool), aside=definition)


def definition_pieces(question: AboutCall | AboutAnswer) -> tuple[Piece, ...]:
    """`definition 9f3c1a7b, unchanged`; other news in a colour."""
    return ((definition_words(question), SEEN_ROLES.get(question.seen, "dim")),)


def description_lines(tool: ToolDefinition, room: Room) -> Iterator[SheetLine]:
    """Show the server's description of the tool, whole or as much as there is room for."""
    indent, whole = room.indent, room.in_full
    if not tool.description:
        yield labelled("about", indent, ("(no description)", "dim"))
        return
    cells = max(room.columns - indent - 2, 10)
    text = tool.description.strip("\n")
    if whole:
        kept = excerpt(text, WHOLE_LIMIT)
    else:
        kept = _beginning(excerpt(text, EXCERPT_LIMIT), cells, room.about_rows)
    shown, total = len(kept), len(text)
    for at, words in enumerate(text_lines(kept)):
        label, parts = "" if at else "about", marked(words)
        if indent:
            yield SheetLine(parts, label=label, indent=indent, gutter=True)
        else:
            yield SheetLine(parts, gutter=True)
    if whole:
        rest = f"the first {shown:,} of {total:,} characters · " if shown < total else ""
        yield labelled("", indent, (f"{rest}v: less", "dim"))
    elif shown < total:
        rest = ", v: all" if room.has_keys else ""
        notice = f"the first {shown:,} of {total:,} characters{rest}"
        yield labelled("", indent, (notice, "dim"))


def _beginning(text: str, cells: int, rows: int) -> str:
    """The beginning of a text that takes about so many rows of so many cells."""
    end = 0
    for line in text.split("\n"):
        wrapped = wrap(line, max(cells * len(line) // max(cell_len(line), 1), 1)) or [""]
        if len(wrapped) == rows:
            return text[: end + len(line)]
        if len(wrapped) > rows:
            for row in wrapped[:rows]:
                end += len(row)
                end += text[end : end + 1].isspace()
            return excerpt(text, end)
        rows -= len(wrapped)
        end += len(line) + 1
    return text


TABLE_COLUMNS = 66
_WHAT_IF_COLUMNS = 16

Overrides = Mapping[str, bool | None]


def hint_table(
    tool: ToolDefinition, indent: int, overrides: Overrides, trust: Trust
) -> Iterator[SheetLine]:
    """Show the declared value, the default and the effective value of each hint.

    Hints that the user set for a what-if have a column of their own, in the user's colour.
    """
    head = f"{'hint':<13}{'declared':<14}{'default':<10}"
    used = USED_WORDS[trust]
    counts = f"{used:<22}" if overrides else used
    own = ((f"{WHAT_IF} ●", "typed"),) if overrides else ()
    yield labelled("hints", indent, (head + counts, "label"), *own)
    for hint in tool.hints:
        yield labelled("", indent, *_hint_row(hint, tool.effect), *_own(hint, overrides, tool))


def claimed(tool: ToolDefinition) -> Iterator[Piece]:
    """The hints on one line: those that are set, and defaults of the others."""
    said = [hint for hint in tool.hints if hint.claim is not Claim.NOT_SET]
    rest = [hint for hint in tool.hints if hint.is_default]
    yield from _listed(said, _claim)
    is_contradictory = tool.effect is Effect.CONTRADICTORY
    used = [hint for hint in rest if hint.meaningful or is_contradictory]
    unused = [hint.name for hint in rest if hint not in used]
    if used:
        is_odd = any(hint.claim is Claim.MALFORMED for hint in used)
        head = "not set or malformed (default): " if is_odd else "not set (default): "
        yield f"{'   ' * bool(said)}{head.replace(' ', GLUE)}", "dim"
        yield from _listed(used, lambda hint: (_word(hint.default), "dim"))
    if unused:
        head = "not used (read-only): ".replace(" ", GLUE)
        between = " · " if used else "   " * bool(said)
        yield f"{between}{head}{', '.join(unused)}", "dim"


def what_if_lines(
    overrides: Overrides, indent: int, *, has_signs: bool = True
) -> Iterator[SheetLine]:
    """Show the user's what-if hints, marked as theirs."""
    if overrides:
        words = what_if_words(overrides) + " ●" * has_signs
        yield labelled("what-if", indent, (words, "typed"), (f"   {NOT_THE_SERVERS}", "dim"))


def _own(hint: Hint, overrides: Overrides, tool: ToolDefinition) -> Iterator[Piece]:
    if hint.name in overrides:
        counts, _ = used_words(hint, tool.effect)
        yield " " * max(22 - len(counts), 1), ""
        yield claim_word(overrides[hint.name]), "typed"


def _listed(hints: Sequence[Hint], words: Callable[[Hint], Piece]) -> Iterator[Piece]:
    for at, hint in enumerate(hints):
        if at:
            yield " · ", "dim"
        yield f"{hint.name}{GLUE}", "dim"
        text, role = words(hint)
        yield text.replace(" ", GLUE), role


def _hint_row(hint: Hint, effect: Effect) -> Iterator[Piece]:
    claimed, role = _claim(hint)
    if len(claimed) > 12:
        # The finding has the whole value.
        claimed = f"{claimed[:11]}…"
    yield f"{hint.name:<13}", ""
    yield claimed, role
    yield " " * (14 - len(claimed)), ""
    yield f"{_word(hint.default):<10}", "dim"
    words, role = used_words(hint, effect)
    yield words, "malformed" if role == "contradiction" else role


def _claim(hint: Hint) -> Piece:
    if hint.claim is Claim.MALFORMED:
        shown = hint.malformed_as
        return shown if shown.startswith('"') else f"'{shown}'", "malformed"
    return hint.claim.value, "dim" if hint.claim is Claim.NOT_SET else ""


def _word(value: bool) -> str:
    return "true" if value else "false"
