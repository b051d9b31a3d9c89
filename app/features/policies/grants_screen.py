"""Grants screen: approvals with scope, age, uses and expiry; denials of this session."""

from __future__ import annotations

import time
from collections.abc import Hashable
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.cells import left, right, server_name, server_text
from ....widgets.key_bar import BarKey
from ....widgets.lists.row_list import KeyedList
from ...approval.grants import Grant
from ...content.texts.facts import cells, texts
from ...content.texts.facts import lines as lines_of
from ...presentation.grants import DeniedTool, Remembered, denied_of, ended_words, facts
from ...tui.base.browser_screen import BrowserDialog
from ...tui.base.context import ScreenContext

if TYPE_CHECKING:
    from ...engine.engine import Engine

SCOPE_CELLS, AGE_CELLS, USES_CELLS, ENDS_CELLS = 24, 11, 9, 18


class GrantList(KeyedList[Remembered]):
    """Draws grants and denials as given; `now` is in seconds of the epoch."""

    tells_whole = True

    empty = "no remembered approvals: every call that needs approval asks"
    now = 0.0

    def key(self, row: Remembered) -> Hashable:
        # A grant may have been used since.
        return row.id if isinstance(row, Grant) else row

    def paint(self, row: Remembered, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        cursor = Segment("› " if under_cursor else "  ", base)
        shown = cells(facts(row, self.now))
        scope = shown["covers"].removeprefix("these ").removeprefix("this ")
        tool, server, more = row.name if isinstance(row, DeniedTool) else row.tool, "", ""
        if isinstance(row, Grant):
            server = row.server_name
            more = right(shown["given"], AGE_CELLS) + right(shown["uses"], USES_CELLS)
            more += "  " + left(shown["ends"], ENDS_CELLS)
        room = width - 2 - SCOPE_CELLS
        if room < 24 + len(more):
            more = ""
        names = max(1, room - len(more))
        server_cells = min(24, names // 3) if server else 0
        return [
            cursor,
            Segment(left(scope, SCOPE_CELLS), base),
            *server_name(tool, names - server_cells, base),
            *(server_text(server, server_cells, muted) if server_cells else ()),
            Segment(more, muted),
        ]


LOOK_SECONDS = 0.3
AGE_SECONDS = 10
"""Seconds between updates of the shown ages."""
SLIPPED_SECONDS = 1.0
"""Seconds of rest after the row under the cursor went away: its successor was not seen yet."""


class GrantsScreen(BrowserDialog[Remembered, None]):
    """Lists grants and denials and revokes them, one by one or all.

    It follows changes by this Signoff and by others.
    """

    DEFAULT_CSS = """
    GrantsScreen .about { border-top: solid $foreground 30%; }
    GrantsScreen .problem { color: $text-warning; }
    """

    HELP = """
# Remembered approvals

Your approvals and denials for more than one call. A covered call does not ask. Each entry covers
only the calls it describes, and ends if the tool's definition changes.
"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("grants")
    BOX_KEYS = (
        BarKey("grants.close"),
        BarKey("grants.revoke", key="r"),
        BarKey("grants.all", key="X X"),
        BarKey("grants.reload", "", 1),
    )

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine
        self._is_sure = False
        self._seen: object = None
        self._slipped_at = -SLIPPED_SECONDS

    def compose_list(self) -> ComposeResult:
        yield Static(classes="problem", markup=False)
        yield GrantList()

    def compose_detail(self) -> ComposeResult:
        yield Static(classes="about", markup=False)

    def on_mount(self) -> None:
        box = self.query_one("#box")
        box.border_title = Content("Remembered approvals")
        self._draw()
        self.set_interval(LOOK_SECONDS, self._look)

    def action_revoke(self) -> None:
        row = self.current
        if row is None:
            return
        if time.monotonic() - self._slipped_at < SLIPPED_SECONDS:
            self.notify("The selected entry is gone. Check the new selection.", markup=False)
            return
        if isinstance(row, DeniedTool):
            if row.name in self._engine.requests.muted:
                self._engine.requests.person.unmute(row.name)
            self._engine.consent.allow_again(row.name)
        else:
            self._engine.consent.revoke(row)
        self._is_sure = False
        self._draw()

    def action_revoke_all(self) -> None:
        """The second press in a row does it."""
        if not self._is_sure:
            self._is_sure = True
            self.notify("Press X again to revoke all of them, for every server.", markup=False)
            return
        self._is_sure = False
        count = self._engine.consent.revoke_all()
        self.notify(f"{count:,} revoked", markup=False)
        self._draw()

    def action_reload(self) -> None:
        self._draw()

    @property
    def _mark(self) -> object:
        memory = self._engine.memory
        return memory.mark, self._engine.requests.muted, memory.clock() // AGE_SECONDS

    def _look(self) -> None:
        """Refresh: grants change with every call, and by other programs."""
        if self._mark == self._seen:
            return
        before, key = self.current, self.row_list.key
        self._draw()
        after = self.current
        if before is not None and (after is None or key(before) != key(after)):
            self._slipped_at = time.monotonic()

    def _draw(self) -> None:
        self._seen = self._mark
        memory = self._engine.memory
        listed = self.query_one(GrantList)
        listed.now = memory.clock()
        grants = memory.grants()
        listed.show([*denied_of(self._engine), *grants])
        self.draw_box_bar()
        problem = self.query_one(".problem", Static)
        problem.display = bool(memory.problem)
        problem.update(Content(f"Approvals cannot be remembered: {memory.problem}"))
        self.draw_detail()

    def draw_detail(self) -> None:
        row = self.current
        lines = (
            texts(list(lines_of(facts(row, self._engine.memory.clock()))))
            if row is not None
            else ["Choose a “remember” option other than “no” in an approval dialog to add one."]
        )
        if ended := ended_words(self._engine.memory.ended):
            lines.append(ended)
        self.query_one(".about", Static).update(Content("\n".join(lines)))


def show(context: ScreenContext) -> None:
    """Show the remembered approvals."""
    context.screen.app.push_screen(GrantsScreen(context.engine))
