"""A link that leads outside of the server: whether to follow it, and how."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Offset, Size
from textual.widgets import Static

from app.core.answers.links import URI_MAX, LinkFacts, LinkKind
from app.core.approvals.approval import QUIET_SECONDS
from app.core.server import Server
from app.core.text import spans
from app.screens.answers.link_lines import uri_lines
from app.screens.guarded_dialog import SHEET_KEYS, GuardedDialog
from app.screens.sheet_text import pieces_of
from widgets.frame_line import FrameLine
from widgets.guarded_button import GuardedButton
from widgets.sheet_lines import SheetLine, labelled
from widgets.sheet_view import SheetView

_TICK = 0.05
_FRAME_ROWS = 4
_MAX_WIDTH = 100
_QUIET = "$foreground 60%"
_PROGRAMS = {LinkKind.WEB: "browser", LinkKind.MAIL: "mail program"}


class Way(StrEnum):
    """What is to be done with a link."""

    LEAVE = "leave"
    COPY = "copy"
    READ = "read from the server"
    OPEN = "open outside"


class OutsideDialog(GuardedDialog[Way], inherit_bindings=False):
    """Asks what to do with a link; opening it takes a press that has to be meant.

    `why_not`: why nothing can be opened outside now, in words of our own; empty where it can.
    """

    DEFAULT_CSS = """
    OutsideDialog { layers: under over; align: center middle; background: $background 70%; }
    OutsideDialog > #footer-cover {
        layer: under; dock: bottom; height: 1; background: $background;
    }
    OutsideDialog > #outside {
        layer: over; height: auto; max-height: 100%; background: $surface;
        FrameLine { color: $warning; }
        .within {
            height: auto; padding: 0 2; border-left: solid $warning; border-right: solid $warning;
        }
        GuardedButton { margin-right: 1; }
        #open { margin-right: 0; }
        #spacer { width: 1fr; height: 1; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c", "leave", "Leave it", id="outside.leave"),
        Binding("y", "copy", "Copy", id="outside.copy"),
        Binding("tab", "move(1, True)", "Next button", id="outside.next"),
        Binding("right", "move(1)", "Next button", show=False),
        Binding("shift+tab,left", "move(-1)", "Previous button", id="outside.previous"),
        Binding("enter", "press", "Press the button"),
        Binding("space", "press_other", "Press any button but Open", show=False),
        Binding("down", "scroll_sheet('down')", "Scroll down", show=False),
        Binding("up", "scroll_sheet('up')", "Scroll up", show=False),
        *SHEET_KEYS,
    ]

    def __init__(
        self,
        facts: LinkFacts,
        server: Server,
        *,
        why_not: str = "",
        last_click: Offset | None = None,
        clock: Callable[[], float] = time.monotonic,
        quiet_seconds: float = QUIET_SECONDS,
    ) -> None:
        super().__init__(clock, quiet_seconds, last_click)
        self._facts = facts
        self._why_not = facts.why_not or why_not
        self._server = server
        self._is_answered = False
        self._laid_out_for = Size(0, 0)
        self._top = FrameLine("top")
        self._divider = FrameLine("middle")
        self._bottom = FrameLine("bottom")
        self.sheet = SheetView()
        self.leave = GuardedButton("Leave it", id="leave")
        self.copy = GuardedButton("Copy", id="copy")
        self.read = GuardedButton("Read from the server", id="read")
        self.open = GuardedButton(f"Open in {_PROGRAMS.get(facts.kind, '')}", id="open")
        self.open.display = not self._why_not

    def compose(self) -> ComposeResult:
        # The keys of the screen below are not those that work now.
        yield Static(id="footer-cover")
        with Vertical(id="outside"):
            yield self._top
            with Vertical(classes="within"):
                yield self.sheet
            yield self._divider
            with Horizontal(classes="within"):
                yield self.leave
                yield self.copy
                yield self.read
                yield Static(id="spacer")
                yield self.open
            yield self._bottom

    @property
    def first_stop(self) -> GuardedButton:
        return self.leave

    @property
    def can_open(self) -> bool:
        """Whether opening would be taken now: heard, possible, and all of the address seen."""
        return (
            self.is_armed
            and not self._why_not
            and not self._is_answered
            and self.is_active
            and self.sheet.end_seen
            and self.sheet.is_visible
        )

    def on_mount(self) -> None:
        self._lay_out()
        self.restart()
        self.set_interval(_TICK, self._tick)

    def on_resize(self, event: events.Resize) -> None:
        if event.size != self._laid_out_for:
            self._lay_out()
        self.restart()

    def on_guarded_button_pressed(self, message: GuardedButton.Pressed) -> None:
        message.stop()
        if self.is_armed:
            self._press(message.button)

    def on_sheet_view_moved(self, message: SheetView.Moved) -> None:
        message.stop()
        self.draw()

    def action_leave(self) -> None:
        if self.is_armed:
            self._answer(Way.LEAVE)

    def action_copy(self) -> None:
        if self.is_armed:
            self._answer(Way.COPY)

    def action_press(self) -> None:
        if self.focused is not self.open:
            self.action_press_other()
        elif self.can_open:
            self.was_too_soon = not self.keys.press(self.focused_since)

    def action_press_other(self) -> None:
        if self.is_armed and self.focused is not self.open:
            self._press(self.focused)

    def action_move(self, step: int, goes_round: bool = False) -> None:
        if self.is_armed:
            stops = [one for one in (self.leave, self.copy, self.read, self.open) if one.display]
            self.step_focus(stops, step, goes_round=goes_round)

    def action_scroll_sheet(self, where: str) -> None:
        if self.is_armed:
            getattr(self.sheet, f"scroll_{where}")(animate=False)

    def draw(self) -> None:
        for button in (self.leave, self.copy, self.read):
            button.is_armed = self.is_armed
        self.sheet.is_deaf = not self.may_scroll
        self.open.is_armed = self.can_open
        below = self.sheet.below
        more = f"{below:,} more line{'' if below == 1 else 's'}"
        self._divider.set_words(
            [Content.styled(f" {words} ", "$foreground") for words in ([more] if below else [])],
            [Content.styled(f" {words} ", "bold $foreground") for words in self._status()],
        )

    def _status(self) -> tuple[str, ...]:
        """What the buttons wait for, the longest wording first."""
        if not self.is_armed:
            return ("one moment", "wait")
        if self._why_not:
            return ()
        if not self.sheet.end_seen:
            return ("opening waits until the end has been seen", "not all seen yet")
        if self.keys.is_waiting():
            return ("opening",)
        if self.was_too_soon:
            return ("too soon after the last key: press it once more", "too soon: once more")
        return ()

    def _tick(self) -> None:
        self.look()
        if self.keys.is_settled(self.clock()) and self.can_open:
            self._answer(Way.OPEN)
            return
        self.draw()

    def _press(self, button: object) -> None:
        """A click, or a key on any button but the one that opens; what is not known leaves it."""
        ways = {self.copy: Way.COPY, self.read: Way.READ}
        if button is not self.open:
            self._answer(ways.get(button, Way.LEAVE) if button in ways else Way.LEAVE)
        elif self.can_open:
            self._answer(Way.OPEN)

    def _answer(self, way: Way) -> None:
        """The first answer counts."""
        if not self._is_answered:
            self._is_answered = True
            self.dismiss(way)

    def _lay_out(self) -> None:
        self._laid_out_for = self.app.size
        width, height = self._laid_out_for
        outer = width if width <= 80 else min(width - 4, _MAX_WIDTH)
        columns = max(outer - 6, 1)
        is_narrow = width < 80
        for button in (self.leave, self.copy, self.read, self.open):
            button.room = 0 if width < 48 else 1 if is_narrow else 3
        self.read.label = "Read" if width < 60 else "Read from server"
        if is_narrow:
            self.open.label = "Open"
        lines = list(outside_lines(self._facts, self._server, self._why_not, columns))
        total = self.sheet.set_lines(lines, columns, keep_seen=True)
        self.sheet.styles.height = min(total, max(height - _FRAME_ROWS, 1))
        self.query_one("#outside").styles.width = outer
        program = _PROGRAMS.get(self._facts.kind, "")
        title = f"Open in your {program}?" if not self._why_not else "A link out of this server"
        self._top.set_words([Content.styled(f" {title} ", "bold $text on $warning")])
        keys = ("Esc leaves it · Tab moves · y copies · PgDn scrolls", "Esc leaves it · y copies")
        self._bottom.set_words([Content.styled(f" {one} ", _QUIET) for one in keys])


def outside_lines(
    facts: LinkFacts, server: Server, why_not: str, columns: int
) -> Iterator[SheetLine]:
    """From whom the link is, where it leads, what is odd about it, and what opening does."""
    indent = 9 if columns >= 40 else 0
    yield labelled(
        "server",
        indent,
        *pieces_of(spans(server.name), "strong"),
        ("  ", ""),
        *pieces_of(spans(server.command)),
        exact=True,
    )
    yield labelled("", indent, ("wrote this link; nothing of it has been fetched", "dim"))
    yield from uri_lines(facts, indent, URI_MAX, "too long to be opened")
    yield SheetLine()
    if why_not:
        yield SheetLine(((f"It is not opened outside: {why_not}.", "noticed"),))
    else:
        program = _PROGRAMS[facts.kind]
        sees = "whoever runs that host sees that you come" if facts.host else "nothing is sent yet"
        yield SheetLine(((f"Opening starts your {program} with exactly this; {sees}.", ""),))
    yield SheetLine((("Reading asks this server for it, as the policy lets it.", "dim"),))
