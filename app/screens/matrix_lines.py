"""The words around the matrix: its head, what the chosen cell means, and the legend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from textual.content import Content

from app.core.hints import Claim, Hint, Hints
from app.core.policies.matrix import column_title, is_host
from app.core.policies.policy import Policy, Verdict
from app.core.text import visible
from app.core.tools import ToolDefinition
from app.core.trust import Trust
from app.screens.policy_lines import origin_lines
from widgets.cells import fit
from widgets.matrix.rows import Pair, Sides
from widgets.matrix.words import LEGEND, in_words
from widgets.sheet_lines import GLUE, Piece, SheetLine, labelled

INDENT = 11
_CHIPS = {
    "run": "$foreground on $success-muted",
    "ask": "$foreground on $warning-muted",
    "strong": "bold $foreground on $warning 45%",
    "refused": "$foreground on $error-muted",
    "hidden": "$foreground 70% on $panel",
    "unknown": "$foreground 70%",
}
_SELF_EVIDENT = ("run", "ask")


def detail_lines(
    tool: ToolDefinition,
    supposed: ToolDefinition | None,
    policy: Policy,
    pair: Pair,
    what_if: Pair | None,
) -> list[SheetLine]:
    """The chosen cell in words: claims, both verdicts with their rules, and where they are from.

    `supposed` is the tool with the hints of a what-if and `what_if` what these lead to.
    """
    return [
        *_claims(tool, supposed),
        *_verdicts(pair, what_if),
        *_origin(policy),
    ]


def _claims(tool: ToolDefinition, supposed: ToolDefinition | None) -> Iterator[SheetLine]:
    if supposed is None:
        yield labelled("claims", INDENT, *_hints(tool.hints, tool.hints))
        return
    yield labelled("what if", INDENT, *_hints(supposed.hints, tool.hints))


def _hints(hints: Hints, own: Hints) -> Iterator[Piece]:
    for key, (hint, server) in enumerate(zip(hints, own, strict=True), start=1):
        if key > 1:
            yield "  ", ""
        yield f"{key}{GLUE}", "dim"
        yield f"{hint.name}{GLUE}", ""
        words = _claim(hint).replace(" ", GLUE)
        if _claim(hint) == _claim(server):
            yield words, "dim" if hint.claim is Claim.UNSAID else "strong"
        else:
            yield _claim(server).replace(" ", GLUE), "dim"
            yield f"{GLUE}→{GLUE}", "noticed"
            yield words, "warning"


def _claim(hint: Hint) -> str:
    return hint.malformed_as if hint.claim is Claim.MALFORMED else hint.claim.value


def _verdicts(pair: Pair, what_if: Pair | None) -> Iterator[SheetLine]:
    now = what_if or pair
    if _says(now.untrusted) == _says(now.trusted) and _says(pair.untrusted) == _says(pair.trusted):
        yield labelled("either way", INDENT, *_verdict(pair.trusted, now.trusted))
        return
    yield labelled("untrusted", INDENT, *_verdict(pair.untrusted, now.untrusted))
    yield labelled("trusted", INDENT, *_verdict(pair.trusted, now.trusted))


def _says(verdict: Verdict) -> tuple[str, str, tuple[str, ...]]:
    return in_words(verdict), verdict.rule, verdict.reasons


def _verdict(before: Verdict, now: Verdict) -> Iterator[Piece]:
    if in_words(before) != in_words(now):
        yield in_words(before), "dim"
        yield " → ", "noticed"
    yield in_words(now), "strong"
    if now.rule:
        yield f" · {now.rule}", ""
    if now.reasons:
        yield " · ", "dim"
        yield "; ".join(visible(reason) for reason in now.reasons), ""


def _origin(policy: Policy) -> Iterator[SheetLine]:
    label = "model" if is_host(policy) else "policy"
    yield labelled(label, INDENT, (visible(policy.summary), ""))
    yield from origin_lines(policy, INDENT)


def head(server: str, trust: Trust, tools: str, what_ifs: int, width: int) -> Content:
    """The first line of the screen, as much of it as `width` has room for; `tools` in words."""
    name: list[str | tuple[str, str]] = [
        *(("Matrix", "bold"), "  ", (visible(server), "bold $text-accent")),
        f", {trust.value}",
    ]
    supposed = f"what if: {_tools(what_ifs)}, not the server's hints"
    ends = (supposed, "what if, not the server's") if what_ifs else ("",)
    style = "bold $text-warning"
    for first in ([*name, " · ", tools], [*name[:3], " · ", tools], name, name[:3]):
        for words in ends:
            line, end = Content.assemble(*first), Content.assemble((words, style))
            blank = width - line.cell_length - end.cell_length
            if blank >= 2 * bool(words):
                return Content.assemble(line, " " * blank, end)
    return Content.assemble((ends[-1], style)) if what_ifs else Content.assemble(*name[:3])


def counts(compared: Sequence[Policy], columns: int, tools: int, disagreeing: int) -> str:
    """How many tools there are, and which columns disagree on how many."""
    return f"{_tools(tools)}, {_names(compared, columns)} disagree on {disagreeing}"


def filtered(compared: Sequence[Policy], columns: int, tools: int, disagreeing: int) -> str:
    """The same where only the tools that are disagreed on are shown."""
    return f"the {disagreeing} of {_tools(tools)} on which {_names(compared, columns)} disagree"


def _tools(count: int) -> str:
    return f"{count:,} tool{'s' * (count != 1)}"


def _names(compared: Sequence[Policy], columns: int) -> str:
    if len(compared) == columns:
        return "columns"
    if len(compared) > 3:
        return f"{len(compared)} picked columns"
    names = [visible(column_title(policy)) for policy in compared]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def legend(width: int, most: int, *, sides: Sides, stars: bool, what_ifs: bool) -> Content:
    """What the words in the cells mean, on at most `most` lines; the longest words that fit."""
    lines: list[Content] = []
    for is_short in (False, True):
        lines = _flowed(_entries(sides, stars, what_ifs, is_short=is_short), width)
        if len(lines) <= most:
            break
    return Content("\n").join(lines[:most])


def _entries(sides: Sides, stars: bool, what_ifs: bool, *, is_short: bool) -> list[Content]:
    entries = [
        Content.assemble(
            (f" {text} ", _CHIPS[role]),
            "" if role in _SELF_EVIDENT else f" {meaning}",
        )
        for text, role, meaning in LEGEND
    ]
    if stars:
        words = " asks about the result" if is_short else " then asks about the result"
        entries.append(Content.assemble(("*", "bold"), words))
    if sides is Sides.BOTH:
        words = " untrusted│trusted" if is_short else " untrusted│trusted, where they differ"
        run, ask = _CHIPS["run"], _CHIPS["ask"]
        entries.append(Content.assemble((" ask", ask), ("│run ", run), words))
    if what_ifs:
        entries.append(Content.assemble(("→", "bold $text-accent"), " moved"))
    return entries


def _flowed(entries: Sequence[Content], width: int) -> list[Content]:
    lines: list[list[Content | str]] = [[]]
    used = 0
    for entry in entries:
        if used and used + 2 + entry.cell_length > width:
            lines.append([])
            used = 0
        if used:
            lines[-1].append("  ")
            used += 2
        lines[-1].append(entry)
        used += entry.cell_length
    return [Content.assemble(*line) for line in lines]


def title(
    tool: ToolDefinition, policy: Policy, width: int, *, below: int, is_what_if: bool
) -> Content:
    """The tool and the column of the chosen cell, and how many lines are out of sight."""
    column = visible(column_title(policy))
    more = f" · {below} more, shift+↓" if below else ""
    notes = (" · what if, not the server's hints", " · what if", "") if is_what_if else ("",)
    note = next((one for one in notes if len(one) + len(more) + cell_len(column) + 30 <= width), "")
    room = max(width - len(note) - len(more) - cell_len(column) - 9, 8)
    return Content.assemble(
        f"{tool.effect.sign} ",
        (fit(tool.name_shown, room), "bold"),
        " under ",
        (column, "bold"),
        (note, "bold $text-warning"),
        more,
    )
