"""Archetypes: each tool beside the kind that its name tells, and the disputes that touch it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ....widgets.archetype_list import ArchetypeList, ArchetypeRow
from ....widgets.key_footer import KeyFooter
from ....widgets.sheet_view import SheetView
from ...analysis.archetypes.holding import Holding, hold
from ...approval.policies.policy import Policy
from ...protocol.tool import ToolDefinition
from .archetype_lines import detail_lines
from .detail_screen import DetailScreen


class ArchetypesScreen(DetailScreen):
    """Dismissed with the exact name of a tool to go to, or None.

    Args:
        tools: As listed by the server.
        hosts: Models of hosts, which say what becomes of a tool by either reading.
        start: Where the cursor begins.
    """

    DEFAULT_CSS = """
    ArchetypesScreen { background: $background; }
    ArchetypesScreen #archetypes-head { height: 1; padding: 0 1; background: $panel; }
    ArchetypesScreen ArchetypeList { height: 2fr; }
    ArchetypesScreen #archetypes-detail {
        height: 3fr; border: round $primary; padding: 0 1; background: $surface;
    }
    """
    AUTO_FOCUS = "ArchetypeList"

    HELP = """
# Archetypes

Eight kinds of tools, and the hints that fit each: read, search, HTTP GET, upsert, append, delete,
send, deploy. The words of a tool's name tell which it is; what differs may be a mistake, or have
good reasons. Where texts disagree, both readings are given, and what each host does about it.

For a report: `signoff archetypes TARGET --markdown`, or `--json`.
"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "d",
            "differing",
            "Differing",
            id="archetypes.differing",
            tooltip="Only the tools with a hint that differs from their archetype, or all.",
        ),
        Binding(
            "shift+down,tab",
            "scroll_detail(1)",
            "Scroll the detail",
            id="archetypes.detail-down",
            tooltip="Scroll the words about the tool down.",
        ),
        Binding(
            "shift+up,shift+tab",
            "scroll_detail(-1)",
            "Scroll the detail back",
            show=False,
            id="archetypes.detail-up",
            tooltip="Scroll the words about the tool up.",
        ),
        Binding(
            "escape,q,A", "close", "Close", id="archetypes.close", tooltip="Back to the bench."
        ),
    ]

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
        current = self._current.tool.name if self.is_mounted and self._current else self._start
        self._holdings = tuple(map(hold, tools))
        if self.is_mounted:
            self._draw(current)
            self.refresh_bindings()

    def compose(self) -> ComposeResult:
        yield Static(id="archetypes-head", markup=False)
        yield ArchetypeList(id="archetypes-list")
        with Vertical(id="archetypes-detail"):
            yield SheetView(id="archetypes-words")
        yield KeyFooter(show_command_palette=False)

    def on_mount(self) -> None:
        self._draw(self._start)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._draw_detail)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "differing" and not self._only_differing:
            return True if self._differing else None
        return super().check_action(action, parameters)

    def action_differing(self) -> None:
        row = self.query_one(ArchetypeList).highlighted
        self._only_differing = not self._only_differing
        self._draw(row.name if row is not None else None)

    @on(ArchetypeList.Highlighted)
    def _highlighted(self, message: ArchetypeList.Highlighted) -> None:
        message.stop()
        self._draw_detail()

    @on(ArchetypeList.Chosen)
    def _chosen(self, message: ArchetypeList.Chosen) -> None:
        message.stop()
        self.dismiss(message.name)

    @property
    def _differing(self) -> tuple[Holding, ...]:
        return tuple(one for one in self._holdings if one.differing)

    @property
    def _shown(self) -> tuple[Holding, ...]:
        return self._differing if self._only_differing else self._holdings

    @property
    def _current(self) -> Holding | None:
        cursor = self.query_one(ArchetypeList).cursor
        shown = self._shown
        return shown[cursor] if cursor is not None and cursor < len(shown) else None

    def _draw(self, at: str | None) -> None:
        rows = [
            ArchetypeRow(
                one.tool.name,
                one.tool.name_shown,
                one.archetype.title if one.archetype else "-",
                one.summary,
                bool(one.differing),
            )
            for one in self._shown
        ]
        is_all_fine = self._only_differing and bool(self._holdings)
        empty = "no tool differs: d shows all" if is_all_fine else "this server has no tools"
        self.query_one(ArchetypeList).show(rows, at, empty)
        count, fits = len(self._holdings), sum(one.archetype is None for one in self._holdings)
        only = " · only these, d shows all" if self._only_differing else ""
        words = f" · {len(self._differing):,} of {count:,} tools differ{only} · {fits:,} fit none"
        head = Content.assemble(("Archetypes", "bold"), words)
        self.query_one("#archetypes-head", Static).update(head)
        self._draw_detail()

    def _draw_detail(self) -> None:
        current = self._current
        lines = detail_lines(current, self._hosts) if current is not None else []
        self._show_detail(lines, about=current.tool.name if current is not None else None)

    def _draw_title(self) -> None:
        current = self._current
        name = current.tool.name_shown if current is not None else ""
        detail = self.query_one("#archetypes-detail")
        detail.border_title = Content.assemble((name, "bold"), self._more)
        detail.border_subtitle = Content("enter goes to the tool" if current is not None else "")
