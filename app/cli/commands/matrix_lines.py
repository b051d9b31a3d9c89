"""The matrix as lines for a terminal: as many columns side by side as there is room for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import Final

from rich.cells import cell_len, set_cell_size

from ...analysis.matrix.matrix import Cell, Matrix, Row, column_title, is_host
from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Verdict, VerdictAnswer
from ...content.text import visible
from .matrix_why import CAUTION, in_short, read_on, what_if_words

LEAST_WIDTH: Final = 40
MOST_NAME: Final = 32
HEAD_ROWS: Final = 3
GAP: Final = 2
_SHORT: Final = {
    VerdictAnswer.ALLOW: "run",
    VerdictAnswer.ASK: "ask",
    VerdictAnswer.REFUSE: "ref",
    VerdictAnswer.HIDE: "hid",
    VerdictAnswer.UNKNOWN: "?",
}
_STRONG: Final = "ASK"
_TOOL: Final = "tool"
_WHAT_IF: Final = "» "
_MEANINGS: Final = {
    "ASK": "asks strongly",
    "ref": "refused",
    "hid": "hidden",
    "?": "not known",
    "*": "then asks about the result",
    "~": "depends on the arguments",
    "│": "untrusted│trusted, where they differ",
}


def matrix_lines(matrix: Matrix, width: int) -> list[str]:
    """Blocks of columns, each at most `width` cells wide; then what words and models mean."""
    width = max(width, LEAST_WIDTH)
    names = [_name(row) for row in matrix.rows]
    longest = max(map(cell_len, names), default=0)
    first = max(min(longest, MOST_NAME, width // 3), cell_len(_TOOL))
    lines = _wrapped([_about(matrix)], width)
    used: set[str] = set()
    at = 0
    while at < len(matrix.columns):
        block = _fitting(matrix, at, width - first)
        columns = matrix.columns[at : at + len(block)]
        lines += ["", *_head(columns, first, block), "─" * (first + sum(block) + GAP * len(block))]
        for name, row in zip(names, matrix.rows, strict=True):
            words = [_short(cell) for cell in row.cells[at : at + len(block)]]
            used.update(mark for mark in _MEANINGS if any(mark in word for word in words))
            lines.append(_line(name, first, words, block))
        at += len(block)
    lines += ["", *_legend(used, width), *_wrapped(_supposed(matrix), width)]
    lines += _models(matrix.columns, width)
    return [line.rstrip() for line in lines]


def _about(matrix: Matrix) -> str:
    server = f"{visible(matrix.server)}: " if matrix.server else ""
    return server + in_short(matrix)


def _name(row: Row) -> str:
    mark = _WHAT_IF if row.is_what_if else ""
    return f"{row.tool.effect.sign} {mark}{row.tool.name_shown}"


def _short(cell: Cell) -> str:
    untrusted, trusted = _word(cell.untrusted), _word(cell.trusted)
    return untrusted if untrusted == trusted else f"{untrusted}│{trusted}"


def _word(verdict: Verdict) -> str:
    is_strong = verdict.answer is VerdictAnswer.ASK and verdict.strong
    word = _STRONG if is_strong else _SHORT[verdict.answer]
    return word + "*" * verdict.reviews_result + "~" * verdict.depends


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
    """What the short words mean that are to be seen; no entry is broken."""
    lines: list[str] = []
    for entry in (f"{mark} {meaning}" for mark, meaning in _MEANINGS.items() if mark in used):
        longer = f"{lines[-1]}   {entry}" if lines else ""
        if longer and cell_len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(entry)
    return lines


def _supposed(matrix: Matrix) -> list[str]:
    """Each what-if in words; its row is marked."""
    return [
        f"{_WHAT_IF}{row.tool.name_shown}: {what_if_words(matrix.overrides[row.tool.name])}"
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
    """Each text on lines of its own, what continues one indented; a long word is never broken."""
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
