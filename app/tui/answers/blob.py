"""Binary parts of a result: origin, declared and detected type, hex dump."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.key_bar import BarKey
from ....widgets.text_view.line_view import HexView, LineView
from ...content.media.base64_bytes import ROW_BYTES, HexDump
from ...content.mime import HEAD_BYTES, essence, found_type, is_same_type, text_of
from ...content.text import count, cut, size, visible
from ..base.box_bar import HasBoxBar
from ..base.failures import TellsFailures
from ..base.screen_mixin import ScreenMixin
from .audio import AudioBody
from .body import Body, Copied, ShowsPart, UriLine
from .image import ImageBody
from .text_body import TextBody

ABOUT_LIMIT = 400


class HexScreen(HasBoxBar, ScreenMixin, ModalScreen[None], ShowsPart):
    """A hex dump that is formatted as it is scrolled through."""

    # Opaque: what lies below is not drawn for each paint, only to be covered.
    DEFAULT_CSS = """
    HexScreen { align: center middle; background: $background; }
    HexScreen > Vertical {
        width: 100%; height: 100%; border: round $primary; background: $surface; padding: 0 1;
    }
    HexScreen Static { height: auto; max-height: 4; }
    HexScreen HexView { height: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("hex")
    BOX_KEYS = (BarKey("hex.close"), BarKey("hex.save"), BarKey("↑ ↓", "Scroll", 1))

    def __init__(self, dump: HexDump, title: str, uri: str = "") -> None:
        """`title` is our own words; `uri` is raw."""
        super().__init__()
        self._dump = dump
        self._title = title
        self._uri = uri

    def compose(self) -> ComposeResult:
        dump = self._dump
        with Vertical() as box:
            box.border_title = Content(self._title)
            shown = cut(self._uri, ABOUT_LIMIT)
            if self._uri:
                yield Static(Content(f"┃ {visible(shown.text)} {shown.notice}"), markup=False)
            words = f"{count(dump.size, 'byte')}, {size(dump.size)}"
            if dump.fault:
                words += f"  ✗ {dump.fault}"
            yield Static(Content(words), markup=False)
            yield HexView(dump)

    def on_mount(self) -> None:
        self.query_one(HexView).focus()


class _FirstBytes(LineView):
    """The first bytes of a dump, in rows that fit into the width."""

    def __init__(self, dump: HexDump) -> None:
        super().__init__(gutter=True, max_rows=2 * HEX_BYTES // ROW_BYTES)
        self.can_focus = False
        self._dump = dump
        self._show_rows()

    def on_resize(self, event: events.Resize) -> None:
        needed = len(replace(self._dump, row_bytes=ROW_BYTES).row(0))
        fits = self._text_width(event.size.width) >= needed
        row_bytes = ROW_BYTES if fits else ROW_BYTES // 2
        if row_bytes != self._dump.row_bytes:
            self._dump = replace(self._dump, row_bytes=row_bytes)
            self._show_rows()

    def _show_rows(self) -> None:
        rows = self._dump.rows(0, HEX_BYTES // self._dump.row_bytes)
        self.show_text("\n".join(rows) or "no bytes")


HEX_BYTES = 256
TEXT_LIMIT = 4_000_000
"""Bytes up to which text that comes as bytes is offered as text."""
MIME_LIMIT = 80
HEX, IMAGE, AUDIO, TEXT = "hex", "image", "audio", "text"


class BlobBody(Body, TellsFailures):
    """`blob_base64`, `mime` and `uri` as the server sent them.

    Where the bytes are a picture, a sound or text, they are shown as that first.
    """

    def __init__(self, blob_base64: str, mime: str, uri: str) -> None:
        super().__init__()
        self._blob, self._mime, self._uri = blob_base64, mime, uri
        self._dump = HexDump(blob_base64)
        head = self._dump.head(HEAD_BYTES)
        self._found = found_type(head)
        self._text = self._read_text(head)
        self._view = self.views[0]

    @property
    def views(self) -> tuple[str, ...]:
        kind = self._found.partition("/")[0]
        if self._text is not None:
            return (TEXT, HEX)
        return (kind, HEX) if kind in (IMAGE, AUDIO) else (HEX,)

    @property
    def view(self) -> str:
        return self._view

    def show_view(self, name: str) -> None:
        self._view = name
        if self.is_mounted:
            self._draw_anew()

    @property
    def words(self) -> str:
        claimed = visible(cut(self._mime, MIME_LIMIT).text) or "no type claimed"
        words = f"binary resource  {claimed}  {size(self._dump.size)}"
        return f"{words}  WARNING {self._disagreement}" if self._disagreement else words

    def compose(self) -> ComposeResult:
        yield UriLine(self._uri)
        yield Static(self._facts, markup=False)
        yield self._inside()

    @property
    def can_wrap(self) -> bool:
        return any(inside.can_wrap for inside in self.query(TextBody))

    def toggle_wrap(self) -> bool:
        is_wrapped = False
        for inside in self.query(TextBody):
            is_wrapped = inside.toggle_wrap()
        return is_wrapped

    def copied(self) -> Copied:
        if self._view == TEXT and self._text is not None:
            return Copied(self._text, "the text of the bytes")
        return Copied(self._blob, "the bytes as base64")

    def full(self) -> Screen[None]:
        inside = self._inside()
        screen = inside.full() if isinstance(inside, Body) else None
        return screen or HexScreen(self._dump, "bytes of a resource", self._uri)

    @property
    def _disagreement(self) -> str:
        claimed = essence(self._mime)
        if not self._found or not claimed or is_same_type(claimed, self._found):
            return ""
        return f"claims {claimed}, is {self._found}"

    @property
    def _facts(self) -> str:
        """Describe the bytes, beside the declared type in the header."""
        if self._dump.head(1) == b"" and self._dump.size:
            return f"✗ {self._dump.fault or 'not valid base64'}"
        found = self._found or (
            "text in UTF-8" if self._text is not None else "of an unknown format"
        )
        words = f"{count(self._dump.size, 'byte')}, {found}"
        if self._view == HEX and self._dump.size > HEX_BYTES:
            words += f", the first {HEX_BYTES} are shown, enter: open all"
        return words

    def _inside(self) -> Body | LineView:
        match self._view:
            case "image":
                return ImageBody(self._blob, self._mime)
            case "audio":
                return AudioBody(self._blob, self._mime)
            case "text" if self._text is not None:
                return TextBody(self._text, self._mime, about="text of the bytes")
        return _FirstBytes(self._dump)

    @work(group="draw", exclusive=True, exit_on_error=False)
    async def _draw_anew(self) -> None:
        with self.app.batch_update():
            await self.remove_children()
            await self.mount_all(self.compose())

    def _read_text(self, head: bytes) -> str | None:
        if not head or self._dump.size > TEXT_LIMIT or self._dump.fault:
            return None
        # A character may be cut at the end of the first bytes.
        if all(text_of(head[: len(head) - less]) is None for less in range(min(4, len(head)))):
            return None
        return text_of(self._dump.head(self._dump.size))
