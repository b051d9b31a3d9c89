"""One picture on the full screen: fitted, at 100 %, or a piece of it enlarged."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ....widgets.pictures.image_view import ImageView
from ...content.media.image_facts import read_facts
from ...content.media.images import Pixels, Wish
from ..failures import TellsFailures
from ..fresh_sizes import FreshSizes
from .body import ShowsPart
from .image_reading import ImageReading
from .zoom import Box, Zoom, crop_of, panned, scale_of, stepped

_WAYS = {"rgb": "half blocks", "png": "real pixels", "sixel": "real pixels"}


class ImageScreen(FreshSizes, ModalScreen[None], ShowsPart, TellsFailures):
    """`data_base64` and `mime` as the server sent them; every step is decoded anew."""

    # Opaque: what lies below is not drawn for each paint, only to be covered.
    DEFAULT_CSS = """
    ImageScreen { align: center middle; background: $background; }
    ImageScreen > Vertical {
        width: 100%; height: 100%; border: round $primary; background: $surface;
    }
    ImageScreen ImageView { height: 1fr; }
    ImageScreen .warning { height: 1; padding: 0 1; color: $text-warning; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", "Close", id="image.close", tooltip="Back."),
        Binding("f,0", "fit", "Fit", id="image.fit", tooltip="All of the picture."),
        Binding("1", "whole", "100 %", id="image.whole", tooltip="A pixel for a pixel."),
        Binding("plus,equals_sign", "zoom(1)", "Larger", id="image.larger", tooltip="Larger."),
        Binding("minus", "zoom(-1)", "Smaller", id="image.smaller", tooltip="Smaller."),
        Binding("left", "pan(-1,0)", show=False, id="image.left", tooltip="To the left."),
        Binding("right", "pan(1,0)", show=False, id="image.right", tooltip="To the right."),
        Binding("up", "pan(0,-1)", show=False, id="image.up", tooltip="Up."),
        Binding("down", "pan(0,1)", show=False, id="image.down", tooltip="Down."),
        Binding("a", "animate", "Play", id="image.play", tooltip="Play or stop."),
        Binding("s", "save", "Save", id="image.save", tooltip="Save the bytes as they came."),
    ]

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

    def compose(self) -> ComposeResult:
        view = ImageView(max_rows=None, is_alone=True)
        self._reading = ImageReading(view, self._data, on_read=self._read)
        with Vertical() as box:
            play = "a play · " if self.is_animated else ""
            box.border_subtitle = Content(
                f"f fit · 1 100 % · + - zoom · ←↑↓→ move · {play}s save · esc close"
            )
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

    async def action_animate(self) -> None:
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
        """None until the first picture has told how large it is."""
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
        # The key that plays it says that it is animated.
        words = self._facts.description.replace("animated, ", "")
        if (box := self._box) is not None and self._room is not None:
            scale = scale_of(self._zoom, box)
            how = "fitted at" if self._zoom.scale is None else "shown at"
            words += f"  {how} {scale * 100:.0f} %, {_WAYS[self._room.form]}"
        self.query_one(Vertical).border_title = Content(words)
