"""A line of a sheet: pieces of text with their roles, a label, and the text at its edge."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from ..frozen import frozen

Piece: TypeAlias = tuple[str, str]
"""A text that is already safe to show, and its role: "" or one of `ROLES`."""

ROLES: Final = (
    *("label", "strong", "dim", "gutter", "mark", "malformed", "noticed", "typed"),
    *("error", "warning", "success", "primary"),
)
GUTTER: Final = "┃ "
GLUE: Final = "\u00a0"
"""Drawn as a blank at which no row ends. The sanitiser leaves none in the text of others."""


@frozen
class SheetLine:
    """One line of a sheet, however many rows it takes.

    `label` is left of the text, in the first `indent` columns. `aside` is at the right edge of the
    first row, or in a row of its own at the end if the row is full; `reserve` columns kept free for
    it prevent that. `exact` lines break at any character.
    """

    pieces: tuple[Piece, ...] = ()
    label: str = ""
    indent: int = 0
    gutter: bool = False
    aside: tuple[Piece, ...] = ()
    reserve: int = 0
    exact: bool = False

    @property
    def plain(self) -> str:
        return "".join(text for text, _ in self.pieces)


def labelled(label: str, indent: int, *pieces: Piece, **more: Any) -> SheetLine:
    """A line with its label in a column of its own, or before the text if there is none."""
    if not indent:
        return SheetLine(((f"{label} ", "label"), *pieces) if label else pieces, **more)
    return SheetLine(pieces, label=label, indent=indent, **more)
