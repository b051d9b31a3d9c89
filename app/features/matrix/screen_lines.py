"""Texts around the matrix: head, details of the selected cell, legend."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, product
from typing import Final, Protocol

from rich.cells import cell_len
from textual.content import Content

from ....widgets.cells import fit_name
from ....widgets.matrix.paint import CHANGED
from ....widgets.matrix.rows import CONFLICT, LEGEND, MEASURED, REVIEWS, Pair, Sides, word
from ...approval.matrix import column_title, is_host
from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Verdict, in_words
from ...content.labels import all_named
from ...content.text import visible
from ...content.texts.sheet_line import GLUE, Piece, SheetLine, labelled
from ...presentation.policies import origin_lines
from ...protocol.hints import Claim, Hint, Hints
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from .page import all_reasons
from .words import BOTH_SIDES

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
_NAMED = 3
"""Columns named at most; more are counted."""


class ComparedTools(Protocol):
    """The compared tools and columns, as the texts need them."""

    tools: list[ToolDefinition]
    columns: tuple[Policy, ...]

    @property
    def compared(self) -> tuple[Policy, ...]: ...

    @property
    def picked(self) -> tuple[Policy, ...]: ...

    @property
    def disagreeing(self) -> int: ...


def detail_lines(
    tool: ToolDefinition,
    supposed: ToolDefinition | None,
    policy: Policy,
    pair: Pair,
    what_if: Pair | None,
) -> list[SheetLine]:
    """Describe the selected cell: hints, both verdicts with their rules, and their sources.

    `supposed` is the tool with the hints of a what-if and `what_if` their verdicts.
    """
    return [
        *_claims(tool, supposed),
        *_verdicts(pair, what_if),
        *_origin(policy),
    ]


def host_lines(
    columns: Sequence[Policy], pairs: Sequence[Pair], trust: Trust
) -> Iterator[SheetLine]:
    """What every host does with the tool on a server of this trust, hosts of a kind together."""
    meanings = {one.text.strip(): one.meaning for one in LEGEND}
    groups: dict[str, list[str]] = {meaning: [] for meaning in meanings.values()}
    for policy, pair in zip(columns, pairs, strict=True):
        if is_host(policy):
            verdict = pair.trusted if trust is Trust.TRUSTED else pair.untrusted
            groups[meanings[word(verdict).text.strip()]].append(visible(column_title(policy)))
    if not any(groups.values()):
        return
    yield SheetLine()
    yield SheetLine(((f"all hosts, {trust.value}", "strong"),))
    for meaning, names in groups.items():
        if names:
            yield SheetLine(((f"{meaning} ({len(names)})  ", "strong"), (", ".join(names), "")))


def _claims(tool: ToolDefinition, supposed: ToolDefinition | None) -> Iterator[SheetLine]:
    if supposed is None:
        yield labelled("hints", INDENT, *_hints(tool.hints, tool.hints))
        return
    yield labelled("what if", INDENT, *_hints(supposed.hints, tool.hints))


def _hints(hints: Hints, own: Hints) -> Iterator[Piece]:
    for key, (hint, server) in enumerate(zip(hints, own, strict=True), start=1):
        if key > 1:
            yield "  ", ""
        yield f"{key}:{GLUE}", "dim"
        yield f"{hint.name}{GLUE}", ""
        words = _claim(hint).replace(" ", GLUE)
        if _claim(hint) == _claim(server):
            yield words, "dim" if hint.claim is Claim.NOT_SET else "strong"
        else:
            yield _claim(server).replace(" ", GLUE), "dim"
            yield f"{GLUE}→{GLUE}", "noticed"
            yield words, "warning"


def _claim(hint: Hint) -> str:
    return hint.malformed_as if hint.claim is Claim.MALFORMED else hint.claim.value


def _verdicts(pair: Pair, what_if: Pair | None) -> Iterator[SheetLine]:
    now = what_if or pair
    if _says(now.untrusted) == _says(now.trusted) and _says(pair.untrusted) == _says(pair.trusted):
        yield labelled("both", INDENT, *_verdict(pair.trusted, now.trusted))
        return
    yield labelled("untrusted", INDENT, *_verdict(pair.untrusted, now.untrusted))
    yield labelled("trusted", INDENT, *_verdict(pair.trusted, now.trusted))


def _says(verdict: Verdict) -> tuple[str, str, tuple[str, ...]]:
    return in_words(verdict), verdict.rule, all_reasons(verdict)


def _verdict(before: Verdict, now: Verdict) -> Iterator[Piece]:
    if in_words(before) != in_words(now):
        yield in_words(before), "dim"
        yield " → ", "noticed"
    yield in_words(now), "strong"
    if now.rule:
        yield f" · {now.rule}", ""
    if all_reasons(now):
        yield " · ", "dim"
        yield "; ".join(visible(reason) for reason in all_reasons(now)), ""


def _origin(policy: Policy) -> Iterator[SheetLine]:
    label = "rules" if is_host(policy) else "policy"
    yield labelled(label, INDENT, (visible(policy.summary), ""))
    yield from origin_lines(policy, INDENT)


def head(
    server: str, trust: Trust | None, tools: Sequence[str], what_ifs: int, width: int
) -> Content:
    """Build the first line of the screen, cut to `width`.

    `tools`: number of tools and the comparison, in words, the longest wording first.
    """
    name: list[str | tuple[str, str]] = [
        *(("Matrix", "bold"), "  ", (visible(server), "bold $text-accent")),
        f", {trust.value}" if trust is not None else "",
    ]
    style = "bold $text-warning"
    ends: tuple[str, ...] = ("",)
    if what_ifs:
        supposed = f"what if: {_tools(what_ifs)}, not the server's hints"
        ends = (supposed, "what if, not the server's hints", "what if")
    # Without room the note on the what-if goes first, since its rows show it too; then the name of
    # the server, and at last that of the screen.
    *whole, brief = tools
    wholes = [(words, end) for some in (ends[:2], ends[2:]) for words in whole for end in some]
    briefs = [(brief, end) for end in ends]
    # With the name of the server goes its trust: a key is named only beside it, if there is room.
    named = ([*name, " · "], [*name[:3], " · "], [name[0], " · "])
    tries = chain(
        product(wholes, named[:1]),
        product(wholes, named[1:]),
        product(briefs, named),
        product([*wholes, *briefs], [[]]),
    )
    for (words, end), start in tries:
        line = Content.assemble(*start, words)
        blank = width - line.cell_length - cell_len(end)
        if blank >= 2 * bool(end):
            return Content.assemble(line, " " * blank, (end, style))
    return Content.assemble((ends[-1], style)) if what_ifs else Content.assemble(*name[:3])


def compared_words(state: ComparedTools, *, is_filtered: bool) -> tuple[str, ...]:
    """Count the tools, and those on which named columns disagree, the longest wording first: `12 of
    40 tools on which VS Code and Codex disagree`.
    """
    count, total = state.disagreeing, len(state.tools)
    found = []
    for who in _who(state):
        if is_filtered:
            found.append(f"{count:,} of {_tools(total)} on which {who} disagree")
        elif count == total > 1:
            found.append(f"{who} disagree on all {_tools(total)}")
        else:
            found.append(f"{_tools(total)}, {who} disagree on {count:,}")
    if len(state.picked) == 1:
        alone = f"{visible(column_title(state.picked[0]))} selected, one more to compare"
        found.insert(0, f"{found[-1]} · {alone}")
    elif not state.picked and count == total > 1:
        whole = f"{found[-1]} · space: select columns to compare"
        # The filter hides nothing: the key that helps is named on a narrow screen, too.
        brief = f"{found[-1]} · space: select columns"
        briefest = f"{count:,} of {total:,} disagree · space: select columns"
        found[:0] = [whole, brief, briefest] if is_filtered else [whole]
    return (*found, f"{count:,} of {total:,} disagree")


def _who(state: ComparedTools) -> tuple[str, ...]:
    """The columns that are compared, the longest wording first."""
    compared = state.compared
    if len(state.picked) > 1:
        many = f"the {len(compared)} selected columns"
        words = (many, f"the {len(compared)} selected")
        return words if len(compared) > _NAMED else (_listed(compared), *words)
    apart = [one for one in state.columns if one not in compared]
    if not apart:
        return (f"{len(compared)} columns",)
    which = f"{len(compared)} of {len(state.columns)} columns"
    return (f"{which} (without {_listed(apart)})", which) if len(apart) <= _NAMED else (which,)


def _listed(columns: Sequence[Policy]) -> str:
    names = [visible(column_title(policy)) for policy in columns]
    return all_named(names)


def _tools(count: int) -> str:
    return f"{count:,} tool{'s' * (count != 1)}"


_KNOWN: Final = {MEASURED: "measured", CONFLICT: "measured, not as its source"}


def legend(
    width: int, most: int, *, sides: Sides, marks: Collection[str], what_ifs: bool
) -> Content:
    """Explain the words in the cells, on at most `most` lines; the longest words that fit."""
    lines: list[Content] = []
    for is_short in (False, True):
        lines = _flowed(_entries(sides, marks, what_ifs, is_short=is_short), width)
        if len(lines) <= most:
            break
    return Content("\n").join(lines[:most])


def _entries(
    sides: Sides, marks: Collection[str], what_ifs: bool, *, is_short: bool
) -> list[Content]:
    entries = [Content.assemble((f" {CHANGED} ", "bold $text-accent"), "changed")] * what_ifs
    entries += [
        Content.assemble((f" {text} ", _CHIPS[role]))
        for text, role, _ in LEGEND
        if role in _SELF_EVIDENT and not is_short
    ]
    if REVIEWS in marks:
        twice = Content.assemble((f" {REVIEWS} ", "bold"))
        entries.append(Content.assemble(twice, "asks before its result is used"))
    for mark, meaning in _KNOWN.items():
        if mark in marks:
            entries.append(Content.assemble((f" {mark} ", "bold"), f" {meaning}"))
    entries += [
        Content.assemble((f" {text} ", _CHIPS[role]), f" {meaning}")
        for text, role, meaning in LEGEND
        if role not in _SELF_EVIDENT
    ]
    if sides is Sides.BOTH:
        words = " untrusted│trusted" if is_short else f" {BOTH_SIDES}"
        run, ask = _CHIPS["run"], _CHIPS["ask"]
        entries.append(Content.assemble((" ask", ask), ("│run ", run), words))
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
    tool: ToolDefinition,
    policy: Policy,
    width: int,
    *,
    below: int,
    is_what_if: bool,
    server: str = "",
) -> Content:
    """The tool and the column of the chosen cell, and how many lines are out of sight.

    `server` is named before the tool if tools of several are shown.
    """
    name = f"{visible(server)}: {tool.display_name}" if server else tool.display_name
    column = visible(column_title(policy))
    more = f" · {below} more, shift+↓" if below else ""
    notes = (" · what if, not the server's hints", " · what if", "") if is_what_if else ("",)
    note = next((one for one in notes if len(one) + len(more) + cell_len(column) + 30 <= width), "")
    room = max(width - len(note) - len(more) - cell_len(column) - 9, 8)
    return Content.assemble(
        f"{tool.effect.sign} ",
        (fit_name(name, room), "bold"),
        " under ",
        (column, "bold"),
        (note, "bold $text-warning"),
        more,
    )
