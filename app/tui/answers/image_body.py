"""A picture that a tool answered with: half blocks in passing, the full screen on request."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from ....widgets.pictures.image_view import ImageView
from ...content.media.image_facts import ImageFacts, read_facts, svg_size
from ...content.media.images import ImageRefused, Wish, decode_base64
from ...content.mime import essence, text_of
from ..failures import TellsFailures
from .body import Body, Copied
from .image_reading import ImageReading
from .text_body import TextBody

SVG = "image/svg+xml"
LIMIT = 128 * 1024 * 1024
"""Bytes up to which an SVG is read as text."""


def svg_body(text: str) -> TextBody:
    """An SVG as the text that it is, with the size that it claims."""
    return TextBody(text, SVG, about="  ".join(filter(None, ("image", "SVG", svg_size(text)))))


class ImageBody(Body, TellsFailures):
    """`data_base64` and `mime` as the server sent them. The worker decodes what is drawn.

    An SVG is shown as text: nothing here draws it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "animate", "Play", show=False, tooltip="Play or stop a moving picture."),
    ]

    def __init__(self, data_base64: str, mime: str) -> None:
        super().__init__()
        self._data = data_base64
        self._facts = read_facts(data_base64, mime)
        self._svg = _svg_of(self._facts, data_base64)
        self._reading: ImageReading | None = None

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
        return self._facts.words + (": a plays" if self.is_animated else "")

    @property
    def is_animated(self) -> bool:
        return self._facts.frames != 1

    def compose(self) -> ComposeResult:
        if self._svg is not None:
            yield self._svg
            return
        view = ImageView(max_rows=max(8, min(24, self.app.size.height // 2)))
        view.can_focus = self.is_animated
        self._reading = ImageReading(view, self._data)
        yield view

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
        from .image_screen import ImageScreen

        return ImageScreen(self._data, self._facts.claimed)

    async def action_animate(self) -> None:
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
