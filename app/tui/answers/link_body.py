"""A resource link as a card: what the server says of it, and where it leads."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen

from ....widgets.sheet_lines import layout
from ....widgets.sheet_view import SheetView
from ...content.text import cut, visible
from ...content.texts.sheet_line import SheetLine
from ...protocol.answers.content import LinkPart
from ...protocol.answers.links import look_at, size_words
from ...questions.value_lines import DESCRIPTION_LIMIT, URI_LIMIT, card_lines
from ..pager import PagerScreen, Section, plain_lines
from ..section_lines import text_lines as section_lines
from .body import Body, Copied


class LinkBody(Body):
    """Draws one link. It leads nowhere by itself: `OpenWanted` is all that the key does."""

    class OpenWanted(Message):
        """The person wants to see what the link leads to."""

        def __init__(self, part: LinkPart) -> None:
            super().__init__()
            self.part = part

    def __init__(self, part: LinkPart) -> None:
        super().__init__()
        self._part = part
        self.facts = look_at(part.uri)

    def compose(self) -> ComposeResult:
        yield CardSheet(list(card_lines(self._part, self.facts)))

    @property
    def words(self) -> str:
        size, is_size = size_words(self._part.size)
        mime = visible(cut(self._part.mime, 60).text)
        claimed = size.partition(" (")[0] if is_size else "malformed size"
        return "  ".join(word for word in ("resource link", mime, claimed) if word)

    @property
    def saves(self) -> str:
        return "link"

    @property
    def is_more(self) -> bool:
        part = self._part
        return len(part.uri) > URI_LIMIT or len(part.description) > DESCRIPTION_LIMIT

    def copied(self) -> Copied:
        return Copied(self._part.uri, "the URI")

    def full(self) -> Screen[None] | None:
        if not self.is_more:
            return None
        part = self._part
        cautions = "\n".join(self.facts.cautions) or "nothing odd about it was found"
        sections = [
            Section("uri", section_lines(part.uri)),
            Section("description", section_lines(part.description)),
            Section("where it leads", plain_lines(cautions), is_ours=True),
        ]
        return PagerScreen(Content("resource link"), sections)

    def open_wanted(self) -> None:
        """The key for opening it was pressed."""
        self.post_message(self.OpenWanted(self._part))


class CardSheet(SheetView):
    """A sheet that is as high as its lines, and so scrolls with what it stands in."""

    DEFAULT_CSS = "CardSheet { height: auto; width: 1fr; }"

    def __init__(self, lines: list[SheetLine]) -> None:
        super().__init__()
        self.set_lines(lines, 80)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return sum(1 for _ in layout(self._lines, width))
