"""Grants screen: approvals with scope, age, uses and expiry; denials of this session."""

from __future__ import annotations

import json
import shlex
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
from ...approval.questions.server_lines import bound_lines
from ...content.frozen import frozen
from ...content.labels import ago, stamp
from ...content.text import count, visible
from ...tui.base.browser_screen import BrowserDialog
from ...tui.base.context import ScreenContext

if TYPE_CHECKING:
    from ...engine.engine import Engine

SCOPE_CELLS, AGE_CELLS, USES_CELLS, ENDS_CELLS = 24, 11, 9, 18


@frozen
class DeniedTool:
    """A tool that is denied for this session; its exact name."""

    name: str


Row = Grant | DeniedTool


class GrantList(KeyedList[Row]):
    """Draws grants and denials as given; `now` is in seconds of the epoch."""

    tells_whole = True

    empty = "no remembered approvals: every call that needs approval asks"
    now = 0.0

    def key(self, row: Row) -> Hashable:
        # A grant may have been used since.
        return row.id if isinstance(row, Grant) else row

    def paint(self, row: Row, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        cursor = Segment("› " if under_cursor else "  ", base)
        if isinstance(row, DeniedTool):
            scope, facts, tool, server = "denied, this session", "", row.name, ""
        else:
            scope, tool, server = scope_words(row), row.tool, row.server_name
            facts = (
                right(ago(row.given_at, self.now), AGE_CELLS)
                + right(uses(row), USES_CELLS)
                + "  "
                + left(ends(row), ENDS_CELLS)
            )
        room = width - 2 - SCOPE_CELLS
        if room < 24 + len(facts):
            facts = ""
        names = max(1, room - len(facts))
        server_cells = min(24, names // 3) if server else 0
        return [
            cursor,
            Segment(left(scope, SCOPE_CELLS), base),
            *server_name(tool, names - server_cells, base),
            *(server_text(server, server_cells, muted) if server_cells else ()),
            Segment(facts, muted),
        ]


def scope_words(grant: Grant) -> str:
    """`tool, this session`, without the word that every row would begin with."""
    words = grant.scope.value.removeprefix("these ").removeprefix("this ")
    return "tool, until a date" if words.startswith("tool, until") else words


def uses(grant: Grant) -> str:
    """Describe how often a grant let a call run: `1 use`, `7 uses`."""
    return count(grant.uses, "use")


def ends(grant: Grant) -> str:
    """Return the expiry of a grant, in local time."""
    if grant.expires_at is None:
        return "with the session"
    return stamp(grant.expires_at)


def described(row: Row, now: float) -> list[str]:
    """A row in full, in lines that are safe to show; `now` in seconds of the epoch."""
    if isinstance(row, DeniedTool):
        return [f"{visible(row.name)} is denied for the rest of this session, whatever it is given"]
    lines = [
        f"covers      {row.scope.value}",
        f"tool        {visible(row.tool)}",
        f"server      {visible(row.server_name)}",
        *(f"            {line}" for line in identity_lines(row.masked_server)),
        *(f"{label:<11} {words}" for label, words in bound_lines(row.runs)),
        f"definition  sha256 {row.definition_digest[:16]}; any other definition asks again",
    ]
    if row.arguments_digest is not None:
        lines.append(f"arguments   sha256 {row.arguments_digest[:16]}; any others ask again")
    lines += [
        f"given       {ago(row.given_at, now)}, {uses(row)}",
        f"ends        {ends(row)}",
    ]
    return lines


def identity_lines(identity: str) -> list[str]:
    """Describe the identity that an approval is bound to; a command as words."""
    try:
        _, folder, variables, argv, *names = json.loads(identity)
        command = shlex.join(argv)
    except (ValueError, TypeError):
        return [visible(identity)]
    lines = [visible(command), f"in the folder {visible(str(folder))}"]
    if variables:
        lines.append(f"with the variables {visible(', '.join(map(str, variables)))}")
    if names:
        lines.append(f"as the server {visible(', '.join(map(str, names)))} of several")
    return lines


LOOK_SECONDS = 0.3
AGE_SECONDS = 10
"""Seconds between updates of the shown ages."""
SLIPPED_SECONDS = 1.0
"""Seconds of rest after the row under the cursor went away: its successor was not seen yet."""


class GrantsScreen(BrowserDialog[Row, None]):
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
        denied = [DeniedTool(name) for name in (*memory.denied, *self._engine.requests.muted)]
        listed = self.query_one(GrantList)
        listed.now = memory.clock()
        grants = memory.grants()
        listed.show([*denied, *grants])
        self.draw_box_bar()
        problem = self.query_one(".problem", Static)
        problem.display = bool(memory.problem)
        problem.update(Content(f"Approvals cannot be remembered: {memory.problem}"))
        self.draw_detail()

    def draw_detail(self) -> None:
        row = self.current
        lines = (
            described(row, self._engine.memory.clock())
            if row is not None
            else ["Choose a “remember” option other than “no” in an approval dialog to add one."]
        )
        ended = self._engine.memory.ended
        if ended:
            names = ", ".join(visible(name) for name in ended)
            lines.append(f"Ended in this session, since the definition changed: {names}")
        self.query_one(".about", Static).update(Content("\n".join(lines)))


def show(context: ScreenContext) -> None:
    """Show the remembered approvals."""
    context.screen.app.push_screen(GrantsScreen(context.engine))
