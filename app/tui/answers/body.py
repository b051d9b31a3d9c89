"""The widget interface of every kind of part, its full URI, and copying to the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import App
from textual.containers import Vertical
from textual.content import Content
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from ...content.frozen import frozen
from ...content.text import cut, hidden, size, spans


@frozen
class Copied:
    """Raw text for the clipboard, and a short name of it in our own words."""

    text: str
    what: str


class ShowsPart:
    """A screen with all of a part, from which the part is saved as from its header."""

    save_part: Callable[[], None] | None = None
    """Asks for the place to save the part; the opener of the screen sets it, until then it is None.
    """

    def action_save(self) -> None:
        if self.save_part is not None:
            self.save_part()


class Body(Vertical):
    """Draws the content of a part, up to a few rows; `full` has it all."""

    DEFAULT_CSS = """
    Body { height: auto; }
    Body > * { height: auto; }
    """
    VIEWS: ClassVar[tuple[str, ...]] = ()

    class FullWanted(Message):
        """Something in it was picked that only `full` shows."""

    @property
    def views(self) -> tuple[str, ...]:
        """The ways in which this can be shown, the first one is the default; often just one."""
        return self.VIEWS

    @property
    def view(self) -> str:
        """The way in which it is shown now."""
        return self.views[0] if self.views else ""

    def show_view(self, name: str) -> None:
        """Show it in another of its ways."""

    @property
    def words(self) -> str:
        """Kind, type and size, for the header of the part; safe to show, one line."""
        return ""

    @property
    def can_copy(self) -> bool:
        """True if `copied` has something; known without making it."""
        return type(self).copied is not Body.copied

    @property
    def saves(self) -> str:
        """Object that `s` saves, for a hint; "" if that is plain."""
        return ""

    @property
    def can_wrap(self) -> bool:
        """True if lines are shown now that can be wrapped or not."""
        return False

    @property
    def has_errors(self) -> bool:
        """True if `go_to_error` leads anywhere."""
        return False

    def go_to_error(self, step: int) -> None:
        """To the next (1) or previous (-1) of the errors that are marked in it."""

    @property
    def is_more(self) -> bool:
        """True if `full` has a screen; known without making it."""
        return type(self).full is not Body.full

    def copied(self) -> Copied | None:
        """Text that `y` copies; None if a clipboard cannot hold the part."""
        return None

    def full(self) -> Screen[None] | None:
        """A screen that shows all of it, in every way there is; None if this is all."""
        return None


LOW = 30
"""On fewer rows no part has a blank row above it: its owner shows the keys."""
URI_LIMIT = 2_000


class UriLine(Static):
    """A raw URI behind the gutter of a server's text; hidden characters are drawn inverse."""

    DEFAULT_CSS = """
    UriLine { height: auto; border-left: heavy $foreground-muted; padding-left: 1; }
    """

    def __init__(self, uri: str) -> None:
        shown = cut(uri, URI_LIMIT)
        said = [(span.text, "reverse" if span.mark else "") for span in spans(shown.text)]
        if not uri:
            said = [("none given", "$text-warning")]
        notice = (f"  {shown.notice}", "$foreground-muted") if shown.is_cut else ""
        label = ("uri  ", "$foreground-muted")
        super().__init__(Content.assemble(label, *said, notice), markup=False)


COPY_MAX = 1_000_000
"""Limit of bytes for the clipboard; terminals drop longer texts silently."""
COPY_DOUBTFUL = 100_000
"""Bytes from which on some terminals ignore them."""
HIDDEN_LOOKED_AT = 200_000


def copy_out(widget: DOMNode, copied: Copied, *, otherwise: str = "") -> None:
    """Copy by OSC 52, and report the content and its size, or the reason why not.

    `otherwise` names an alternative for a text that is too long, such as "s saves it".
    """
    app: App[object] = widget.app
    # A lone surrogate cannot be written to a terminal; it is spelt out.
    data = copied.text.encode("utf-8", "backslashreplace")
    count = len(copied.text)
    amount = f"{count:,} character{'' if count == 1 else 's'}, {size(len(data))}"
    if len(data) > COPY_MAX:
        words = f"Not copied: {amount} is too much for a clipboard by terminal"
        words += f"; {otherwise}." if otherwise else "."
        app.notify(words, severity="warning", timeout=6, markup=False)
        return
    app.copy_to_clipboard(data.decode())
    words = f"copied {copied.what}: {amount}, to the terminal's clipboard (OSC 52)"
    doubts = []
    if len(data) > COPY_DOUBTFUL:
        doubts.append("some terminals ignore so much")
    if unseen := hidden(copied.text[:HIDDEN_LOOKED_AT]):
        doubts.append(f"with characters that do not show: {', '.join(unseen[:3])}")
    if doubts:
        words = "; ".join([words, *doubts])
        app.notify(words, severity="warning", timeout=6, markup=False)
    else:
        app.notify(words, timeout=4, markup=False)
