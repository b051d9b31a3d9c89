"""What a row of a form says, as lines: its name, what is wrong there, a server's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from textual.content import Content

from ...app.content.text import cut, visible
from ...app.schemas.form.fields import Field

NARROW: Final = 50
"""Below this width the names stand above what is in them."""
WIDE: Final = 60
"""From this width on every level is indented by two columns, below it by one."""
NAME_WIDTH: Final = 20
MAX_NAME: Final = 128
NAME_LINES: Final = 3
TOLD_LINES: Final = 3
"""Lines of a server's words in a row that has little room."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a row of some depth draws in some width: guide, name, and what is in it."""

    indent: int
    start: int
    """The column where names end and what is in them begins."""
    is_narrow: bool

    @classmethod
    def of(cls, width: int, depth: int) -> Columns:
        indent = min(depth * (2 if width >= WIDE else 1), width // 4)
        if width < NARROW:
            return cls(indent, indent, True)
        return cls(indent, min(indent + NAME_WIDTH, max(NAME_WIDTH, width // 2)), False)

    def guide(self, depth: int) -> Content:
        """A thin line for each level, as many as fit."""
        step = max(1, self.indent // depth) if depth else 1
        return Content(("│" + " " * (step - 1)) * min(depth, self.indent // step)).pad_right(
            self.indent % step if depth else 0
        )


@dataclass(frozen=True, slots=True)
class Said:
    """What is wrong at a row, in words that are safe to show."""

    lines: tuple[str, ...] = ()
    inside: int = 0
    """Problems in rows that are folded away below this one."""
    notes: tuple[str, ...] = ()
    """What may be meant otherwise, and is in nobody's way."""

    @property
    def is_wrong(self) -> bool:
        return bool(self.lines or self.inside)

    def contents(self) -> list[Content]:
        lines = list(self.lines)
        if self.inside:
            lines.append(f"{self.inside:,} problem{'s' * (self.inside > 1)} inside")
        wrong = [Content.styled(f"✗ {line}", "bold $text-error") for line in lines]
        return wrong + [Content.styled(f"? {line}", "$text-warning") for line in self.notes]


def is_marked(field: Field) -> bool:
    """Whether a star says that it is required; an item or an entry that is there needs none."""
    return field.required and not field.is_item and not field.is_key_free


def name_content(name: str, width: int, style: str = "") -> list[Content]:
    """A name of the server's or of the person's in a few lines, cut and sanitised."""
    shortened = cut(name, MAX_NAME)
    shown = visible(shortened.text) + ("…" if shortened.is_cut else "")
    return Content.styled(shown or '""', style).wrap(width)[:NAME_LINES]


def told_lines(told: str, width: int, *, is_roomy: bool) -> list[Content]:
    """A server's words behind a gutter; the first of them where there is little room."""
    if not told:
        return []
    lines = list(Content.styled(told, "$foreground-muted").wrap(max(2, width - 4)))
    if not is_roomy and len(lines) > TOLD_LINES:
        more = f" … {len(lines) - TOLD_LINES:,} more lines, f4"
        kept = lines[TOLD_LINES - 1].truncate(max(1, width - 4 - len(more)))
        last = Content.assemble(kept, (more, "$foreground-muted"))
        lines = [*lines[: TOLD_LINES - 1], last]
    gutter = Content.styled(" ┃ ", "$foreground-muted")
    return [gutter + line for line in lines]


def wrapped(paragraphs: Sequence[Content], width: int) -> list[Content]:
    """Lines of at most `width` cells."""
    return [line for paragraph in paragraphs for line in paragraph.wrap(max(2, width))]
