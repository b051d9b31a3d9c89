"""Images in a result: half blocks in the pane, zoom and pan on the full screen.

The worker decodes one view at a time; of waiting views only the newest is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.images.image_view import ImageView
from ....widgets.key_bar import BarKey
from ...content.frozen import frozen
from ...content.media.image_facts import ImageFacts, read_facts, svg_size
from ...content.media.images import (
    Crop,
    ImageRefused,
    Pixels,
    Wish,
    decode_base64,
    decode_frames,
    decode_wish,
)
from ...content.mime import essence, text_of
from ...sandbox.worker import WorkerStopped, run_limited
from ...sandbox.worker_side import WorkerLimits
from ..base.box_bar import HasBoxBar
from ..base.failures import TellsFailures
from ..base.screen_mixin import ScreenMixin
from .body import LOW, Body, Copied, ShowsPart
from .text_body import TextBody

RENDER_LIMITS = WorkerLimits(wall_seconds=2.0)
SIXEL_LIMITS = WorkerLimits(wall_seconds=5.0, cpu_seconds=4.0)
"""Choosing colours and writing them out comes on top of decoding."""
PLAY_LIMITS = WorkerLimits(wall_seconds=6.0, cpu_seconds=4.0)


class ImageReading:
    """The decoding of one picture. A run is never broken off for a newer wish: that would cost the
    worker process, and keys that repeat would never see a picture.
    """

    def __init__(
        self, view: ImageView, data_base64: str, *, on_read: Callable[[Pixels], None] | None = None
    ) -> None:
        self.view = view
        self._data = data_base64
        self._on_read = on_read
        self._wish: Wish | None = None
        self._wanted: Wish | None = None
        self._is_busy = False

    async def read(self, wish: Wish) -> None:
        """Show the picture as wished for, or why there is none."""
        self._wanted = wish
        if self._is_busy:
            return
        self._is_busy = True
        try:
            while (wanted := self._wanted) is not None:
                self._wanted = None
                await self._read(wanted)
        finally:
            self._is_busy = False

    async def _read(self, wish: Wish) -> None:
        self._wish = wish
        limits = SIXEL_LIMITS if wish.form == "sixel" else RENDER_LIMITS
        try:
            pixels = await run_limited(decode_wish, self._data, wish, limits=limits)
        except (ImageRefused, WorkerStopped) as problem:
            self.view.refuse(problem.reason)
            return
        self.view.show(pixels)
        if self._on_read is not None:
            self._on_read(pixels)

    async def play(self) -> str:
        """Play the frames; returns the missing ones in words, or ""."""
        wish = self._wish
        if wish is None:
            return ""
        try:
            found = await run_limited(decode_frames, self._data, wish, limits=PLAY_LIMITS)
        except (ImageRefused, WorkerStopped) as problem:
            return f"not played: {problem.reason}"
        if len(found.frames) < 2:
            return "not played: there is one frame only"
        self.view.play(found.frames, found.seconds)
        return f"the first {len(found.frames)} frames only" if found.is_cut else ""


STEPS = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Drawn pixels a pixel of the picture."""


@frozen
class Zoom:
    """`scale` is None while the whole picture is fitted; `x`, `y` are the middle, from 0 to 1."""

    scale: float | None = None
    x: float = 0.5
    y: float = 0.5


@frozen
class Box:
    """A picture of `width` x `height` and the room for it, both in pixels."""

    width: int
    height: int
    room_width: int
    room_height: int

    @property
    def fitting(self) -> float:
        """The scale at which all of the picture is seen; never enlarged."""
        return min(1.0, self.room_width / self.width, self.room_height / self.height)


def scale_of(zoom: Zoom, box: Box) -> float:
    """Drawn pixels a pixel of the picture."""
    return box.fitting if zoom.scale is None else zoom.scale


def stepped(zoom: Zoom, box: Box, by: int) -> Zoom:
    """The next step larger (`by` 1) or smaller (-1); smaller than fitting is fitting."""
    now = scale_of(zoom, box)
    if by > 0:
        return replace(zoom, scale=next((one for one in STEPS if one > now * 1.001), STEPS[-1]))
    smaller = next((one for one in reversed(STEPS) if one < now * 0.999), STEPS[0])
    return Zoom() if smaller <= box.fitting else replace(zoom, scale=smaller)


def panned(zoom: Zoom, box: Box, right: int, down: int) -> Zoom:
    """Moved by a quarter of the room; no further than the edge of the picture."""
    scale = scale_of(zoom, box)
    seen_x = min(1.0, box.room_width / (box.width * scale))
    seen_y = min(1.0, box.room_height / (box.height * scale))
    return replace(
        zoom,
        x=_within(zoom.x + right * seen_x / 4, seen_x),
        y=_within(zoom.y + down * seen_y / 4, seen_y),
    )


def crop_of(zoom: Zoom, box: Box) -> Crop:
    """The piece that is seen: never empty, never outside the picture or larger than the room."""
    scale = scale_of(zoom, box)
    width = max(1, min(box.width, ceil(box.room_width / scale)))
    height = max(1, min(box.height, ceil(box.room_height / scale)))
    left = round(_within(zoom.x, width / box.width) * box.width - width / 2)
    top = round(_within(zoom.y, height / box.height) * box.height - height / 2)
    return Crop(
        max(0, min(left, box.width - width)),
        max(0, min(top, box.height - height)),
        width,
        height,
        max(1, min(box.room_width, round(width * scale))),
        max(1, min(box.room_height, round(height * scale))),
    )


def _within(middle: float, seen: float) -> float:
    return min(max(middle, seen / 2), 1 - seen / 2)


LEAST_ROWS, MOST_ROWS = 6, 24
"""Rows of a picture among the parts of an answer."""
AROUND = 3
"""Rows above a picture: a headline, and words about the picture."""
_WAYS = {"rgb": "half blocks", "png": "real pixels", "sixel": "real pixels"}


class ImageScreen(HasBoxBar, ScreenMixin, ModalScreen[None], ShowsPart, TellsFailures):
    """`data_base64` and `mime` as received from the server; decodes again at every step."""

    # Opaque: what lies below is not drawn for each paint, only to be covered.
    DEFAULT_CSS = """
    ImageScreen { align: center middle; background: $background; }
    ImageScreen > Vertical {
        width: 100%; height: 100%; border: round $primary; background: $surface;
    }
    ImageScreen ImageView { height: 1fr; }
    ImageScreen .warning { height: 1; padding: 0 1; color: $text-warning; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("image")

    BOX_KEYS = (
        BarKey("image.close"),
        BarKey("image.fit", "", 1),
        BarKey("image.whole", "", 2),
        BarKey("+ -", "Zoom", 1),
        BarKey("←↑↓→", "Move", 3),
        BarKey("image.save", "", 2),
    )

    def __init__(self, data_base64: str, mime: str) -> None:
        super().__init__()
        self._data = data_base64
        self._facts = read_facts(data_base64, mime)
        self._zoom = Zoom()
        self._room: Wish | None = None
        self._pixels: tuple[int, int] | None = None

    @property
    def is_animated(self) -> bool:
        return self._facts.frames != 1

    @property
    def box_keys(self) -> Sequence[BarKey]:
        play = (BarKey("image.play", "", 1),) if self.is_animated else ()
        return (*self.BOX_KEYS, *play)

    def compose(self) -> ComposeResult:
        view = ImageView(max_rows=None, is_alone=True)
        self._reading = ImageReading(view, self._data, on_read=self._read)
        with Vertical():
            if self._facts.warning:
                yield Static(self._facts.warning, classes="warning", markup=False)
            yield view

    def on_mount(self) -> None:
        self._draw_title()

    def action_fit(self) -> None:
        self._look(Zoom())

    def action_whole(self) -> None:
        self._look(Zoom(1.0, self._zoom.x, self._zoom.y))

    def action_zoom(self, by: int) -> None:
        if (box := self._box) is not None:
            self._look(stepped(self._zoom, box, by))

    def action_pan(self, right: int, down: int) -> None:
        if (box := self._box) is not None:
            self._look(panned(self._zoom, box, right, down))

    async def action_play(self) -> None:
        """Play a moving picture, all of it, or stop it."""
        if self._reading.view.is_playing:
            self._reading.view.stop()
        elif self.is_animated and self._room is not None:
            self._zoom = Zoom()
            self._draw_title()
            self.run_worker(self._play(), group="play", exclusive=True, exit_on_error=False)

    async def _play(self) -> None:
        if words := await self._reading.play():
            self.notify(words, markup=False)

    @property
    def _box(self) -> Box | None:
        """None until the size of the first picture is known."""
        if self._pixels is None or self._room is None:
            return None
        return Box(*self._pixels, self._room.width, self._room.height)

    @on(ImageView.Wanted)
    def _wanted(self, message: ImageView.Wanted) -> None:
        message.stop()
        self._room = Wish(message.max_width, message.max_height, message.form, message.background)
        self._look(self._zoom)

    def _look(self, zoom: Zoom) -> None:
        room = self._room
        if room is None:
            return
        self._zoom = zoom
        box = self._box
        crop = crop_of(zoom, box) if box is not None and zoom.scale is not None else None
        wish = Wish(room.width, room.height, room.form, room.background, crop)
        self.run_worker(self._reading.read(wish), exit_on_error=False)

    def _read(self, pixels: Pixels) -> None:
        self._pixels = (pixels.header.width, pixels.header.height)
        self._draw_title()

    def _draw_title(self) -> None:
        # The key that plays it shows that it is animated.
        words = self._facts.description.replace("animated, ", "")
        if (box := self._box) is not None and self._room is not None:
            scale = scale_of(self._zoom, box)
            how = "fitted at" if self._zoom.scale is None else "shown at"
            words += f"  {how} {scale * 100:.0f} %, {_WAYS[self._room.form]}"
        self.query_one(Vertical).border_title = Content(words)


SVG = "image/svg+xml"
LIMIT = 128 * 1024 * 1024
"""Bytes up to which an SVG is read as text."""


def svg_body(text: str) -> TextBody:
    """An SVG as the text that it is, with the size that it claims."""
    return TextBody(text, SVG, about="  ".join(filter(None, ("image", "SVG", svg_size(text)))))


class ImageBody(Body, TellsFailures):
    """`data_base64` and `mime` as received from the server. The worker decodes the image.

    An SVG is shown as text: nothing here draws it.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("part: image")

    def __init__(self, data_base64: str, mime: str) -> None:
        super().__init__()
        self._data = data_base64
        self._facts = read_facts(data_base64, mime)
        self._svg = _svg_of(self._facts, data_base64)
        self._reading: ImageReading | None = None
        self._max_rows = MOST_ROWS

    @property
    def views(self) -> tuple[str, ...]:
        return self._svg.views if self._svg is not None else ()

    @property
    def view(self) -> str:
        return self._svg.view if self._svg is not None else ""

    def show_view(self, name: str) -> None:
        if self._svg is not None:
            self._svg.show_view(name)

    @property
    def words(self) -> str:
        if self._svg is not None:
            return "  ".join(filter(None, (self._svg.words, self._facts.warning)))
        return self._facts.words + (": p plays" if self.is_animated else "")

    @property
    def is_animated(self) -> bool:
        return self._facts.frames != 1

    def compose(self) -> ComposeResult:
        if self._svg is not None:
            yield self._svg
            return
        for pane in self.ancestors:
            if isinstance(pane, VerticalScroll) and pane.size.height:
                self.fit_pane(pane.size.height)
        view = ImageView(max_rows=self._max_rows)
        view.can_focus = self.is_animated
        self._reading = ImageReading(view, self._data)
        yield view

    def fit_pane(self, rows: int) -> None:
        """Draw the picture on as many rows of a pane as are left, within reason."""
        rows -= AROUND - 1 if self.app.size.height < LOW else AROUND
        self._max_rows = max(LEAST_ROWS, min(MOST_ROWS, rows))
        if self._reading is not None:
            self._reading.view.set_max_rows(self._max_rows)

    @property
    def rows_lacking(self) -> int:
        """How many rows more the picture would take if there were room for them."""
        return 0 if self._reading is None else self._reading.view.rows_lacking(MOST_ROWS)

    @property
    def can_copy(self) -> bool:
        return self._svg is not None

    @property
    def can_wrap(self) -> bool:
        return self._svg is not None and self._svg.can_wrap

    def toggle_wrap(self) -> bool:
        return self._svg is not None and self._svg.toggle_wrap()

    def copied(self) -> Copied | None:
        return self._svg.copied() if self._svg is not None else None

    def full(self) -> Screen[None] | None:
        if self._svg is not None:
            return self._svg.full()
        return ImageScreen(self._data, self._facts.claimed)

    async def action_play(self) -> None:
        """Play a moving picture, or stop it."""
        reading = self._reading
        if reading is None or not self.is_animated:
            return
        if reading.view.is_playing:
            reading.view.stop()
        else:
            self.run_worker(self._play(reading), group="play", exclusive=True, exit_on_error=False)

    async def _play(self, reading: ImageReading) -> None:
        if words := await reading.play():
            self.notify(words, markup=False)

    @on(ImageView.Wanted)
    def _wanted(self, message: ImageView.Wanted) -> None:
        message.stop()
        wish = Wish(message.max_width, message.max_height, message.form, message.background)
        if self._reading is not None:
            self.run_worker(self._reading.read(wish), exit_on_error=False)


def _svg_of(facts: ImageFacts, data_base64: str) -> TextBody | None:
    if facts.found != SVG and (facts.found or essence(facts.claimed) != SVG):
        return None
    try:
        text = text_of(decode_base64(data_base64, LIMIT))
    except ImageRefused:
        return None
    return None if text is None else svg_body(text)
