"""A picture in half blocks: two pixels a cell, in any terminal, over ssh and in tmux."""

from __future__ import annotations

from rich.cells import chop_cells
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from app.core.images import Pixels
from app.core.text import visible

RGB = tuple[int, int, int]

RAMP = " .:-=+*#%@"
"""From dark to light on a dark ground; it keeps a picture recognisable without colour."""


class ImageView(Widget):
    """Draws decoded pixels, or why there are none. Takes values; decodes and fetches nothing.

    It asks with `Wanted` for a picture of the right size, again when its width changes, and
    meanwhile draws what it has, shrunk where it must be.
    """

    DEFAULT_CSS = """
    ImageView {
        width: 1fr;
        height: auto;
    }
    """

    class Wanted(Message):
        """The box, in pixels, that a picture should be decoded for."""

        def __init__(self, view: ImageView, max_width: int, max_height: int) -> None:
            super().__init__()
            self.view = view
            self.max_width = max_width
            self.max_height = max_height

        @property
        def control(self) -> ImageView:
            return self.view

    def __init__(
        self,
        *,
        max_rows: int = 24,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._max_rows = max(1, max_rows)
        self._pixels: Pixels | None = None
        self._words = ""
        self._asked_width = 0
        self._drawn: tuple[tuple[int, bool, bool], list[Strip]] | None = None
        self.wait()

    def show(self, pixels: Pixels) -> None:
        """Draw a picture."""
        self._change(pixels, "")

    def refuse(self, reason: str) -> None:
        """Say that there is no picture and why."""
        self._change(None, f"no picture: {reason}")

    def wait(self) -> None:
        """Say that the picture is being decoded."""
        self._change(None, "reading the picture…")

    def _change(self, pixels: Pixels | None, words: str) -> None:
        self._pixels, self._words, self._drawn = pixels, visible(words), None
        self.refresh(layout=True)

    def _on_resize(self, event: events.Resize) -> None:
        width = self.content_size.width
        if width and width != self._asked_width:
            self._asked_width = width
            self.post_message(self.Wanted(self, width, 2 * self._max_rows))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        if self._pixels is None:
            return len(chop_cells(self._words, max(1, width)))
        return (_fit(self._pixels, width, self._max_rows)[1] + 1) // 2

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        colour = not self.app.no_color and self.app.console.color_system is not None
        key = (width, colour, self.app.current_theme.dark)
        if self._drawn is None or self._drawn[0] != key:
            self._drawn = (key, self._draw(*key))
        strips = self._drawn[1]
        strip = strips[y] if y < len(strips) else Strip.blank(width)
        return strip.adjust_cell_length(width).apply_style(self.rich_style)

    def _draw(self, width: int, colour: bool, dark: bool) -> list[Strip]:
        if self._pixels is None:
            return [Strip([Segment(line)]) for line in chop_cells(self._words, max(1, width))]
        rows = _sample(self._pixels, *_fit(self._pixels, width, self._max_rows))
        return half_blocks(rows) if colour else ramp(rows, dark)


def _fit(pixels: Pixels, width: int, max_rows: int) -> tuple[int, int]:
    """The size, in pixels, at which the picture keeps its shape in the box; never enlarged."""
    scale = min(1.0, width / pixels.width, 2 * max_rows / pixels.height)
    return max(1, int(pixels.width * scale)), max(1, int(pixels.height * scale))


def _sample(pixels: Pixels, width: int, height: int) -> list[list[RGB]]:
    """The nearest pixels; the decoder does the good shrinking when it is told the right size."""
    rgb, rows = pixels.rgb, []
    columns = [3 * (x * pixels.width // width) for x in range(width)]
    for y in range(height):
        start = 3 * pixels.width * (y * pixels.height // height)
        rows.append([(rgb[start + c], rgb[start + c + 1], rgb[start + c + 2]) for c in columns])
    return rows


def half_blocks(rows: list[list[RGB]]) -> list[Strip]:
    """Two rows of pixels a line: the foreground paints the upper half, the background the lower."""
    styles: dict[tuple[RGB, RGB | None], Style] = {}
    strips = []
    for y in range(0, len(rows), 2):
        below: list[RGB] | list[None] = rows[y + 1] if y + 1 < len(rows) else [None] * len(rows[y])
        segments: list[Segment] = []
        run, last = 0, None
        for pair in [*zip(rows[y], below, strict=True), None]:
            if pair != last and last is not None:
                segments.append(Segment("▀" * run, styles[last]))
                run = 0
            if pair is not None and pair not in styles:
                upper, lower = pair
                styles[pair] = Style(
                    color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower) if lower else None
                )
            run, last = run + 1, pair
        strips.append(Strip(segments, len(rows[y])))
    return strips


def ramp(rows: list[list[RGB]], dark: bool) -> list[Strip]:
    """One character a cell, chosen by the brightness of its two pixels."""
    shades = RAMP if dark else RAMP[::-1]
    strips = []
    for y in range(0, len(rows), 2):
        below = rows[min(y + 1, len(rows) - 1)]
        line = "".join(
            shades[(_luminance(upper) + _luminance(lower)) * len(shades) // 512]
            for upper, lower in zip(rows[y], below, strict=True)
        )
        strips.append(Strip([Segment(line)], len(line)))
    return strips


def _luminance(pixel: RGB) -> int:
    """0 to 255, by the weights of ITU-R BT.601."""
    red, green, blue = pixel
    return (299 * red + 587 * green + 114 * blue) // 1000
