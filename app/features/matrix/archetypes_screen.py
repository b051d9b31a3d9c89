"""Archetypes screen: each tool beside the archetype that its name suggests, with disputes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType

from ....widgets.bindings import bindings_of
from ....widgets.cells import left
from ....widgets.key_bar import BarKey
from ....widgets.lists.row_list import KeyedList
from ...approval.archetypes.holding import Holding, hold
from ...approval.policies.policy import Policy
from ...content.texts.sheet_line import SheetLine
from ...protocol.tool import ToolDefinition
from ...tui.base.browser_screen import NO_TOOLS, BrowserScreen
from ...tui.base.context import ScreenContext, Shown
from .archetypes import holding_lines

NAME_CELLS, LEAST_NAME = 34, 26
TITLE_CELLS = 12


class ArchetypeList(KeyedList[Holding]):
    """Tools by their names; the word `differs` repeats the meaning of sign and colour."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"archetype-list--differs"}
    DEFAULT_CSS = """
    ArchetypeList {
        background: $background;
        &> .archetype-list--differs { color: $text-warning; }
    }
    """

    def key(self, row: Holding) -> Hashable:
        return row.tool.name

    def paint(self, row: Holding, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        style = base
        if row.differing and not under_cursor:
            style = self.get_component_rich_style("archetype-list--differs")
        name_cells = NAME_CELLS if width >= 90 else LEAST_NAME
        head = f"{'› ' if under_cursor else '  '}{'≠ ' if row.differing else '  '}"
        used = len(head) + name_cells + TITLE_CELLS
        archetype = row.archetype.title if row.archetype else "-"
        return [
            Segment(head, style),
            Segment(left(row.tool.display_name, name_cells - 1) + " ", base),
            Segment(left(archetype, TITLE_CELLS - 1) + " ", muted),
            Segment(left(row.summary, max(width - used, 0)), style),
        ]


class ArchetypesScreen(BrowserScreen[Holding, str]):
    """Dismissed with the exact name of a tool to go to, or None.

    Args:
        tools: As listed by the server.
        hosts: Host rules, with their verdicts on a tool by either reading.
        start: First position of the cursor.
    """

    ENTER_HELP = "Close this screen and go to this tool."
    HELP = """
# Archetypes

Eight kinds of tools and the hints that fit each: read, search, HTTP GET, upsert, append, delete,
send, deploy. The words of a tool's name suggest its kind. A hint that differs may be a mistake or
deliberate. If sources disagree on a hint, both readings are shown, with the effect in each host.

For a report: `signoff archetypes TARGET --markdown`, or `--json`.
"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("archetypes")

    def __init__(
        self,
        tools: Sequence[ToolDefinition],
        hosts: Sequence[Policy],
        *,
        start: ToolDefinition | None = None,
    ) -> None:
        super().__init__()
        self._tools = tools
        self._holdings: tuple[Holding, ...] = tuple(map(hold, tools))
        self._hosts = tuple(hosts)
        self._start = start.name if start is not None else None
        self._only_differing = False

    def take(self, tools: Sequence[ToolDefinition]) -> None:
        """Show the tools as they are listed by now; the cursor stays on its own."""
        if tools is self._tools:
            return
        self._tools = tools
        self._holdings = tuple(map(hold, tools))
        if self.is_mounted:
            self._draw(self._highlighted_name)
            self.refresh_bindings()

    def compose_list(self) -> ComposeResult:
        yield ArchetypeList()

    def on_mount(self) -> None:
        self._draw(self._start)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "differing" and not self._only_differing:
            return True if self._differing else None
        return super().check_action(action, parameters)

    def action_differing(self) -> None:
        self._only_differing = not self._only_differing
        self._draw(self._highlighted_name)

    def choose(self, row: Holding) -> None:
        self.dismiss(row.tool.name)

    def describe(self, row: Holding | None) -> list[SheetLine]:
        return list(holding_lines(row, self._hosts)) if row is not None else []

    def name_of(self, row: Holding) -> str:
        return row.tool.display_name

    def keys_of(self, row: Holding) -> Sequence[BarKey]:
        return (BarKey("enter", "Go to the tool"),)

    @property
    def _highlighted_name(self) -> str | None:
        """The name of the tool under the cursor."""
        return self.current.tool.name if self.current is not None else self._start

    @property
    def _differing(self) -> tuple[Holding, ...]:
        return tuple(one for one in self._holdings if one.differing)

    def _draw(self, at: str | None) -> None:
        is_all_fine = self._only_differing and bool(self._holdings)
        empty = "no tool differs: d shows all" if is_all_fine else NO_TOOLS
        self.row_list.empty = empty
        self.row_list.show_anew(self._differing if self._only_differing else self._holdings, at)
        count, fits = len(self._holdings), sum(one.archetype is None for one in self._holdings)
        only = " · only these, d shows all" if self._only_differing else ""
        differ = f"{len(self._differing):,} of {count:,} tools differ"
        words = f" · {differ}{only} · {fits:,} match no archetype"
        self.draw_head(("Archetypes", "bold"), words)


def show(context: ScreenContext) -> Shown | None:
    """Each tool beside the kind that its name tells; a choice goes to the tool."""
    place = context.workplace
    if place is None:
        return None

    def chosen(name: str | None) -> None:
        if name is not None:
            place.go_to_tool(name)

    hosts, engine = context.rulebook().hosts, context.engine
    screen = ArchetypesScreen(engine.tools, hosts, start=context.tool)
    context.screen.app.push_screen(screen, chosen)
    return screen, lambda: screen.take(engine.tools)
