"""One part of a result: a focusable header with its keys, and the body below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.key_bar import bar_words
from ...content.frozen import frozen
from ...protocol.answers.blocks import Annotations, annotation_words
from .body import LOW, Body, Copied, ShowsPart, UriLine, copy_out
from .links import LinkBody
from .part_items import Item

OPEN, FOLDED = "▾", "▸"
AUDIENCE_SIGNS: dict[tuple[str, ...], str] = {("user",): "◆", ("assistant",): "◇"}
BOTH_SIGN = "◈"
AUDIENCE_STYLES: dict[tuple[str, ...], str] = {
    ("user",): "bold $text-accent",
    ("assistant",): "bold $text-warning",
}
WORDS_LIMIT = 240


class PartHeader(Static, can_focus=True):
    """The header of a part. Keys are drawn in the gap above, so that nothing moves on focus."""

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    PartHeader { height: auto; min-height: 2; max-height: 6; pointer: pointer; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("part: header")

    class Stepped(Message):
        """To the header before (-1) or after (1) this one."""

        def __init__(self, header: PartHeader, step: int) -> None:
            super().__init__()
            self.header = header
            self.step = step

    class Opened(Message):
        """All of the part is wanted."""

    class Folded(Message):
        """The part is to be folded, or unfolded."""

    def __init__(self, place: str, said: Annotations) -> None:
        super().__init__(markup=False)
        self._place = place
        self._said = said
        self._words = ""
        self._keys: Sequence[tuple[str, str]] = ()
        self._is_folded = False
        self._is_trouble = False

    def show(
        self,
        words: str,
        keys: Sequence[tuple[str, str]],
        *,
        is_folded: bool,
        is_trouble: bool = False,
    ) -> None:
        """`words`: safe to show. `keys`: each with its verb, the most important ones first."""
        self._words = words if len(words) <= WORDS_LIMIT else f"{words[:WORDS_LIMIT]}…"
        self._keys, self._is_folded, self._is_trouble = keys, is_folded, is_trouble
        self._draw()

    def watch_has_focus(self, value: bool) -> None:
        super().watch_has_focus(value)
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def on_click(self, event: events.Click) -> None:
        if event.chain > 1:
            self.post_message(self.Opened())
        elif event.x < len(OPEN) + 1 and (event.y or self._is_low):
            self.post_message(self.Folded())

    def action_step(self, step: int) -> None:
        self.post_message(self.Stepped(self, step))

    def action_open(self) -> None:
        self.post_message(self.Opened())

    def action_fold(self) -> None:
        self.post_message(self.Folded())

    @property
    def _is_low(self) -> bool:
        return self.app.size.height < LOW

    def _draw(self) -> None:
        has_focus = self.has_focus
        strong = "bold reverse" if has_focus else "bold"
        if self._is_trouble:
            strong += " $text-error"
        quiet = "reverse" if has_focus else "$foreground-muted"
        place = f"{self._place}  " if self._place else ""
        above = self.keys_line(self.content_size.width) if has_focus else Content("")
        pieces: list[Content | str | tuple[str, str]] = [
            *(() if self._is_low else (above, "\n")),
            (f"{FOLDED if self._is_folded else OPEN} ", quiet),
            (place, quiet),
            (self._words, strong),
        ]
        said = annotation_words(self._said)
        if said:
            audience = self._said.audience
            sign, style = "", "$foreground-muted"
            if audience:
                sign = f"{AUDIENCE_SIGNS.get(audience, BOTH_SIGN)} "
                style = AUDIENCE_STYLES.get(audience, "bold")
            taken = cell_len(f"{OPEN} {place}{self._words}")
            needed = 3 + cell_len(f"{sign}{' · '.join(said)}")
            fits = taken + needed <= self.content_size.width
            pieces.append("   " if fits else "\n  ")
            pieces.append((f"{sign}{said[0]}", style))
            pieces += [(f" · {word}", "$foreground-muted") for word in said[1:]]
        self.update(Content.assemble(*pieces))

    def keys_line(self, room: int) -> Content:
        """As many of the keys as there is room for."""
        bars = (bar_words(self._keys[:most]) for most in range(len(self._keys), 0, -1))
        return next((bar for bar in bars if bar.cell_length <= room), Content(""))


PLAIN = "plain"


@frozen
class Left:
    """How a part was left: folded or not, in which view; "" is the best one."""

    is_folded: bool = False
    view: str = ""


_NOTHING_LEFT = Left()


class PartView(Vertical):
    """Header and body of a part. The body is made when first needed: an unseen part costs a
    header.
    """

    DEFAULT_CSS = """
    PartView { height: auto; }
    PartView > * { height: auto; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("part")

    class SaveWanted(Message):
        """The part is to be saved in a file."""

        def __init__(self, item: Item) -> None:
            super().__init__()
            self.item = item

    class OutsideWanted(Message):
        """The part is to be opened in another program."""

        def __init__(self, item: Item) -> None:
            super().__init__()
            self.item = item

    class Moved(Message):
        """The part has another place or height."""

    def __init__(self, item: Item, *, is_plain: bool = False, left: Left = _NOTHING_LEFT) -> None:
        super().__init__()
        self.item = item
        self.header = PartHeader("  ".join(filter(None, (item.place, item.role))), item.said)
        self.body: Body | None = None
        self.is_folded = left.is_folded
        self._view = left.view
        self._is_plain = is_plain
        self._bare_height: int | None = None
        """How high it was without its body, until it is another height."""

    def compose(self) -> ComposeResult:
        yield self.header

    def on_mount(self) -> None:
        self._tell()

    def on_resize(self) -> None:
        self.post_message(self.Moved())

    @property
    def is_wanted(self) -> bool:
        """True if there is a body to be made as soon as the part is seen."""
        return self.body is None and not self.is_folded and self.display

    @property
    def is_unsettled(self) -> bool:
        """True if the body has been mounted and not laid out yet, so that heights are old ones."""
        return self._bare_height is not None and self.size.height == self._bare_height

    @property
    def left(self) -> Left:
        """Current folding and view, to be restored when it is drawn again."""
        return Left(self.is_folded, self._view)

    def settle(self) -> None:
        """The height that it has is the right one, even if it is the one of before."""
        self._bare_height = None

    async def make_body(self) -> None:
        """Mount the body, if it is not there yet."""
        if self.body is not None or not self.is_attached:
            return
        self._bare_height = self.size.height
        self.body = body = self.item.make()
        if self._is_plain:
            _show_plain(body)
        elif self._view in body.views:
            body.show_view(self._view)
        if self.item.uri is not None:
            await self.mount(UriLine(self.item.uri))
        await self.mount(body)
        self._tell()

    async def renew(self, item: Item) -> None:
        """Take a newer item of the same part."""
        self.item = item
        if self.body is not None:
            if self.body.has_focus_within:
                self.header.focus(scroll_visible=False)
            await self.body.remove()
            self.body = None
            await self.make_body()
        self._tell()

    def set_plain(self, is_plain: bool) -> None:
        """Text as it came, or in its first view."""
        self._is_plain = is_plain
        body = self.body
        if body is not None:
            if is_plain:
                _show_plain(body)
            elif body.views and body.view == PLAIN:
                body.show_view(body.views[0])
            self._tell()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        body = self.body
        if action == "follow":
            return self.item.is_link
        if action == "next_view":
            return body is not None and len(body.views) > 1
        if action == "wrap":
            return body is not None and body.can_wrap
        if action == "error":
            return body is not None and body.has_errors
        if action == "move":
            return any(hasattr(one, f"action_{parameters[0]}") for one in self.query(Body))
        return super().check_action(action, parameters)

    @on(PartHeader.Folded)
    async def _fold(self, message: PartHeader.Folded) -> None:
        message.stop()
        self.is_folded = not self.is_folded
        self.settle()
        if not self.is_folded:
            await self.make_body()
        for child in self.children:
            child.display = child is self.header or not self.is_folded
        self._tell()

    @on(PartHeader.Opened)
    @on(Body.FullWanted)
    async def _open(self, message: PartHeader.Opened | Body.FullWanted) -> None:
        message.stop()
        await self.make_body()
        screen = self.body.full() if self.body is not None else None
        if screen is None:
            self.notify("This is all of it.", timeout=3, markup=False)
            return
        if isinstance(screen, ShowsPart):
            screen.save_part = self.action_save
        self.app.push_screen(screen)

    async def action_copy(self) -> None:
        await self.make_body()
        copied = self.body.copied() if self.body is not None else None
        if copied is None:
            words = "No text to copy here. s: save."
            self.notify(words, severity="warning", timeout=4, markup=False)
            return
        what = copied.what.partition(",")[0]
        copied = Copied(copied.text, f"{what} of {self.item.name}")
        copy_out(self, copied, otherwise="s: save")

    def action_save(self) -> None:
        self.post_message(self.SaveWanted(self.item))

    def action_outside(self) -> None:
        self.post_message(self.OutsideWanted(self.item))

    def action_next_view(self) -> None:
        body = self.body
        if body is not None and body.views:
            views = body.views
            at = views.index(body.view) if body.view in views else -1
            self._view = views[(at + 1) % len(views)]
            body.show_view(self._view)
            self._tell()

    def action_wrap(self) -> None:
        toggle = getattr(self.body, "toggle_wrap", None)
        if toggle is not None:
            words = "Long lines are wrapped." if toggle() else "Long lines are not wrapped."
            self.notify(words, timeout=3, markup=False)

    async def action_move(self, how: str) -> None:
        """Play the body: an animated picture, a sound."""
        for body in self.query(Body):
            if hasattr(body, f"action_{how}"):
                await body.run_action(how)

    def action_error(self, step: int) -> None:
        if self.body is not None:
            self.body.go_to_error(step)

    def action_follow(self) -> None:
        if isinstance(self.body, LinkBody):
            self.body.open_wanted()

    def _tell(self) -> None:
        item, body = self.item, self.body
        words = item.brief if body is None else body.words or item.brief
        keys = [("enter", "Open")] if body is None or body.is_more else []
        keys.append(("space", "Unfold" if self.is_folded else "Fold"))
        if item.is_link:
            keys.append(("o", "Open the link"))
        if body is not None and len(body.views) > 1:
            views = body.views
            if body.view != views[0]:
                words += f"  [{body.view}]"
            at = views.index(body.view) if body.view in views else -1
            keys.append(("v", str(views[(at + 1) % len(views)]).capitalize()))
        if body is not None and body.has_errors:
            keys.append(("f", "Next error"))
        if body is None or body.can_copy:
            keys.append(("y", "Copy"))
        keys.append(("s", f"Save {body.saves}".rstrip() if body is not None else "Save"))
        keys.append(("S", "Save all"))
        if body is not None and body.can_wrap:
            keys.append(("w", "Wrap"))
        if not item.is_link:
            keys.append(("x", "Open outside"))
        self.header.show(words, keys, is_folded=self.is_folded, is_trouble=item.is_trouble)
        self.post_message(self.Moved())


def _show_plain(body: Body) -> None:
    if PLAIN in body.views:
        body.show_view(PLAIN)
