"""Draws an image, or the loudness of a sound.

An image has real pixels if the terminal has them, else half blocks, two pixels a cell, which work
in any terminal, over ssh and in tmux; else characters. Loudness is drawn from left to right, in
blocks of eighths; it needs no colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from rich.cells import chop_cells
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from ...app.content.media.images import RGB, Form, Pixels
from ...app.content.text import visible
from .terminal_images import ImageFrame, TerminalPictures

MAX_PLAY_SECONDS = 60.0


class ImageView(Widget):
    """Draws decoded pixels, or the reason for having none. Decodes and fetches nothing.

    It asks with `Wanted` for an image of the right size, again when its size changes, and until
    then draws the current one, shrunk if it must be.

    Args:
        max_rows: Be as tall as the image, up to this many rows; None to keep the given height and
            to draw in the middle.
        is_alone: It neither scrolls nor is anything of its screen in front of it, so a terminal
            that draws images over its cells may do so.
    """

    DEFAULT_CSS = """
    ImageView {
        width: 1fr;
        height: auto;
    }
    """

    class Wanted(Message):
        """The box, in pixels, that a picture should be decoded for, its form and its ground."""

        def __init__(
            self, view: ImageView, max_width: int, max_height: int, form: Form, background: RGB
        ) -> None:
            super().__init__()
            self.view = view
            self.max_width = max_width
            self.max_height = max_height
            self.form = form
            self.background = background

        @property
        def control(self) -> ImageView:
            return self.view

    class Played(Message):
        """The animation has ended."""

        def __init__(self, view: ImageView) -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> ImageView:
            return self.view

    def __init__(
        self,
        *,
        max_rows: int | None = 24,
        is_alone: bool = False,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._max_rows = None if max_rows is None else max(1, max_rows)
        self._terminal = TerminalPictures(self, is_alone=is_alone)
        self._frames: list[ImageFrame] = []
        self._at = 0
        self._words = "reading the picture…"
        self._asked: tuple[int, int] | None = None
        self._played = 0.0
        self._timer: Timer | None = None

    def show(self, pixels: Pixels) -> None:
        """Draw a picture."""
        self._change([ImageFrame(pixels)], "")

    def refuse(self, reason: str) -> None:
        """Show the reason for a missing picture."""
        self._change([], f"no picture: {reason}")

    def play(self, frames: Sequence[Pixels], seconds: Sequence[float]) -> None:
        """Draw frame after frame, from the first again, until `stop`, or for a minute."""
        self._change([ImageFrame(one, time) for one, time in zip(frames, seconds, strict=True)], "")
        self._played = 0.0
        self._timer = self.set_timer(self._frames[0].seconds, self._next)

    def stop(self) -> None:
        """Stay with the frame that is shown."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    @property
    def is_playing(self) -> bool:
        return self._timer is not None

    def set_max_rows(self, rows: int) -> None:
        """Be as tall as the image, up to so many rows from now on."""
        if self._max_rows is not None and rows != self._max_rows:
            self._max_rows = max(1, rows)
            self._ask_anew()
            self.refresh(layout=True)

    def rows_lacking(self, max_rows: int) -> int:
        """How many rows more the image would take if up to `max_rows` were allowed."""
        if not self._frames or self._max_rows is None:
            return 0
        pixels, width = self._frames[self._at].pixels, self.content_size.width
        cell_width, cell_height = self._terminal.pixels_a_cell
        wide, high = pixels.header.width, pixels.header.height
        scale = min(1.0, width * cell_width / wide, max_rows * cell_height / high)
        return max(0, ceil(high * scale / cell_height) - self.content_size.height)

    def ask(self) -> None:
        """Post `Wanted` for the size it has now."""
        width, rows = self.content_size.width, self._rows
        if width and rows:
            cell_width, cell_height = self._terminal.pixels_a_cell
            box = (width * cell_width, rows * cell_height)
            ground = self.background_colors[1].rgb
            self.post_message(self.Wanted(self, *box, self._terminal.form, ground))

    def _change(self, frames: list[ImageFrame], words: str) -> None:
        self.stop()
        gone, self._frames = self._frames, frames
        self._at, self._words = 0, visible(words)
        if frames and self.is_attached:
            self._terminal.tell(frames[0])
        if gone:
            self._terminal.forget(gone)
        self.refresh(layout=True)

    def _next(self) -> None:
        if self._timer is None:
            # It was stopped while this was already under way.
            return
        self._played += self._frames[self._at].seconds
        if self._played >= MAX_PLAY_SECONDS:
            self._timer = None
            self.post_message(self.Played(self))
            return
        self._at = (self._at + 1) % len(self._frames)
        frame = self._frames[self._at]
        self._terminal.tell(frame)
        if frame.pixels.encoded and not frame.image_id:
            # Blanks between two pictures that are drawn over them would flicker.
            self._terminal.paint_soon(frame)
        else:
            self.refresh()
        self._timer = self.set_timer(frame.seconds, self._next)

    def _on_resize(self, event: events.Resize) -> None:
        self._ask_anew()

    def _ask_anew(self) -> None:
        size = (self.content_size.width, self._rows)
        if all(size) and size != self._asked:
            self._asked = size
            self.ask()

    def _on_mount(self, event: events.Mount) -> None:
        self.app.app_resume_signal.subscribe(self, lambda app: self._tell_again())

    def _tell_again(self) -> None:
        """Send the image again: another program had the terminal, so it may be gone."""
        if self._frames:
            self._terminal.forget(self._frames)
            self._terminal.tell(self._frames[self._at])
            self.refresh()

    def _on_unmount(self) -> None:
        self.stop()
        self._terminal.forget(self._frames)

    @property
    def _rows(self) -> int:
        return self.content_size.height if self._max_rows is None else self._max_rows

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        if not self._frames:
            return len(chop_cells(self._words, max(1, width)))
        pixels, rows = self._frames[self._at].pixels, self._max_rows or max(1, container.height)
        if pixels.encoded:
            return min(rows, self._terminal.cells(pixels)[1])
        return (fit(pixels, width, rows)[1] + 1) // 2

    def render_lines(self, crop: Region) -> list[Strip]:
        # Called whenever a cell of the view is painted, also from what was rendered before.
        if self._frames and (frame := self._frames[self._at]).pixels.encoded:
            self._terminal.paint_soon(frame)
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        strips = self._strips(width)
        if self._max_rows is None and self._frames:
            y -= max(0, self.content_size.height - len(strips)) // 2
        strip = strips[y] if 0 <= y < len(strips) else Strip.blank(width)
        return strip.adjust_cell_length(width).apply_style(self.rich_style)

    def _strips(self, width: int) -> list[Strip]:
        if not self._frames:
            return [Strip([Segment(line)]) for line in chop_cells(self._words, max(1, width))]
        frame = self._frames[self._at]
        has_colour = not self.app.no_color and self.app.console.color_system is not None
        key = (width, self._rows, frame.image_id, has_colour, self.app.current_theme.dark)
        if frame.strips is None or frame.drawn_for != key:
            strips = self._draw(frame, width, has_colour)
            if self._max_rows is None:
                indent = Strip([Segment(" " * (max(0, width - strips[0].cell_length) // 2))])
                strips = [Strip.join([indent, strip]) for strip in strips]
            frame.strips, frame.drawn_for = strips, key
        return frame.strips

    def _draw(self, frame: ImageFrame, width: int, has_colour: bool) -> list[Strip]:
        if frame.pixels.encoded:
            return self._terminal.strips(frame)
        rows = sample(frame.pixels, *fit(frame.pixels, width, max(1, self._rows)))
        return half_blocks(rows) if has_colour else ramp(rows, self.app.current_theme.dark)


RAMP = " .:-=+*#%@"
"""From dark to light on a dark ground; it keeps a picture recognisable without colour."""


def fit(pixels: Pixels, width: int, max_rows: int) -> tuple[int, int]:
    """The size, in pixels, at which the picture keeps its shape in the box; never enlarged."""
    scale = min(1.0, width / pixels.width, 2 * max_rows / pixels.height)
    return max(1, int(pixels.width * scale)), max(1, int(pixels.height * scale))


def sample(pixels: Pixels, width: int, height: int) -> list[list[RGB]]:
    """The nearest pixels; the decoder shrinks well, given the right size."""
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


BLOCKS = " ▁▂▃▄▅▆▇█"
ROWS = 4


class WaveformView(Widget, can_focus=True):
    """Draws peaks from 0 to 1, one a column, the loudest as high as there is room.

    It asks with `Wanted` for as many as it has columns, again when its width changes, and draws
    nothing until there are some.
    """

    DEFAULT_CSS = """
    WaveformView { width: 1fr; height: auto; color: $text-accent; }
    WaveformView:focus { background: $foreground 5%; }
    """

    class Wanted(Message):
        """Number of peaks that are needed."""

        def __init__(self, view: WaveformView, columns: int) -> None:
            super().__init__()
            self.view = view
            self.columns = columns

        @property
        def control(self) -> WaveformView:
            return self.view

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._peaks: tuple[float, ...] = ()
        self._asked = 0

    def show(self, peaks: Sequence[float]) -> None:
        """Draw these."""
        self._peaks = tuple(peaks)
        self.refresh(layout=True)

    def _on_resize(self, event: events.Resize) -> None:
        width = self.content_size.width
        if width and width != self._asked:
            self._asked = width
            self.post_message(self.Wanted(self, width))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return ROWS if self._peaks else 0

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        line = bars(self._peaks, ROWS)[y] if self._peaks and y < ROWS else ""
        return Strip([Segment(line)]).adjust_cell_length(width).apply_style(self.rich_style)


def bars(peaks: Sequence[float], rows: int) -> list[str]:
    """Lines from the top, one character a peak; any sound is at least an eighth high."""
    loudest = max(peaks, default=0.0)
    eighths = [max(1, round(peak / loudest * 8 * rows)) if peak > 0 else 0 for peak in peaks]
    return [
        "".join(BLOCKS[min(8, max(0, one - 8 * row))] for one in eighths)
        for row in reversed(range(rows))
    ]
