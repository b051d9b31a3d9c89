"""What a screen shows as colours: text against its background, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from rich.color import ColorType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.screen import ModalScreen, Screen

DRAWING = range(0x2500, 0x25A0)
"""Lines and blocks: frames, bars, pictures, scrollbars."""


class Piece(NamedTuple):
    """Text of one style, with its row and its contrast by WCAG 2.1, 1 to 21."""

    x: int
    row: int
    text: str
    foreground: str
    background: str
    contrast: float
    is_dim: bool


def pieces(screen: Screen[Any]) -> Iterator[Piece]:
    """Every text that has letters or signs in it; frames and blanks have nothing to be read.

    What lies behind a dialog is faded on purpose: it is not to be read then.
    """
    is_over = isinstance(screen, ModalScreen)
    for row, strip in enumerate(screen._compositor.render_strips()):
        x = 0
        for segment in strip:
            text = segment.text.strip()
            is_read = any(not one.isspace() and ord(one) not in DRAWING for one in text)
            if is_read and not (is_over and _is_behind(screen, x, row)):
                yield _piece(x, row, text, segment)
            x += segment.cell_length


def _is_behind(screen: Screen[Any], x: int, row: int) -> bool:
    """Whether nothing of the dialog itself is there."""
    return not any(
        one.display and one.region.contains(x, row) and one.styles.background.a == 1
        for one in screen.children
    )


def _piece(x: int, row: int, text: str, segment: Segment) -> Piece:
    style = segment.style
    assert style is not None, text
    assert style.color is not None, text
    assert style.bgcolor is not None, text
    assert ColorType.DEFAULT not in (style.color.type, style.bgcolor.type), text
    return Piece(x, row, text, *_colours(style), bool(style.dim))


@lru_cache
def _colours(style: Style) -> tuple[str, str, float]:
    """Foreground, background, and their contrast, of a style that has both."""
    assert style.color is not None
    assert style.bgcolor is not None
    fore, back = Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)
    if style.reverse:
        fore, back = back, fore
    return fore.hex, back.hex, contrast(fore, back)


def contrast(one: Color, other: Color) -> float:
    """The contrast ratio of WCAG 2.1."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: Color) -> float:
    def linear(value: int) -> float:
        part = value / 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b)
