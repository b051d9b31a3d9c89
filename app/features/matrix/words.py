"""The matrix of `signoff matrix` as lines, JSON and Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import Any, Final

from rich.cells import cell_len, set_cell_size

from ...approval.matrix import Cell, Matrix, MatrixRow, cell_word, column_title, is_host
from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Verdict, VerdictAnswer
from ...content.labels import some_named
from ...content.text import visible
from ...presentation.escapes import markdown, own_markdown
from ...presentation.pages import CAUTION
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from .page import (
    CONFLICT,
    MEASURED,
    VerdictGroup,
    Ways,
    all_reasons,
    full_word,
    in_short,
    known_sign,
    matrix_html,
    read_on,
    what_if_words,
)

LEAST_WIDTH: Final = 40
MOST_NAME: Final = 32
HEAD_ROWS: Final = 3
GAP: Final = 2
_SHORT: Final = {
    VerdictAnswer.ALLOW: "run",
    VerdictAnswer.ASK: "ask",
    VerdictAnswer.REFUSE: "ref",
    VerdictAnswer.HIDE: "hid",
    VerdictAnswer.JUDGE: "mod",
    VerdictAnswer.UNKNOWN: "?",
}
_STRONG: Final = "ASK"
_TOOL: Final = "tool"
_WHAT_IF: Final = "» "
BOTH_SIDES: Final = "untrusted│trusted, if they differ"
_MEANINGS: Final = {
    "ASK": "asks with a warning",
    "ref": "refused",
    "hid": "hidden",
    "mod": "runs if the host's model allows it",
    "?": "not known",
    "*": "then asks about the result",
    "~": "depends on the arguments",
    MEASURED: "measured in the host",
    CONFLICT: "measured; the rules that were read differ",
    "│": "untrusted asks, trusted runs",
}
_EXAMPLES: Final = {"│": "ask│run"}
"""What a mark is shown in, if it has no meaning of its own."""


def matrix_lines(matrix: Matrix, width: int) -> list[str]:
    """Explains words, then has blocks of columns, each at most `width` wide; then the hosts."""
    width = max(width, LEAST_WIDTH)
    names = [_name(row) for row in matrix.rows]
    longest = max(map(cell_len, names), default=0)
    first = max(min(longest, MOST_NAME, width // 3), cell_len(_TOOL))
    cells = [[_short(cell) for cell in row.cells] for row in matrix.rows]
    used = {mark for mark in _MEANINGS for row in cells if any(mark in word for word in row)}
    lines = _wrapped([_about(matrix)], width)
    lines += ["", *_legend(used, width), *_wrapped(_supposed(matrix), width)]
    at = 0
    while at < len(matrix.columns):
        block = _fitting(matrix, at, width - first)
        columns = matrix.columns[at : at + len(block)]
        lines += ["", *_head(columns, first, block), "─" * (first + sum(block) + GAP * len(block))]
        for name, row in zip(names, cells, strict=True):
            lines.append(_line(name, first, row[at : at + len(block)], block))
        at += len(block)
    lines += _models(matrix.columns, width)
    return [line.rstrip() for line in lines]


def _about(matrix: Matrix) -> str:
    server = f"{visible(matrix.server)}: " if matrix.server else ""
    return server + in_short(matrix)


def _name(row: MatrixRow) -> str:
    mark = _WHAT_IF if row.is_what_if else ""
    return f"{row.tool.effect.sign} {mark}{row.tool.display_name}"


def _short(cell: Cell) -> str:
    untrusted, trusted = _word(cell.untrusted), _word(cell.trusted)
    return untrusted if untrusted == trusted else f"{untrusted}│{trusted}"


def _word(verdict: Verdict) -> str:
    is_strong = verdict.answer is VerdictAnswer.ASK and verdict.strong
    word = _STRONG if is_strong else _SHORT[verdict.answer]
    return word + "*" * verdict.reviews_result + "~" * verdict.depends + known_sign(verdict)


def _fitting(matrix: Matrix, first: int, room: int) -> list[int]:
    """The widths of the columns from `first` on that have room; always one."""
    widths: list[int] = []
    for at in range(first, len(matrix.columns)):
        head = max(map(cell_len, _stacked(matrix.columns[at])))
        words = max((cell_len(_short(row.cells[at])) for row in matrix.rows), default=0)
        width = max(head, words)
        if widths and sum(widths) + width + GAP * (len(widths) + 1) > room:
            break
        widths.append(min(width, room - GAP))
    return widths


def _stacked(column: Policy) -> list[str]:
    """A title on at most three lines, as narrow as its words allow, the last line next to words."""
    words = re.findall(r"[^\s-]+-?", visible(column_title(column))) or [column.name]
    least = max(map(cell_len, words))
    lines = [words[0]]
    for word in words[1:]:
        glue = "" if lines[-1].endswith("-") else " "
        fits = cell_len(lines[-1] + glue + word) <= least
        if fits or len(lines) == HEAD_ROWS:
            lines[-1] += glue + word
        else:
            lines.append(word)
    return [""] * (HEAD_ROWS - len(lines)) + lines


def _head(columns: Sequence[Policy], first: int, widths: Sequence[int]) -> list[str]:
    stacks = [_stacked(column) for column in columns]
    lines = []
    for at in range(HEAD_ROWS):
        name = _TOOL if at == HEAD_ROWS - 1 else ""
        lines.append(_line(name, first, [stack[at] for stack in stacks], widths))
    return [line for line in lines if line.strip()]


def _line(name: str, first: int, words: Sequence[str], widths: Sequence[int]) -> str:
    cells = (" " * GAP + _fit(word, width) for word, width in zip(words, widths, strict=True))
    return _fit(name, first) + "".join(cells)


def _fit(text: str, width: int) -> str:
    if cell_len(text) > width:
        text = set_cell_size(text, width - 1) + "…"
    return set_cell_size(text, width)


def _legend(used: set[str], width: int) -> list[str]:
    """Explain the short words in use; no entry is broken."""
    lines: list[str] = []
    told = [(mark, meaning) for mark, meaning in _MEANINGS.items() if mark in used]
    for entry in (f"{_EXAMPLES.get(mark, mark)} {meaning}" for mark, meaning in told):
        longer = f"{lines[-1]}   {entry}" if lines else ""
        if longer and cell_len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(entry)
    return lines


def _supposed(matrix: Matrix) -> list[str]:
    """Each what-if in words; its row is marked."""
    return [
        f"{_WHAT_IF}{row.tool.display_name}: {what_if_words(matrix.overrides[row.tool.name])}"
        for row in matrix.rows
        if row.is_what_if
    ]


def _models(columns: Sequence[Policy], width: int) -> list[str]:
    hosts = [column for column in columns if is_host(column)]
    if not hosts:
        return []
    said = [f"{column_title(host)}: {host.source}, {read_on(host)}" for host in hosts]
    return ["", *_wrapped([CAUTION, *said], width)]


def _wrapped(texts: Sequence[str], width: int) -> list[str]:
    """Wrap each text on lines of its own, continued ones indented; a long word is never broken."""
    lines: list[str] = []
    for text in texts:
        if text:
            lines += wrap(
                visible(text),
                width,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
    return lines


__all__ = ["matrix_html", "matrix_json", "matrix_lines", "matrix_markdown"]

TOOLS_NAMED: Final = 12
_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")


def matrix_json(matrix: Matrix) -> dict[str, Any]:
    """`signoff matrix --json`: columns, then tools with one cell for each column, in its order."""
    return {
        "server": matrix.server,
        "note": CAUTION,
        "columns": [_column_json(column) for column in matrix.columns],
        "compared": [matrix.columns[at].name for at in matrix.compared],
        "tools": [_row_json(matrix, row) for row in matrix.rows],
    }


def _column_json(column: Policy) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": column.name,
        "title": column_title(column),
        "kind": column.kind.value,
        "summary": column.summary,
        "like": column.like or None,
    }
    if is_host(column):
        shown |= {
            "source": column.source,
            "source_file": column.source_file or None,
            "version": column.version or None,
            "measured_version": visible(column.measured_version) or None,
            "date": str(column.date) if column.date else None,
            "basis": column.basis,
            "mode": column.mode or None,
            "notes": column.notes.strip() or None,
            "yours": column.is_own,
            "edits_arguments": column.edits_arguments,
            "remembers": list(column.remembers) or None,
        }
    return shown


def _row_json(matrix: Matrix, row: MatrixRow) -> dict[str, Any]:
    tool = row.tool
    overrides = matrix.overrides.get(tool.name) if row.is_what_if else None
    return {
        "name": tool.name,
        "title": tool.title or None,
        "digest": tool.digest,
        "effect": tool.effect.value,
        "hints": tool.hints.as_json(),
        "what_if": dict(overrides) if overrides else None,
        "disagrees": row.disagrees,
        "cells": [
            {
                "column": column.name,
                Trust.UNTRUSTED.value: _verdict_json(cell.untrusted),
                Trust.TRUSTED.value: _verdict_json(cell.trusted),
            }
            for column, cell in zip(matrix.columns, row.cells, strict=True)
        ],
    }


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "word": cell_word(verdict),
        "answer": verdict.answer.value,
        "strong": verdict.strong,
        "reviews_result": verdict.reviews_result,
        "depends_on_arguments": verdict.depends,
        "known_by": None if verdict.known_by is None else verdict.known_by.value,
        "rule": verdict.rule or None,
        "reasons": list(verdict.reasons),
        "measured": verdict.measured or None,
        "source": verdict.source or None,
    }


def matrix_markdown(matrix: Matrix) -> str:
    """A table in Markdown (GitHub's), then each column with its source and its reasons."""
    ways = Ways(matrix)
    lines = [
        f"# Who would run, ask or refuse: {markdown(matrix.server)}"
        if matrix.server
        else "# Matrix",
        "",
        markdown(in_short(matrix)),
        "If trust makes a difference, a cell has both: untrusted → trusted.",
        "",
        "| tool | effect | " + "".join(f"{markdown(column_title(c))} | " for c in matrix.columns),
        "| --- | --- |" + " --- |" * len(matrix.columns),
    ]
    for row in matrix.rows:
        effect = f"{row.tool.effect.sign} {row.tool.effect.value}"
        cells = "".join(f" {markdown(cell_words(cell))} |" for cell in row.cells)
        lines.append(f"| {_tool(matrix, row)} | {markdown(effect)} |{cells}")
    lines += ["", f"*{markdown(CAUTION)}*"]
    for at, column in enumerate(matrix.columns):
        lines += ["", *_column_lines(column, [way for way in ways if way.at == at])]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def cell_words(cell: Cell) -> str:
    """The words of a cell; both with an arrow if trust makes a difference."""
    untrusted, trusted = full_word(cell.untrusted), full_word(cell.trusted)
    return untrusted if untrusted == trusted else f"{untrusted} → {trusted}"


def _tool(matrix: Matrix, row: MatrixRow) -> str:
    name = _code(row.tool.display_name)
    if not row.is_what_if:
        return name
    return f"{name} {markdown(what_if_words(matrix.overrides[row.tool.name]))}"


def _column_lines(column: Policy, ways: list[VerdictGroup]) -> list[str]:
    lines = [f"## {markdown(column_title(column))}", "", markdown(column.summary)]
    if is_host(column):
        lines += ["", own_markdown(f"{column.source}: {read_on(column)}.")]
        lines += [markdown(line) for line in column.notes.strip().splitlines()]
    lines.append("")
    for way in ways:
        rule = f"; {way.verdict.rule}" if way.verdict.rule else ""
        reasons = "; ".join(all_reasons(way.verdict))
        words = f"- **{markdown(full_word(way.verdict))}** - {markdown(reasons + rule)}"
        lines.append(f"{words} ({_who(way)})")
    return lines


def _who(way: VerdictGroup) -> str:
    """The tools that go this way, by trust if it makes a difference."""
    untrusted, trusted = way.tools[Trust.UNTRUSTED], way.tools[Trust.TRUSTED]
    if [tool.index for tool in untrusted] == [tool.index for tool in trusted]:
        return _names(untrusted)
    both = ((Trust.UNTRUSTED, untrusted), (Trust.TRUSTED, trusted))
    return "; ".join(f"{trust.value}: {_names(tools)}" for trust, tools in both if tools)


def _names(tools: list[ToolDefinition]) -> str:
    return some_named(tools, TOOLS_NAMED, lambda tool: _code(tool.display_name))


def _code(text: str) -> str:
    """A server's name as code. References to characters can neither end a cell nor begin a tag."""
    return f"`{text}`" if _PLAIN.fullmatch(text) else f"<code>{markdown(text)}</code>"
