"""One part of an answer as a widget: a label of our own, then what the part carries."""

from __future__ import annotations

import base64
import binascii

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from app.core.audio import describe_audio
from app.core.content import (
    AudioPart,
    BlobResourcePart,
    ImagePart,
    LinkPart,
    Part,
    TextPart,
    TextResourcePart,
    UnknownPart,
)
from app.core.images import ImageRefused, decode
from app.core.jsonio import JsonError, parse
from app.core.markdown import MarkdownRefused, looks_like_markdown, markdown_lines
from app.core.text import cut, size, visible
from app.link.worker import WorkerLimits, WorkerStopped, run_limited
from app.screens.failures import TellsFailures
from app.screens.sections import raw_lines
from widgets.graphics import graphics_image, has_graphics, png_bytes
from widgets.image_view import ImageView
from widgets.json_tree import JsonTree
from widgets.line_view import LineView
from widgets.prose import PROSE_LIMIT, Prose

TEXT_LIMIT = 64_000
TEXT_ROWS = 2_000
JSON_LIMIT = 2_000_000
HEX_BYTES = 256
GRAPHICS_SCALE = 8
RENDER_LIMITS = WorkerLimits(wall_seconds=2.0)


class PartView(Vertical, TellsFailures):
    """Draws one part. What is expensive about it happens in the worker."""

    DEFAULT_CSS = """
    PartView { height: auto; margin-top: 1; }
    PartView > * { height: auto; }
    PartView JsonTree { max-height: 30; }
    """

    def __init__(self, part: Part, number: int, count: int, *, is_plain: bool) -> None:
        super().__init__()
        self._part = part
        self._place = f"part {number} of {count}  "
        self._is_plain = is_plain
        self._styled: tuple[LineView, str] | None = None
        self._styled_width = 0

    def compose(self) -> ComposeResult:
        part = self._part
        match part:
            case TextPart(text):
                yield from self._text("text", text)
            case ImagePart(data, mime):
                yield self._label(f"image  {visible(mime)}  {size(_bytes_of(data))}")
                yield ImageView(max_rows=self._image_rows())
            case AudioPart(data, mime):
                yield self._label(f"audio  {describe_audio(data, mime)}")
            case TextResourcePart(uri, mime, text):
                yield from self._text(f"resource  {visible(uri)}  {visible(mime)}", text)
            case BlobResourcePart(uri, mime, blob):
                words = f"binary resource  {visible(uri)}  {visible(mime)}  "
                yield self._label(words + size(_bytes_of(blob)))
                if mime.startswith("image/"):
                    yield ImageView(max_rows=self._image_rows())
                else:
                    yield _lines(_hex_dump(blob))
            case LinkPart():
                yield self._label("resource link")
                yield _lines(_link_words(part))
            case UnknownPart(raw, reason):
                yield self._label(reason, is_bad=True)
                view = _server_view()
                view.show_spans(raw_lines(raw))
                yield view

    def _text(self, what: str, text: str) -> list[Widget]:
        shown = cut(text, TEXT_LIMIT)
        about = f"{what}  {len(text):,} characters"
        if shown.is_cut:
            about += f"  {shown.notice}, f8 shows all"
        if not self._is_plain and (tree := _json_tree(text)) is not None:
            return [self._label(f"{about}  JSON, m for plain"), tree]
        if not self._is_plain and looks_like_markdown(shown.text):
            view = _server_view()
            view.show_untrusted(shown.text, max_blanks=60, max_newlines=10)
            self._styled = (view, shown.text)
            return [self._label(f"{about}  Markdown, m for plain"), view]
        if len(shown.text) <= PROSE_LIMIT:
            return [self._label(about), Prose(shown.text)]
        view = _server_view()
        view.show_untrusted(shown.text, max_blanks=60, max_newlines=10)
        return [self._label(about), view]

    def _image_rows(self) -> int:
        """As high as can be seen at once, within reason."""
        return max(8, min(24, self.app.size.height // 2))

    def _label(self, words: str, *, is_bad: bool = False) -> Static:
        style = "bold $text-error" if is_bad else "bold"
        label = Content.assemble((self._place, "$foreground-muted"), (words, style))
        return Static(label, markup=False)

    def on_resize(self, event: events.Resize) -> None:
        """Markdown is laid out once there is a width to lay it out in."""
        width = event.size.width
        if self._styled is not None and width and width != self._styled_width:
            self._styled_width = width
            self._render_markdown(*self._styled, max(20, width - 3))

    @work(exclusive=True, group="markdown", exit_on_error=False)
    async def _render_markdown(self, view: LineView, text: str, width: int) -> None:
        try:
            lines = await run_limited(markdown_lines, text, width, limits=RENDER_LIMITS)
        except WorkerStopped:
            return
        if not isinstance(lines, MarkdownRefused):
            view.show_lines(lines)

    @on(ImageView.Wanted)
    def _image_wanted(self, message: ImageView.Wanted) -> None:
        message.stop()
        part = self._part
        data = part.data if isinstance(part, ImagePart) else ""
        if isinstance(part, BlobResourcePart):
            data = part.blob
        self._decode(message.view, data, message.max_width, message.max_height)

    @work(exclusive=True, exit_on_error=False)
    async def _decode(self, view: ImageView, data: str, max_width: int, max_height: int) -> None:
        # Half blocks show two pixels a cell; real graphics have many more.
        scale = GRAPHICS_SCALE if has_graphics() else 1
        try:
            pixels = await run_limited(
                decode, data, max_width * scale, max_height * scale, limits=RENDER_LIMITS
            )
        except (ImageRefused, WorkerStopped) as problem:
            view.refuse(problem.reason)
            return
        graphic = graphics_image(png_bytes(pixels)) if has_graphics() else None
        if graphic is None:
            view.show(pixels)
            return
        graphic.styles.width = min(max_width, pixels.width)
        graphic.styles.height = "auto"
        await self.mount(graphic, after=view)
        view.display = False


def _server_view() -> LineView:
    view = LineView(gutter=True, max_rows=TEXT_ROWS)
    view.can_focus = False
    return view


def _lines(text: str) -> LineView:
    view = _server_view()
    view.show_text(text)
    return view


def _json_tree(text: str) -> JsonTree | None:
    """A tree for a text that spells out an object or an array."""
    if len(text) > JSON_LIMIT or text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return JsonTree(parse(text).value)
    except JsonError:
        return None


def _link_words(part: LinkPart) -> str:
    rows = [
        ("uri", part.uri),
        ("name", part.name),
        ("title", part.title),
        ("type", part.mime),
        ("description", part.description),
        ("size", "" if part.size is None else str(part.size)),
    ]
    return "\n".join(
        f"{label:<12} {visible(cut(words, 500).text)}" for label, words in rows if words
    )


def _bytes_of(data: str) -> int:
    return len(data.rstrip("=")) * 3 // 4


def _hex_dump(blob: str) -> str:
    """The first bytes, as `0000  53 69 67 6e ...  Sign`."""
    try:
        data = base64.b64decode(blob[: HEX_BYTES * 2], validate=True)[:HEX_BYTES]
    except (binascii.Error, ValueError):
        return "not valid base64"
    rows = []
    for start in range(0, len(data), 16):
        row = data[start : start + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        rows.append(f"{start:04x}  {row.hex(' '):<47}  {text}")
    return "\n".join(rows) or "no bytes"
