"""The matrix: every tool against every policy and the rules of every host."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar, Final, TypeAlias

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.key_footer import KeyFooter
from ....widgets.matrix.grid import MatrixGrid
from ....widgets.matrix.rows import GridColumn, GridRow, Pair, Sides
from ....widgets.sheets import SheetView
from ...approval.matrix import HINT_NAMES, column_title, is_host
from ...approval.policies.modes import host_of
from ...approval.policies.policy import Policy
from ...content.text import visible
from ...engine.calls.resolving import resolve_arguments
from ...engine.engine import Engine
from ...engine.policy_state import read_rulebook
from ...engine.session_config import Target
from ...presentation.feature import has_hook, hook
from ...protocol.extensions.tool_resolution import NAME, is_resolvable
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from ...tui.base.browser_screen import NO_TOOLS, DetailScreen
from ...tui.base.context import ScreenContext, Shown
from ...tui.text.pager import PagerScreen, PagerSection, plain_lines
from .resolved_screen import Resolve, ResolvedScreen
from .screen_lines import compared_words, detail_lines, head, host_lines, legend, title
from .screen_state import MatrixState, Overrides

ROOM = ((34, 8, 2), (28, 7, 2), (22, 5, 2), (0, 4, 1))
"""On a screen of at least so many rows: rows for the words about a cell, and for the legend."""

_WHY: Final = "why, in lines"
"""The part of a feature that finds why a host decides so."""
Trace: TypeAlias = Callable[[ToolDefinition, str], Sequence[str]]
OTHER_ROWS = 2
"""The head, and the keys."""


class MatrixScreen(DetailScreen[str]):
    """Shows which calls would run, ask, be refused or hidden; hints can be tried.

    Dismissed with the name of the policy to use, or None.

    Args:
        tools: As listed by the server.
        columns: Policies first, then hosts.
        server_name: The configured name; rules may match it.
        trust: Whether the server is trusted now, which decides the verdicts that count; None for
            several servers.
        overrides: The active what-if: tool name to hint name to a value, None for not set.
        on_override: Called with the whole what-if whenever it changes.
        on_columns: Called with the names of hosts that are to be columns of the list of tools.
        resolve: Resolves the hints of a tool for arguments; None without the draft.
        trace: Finds why a host, by its name, decides so about a tool; it runs in a thread.
        has_sections: It is the bundled server, which has more after its lessons.
    """

    CSS_PATH = "screen.tcss"
    AUTO_FOCUS = "MatrixGrid"
    GRID: ClassVar[type[MatrixGrid]] = MatrixGrid

    HELP = """
# The matrix

The verdict of each policy and each host on a call: it runs, asks, is refused, or the host hides the
tool. Two words in a cell are for an untrusted and for a trusted server.

`o` shows the next mode of a host, such as its plan mode or a run without a screen. `v` shows the
files and lines of this machine by which the host decides.

A hint that you try changes this table only. Nothing is sent to the server.

For a report: `signoff matrix TARGET --html FILE`, or `--markdown`, or `--json`.
"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("matrix")

    def __init__(
        self,
        tools: Sequence[ToolDefinition],
        columns: Sequence[Policy],
        server_name: str,
        trust: Trust | None,
        overrides: Mapping[str, Mapping[str, bool | None]] | None = None,
        on_override: Callable[[Overrides], None] | None = None,
        *,
        on_columns: Callable[[list[str]], None] | None = None,
        trace: Trace | None = None,
        resolve: Resolve | None = None,
        start: ToolDefinition | None = None,
        current: str = "",
        has_sections: bool = False,
    ) -> None:
        """The cursor begins on the tool `start` under the column named `current`."""
        super().__init__()
        self._start, self._current = start, current
        self._tools = tools
        self._state = MatrixState(
            tools,
            columns,
            server_name,
            overrides or {},
            has_sections=has_sections,
            current=current,
        )
        self._server_name = server_name
        self._trust = trust
        self._on_override = on_override
        self._on_columns = on_columns
        self._trace = trace
        self._resolve = resolve
        self._sides = Sides.BOTH
        self._only_disagreeing = False
        self._can_reset = False
        self._has_modes = False
        self._is_short = False
        """Whether the grid leaves rows free."""

    def take(
        self,
        tools: Sequence[ToolDefinition],
        trust: Trust,
        overrides: Mapping[str, Mapping[str, bool | None]],
    ) -> None:
        """Show tools, trust and what-if as they are by now; the cursor stays on its cell."""
        is_same = tools is self._tools and dict(overrides) == self._state.overrides
        if is_same and trust is self._trust:
            return
        self._trust = trust
        if not is_same:
            self._tools = tools
            self._state = self._state.of_now(tools, overrides)
        if self.is_mounted:
            self._draw()
            self.refresh_bindings()

    def compose(self) -> ComposeResult:
        yield Static(id="matrix-head", markup=False)
        yield self.GRID(id="matrix-grid")
        with Vertical(id="matrix-detail"):
            yield SheetView(id="matrix-words")
        yield Static(id="matrix-legend", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        self._draw()
        names = [column.name for column in self._state.columns]
        column = names.index(self._current) if self._current in names else 0
        self._grid.move_to_tool(self._start, column)
        # The question that a reader comes with is about hosts.
        hosts = [at for at, one in enumerate(self._state.columns) if is_host(one)]
        if hosts and not is_host(self._state.columns[column]):
            self.call_after_refresh(self._grid.start_at, hosts[0])

    def on_resize(self, event: events.Resize) -> None:
        self._draw_words()
        self._share_rows()
        self._draw_detail()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "reset":
            return True if self._can_reset else None
        if action == "columns":
            return self._on_columns is not None
        if action == "trace":
            return self._trace is not None
        if action == "resolve":
            return self._resolve is not None
        if action == "mode":
            return True if self._has_modes else None
        if action == "disagreeing" and not self._only_disagreeing:
            return True if self._state.disagreeing else None
        return super().check_action(action, parameters)

    def owner_of(self, tool: ToolDefinition) -> str:
        """The name of the server of a tool; empty if all are of one."""
        return ""

    def choose(self, column: int) -> None:
        """Take the choice of a cell: close the screen with the name of its policy or host."""
        self.dismiss(self._state.columns[column].name)

    # Keys

    def action_disagreeing(self) -> None:
        self._only_disagreeing = not self._only_disagreeing
        self._draw()
        state = self._state
        if self._only_disagreeing and len(state.tools) == state.disagreeing > 1:
            self.notify("d hides nothing: the columns differ on every tool. space: select columns.")

    def action_sides(self) -> None:
        self._sides = self._sides.following
        self._draw()

    def action_mark(self) -> None:
        if self._row_meant:
            self._state.mark(self._grid.column)
            self._draw()
            self.refresh_bindings()

    def action_columns(self) -> None:
        """Make the selected hosts, or the one of the cursor, the columns of the list of tools."""
        state = self._state
        chosen = state.picked or (state.columns[self._grid.column],)
        names = [one.name.partition(":")[0] for one in chosen if is_host(one)]
        if not names:
            self.notify("Select hosts first: space selects a column.", markup=False)
        elif self._on_columns is not None:
            self._on_columns(names)

    def action_mode(self) -> None:
        if self._state.has_modes(self._grid.column):
            self._state.turn_mode(self._grid.column)
            self._draw()
            self.refresh_bindings()

    def action_trace(self) -> None:
        """Show why the host under the cursor decides so, by the files of this machine."""
        row, policy = self._row_meant, self._state.columns[self._grid.column]
        if row is None or self._trace is None:
            return
        if not is_host(policy):
            self.notify("Go to the column of a host first.", markup=False)
            return
        self.run_worker(self._show_trace(self._trace, row.tool, policy), group="trace")

    async def _show_trace(self, trace: Trace, tool: ToolDefinition, policy: Policy) -> None:
        lines = await asyncio.to_thread(trace, tool, policy.name)
        text = plain_lines("\n".join(lines))
        title = Content(f"Why {visible(column_title(policy))} decides so")
        self.app.push_screen(PagerScreen(title, [PagerSection("this machine", text, is_ours=True)]))

    def action_resolve(self) -> None:
        """Compare the decisions on the tool by static hints and by resolved ones."""
        row = self._row_meant
        if row is None or self._resolve is None:
            return
        if not is_resolvable(row.tool.raw):
            self.notify("The server does not mark this tool as resolvable.", markup=False)
            return
        self.app.push_screen(
            ResolvedScreen(row.tool, self._state.columns, self._server_name, self._resolve)
        )

    def action_turn(self, number: int) -> None:
        if row := self._row_meant:
            self._state.turn(row.tool, HINT_NAMES[number])
            self._overrides_changed()

    def action_reset(self) -> None:
        if row := self._grid.row:
            self._state.reset(row.tool)
            self._overrides_changed()

    @on(MatrixGrid.Moved)
    def _moved(self, message: MatrixGrid.Moved) -> None:
        message.stop()
        self._draw_detail()
        self._offer_keys()

    @on(MatrixGrid.Chosen)
    def _chosen(self, message: MatrixGrid.Chosen) -> None:
        message.stop()
        self.choose(message.column)

    @on(MatrixGrid.NoneChosen)
    def _none_chosen(self, message: MatrixGrid.NoneChosen) -> None:
        message.stop()
        self._say_no_row()

    @property
    def _row_meant(self) -> GridRow | None:
        """The row for a key; without one, show a notice."""
        row = self._grid.row
        if row is None:
            self._say_no_row()
        return row

    def _say_no_row(self) -> None:
        self.notify(f"No row is selected: {self._empty}.", markup=False)

    # Drawing

    @property
    def _room(self) -> tuple[int, int]:
        rows = self.size.height
        return next((detail, legend) for least, detail, legend in ROOM if rows >= least)

    @property
    def _grid(self) -> MatrixGrid:
        return self.query_one(MatrixGrid)

    def _offer_keys(self) -> None:
        row = self._grid.row
        has_modes = self._state.has_modes(self._grid.column)
        offered = bool(row and row.what_if), has_modes
        if offered != (self._can_reset, self._has_modes):
            self._can_reset, self._has_modes = offered
            self.refresh_bindings()

    def _overrides_changed(self) -> None:
        self._draw()
        if self._on_override is not None:
            self._on_override(self._state.overrides)

    def _draw(self) -> None:
        columns = [
            GridColumn(visible(column_title(policy)), is_host(policy), at in self._state.marked)
            for at, policy in enumerate(self._state.columns)
        ]
        rows = self._state.rows(only_disagreeing=self._only_disagreeing)
        self._grid.show(columns, rows, self._sides, empty=self._empty)
        self._draw_words()
        self._share_rows()

    def _share_rows(self) -> None:
        """Give a short grid its rows and the words about a cell the rest; else the grid has it."""
        detail, legend_rows = self._room
        grid, words = self._grid, self.query_one("#matrix-detail")
        spare = self.size.height - OTHER_ROWS - legend_rows - grid.all_rows - detail - 1
        is_short = bool(self._state.tools) and spare > 0
        if is_short is not self._is_short:
            self._is_short = is_short
            self._draw_detail()
        grid.styles.height = grid.all_rows if is_short else "1fr"
        words.styles.height = "1fr" if is_short else detail + 1

    @property
    def _empty(self) -> str:
        if not self._state.tools:
            return NO_TOOLS
        return "no known difference between the compared columns: d shows all"

    def _draw_words(self) -> None:
        state, width = self._state, self.size.width - 2
        tools = compared_words(state, is_filtered=self._only_disagreeing)
        line = head(self._server_name, self._trust, tools, state.what_ifs, width)
        self.query_one("#matrix-head", Static).update(line)
        _, most = self._room
        what_ifs = bool(state.what_ifs)
        words_of_cells = legend(
            width, most, sides=self._sides, marks=state.marks, what_ifs=what_ifs
        )
        self.query_one("#matrix-legend", Static).update(words_of_cells)

    def _draw_detail(self) -> None:
        row, column = self._grid.row, self._grid.column
        if row is None or not self._state.columns:
            self.show_detail([])
            return
        policy = self._state.columns[column]
        what_if: Pair | None = row.what_if[column] if row.what_if else None
        lines = detail_lines(
            row.tool, self._state.supposed(row.tool), policy, row.pairs[column], what_if
        )
        if self._is_short:
            pairs = row.what_if or row.pairs
            lines += host_lines(self._state.columns, pairs, self._trust or Trust.UNTRUSTED)
        cell = (row.tool.name, policy.name)
        self.show_detail(lines, self.size.width - 2, about=cell)

    def draw_detail_frame(self) -> None:
        row, words = self._grid.row, Content()
        if row is not None and self._state.columns:
            policy = self._state.columns[self._grid.column]
            words = title(
                row.tool,
                policy,
                self.size.width - 6,
                server=self.owner_of(row.tool),
                below=self._below,
                is_what_if=bool(row.what_if),
            )
        self.query_one("#matrix-detail").border_title = words


def show(context: ScreenContext, column: str = "") -> Shown:
    """Show every tool under every policy and host; hints can be flipped for a what-if.

    The cursor begins under the policy or host of that name, or under the active policy.
    """
    rulebook, engine = context.rulebook(), context.engine
    is_mode = host_of(rulebook.hosts, engine.policy) is not None
    trace, opening = None, context.opening
    if opening is not None and has_hook(_WHY):
        trace = partial(_trace, engine, opening.session.target)
    screen = MatrixScreen(
        engine.tools,
        rulebook.columns if is_mode else context.with_current(rulebook),
        engine.server.name,
        engine.server.trust,
        engine.consent.what_if,
        lambda overrides: _take_what_if(engine, overrides),
        on_columns=None if context.workplace is None else context.workplace.choose_hosts,
        trace=trace,
        resolve=partial(resolve_arguments, engine) if NAME in engine.server.experimental else None,
        start=context.tool,
        current=column or engine.policy.name,
        has_sections=engine.server.is_bundled,
    )
    context.screen.app.push_screen(screen, lambda name: context.live_by(rulebook, name))
    return (
        screen,
        lambda: screen.take(engine.tools, engine.server.trust, engine.consent.what_if),
    )


def _trace(engine: Engine, target: Target, tool: ToolDefinition, host: str) -> Sequence[str]:
    found: Sequence[str] = hook(_WHY)(engine.tools, engine.server.name, target, tool, host)
    return found


def palette(context: ScreenContext) -> list[tuple[str, Callable[[], object]]]:
    """The modelled hosts by title, each with a function that opens the matrix under it."""
    hosts = read_rulebook().hosts
    return [(one.title or one.name, partial(show, context, one.name)) for one in hosts]


def _take_what_if(engine: Engine, overrides: Overrides) -> None:
    for name in {*engine.consent.what_if, *overrides}:
        if engine.consent.what_if.get(name, {}) != overrides.get(name, {}):
            engine.consent.set_what_if(name, overrides.get(name, {}))
