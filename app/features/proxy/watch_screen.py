"""The screen of `signoff watch`: all proxies, their calls, and one dialog at a time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Offset
from textual.screen import Screen
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.key_bar import BarKey
from ....widgets.key_footer import KeyFooter
from ....widgets.sheets import SheetView
from ...approval.approval import DECISION_SECONDS, PUT_BACK, withdrawn
from ...approval.questions.question_words import closed_words
from ...approval.questions.questions import AboutCall, Question, QuestionName
from ...content.json.jsonio import JsonValue
from ...content.text import shortened
from ...storage.settings.values import Settings
from ...tui.approving.approval import ApprovalDialog
from ...tui.approving.asker import Asked, DialogApprover, DialogTurns
from ...tui.base.follows_end import FollowsEnd
from ...tui.base.screen_mixin import ScreenMixin
from ...tui.serverless_app import ServerlessApp, run_app
from .edit_screen import EditArguments
from .watch_words import all_lines, heading_words
from .watching import Answering, WatchedProxies, WatchedProxy

DRAW_SECONDS: Final = 0.1
CALLS_SHOWN: Final = 200
_LEAST: Final = 0.1


class HeldDialog(ApprovalDialog, inherit_bindings=False):
    """Asks about a held call, until its proxy denies it; the question can be put back."""

    CSS_PATH = "../../tui/approving/approval.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("approval"),
        *bindings_of("sheet"),
        *bindings_of("watch_held"),
    ]
    MORE_KEYS: ClassVar[tuple[BarKey, ...]] = (BarKey("watch_held.later", rank=1),)

    def action_later(self) -> None:
        """Close the dialog and leave the question open."""
        if self.is_armed and not self.is_void:
            self._answer(withdrawn(PUT_BACK))


class WatchApprover(DialogApprover):
    """Opens the dialogs of one proxy, and the editor of its arguments."""

    asks_again = False

    def __init__(self, screen: Screen[Any], most: float, turns: DialogTurns) -> None:
        """`most`: the seconds that a question may wait, if its proxy waits longer."""
        super().__init__(screen, most, turns)
        self._most = most
        self._editor: EditArguments | None = None
        self.ends: dict[QuestionName, float] = {}

    def dialog_for(self, question: Question) -> Callable[..., ApprovalDialog]:
        return HeldDialog

    def open_dialog(self, asked: Asked, last_click: Offset | None) -> None:
        left = self.ends.get(asked.question.call, math.inf) - time.monotonic()
        self.decision_seconds = min(self._most, max(round(left, 1), _LEAST))
        super().open_dialog(asked, last_click)

    async def edit(self, question: AboutCall) -> dict[str, JsonValue] | None:
        """Let a person write other arguments; None to go back."""
        await self.turns.take(self)
        self._editor = editor = EditArguments(question)
        try:
            return await self.screen.run_worker(
                self.screen.app.push_screen_wait(editor), exit_on_error=False
            ).wait()
        finally:
            self._editor = None
            self.turns.give()

    def void(self, call: QuestionName, reason: str) -> None:
        """A question can no longer be approved; its editor closes, too."""
        super().void(call, reason)
        if self._editor is not None and self._editor.call == call:
            self.screen.app.notify(closed_words(reason), severity="warning", markup=False)
            self._editor.dismiss(None)


class WatchScreen(FollowsEnd, ScreenMixin, Screen[None]):
    """Follows all proxies while it is shown; their questions stay open when it is left."""

    HELP = """
# What hosts do through signoff proxy

Each proxy is between a host and a server. A call that its policy asks about waits for an
answer here, for as long as the host waits. Nothing is sent before. `l` in the dialog puts the
question back: the call stays held, the next question comes first, and `a` shows it again. Below a
call: what other hosts do before they run the tool.
"""
    DEFAULT_CSS = """
    WatchScreen { layout: vertical; }
    WatchScreen > #head {
        height: 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis;
    }
    WatchScreen > SheetView { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("watch")

    def __init__(self, decision_seconds: float = DECISION_SECONDS, *, answers: bool = True) -> None:
        super().__init__()
        self._decision_seconds = decision_seconds
        self._answers = answers
        self._turns = DialogTurns()
        self._last_click: Offset | None = None
        self._is_dirty = True
        self._second = 0
        """When it was drawn last, on the monotonic clock."""
        self.watching = WatchedProxies(self._changed, self._answering)

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        yield SheetView(id="calls")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.set_interval(DRAW_SECONDS, self._draw_if_changed)
        self.run_worker(self.watching.run(), name="proxies", exit_on_error=True)
        self._draw()

    def on_unmount(self) -> None:
        self.watching.close()

    def on_resize(self) -> None:
        self._draw()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._last_click = event.screen_offset

    @on(Asked)
    def _asked(self, message: Asked) -> None:
        message.approver.open_dialog(message, self._last_click)

    def _answering(self, proxy: WatchedProxy) -> Answering | None:
        if not self._answers:
            return None
        return WatchApprover(self, self._decision_seconds, self._turns)

    def _changed(self, proxy: WatchedProxy) -> None:
        self._is_dirty = True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "answer":
            return self.watching.put_back > 0
        return super().check_action(action, parameters)

    def action_answer(self) -> None:
        """Show the questions again that were put back."""
        self.watching.take_up()

    def _draw_if_changed(self) -> None:
        second = int(time.monotonic())
        is_later = second != self._second and self.watching.open_questions > 0
        if self._is_dirty or is_later:
            self._second = second
            self._is_dirty = False
            self._draw()

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        width = max(self.app.size.width - 3, 10)
        heading = shortened(f" Signoff  {heading_words(self.watching)}", width)
        self.query_one("#head", Static).update(Content(heading))
        sheet = self.sheet
        sheet.set_lines(all_lines(self.watching, CALLS_SHOWN), sheet.room, keep_seen=True)
        self.keep_end()
        self.refresh_bindings()

    @property
    def sheet(self) -> SheetView:
        return self.query_one("#calls", SheetView)


def run(settings: Settings, *, answers: bool) -> int:
    """Show it until it is left; returns the exit status."""
    screen = WatchScreen(settings.seconds("decision_seconds"), answers=answers)
    return run_app(ServerlessApp(screen, settings, settings.text("theme")))
