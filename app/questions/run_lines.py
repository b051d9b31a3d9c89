"""What runs as a server, in a dialog: the program as it was found, the script, the variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from rich.cells import cell_len, chop_cells

from ..approval.what_runs import Role, WhatRuns
from ..content.text import visible
from ..content.texts.sheet_line import Piece, SheetLine, labelled
from .sheet_text import has_gaps

_LABEL = "runs"
_LEADS, _WITH, _ALL = " → ", " · with ", "  v: all"
_INTERPRETER = f" · {Role.INTERPRETER.value} "
_PATH_LEAST = 8
_NAMES_SHARE = 3
_Part: TypeAlias = Piece
"""Words of Signoff's own, and a path or names that are safe to show."""


def run_lines(
    runs: WhatRuns | None, indent: int, columns: int, *, is_roomy: bool, whole: bool
) -> Iterator[SheetLine]:
    """One row, or where there is room one for the files and one for the variables; all if `whole`.

    `/usr/bin/python3 → /usr/bin/python3.11 · script /x/server.py · with API_KEY, REGION`
    """
    if runs is None:
        return
    room = max(columns - (indent or len(_LABEL) + 1), 1)
    files, names = _files(runs), [visible(name) for name, _ in runs.values]
    given = [(_WITH if files else "with ", ", ".join(names))] if names else []
    rows = [[*files, *given]]
    if not whole and _cells(rows[0]) > room:
        rows = _cut(files, names, room - len(_ALL), is_split=is_roomy and bool(files and names))
    for number, parts in enumerate(filter(None, rows)):
        pieces = [piece for words, text in parts for piece in ((words, "dim"), (text, ""))]
        yield labelled(
            "" if number else _LABEL, indent, *pieces, exact=has_gaps(*(text for _, text in parts))
        )


def not_known_lines(runs: WhatRuns | None, indent: int) -> Iterator[SheetLine]:
    """Why nobody knows what runs, if so."""
    if runs is not None and runs.problem:
        yield labelled("", indent, ("▲ ", "warning"), (visible(runs.problem), "noticed"))


def _files(runs: WhatRuns) -> list[_Part]:
    parts = []
    for file in runs.files:
        is_program = file.role is Role.PROGRAM
        parts.append(("" if is_program else f" · {file.role.value} ", visible(file.path)))
        if is_program and file.real != file.path:
            parts.append((_LEADS, visible(file.real)))
    return parts


def _cut(
    files: list[_Part], names: Sequence[str], room: int, *, is_split: bool
) -> list[list[_Part]]:
    """Files and variables on a row each, or together on one; `v` is named where anything is cut."""
    words = "with " if is_split or not files else _WITH
    share = room if is_split or not files else room // _NAMES_SHARE
    given = [(words, _some(names, share - len(words)))] if names else []
    shown = _fitted(files, room if is_split else room - _cells(given))
    is_whole = shown == files and [text for _, text in given] == [", ".join(names)]
    end = [] if is_split and is_whole else [(_ALL, "")]
    return [[*shown, *end], given] if is_split else [[*shown, *given, *end]]


def _fitted(files: list[_Part], room: int) -> list[_Part]:
    """Without where the program leads to, then with the ends of paths only, then with fewer."""
    if _cells(files) <= room:
        return files
    kept = [part for part in files if part[0] != _LEADS]
    if _cells([(words, text[:_PATH_LEAST]) for words, text in kept]) > room:
        kept = [part for part in kept if part[0] != _INTERPRETER]
    lengths = [cell_len(text) for _, text in kept]
    over = _cells(kept) - room
    while over > 0 and max(lengths, default=0) > _PATH_LEAST:
        lengths[lengths.index(max(lengths))] -= 1
        over -= 1
    fitting = zip(kept, lengths, strict=True)
    return [(words, _end_of(text, length)) for (words, text), length in fitting]


def _some(names: Sequence[str], room: int) -> str:
    """The first names, as many as fit, and how many more there are: `API_KEY +2`."""
    for shown in range(len(names), 0, -1):
        rest = f" +{len(names) - shown}" if shown < len(names) else ""
        words = ", ".join(names[:shown]) + rest
        if cell_len(words) <= room:
            return words
    return f"{len(names):,} variable{'' if len(names) == 1 else 's'}"


def _end_of(text: str, cells: int) -> str:
    """The end of a path, which tells more than its beginning."""
    if cell_len(text) <= cells:
        return text
    kept = chop_cells(text[::-1], max(cells - 1, 1))[0][::-1]
    return f"…{kept}"


def _cells(parts: Sequence[_Part]) -> int:
    return sum(cell_len(words) + cell_len(text) for words, text in parts)
