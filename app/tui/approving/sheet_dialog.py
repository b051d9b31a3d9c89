"""A guarded dialog around a sheet that must be read to its end before its last buttons act.

The start dialog is one: it shows the exact command of a configured server, then asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Offset, Size
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.buttons import GuardedButton, reserve_bar
from ....widgets.key_bar import BarKey, bar_wordings, padded
from ....widgets.labels import FrameLine
from ....widgets.sheets import SheetView
from ...approval.approval import QUIET_SECONDS
from ...content.texts.sheet_line import SheetLine, labelled
from ...hosts.files.starting import ServerStart
from ...presentation.starts import start_facts, start_note, start_title
from ...storage.starts import StartConsent
from .clock import Clock
from .guarded_dialog import TOO_SOON, GuardedDialog, status_words

Result = TypeVar("Result")

_FRAME_ROWS = 4
_MAX_WIDTH = 100


def keys_of_sheet(leaves: str, *others: BarKey) -> tuple[BarKey, ...]:
    """The keys of a sheet: `esc` leaves; `others` before those that move about."""
    return (
        BarKey("sheet_dialog.leave", leaves),
        *others,
        BarKey("sheet_dialog.next", "Move", 2),
        BarKey("PgDn", "Scroll", 3),
    )


class SheetDialog(GuardedDialog[Result], inherit_bindings=False):
    """The first button has the focus and changes nothing; the last one acts, by a deliberate press,
    once all of the sheet was seen. `acting`: how many of the last ones act.

    A subclass gives the lines, the words, and the results of the buttons.
    """

    DEFAULT_CSS = """
    SheetDialog { layers: under over; align: center middle; background: $background 70%; }
    SheetDialog > #footer-cover {
        layer: under; dock: bottom; height: 1; background: $background;
    }
    SheetDialog > #sheet-box {
        layer: over; height: auto; max-height: 100%; background: $surface;
        FrameLine { color: $warning; }
        .within {
            height: auto; padding: 0 2; border-left: solid $warning; border-right: solid $warning;
        }
        GuardedButton { margin-right: 1; }
        .does { margin-right: 0; }
        #spacer { width: 1fr; height: 1; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("sheet_dialog"), *bindings_of("sheet")]

    doing: ClassVar[str]
    """What it does, while a press that does it waits for its stillness: "opening"."""

    def __init__(
        self,
        buttons: Sequence[GuardedButton],
        *,
        acting: int = 1,
        last_click: Offset | None = None,
        clock: Clock | None = None,
        quiet_seconds: float = QUIET_SECONDS,
    ) -> None:
        super().__init__(clock, quiet_seconds, last_click)
        self._buttons = tuple(buttons)
        self._acting = self._buttons[len(self._buttons) - acting :]
        self._is_answered = False
        self._laid_out_for = Size(0, 0)
        self._top = FrameLine("top")
        self._divider = FrameLine("middle")
        self._bottom = FrameLine("bottom")
        self.sheet = SheetView()
        if self._acting:
            self._acting[-1].add_class("does")

    # For subclasses to define

    def title_words(self) -> str:
        """Title of the dialog."""
        raise NotImplementedError

    def lines(self, columns: int) -> Iterator[SheetLine]:
        """Everything that has to be known before it is done."""
        raise NotImplementedError

    def keys_said(self) -> tuple[BarKey, ...]:
        """Its keys, for the bar on the last line."""
        raise NotImplementedError

    def label_buttons(self, width: int) -> None:
        """Labels that fit a screen of this width."""

    def result_of(self, button: GuardedButton) -> Result:
        """Return the result of a button, the acting one included."""
        raise NotImplementedError

    @property
    def is_possible(self) -> bool:
        """True if the last button is there at all."""
        return True

    # Common to all of them

    def compose(self) -> ComposeResult:
        # The keys of the screen below are not those that work now.
        yield Static(id="footer-cover")
        with Vertical(id="sheet-box"):
            yield self._top
            with Vertical(classes="within"):
                yield self.sheet
            yield self._divider
            with Horizontal(classes="within"):
                yield from self._others
                yield Static(id="spacer")
                yield from self._acting
            yield self._bottom

    @property
    def first_stop(self) -> GuardedButton:
        return self._buttons[0]

    @property
    def can_do(self) -> bool:
        """True if an acting button would be taken now: armed, possible, and all of it seen."""
        return (
            self.is_armed
            and self.is_possible
            and not self._is_answered
            and self.is_active
            and self.sheet.end_seen
            and self.sheet.is_visible
        )

    def on_mount(self) -> None:
        self.lay_out()
        self.restart()
        self.clock.wake(self, self.tick)

    def on_resize(self, event: events.Resize) -> None:
        if event.size != self._laid_out_for:
            self.lay_out()
        self.restart()

    def on_guarded_button_pressed(self, message: GuardedButton.Pressed) -> None:
        message.stop()
        if message.button in self._acting:
            if self.can_do:
                self.answer(self.result_of(message.button))
        elif self.is_armed:
            self.answer(self.result_of(message.button))

    def on_sheet_view_moved(self, message: SheetView.Moved) -> None:
        message.stop()
        self.draw()

    def action_leave(self) -> None:
        if self.is_armed:
            self.leave_at_once()

    def leave_at_once(self) -> None:
        self.answer(self.result_of(self.first_stop))

    def action_press(self) -> None:
        if self.focused not in self._acting:
            self.action_press_other()
        elif self.can_do:
            self.was_too_soon = not self.keys.press(self.focused_since)

    def action_press_other(self) -> None:
        """Press a button that does not act; unknown ones leave."""
        if self.is_armed and self.focused not in self._acting:
            pressed = [one for one in self._buttons if one is self.focused]
            self.answer(self.result_of(pressed[0] if pressed else self.first_stop))

    def action_move(self, step: int, goes_round: bool = False) -> None:
        if self.is_armed:
            stops = [one for one in self._buttons if one.display]
            self.step_focus(stops, step, goes_round=goes_round)

    def action_scroll_sheet(self, where: str) -> None:
        if self.is_armed:
            getattr(self.sheet, f"scroll_{where}")(animate=False)

    def draw(self) -> None:
        for button in self._others:
            button.is_armed = self.is_armed
        self.sheet.is_deaf = not self.may_scroll
        for button in self._acting:
            button.is_armed = self.can_do
            # A press that waits is one of the button that has the focus.
            is_meant = not self.is_armed or button is self.focused
            button.filled = self.filled if is_meant else None
        below = self.sheet.below
        more = f"{below:,} more line{'' if below == 1 else 's'}"
        self._divider.set_words(
            [Content.styled(f" {words} ", "$foreground") for words in ([more] if below else [])],
        )
        self._bottom.set_words(
            padded(bar_wordings(self.app, self.keys_said())),
            status_words(self._status()),
            urgent=True,
        )

    def lay_out(self, *, keep_seen: bool = True) -> None:
        """Fit everything into the screen; `keep_seen`: the lines are unchanged."""
        self._laid_out_for = self.app.size
        width, height = self._laid_out_for
        outer = width if width <= 80 else min(width - 4, _MAX_WIDTH)
        columns = max(outer - 6, 1)
        for button in self._buttons:
            button.room = 0 if width < 48 else 1 if width < 80 else 3
        self.label_buttons(width)
        reserve_bar(self._buttons, columns)
        total = self.sheet.set_lines(list(self.lines(columns)), columns, keep_seen=keep_seen)
        self.sheet.styles.height = min(total, max(height - _FRAME_ROWS, 1))
        self.query_one("#sheet-box").styles.width = outer
        self._top.set_words([Content.styled(f" {self.title_words()} ", "bold $text on $warning")])

    def answer(self, result: Result) -> None:
        """The first answer counts."""
        if not self._is_answered:
            self._is_answered = True
            self.dismiss(result)

    @property
    def _others(self) -> Sequence[GuardedButton]:
        """The buttons that do not act."""
        return self._buttons[: len(self._buttons) - len(self._acting)]

    def tick(self) -> None:
        self.look()
        pressed = next((one for one in self._acting if one is self.focused), None)
        if pressed is not None and self.keys.is_settled(self.now()) and self.can_do:
            self.answer(self.result_of(pressed))
            return
        self.draw()

    def _status(self) -> tuple[str, ...]:
        """Conditions that the buttons wait for, longest wording first."""
        if deaf := self.hearing_words:
            return deaf
        if not self.is_possible:
            return ()
        if not self.sheet.end_seen:
            return ("scroll to the end first", "scroll down")
        if self.keys.is_waiting():
            return (f"{self.doing} - any key stops it", self.doing)
        if self.was_too_soon:
            return TOO_SOON
        return ()


_LABELS = 9


class StartDialog(SheetDialog[bool], inherit_bindings=False):
    """The result is True to start exactly this.

    `before` is the last consent for the entry; what differs from it is among the lines. `guard`:
    keyword arguments of SheetDialog.
    """

    BINDINGS = SheetDialog.BINDINGS
    doing = "starting it"

    def __init__(self, start: ServerStart, before: StartConsent | None, **guard: Any) -> None:
        self.leave = GuardedButton("Do not start it", id="leave")
        self.start = GuardedButton("Start it", id="start")
        super().__init__((self.leave, self.start), **guard)
        self._start = start
        self._before = before

    def title_words(self) -> str:
        return start_title(self._start)

    def lines(self, columns: int) -> Iterator[SheetLine]:
        indent = _LABELS if columns >= 40 else 0
        for one in start_facts(self._start, self._before):
            yield labelled(one.label, indent, (one.words, one.role), exact=True)
        yield SheetLine()
        yield SheetLine(((start_note(self._start), ""),))

    def keys_said(self) -> tuple[BarKey, ...]:
        return keys_of_sheet("Do not start it")

    def label_buttons(self, width: int) -> None:
        self.leave.label = "Leave it" if width < 48 else "Do not start it"

    def result_of(self, button: GuardedButton) -> bool:
        return button is self.start
