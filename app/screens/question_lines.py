"""What the confirmation dialog says about a call, line by line.

Server, tool, what it claims, why it is asked, what the server says, and then all arguments, in the
order in which they are to be read. Text of the server's stands behind the gutter or in quotes after
words of Signoff's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from app.core.approval import Question
from app.core.entries import Origin
from app.core.findings import Severity
from app.core.hints import Effect
from app.core.jsonio import pretty, pretty_spans
from app.core.text import Span, cut, spans, visible
from app.core.tools import ToolDefinition
from app.screens.hint_lines import hint_lines
from widgets.sheet_lines import GLUE, Piece, SheetLine, labelled

ORIGIN_SIGNS: Mapping[Origin, str] = {Origin.TYPED: "●", Origin.DEFAULT: "◌"}
EFFECT_ROLES: Mapping[Effect, str] = {
    Effect.READ_ONLY: "success",
    Effect.ADDITIVE: "primary",
    Effect.DESTRUCTIVE: "error",
    Effect.UNDECLARED: "warning",
    Effect.CONTRADICTORY: "error",
}
CAUTIONS: Mapping[Effect, str] = {
    Effect.DESTRUCTIVE: "It may destroy something, and that cannot be undone from here.",
    Effect.UNDECLARED: "Silence means that it may destroy, and that cannot be undone.",
    Effect.CONTRADICTORY: "It contradicts itself, so it may destroy what cannot be undone.",
}
OTHER_CAUTION = "What it changes may not be possible to undo from here."

NAME_LIMIT = 2_000
TITLE_LIMIT = 128
EXCERPT_LIMIT = 500
WHOLE_LIMIT = 200_000
_EXCERPT_LINES = 6
_FINDINGS_SHOWN = 4
"""Where there is room; half of it elsewhere."""
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,128}\Z")


def fact_lines(
    question: Question, *, columns: int, is_roomy: bool, whole_description: bool = False
) -> list[SheetLine]:
    """Everything but the arguments, for a sheet of so many columns.

    `is_roomy`: there are rows enough for a table and blank lines. `whole_description`: up to
    200,000 characters of what the server says, instead of 500 or, where room is scarce, fewer.
    """
    indent = 11 if columns >= 66 else 9 if columns >= 40 else 0
    gap = [SheetLine()] if is_roomy else []
    return [
        *_server(question, indent),
        *_tool(question.tool, indent, is_roomy),
        *_claims(question, indent),
        *gap,
        *hint_lines(question.tool, indent, columns, is_roomy),
        *gap,
        _asked(question, indent, is_roomy),
        *_description(question.tool, indent, columns, is_roomy, whole_description),
        *gap,
    ]


def quoted(text: str, limit: int = TITLE_LIMIT) -> tuple[Piece, ...]:
    """Server text on one line, in quotes that it cannot close."""
    short = cut(text, limit)
    inner = (
        short.text.replace("\\", "\\\\").replace('"', '\\"') if '"' in short.text else short.text
    )
    end = f'…" ({short.notice})' if short.is_cut else '"'
    return (('"', ""), *_pieces(spans(inner)), (end, ""))


def _pieces(parts: list[Span], role: str = "") -> tuple[Piece, ...]:
    return tuple((part.text, "mark" if part.mark else role) for part in parts)


def _server(question: Question, indent: int) -> Iterator[SheetLine]:
    itself = question.server_calls_itself
    yield labelled(
        "server",
        indent,
        *_pieces(spans(question.server_name), "strong"),
        ("  ", ""),
        *_pieces(spans(question.server_command)),
        aside=_dim((("calls itself ", ""), *quoted(itself))) if itself else (),
        exact=True,
    )


def _dim(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    return tuple((text, role or "dim") for text, role in pieces)


def _tool(tool: ToolDefinition, indent: int, is_roomy: bool) -> Iterator[SheetLine]:
    if _PLAIN_NAME.match(tool.name):
        name: tuple[Piece, ...] = ((tool.name, "strong"),)
    else:
        name = tuple((text, role or "strong") for text, role in quoted(tool.name, NAME_LIMIT))
    title: tuple[Piece, ...] = (("   title ", "dim"), *quoted(tool.title)) if tool.title else ()
    yield labelled(
        "tool",
        indent,
        *name,
        *title,
        aside=((f"definition {tool.digest[:8]}", "dim"),),
        exact=True,
    )
    noticed = [
        finding
        for finding in tool.findings
        if finding.severity is not Severity.NOTE or finding.code == "titles-disagree"
    ]
    noticed.sort(key=lambda finding: finding.code != "hidden-characters")
    most = _FINDINGS_SHOWN if is_roomy else _FINDINGS_SHOWN // 2
    for finding in noticed[:most]:
        place = (
            visible(finding.path.removeprefix("$.")) if finding.code == "hidden-characters" else ""
        )
        words = visible(f"{place} {finding.message}".strip())
        yield labelled("", indent, ("▲ ", "warning"), (words, "noticed"))
    if len(noticed) > most:
        more = f"▲ and {_count(len(noticed) - most, 'more finding')}"
        yield labelled("", indent, (more, "noticed"))


def _claims(question: Question, indent: int) -> Iterator[SheetLine]:
    hints, effect = question.tool.hints, question.tool.effect
    role = EFFECT_ROLES[effect]
    world = "↗ open world" if hints.is_open_world else "◇ closed world"
    retry = "= idempotent" if hints.is_repeatable else "1 not idempotent"
    # Where the reasons begin with the meaning of the effect, once is enough.
    meaning = "" if effect.meaning in question.verdict.reasons else f", {effect.meaning}"
    yield labelled(
        "claims",
        indent,
        (f"{effect.sign} {effect.value}", role),
        (meaning, ""),
        (f"   {world}   {retry}", ""),
    )
    if question.verdict.strong:
        yield labelled("", indent, (CAUTIONS.get(effect, OTHER_CAUTION), role))


def _asked(question: Question, indent: int, is_roomy: bool) -> SheetLine:
    verdict = question.verdict
    words = visible("; ".join(verdict.reasons))
    policy = f"{visible(verdict.policy)}{GLUE}policy"
    if is_roomy:
        return labelled("asked", indent, (words, ""), aside=((policy, "dim"),))
    return labelled("asked", indent, (words, ""), (f" ({policy})", "dim"))


def _description(
    tool: ToolDefinition, indent: int, columns: int, is_roomy: bool, whole: bool
) -> Iterator[SheetLine]:
    if not tool.description:
        yield labelled("says", indent, ("nothing: it has no description", "dim"))
        return
    room = max(columns - indent - 2, 10)
    limit = WHOLE_LIMIT if whole else EXCERPT_LIMIT if is_roomy else min(room, EXCERPT_LIMIT)
    most = None if whole else _EXCERPT_LINES if is_roomy else 1
    short = cut(tool.description.strip("\n"), limit)
    lines = short.text.split("\n")[:most]
    shown = sum(len(line) + 1 for line in lines) - 1
    total = len(tool.description.strip("\n"))
    for at, parts in enumerate(_text_lines("\n".join(lines))):
        label = "" if at else "says"
        if indent:
            yield SheetLine(parts, label=label, indent=indent, gutter=True)
        else:
            yield SheetLine(parts, gutter=True)
    if whole:
        rest = f"cut: {shown:,} of {total:,} characters · " if shown < total else ""
        yield labelled("", indent, (f"{rest}v shows less", "dim"))
    elif shown < total:
        notice = f"cut: {shown:,} of {total:,} characters, press v to view all"
        yield labelled("", indent, (notice, "dim"))


def _text_lines(text: str) -> Iterator[tuple[Piece, ...]]:
    line: list[Piece] = []
    for part in spans(text, multiline=True):
        role = "mark" if part.mark else ""
        first, *others = part.text.expandtabs(4).split("\n")
        line.append((first, role))
        for other in others:
            yield tuple(line)
            line = [(other, role)]
    yield tuple(line)


def argument_lines(question: Question) -> Iterator[SheetLine]:
    """All arguments, drawn from the very values that would be sent."""
    snapshot = question.snapshot
    values = snapshot.arguments()
    sha = f"sha256 {snapshot.arguments_digest[:8]}"
    if not values:
        yield SheetLine(
            (("Arguments  ", "strong"), (f"this call takes no arguments · {sha}", "dim"))
        )
        return
    lines = pretty_spans(values)
    characters = len(pretty(values))
    facts = (
        f"{_count(len(values), 'key')} · {_count(characters, 'character')} · "
        f"{_count(len(lines), 'line')} · {sha}"
    )
    used = set(question.origins.values())
    legend: list[Piece] = []
    if Origin.TYPED in used:
        legend.append((f"{ORIGIN_SIGNS[Origin.TYPED]} typed", "typed"))
    if Origin.DEFAULT in used:
        legend.append(
            (f"{'   ' * bool(legend)}{ORIGIN_SIGNS[Origin.DEFAULT]} server's default", "dim")
        )
    yield SheetLine((("Arguments  ", "strong"), (facts, "dim")), aside=tuple(legend))
    names = iter(values)
    reserve = 2 if used else 0
    for parts in lines:
        aside: tuple[Piece, ...] = ()
        # Line ends in strings are escaped, so only a top-level member begins like this.
        if parts and parts[0].text.startswith('  "') and not parts[0].mark:
            origin = question.origins.get(next(names))
            if origin is not None:
                role = "typed" if origin is Origin.TYPED else "dim"
                aside = ((ORIGIN_SIGNS[origin], role),)
        yield SheetLine(_pieces(parts), gutter=True, aside=aside, reserve=reserve, exact=True)


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
