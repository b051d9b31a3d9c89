"""The screen of a sign-in page that is open in a browser: it waits for the page to come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from ....widgets.bindings import bindings_of
from ....widgets.key_bar import BarKey
from ...content.text import sentence, visible
from ...protocol.answers.links import look_at
from ...transport.sign_in.asking import SignInVisit
from ..base.box_bar import HasBoxBar
from ..base.external import find_program, open_outside
from ..base.failures import NOT_DONE, TellsFailures
from ..base.screen_mixin import ScreenMixin

TICK_SECONDS = 0.5
UNKNOWN = "If the page does not know the client, f8 registers Signoff again."


class VisitScreen(HasBoxBar, ScreenMixin, ModalScreen[None], TellsFailures):
    """Opens the page, shows its address, and takes the one that the browser ended at."""

    FAILED = NOT_DONE
    BOX_KEYS = (
        BarKey("enter", "Use it"),
        BarKey("visit.open", "Open again"),
        BarKey("visit.copy", "Copy"),
        BarKey("visit.leave", "Give up"),
    )
    REGISTER = BarKey("visit.register", "Register again")
    HELP = """
# A sign-in page is open

Sign in on the page in your browser. It leads back to an address of this machine, where Signoff
waits, and then the session goes on by itself. If the browser is on another machine, that last page
cannot be shown there: copy its whole address and paste it here.

`f5` opens the page again, `f2` copies its address, `esc` gives up.
"""
    DEFAULT_CSS = """
    VisitScreen { align: center middle; background: $background 70%; }
    VisitScreen > Vertical {
        width: 90%; max-width: 100; height: auto; max-height: 90%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    VisitScreen Static { height: auto; }
    VisitScreen VerticalScroll { height: auto; max-height: 6; margin: 1 0; }
    VisitScreen #address { color: $text-muted; }
    VisitScreen Input { background: $panel; }
    VisitScreen #problem { color: $text-error; }
    """
    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("visit")

    def __init__(self, visit: SignInVisit) -> None:
        super().__init__()
        self.visit = visit

    def compose(self) -> ComposeResult:
        host = look_at(self.visit.url).host
        with Vertical() as box:
            box.border_title = Content.assemble("Sign in at ", (visible(host), "bold"))
            yield Static("Opening the page in your browser …", id="state", markup=False)
            with VerticalScroll(can_focus=False):
                yield Static(Content(visible(self.visit.url)), id="address")
            yield Static(
                "Signoff goes on when the page comes back. Is the browser on another machine? "
                "Then paste the address at which it ended:",
                markup=False,
            )
            if self.visit.can_register:
                yield Static(UNKNOWN, markup=False)
            yield Input(placeholder="http://127.0.0.1:…", compact=True)
            yield Static(id="problem", markup=False)

    def on_mount(self) -> None:
        super().on_mount()
        self._open()
        self._draw()
        self.set_interval(TICK_SECONDS, self._draw)

    def close(self) -> None:
        """Leave: the visit is over."""
        if self.is_active:
            self.dismiss(None)
        elif self in self.app.screen_stack:
            # The palette or the help may be on top.
            while self.app.screen is not self:
                self.app.pop_screen()
            self.dismiss(None)

    def action_open(self) -> None:
        self._open()

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self.visit.url)
        self._say("The address was copied.")

    def action_register_again(self) -> None:
        self.visit.register_again()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "register_again":
            return self.visit.can_register
        return super().check_action(action, parameters)

    @property
    def box_keys(self) -> Sequence[BarKey]:
        keys = list(self.BOX_KEYS)
        if self.visit.can_register:
            keys.insert(-1, self.REGISTER)
        return keys

    def action_leave(self) -> None:
        self.visit.cancel()

    @on(Input.Submitted)
    def _pasted(self, message: Input.Submitted) -> None:
        message.stop()
        problem = self.visit.paste(message.value)
        self.query_one("#problem", Static).update(Content(sentence(problem) if problem else ""))

    @work(exclusive=True, group="open", exit_on_error=False)
    async def _open(self) -> None:
        program = find_program()
        problem = await open_outside(self.visit.url, program) if program else "no browser here"
        if problem:
            self._say(f"Not opened: {sentence(problem)} Open this address yourself; f2 copies it.")
        else:
            self._say("The page is open in your browser. Sign in there.")

    def _say(self, words: str) -> None:
        self.query_one("#state", Static).update(Content(words))

    def _draw(self) -> None:
        minutes, seconds = divmod(round(self.visit.seconds_left), 60)
        box = self.query_one(Vertical)
        box.border_title = Content.assemble(
            "Sign in at ",
            (visible(look_at(self.visit.url).host), "bold"),
            f" · waits {minutes}:{seconds:02}",
        )
