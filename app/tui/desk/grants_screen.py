"""What is remembered: approvals with their scope, age, uses and end; denials of this session."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ...content.text import visible
from ..fresh_sizes import FreshSizes
from .grant_list import DeniedTool, GrantList, described, is_same_row

if TYPE_CHECKING:
    from ...engine.engine import Bench


LOOK_SECONDS = 0.3
AGE_SECONDS = 10
"""How long the ages of what is shown stand."""
SLIPPED_SECONDS = 1.0
"""After a row went away under the cursor: nobody has seen yet what the cursor is on instead."""


class GrantsScreen(FreshSizes, ModalScreen[None]):
    """Lists what is remembered and takes it back, one by one or all.

    It follows what this Signoff and others remember, or take back, meanwhile.
    """

    DEFAULT_CSS = """
    GrantsScreen { align: center middle; }
    GrantsScreen > Vertical {
        width: 95%; height: 95%; border: round $primary; background: $surface; padding: 0 1;
    }
    GrantsScreen GrantList { height: 1fr; }
    GrantsScreen Static { height: auto; }
    GrantsScreen .about { border-top: solid $foreground 30%; }
    GrantsScreen .problem { color: $text-warning; }
    """

    HELP = """
# Remembered approvals

What you approved or denied for longer than one call. A call that one of them covers is not asked
about; it covers what it says and nothing else, and ends with any change of the tool's definition.
"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f10", "dismiss", "Close", id="grants.close", tooltip="Back."),
        Binding("delete,r", "revoke", "Revoke", id="grants.revoke", tooltip="Take this one back."),
        Binding("f5", "reload", "Refresh", id="grants.reload", tooltip="Look once more."),
        Binding("X", "revoke_all", "Revoke all", id="grants.all", tooltip="Twice: take all back."),
    ]

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self._bench = bench
        self._is_sure = False
        self._seen: object = None
        self._slipped_at = -SLIPPED_SECONDS

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content("Remembered approvals")
            box.border_subtitle = Content("esc closes · r revokes · X twice revokes all")
            yield Static(classes="problem", markup=False)
            yield GrantList()
            yield Static(classes="about", markup=False)

    def on_mount(self) -> None:
        self._draw()
        self.query_one(GrantList).focus()
        self.set_interval(LOOK_SECONDS, self._look)

    def on_grant_list_highlighted(self, message: GrantList.Highlighted) -> None:
        message.stop()
        self._describe()

    def action_revoke(self) -> None:
        row = self.query_one(GrantList).highlighted
        if row is None:
            return
        if time.monotonic() - self._slipped_at < SLIPPED_SECONDS:
            self.notify("What the cursor was on is gone: look at what it is on.", markup=False)
            return
        if isinstance(row, DeniedTool):
            if row.name in self._bench.requests.muted:
                self._bench.requests.person.unmute(row.name)
            self._bench.consent.allow_again(row.name)
        else:
            self._bench.consent.revoke(row)
        self._is_sure = False
        self._draw()

    def action_revoke_all(self) -> None:
        """The second press in a row does it."""
        if not self._is_sure:
            self._is_sure = True
            self.notify("Press X once more to revoke all of them, of every server.", markup=False)
            return
        self._is_sure = False
        count = self._bench.consent.revoke_all()
        self.notify(f"{count:,} revoked", markup=False)
        self._draw()

    def action_reload(self) -> None:
        self._draw()

    @property
    def _mark(self) -> object:
        memory = self._bench.memory
        return memory.mark, self._bench.requests.muted, memory.clock() // AGE_SECONDS

    def _look(self) -> None:
        """What is remembered changes with every call, and by other programs."""
        if self._mark == self._seen:
            return
        rows = self.query_one(GrantList)
        before = rows.highlighted
        self._draw()
        if before is not None and not is_same_row(before, rows.highlighted):
            self._slipped_at = time.monotonic()

    def _draw(self) -> None:
        self._seen = self._mark
        memory = self._bench.memory
        denied = [DeniedTool(name) for name in (*memory.denied, *self._bench.requests.muted)]
        self.query_one(GrantList).show([*denied, *memory.grants()], memory.clock())
        problem = self.query_one(".problem", Static)
        problem.display = bool(memory.problem)
        problem.update(Content(f"Approvals cannot be remembered: {memory.problem}"))
        self._describe()

    def _describe(self) -> None:
        row = self.query_one(GrantList).highlighted
        lines = (
            described(row, self._bench.memory.clock())
            if row is not None
            else ["What you choose under “remember” in a dialog, beyond “once”, stands here."]
        )
        ended = self._bench.memory.ended
        if ended:
            names = ", ".join(visible(name) for name in ended)
            lines.append(f"Ended in this session, since the definition changed: {names}")
        self.query_one(".about", Static).update(Content("\n".join(lines)))
