"""Policies to choose from, one a row, with the verdict of each on the selected tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.message import Message

from ...app.approval.policies.verdicts import Verdict
from ..cells import left
from ..matrix.rows import word
from .painted_list import PaintedList

TITLE_CELLS, LEAST_TITLE = 24, 20
WORD_CELLS = 6

_INVERSE = Style(reverse=True)


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """A policy in words that are safe to show; `verdict` is None if no tool is chosen.

    `is_loud` marks a policy under which everything runs unasked.
    """

    name: str
    title: str
    summary: str
    note: str = ""
    verdict: Verdict | None = None
    is_current: bool = False
    is_loud: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """A line over the policies of one kind."""

    label: str


class PolicyList(PaintedList):
    """Headings and policies; the cursor skips headings."""

    tells_whole = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"policy-list--{role}" for role in ("heading", "loud", "current")),
        *(f"policy-list--{role}" for role in ("run", "ask", "strong", "refused", "hidden")),
        "policy-list--unknown",
    }

    DEFAULT_CSS = """
    PolicyList {
        background: $background;
        &> .policy-list--heading { color: $foreground 60%; }
        &> .policy-list--current { color: $text-accent; text-style: bold; }
        &> .policy-list--loud { color: $text-error; text-style: bold; }
        &> .policy-list--run { color: $foreground; background: $success-muted; }
        &> .policy-list--ask { color: $foreground; background: $warning-muted; }
        &> .policy-list--strong {
            color: $foreground; background: $warning 45%; text-style: bold;
        }
        &> .policy-list--refused { color: $foreground; background: $error-muted; }
        &> .policy-list--hidden { color: $foreground 70%; background: $panel; }
        &> .policy-list--unknown { color: $foreground 70%; }
    }
    """

    class Highlighted(Message):
        """The cursor moved to another policy."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    class Chosen(Message):
        """A policy is to be lived by: enter, or a double click."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: tuple[PolicyRow | Heading, ...] = ()

    @property
    def highlighted(self) -> PolicyRow | None:
        row = self._rows[self.cursor] if self.cursor is not None else None
        return row if isinstance(row, PolicyRow) else None

    def show(self, rows: Sequence[PolicyRow | Heading]) -> None:
        """Draw these rows, with the cursor on the current policy, or else on the first.

        Where there were rows before, it stays on its policy, and that where it is.
        """
        kept, was, offset = self.highlighted, self.cursor or 0, self.scroll_offset.y
        self._rows = tuple(rows)
        policies = [at for at, row in enumerate(self._rows) if isinstance(row, PolicyRow)]
        current = [at for at in policies if _is_current(self._rows[at])]
        same = [at for at in policies if kept and _is_named(self._rows[at], kept.name)]
        at = (same or current or policies or [0])[0]
        self.set_rows(len(self._rows), at, offset + at - was if same else 0)
        self.cursor_moved()

    def move_cursor(self, index: int) -> None:
        """Put the cursor on a policy: a heading is passed over in the direction of the move."""
        index = max(0, min(index, len(self._rows) - 1))
        step = 1 if index > self._cursor else -1
        for at in (*self._from(index, step), *self._from(index, -step)):
            if isinstance(self._rows[at], PolicyRow):
                super().move_cursor(at)
                return

    def show_cursor(self) -> None:
        # A heading just above the cursor is brought into sight with it.
        if self._cursor == 1 and isinstance(self._rows[0], Heading):
            self.scroll_to(y=0, animate=False)
        else:
            super().show_cursor()

    def cursor_moved(self) -> None:
        if (row := self.highlighted) is not None:
            self.post_message(self.Highlighted(row.name))

    def row_chosen(self, index: int) -> None:
        row = self._rows[index]
        if isinstance(row, PolicyRow):
            self.post_message(self.Chosen(row.name))

    def empty_text(self) -> str:
        return "no policies"

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        row = self._rows[index]
        if isinstance(row, Heading):
            return [Segment(left(f"  {row.label}", width), self._role("heading", base, False))]
        title_cells = TITLE_CELLS if width >= 90 else LEAST_TITLE
        main = "loud" if row.is_loud else "current" if row.is_current else ""
        style = self._role(main, base, under_cursor)
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        segments = [
            Segment("› " if under_cursor else "  ", style),
            Segment("● " if row.is_current else "! " if row.is_loud else "  ", style),
            Segment(left(row.title, title_cells - 1) + " ", style),
        ]
        if row.verdict is not None:
            found = word(row.verdict)
            text = f" {found.text}{'*' if found.reviews else ' '}"
            chip = base if under_cursor else self._role(found.role, base, False)
            segments += [Segment(text, chip), Segment("  ", base)]
        note = f" {row.note} " if row.note and (width >= 90 or row.is_loud) else ""
        used = sum(len(segment.text) for segment in segments)
        room = max(width - used - len(note), 0)
        segments.append(Segment(left(row.summary, room), style if row.is_loud else base))
        segments.append(Segment(note, style + _INVERSE if row.is_loud else muted))
        return segments

    def _from(self, index: int, step: int) -> range:
        return range(index, len(self._rows) if step > 0 else -1, step)

    def _role(self, name: str, base: Style, under_cursor: bool) -> Style:
        if under_cursor or not name:
            return base
        return self.get_component_rich_style(f"policy-list--{name}")


def _is_named(row: PolicyRow | Heading, name: str) -> bool:
    return isinstance(row, PolicyRow) and row.name == name


def _is_current(row: PolicyRow | Heading) -> bool:
    return isinstance(row, PolicyRow) and row.is_current
