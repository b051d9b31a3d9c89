"""Policies to choose from, one a row, with the verdict of each on the selected tool."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style

from ...app.approval.policies.policy import Policy
from ...app.approval.policies.verdicts import Verdict
from ...app.content.frozen import frozen
from ...app.content.text import visible
from ..cells import left
from ..matrix.rows import word
from .row_list import Heading, KeyedList

TITLE_CELLS, LEAST_TITLE = 24, 20
WORD_CELLS = 6

_INVERSE = Style(reverse=True)


@frozen
class PolicyRow:
    """A policy with its title and a note, both safe to show; without a tool it has no verdict."""

    policy: Policy
    title: str
    note: str = ""
    verdict: Verdict | None = None
    is_current: bool = False


class PolicyList(KeyedList[PolicyRow]):
    """Policies under the headings of their kinds."""

    tells_whole = True
    empty = "no policies"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"policy-list--{role}" for role in ("loud", "current")),
        *(f"policy-list--{role}" for role in ("run", "ask", "strong", "refused", "hidden")),
        "policy-list--unknown",
    }

    DEFAULT_CSS = """
    PolicyList {
        background: $background;
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
        &:nocolor > .policy-list--run { background: $background; }
    }
    """

    def key(self, row: PolicyRow) -> Hashable:
        return row.policy.name

    def show(self, rows: Sequence[PolicyRow | Heading]) -> None:
        """Draw these rows, with the cursor on the current policy, or else on the first.

        If it had rows before, the cursor keeps its policy, and the policy its place.
        """
        policies, kept = [row for row in rows if isinstance(row, PolicyRow)], self.highlighted
        if kept is not None and any(row.policy.name == kept.policy.name for row in policies):
            super().show(rows)
        else:
            current = (row.policy.name for row in policies if row.is_current)
            self.show_anew(rows, next(current, None))

    def paint(self, row: PolicyRow, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        title_cells = TITLE_CELLS if width >= 90 else LEAST_TITLE
        is_loud = row.policy.is_loud
        main = "loud" if is_loud else "current" if row.is_current else ""
        style = self._role(main, base, under_cursor)
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        segments = [
            Segment("› " if under_cursor else "  ", style),
            Segment("● " if row.is_current else "! " if is_loud else "  ", style),
            Segment(left(row.title, title_cells - 1) + " ", style),
        ]
        if row.verdict is not None:
            found = word(row.verdict)
            text = f" {found.text}{found.mark or ' '}"
            chip = base if under_cursor else self._role(found.role, base, False)
            segments += [Segment(text, chip), Segment("  ", base)]
        note = f" {row.note} " if row.note and (width >= 90 or is_loud) else ""
        used = sum(len(segment.text) for segment in segments)
        room = max(width - used - len(note), 0)
        summary = left(visible(row.policy.summary), room)
        segments.append(Segment(summary, style if is_loud else base))
        segments.append(Segment(note, style + _INVERSE if is_loud else muted))
        return segments

    def _role(self, name: str, base: Style, under_cursor: bool) -> Style:
        if under_cursor or not name:
            return base
        return self.get_component_rich_style(f"policy-list--{name}")
