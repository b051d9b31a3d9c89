"""The tools of the server: grouped, filtered, one of them under the cursor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from app.core.definitions.change_values import ListDiff
from app.core.tools import Grouping, ToolDefinition, best_match, filter_tools, group_tools
from widgets.tool_list import ToolList

SETTLE_SECONDS = 0.1
"""Others follow the cursor once it rests: building a form costs more than a key press."""


class ToolsPane(Vertical):
    """Lists tools and says which one is meant."""

    class Settled(Message):
        """The cursor rests on another tool."""

    class Chosen(Message):
        """A tool was opened: enter, or a double click."""

    def __init__(self) -> None:
        super().__init__(id="tools", classes="pane")
        self._tools: Sequence[ToolDefinition] = ()
        self._grouping = Grouping.EFFECT
        self._only_read_only = False
        self._diff = ""
        self._settle: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Input(placeholder="/ filter", id="filter")
        yield ToolList()

    @property
    def highlighted(self) -> ToolDefinition | None:
        """The tool under the cursor; None on a heading and in an empty list."""
        return self.query_one(ToolList).highlighted

    @property
    def no_match(self) -> str:
        """The text of the filter, where no tool matches it; empty elsewhere."""
        return "" if self.query_one(ToolList).row_count else self.query_one(Input).value

    def show(self, tools: Sequence[ToolDefinition]) -> None:
        """The server's list is another; the cursor stays on its tool."""
        self._tools = tools
        self._list()

    def mark(self, marks: Mapping[str, str], diff: ListDiff) -> None:
        """Mark tools by exact name, and count what changed."""
        self.query_one(ToolList).mark(marks)
        self._diff = diff.summary
        self._list()

    def select(self, name: str) -> bool:
        """Put the cursor on the tool of this exact name; False where it is not in sight."""
        return self.query_one(ToolList).select_name(name)

    def focus_list(self) -> None:
        # At once, and not a moment later: a later one would take the focus from what follows.
        self.screen.set_focus(self.query_one(ToolList))

    def focus_filter(self) -> None:
        self.screen.set_focus(self.query_one(Input))

    def regroup(self) -> None:
        self._grouping = self._grouping.following
        self._list()

    def toggle_read_only(self) -> None:
        self._only_read_only = not self._only_read_only
        self._list()

    def leave_filter(self) -> bool:
        """Empty the filter and go to the list, if it is in use where the focus is."""
        field = self.query_one(Input)
        is_used = field.has_focus or (bool(field.value) and self.query_one(ToolList).has_focus)
        if is_used:
            field.value = ""
            self.focus_list()
        return is_used

    def settle(self) -> None:
        """The cursor is meant as it stands: nobody has to wait until it rests."""
        if self._settle is not None:
            self._settle.stop()
            self._settle = None

    @on(Input.Changed, "#filter")
    def _filter_changed(self, message: Input.Changed) -> None:
        message.stop()
        self._list(is_filtered_anew=True)

    @on(Input.Submitted, "#filter")
    def _filter_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        tools = self.query_one(ToolList)
        if self.no_match:
            return
        tools.leave_heading()
        self.focus_list()
        if message.value.strip():
            # What was typed has chosen a tool: on to its form.
            tools.action_choose()

    def on_key(self, event: events.Key) -> None:
        if event.key == "down" and self.query_one(Input).has_focus:
            event.stop()
            self.focus_list()

    @on(ToolList.Highlighted)
    def _highlighted(self, message: ToolList.Highlighted) -> None:
        message.stop()
        self.settle()
        self._settle = self.set_timer(SETTLE_SECONDS, self._tell_settled)

    @on(ToolList.Chosen)
    def _chosen(self, message: ToolList.Chosen) -> None:
        message.stop()
        self.settle()
        self.post_message(self.Chosen())

    def _tell_settled(self) -> None:
        self._settle = None
        self.post_message(self.Settled())

    def _list(self, *, is_filtered_anew: bool = False) -> None:
        words = self.query_one(Input).value
        shown = filter_tools(self._tools, words, read_only=self._only_read_only)
        total = len(self._tools)
        groups = group_tools(shown, self._grouping)
        tools = self.query_one(ToolList)
        tools.show(groups, total=total)
        if is_filtered_anew and words.strip():
            best = best_match((tool for group in groups for tool in group.tools), words)
            if best is not None:
                tools.select_tool(best)
        count = f"{total:,}" if len(shown) == total else f"{len(shown):,} of {total:,}"
        self.border_title = Content(f"Tools {count}")
        only = " · read-only ones" if self._only_read_only else ""
        changes = f" · {self._diff}, D shows" if self._diff else ""
        self.border_subtitle = Content(f"by {self._grouping.value}{only}{changes}")
