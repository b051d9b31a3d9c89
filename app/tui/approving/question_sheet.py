"""How the parts of a question share the rows of its dialog.

Who and what come first, then what is decided on: the arguments. What else there is to know follows
them, and nothing that a server or a command line makes long pushes them off the screen.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....widgets.sheet_lines import layout, shortened
from ...content.text import count
from ...content.texts.sheet_line import SheetLine
from ...questions.sheet import Parts

SUBJECT_ROWS = 7
"""How much of the arguments is in sight at first: their heading and six lines, or all of them."""
_BELOW = " … all of it below"


def arranged(parts: Parts, columns: int, rows: int, *, is_roomy: bool) -> list[SheetLine]:
    """All lines in their order, for a sheet of so many columns of which `rows` are in sight.

    What would take the subject's rows goes below it, with a notice above: the difference first,
    then what is odd; of the server and the tool only the ends of very long lines.
    """
    gap = [SheetLine()] if is_roomy else []
    first, noticed, changes, subject, rest = (
        *(parts.first, parts.noticed, parts.changes),
        *(parts.subject, parts.rest),
    )
    if parts.is_last:
        return [*first, *noticed, *gap, *rest, *gap, *subject]
    wanted = min(_rows(subject, columns), SUBJECT_ROWS)
    room = max(rows - wanted, min(2, rows))
    after_changes = [SheetLine()] if changes else []
    changed = [_notice("The definition changed: the difference stands below the arguments")]
    changed = changed if changes else []
    found = f"{count(len(noticed), 'finding')} about it below the arguments"
    odd = [_notice(parts.noticed_below or found)] if noticed else []
    for above, below in (
        ([*first, *noticed, *gap, *changes, *after_changes], []),
        ([*first, *noticed, *changes, *after_changes], []),
        ([*first, *noticed, *changed], [*changes, *after_changes]),
        ([*first, *changed, *odd], [*noticed, *changes, *after_changes]),
    ):
        if _rows(above, columns) <= room:
            return [*above, *subject, *gap, *below, *rest]
    notices = [*changed, *odd]
    short = _cut(first, columns, max(room - len(notices), len(first)))
    whole = [line for line, cut in zip(first, short, strict=True) if line is not cut]
    return [*short, *notices, *subject, *gap, *whole, *noticed, *changes, *after_changes, *rest]


def _cut(lines: Sequence[SheetLine], columns: int, room: int) -> list[SheetLine]:
    """The lines in so many rows, the first with what the others leave; each has one at least."""
    cut: list[SheetLine] = []
    for at, line in enumerate(reversed(lines)):
        left = len(lines) - at - 1
        most = max(min(room - left, 2 if left else room), 1)
        cut.insert(0, shortened(line, columns, most, _BELOW))
        room -= _rows(cut[:1], columns)
    return cut


def _notice(words: str) -> SheetLine:
    return SheetLine((("▲ ", "warning"), (words, "noticed")))


def _rows(lines: Sequence[SheetLine], columns: int) -> int:
    return sum(1 for _ in layout(lines, columns))
