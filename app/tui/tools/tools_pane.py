"""The tools pane: grouped, filtered, with a cursor."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from ....widgets.bars import FilterInput
from ....widgets.key_bar import bar_words
from ....widgets.keys import way_to
from ....widgets.labels import say, that_fits
from ....widgets.lists.row_list import RowList
from ....widgets.lists.tool_list import ListShape, ToolList
from ....widgets.lists.tool_rows import HostCells
from ....widgets.matrix.rows import MEASURED, CellWord
from ...approval.who_asks import abbreviation
from ...content.text import visible
from ...protocol.definitions.change_values import ListDiff
from ...protocol.findings.model_texts import MODEL_SIGN, is_addressed
from ...protocol.hints import Effect
from ...protocol.tool import (
    Grouping,
    ToolDefinition,
    ToolGroup,
    best_match,
    filter_groups,
    group_sections,
    group_tools,
)
from ..main.keys import NO_TOOLS

SETTLE_SECONDS = 0.1
"""Others follow a cursor that goes on moving once it rests: building a form costs more than a key
press. One that has rested takes them along at once."""


_DEMO_HELP: Final = """
The demo has two more groups, folded at first: Gallery for kinds of content, Conversation for
requests of the server. `space` on the name of a group folds or unfolds it.
"""


class ToolsPane(Vertical):
    """Lists tools, tracks the selected one, and explains the signs beside them."""

    HELP = """
# The tools

The tools of the server, grouped by their declared hints: ○ read-only, + additive, ! destructive,
? undeclared, ≠ contradictory. `enter`: go to the form of the selected tool. `f5`: call it. The
policy and your trust in the server decide if the call asks first; both are in the bar above.
"""

    DEFAULT_CSS = """
    ToolsPane > #legend {
        height: auto; max-height: 6; padding: 0 1; color: $foreground-muted;
        background: $background;
    }
    ToolsPane.-gone ToolList { opacity: 60%; }
    ToolsPane > #over { height: auto; }
    ToolsPane #filter { width: 1fr; }
    ToolsPane #heads { width: auto; height: 1; color: $foreground-muted; }
    """

    class Settled(Message):
        """The cursor rests on another tool."""

    class Regrouped(Message):
        """The person wants the tools grouped in another way."""

        def __init__(self, grouping: Grouping) -> None:
            super().__init__()
            self.grouping = grouping

    class Chosen(Message):
        """A tool was opened: enter, or a double click."""

    def __init__(self, grouping: Grouping = Grouping.EFFECT) -> None:
        super().__init__(id="tools", classes="pane")
        self._tools: Sequence[ToolDefinition] = ()
        self._groups: dict[tuple[Grouping, bool], tuple[ToolGroup, ...]] = {}
        """All tools in groups, as far as asked for: by what, and whether a filter opens them."""
        self._grouping = grouping
        self._only_read_only = False
        self._has_sections = False
        self._diff = ""
        self._only = ""
        """Words for the tools that are left out, if any are."""
        self._settle: Timer | None = None
        self._moved_at = -SETTLE_SECONDS
        self._before: ToolDefinition | None = None
        """Where the cursor was when the filter was begun."""
        self._goes_back = False
        self._shape: ListShape | None = None
        """How the list looked when the filter was begun."""
        self._has_chosen = False
        """Whether a tool was chosen in the filtered list: it stays chosen without the filter."""
        self._is_filtered = False
        self._hosts: Sequence[tuple[str, bool]] = ()
        """The hosts with a column: their titles, and whether each is of this machine."""

    @property
    def more_help(self) -> str:
        """A paragraph about the groups that only the bundled server has."""
        return _DEMO_HELP if self._has_sections else ""

    def compose(self) -> ComposeResult:
        with Horizontal(id="over"):
            yield FilterInput(placeholder="/ filter", id="filter")
            yield Static(id="heads", markup=False)
        yield ToolList()
        yield Static(id="legend", markup=False)

    @property
    def highlighted(self) -> ToolDefinition | None:
        """The tool under the cursor; None on a heading and in an empty list."""
        return self.query_one(ToolList).highlighted

    @property
    def last_highlighted(self) -> ToolDefinition | None:
        """The tool under the cursor, or the one that it was on last."""
        return self.query_one(ToolList).last_highlighted

    @property
    def is_typed_in(self) -> bool:
        """True if the filter has the focus."""
        return self.query_one(Input).has_focus

    @property
    def no_match(self) -> str:
        """The text of the filter, where no tool matches it; empty elsewhere."""
        return "" if self.query_one(ToolList).row_count else self.query_one(Input).value

    def show(self, tools: Sequence[ToolDefinition], *, has_sections: bool = False) -> None:
        """The server's list is another; the cursor stays on its tool.

        `has_sections` is for the bundled server alone: no other may put tools out of sight.
        """
        self._tools = tools
        self._has_sections = has_sections
        self.query_one(ToolList).fit_names(tools)
        self._groups.clear()
        self._list()

    def mark(self, marks: Mapping[str, str], diff: ListDiff) -> None:
        """Mark tools by exact name, and count changes."""
        self.query_one(ToolList).mark(marks)
        self._diff = diff.summary
        self._list()

    def tell_empty(self, words: str) -> None:
        """Show these words in the list of a server without tools; "" for the usual ones."""
        self.query_one(ToolList).tell_empty(words)

    def show_hosts(
        self,
        hosts: Sequence[tuple[str, bool]],
        words: Callable[[ToolDefinition], Sequence[CellWord]] | None = None,
    ) -> None:
        """Show a column for each host, by its title; `words` on a tool are None while pending.

        The second of a pair is True for a host of this machine.
        """
        self._hosts = hosts
        heads = [abbreviation(title) for title, _ in hosts]
        self.query_one(ToolList).show_hosts(HostCells(heads, words))
        self._head()
        self._explain()

    def _head(self) -> None:
        """Draw the heads over their columns."""
        tools = self.query_one(ToolList)
        count = tools.hosts_in_sight
        pieces: list[tuple[str, str] | str] = []
        for title, is_here in self._hosts[:count]:
            style = "bold underline" if is_here else ""
            pieces += [(abbreviation(title) or "   ", style), " "]
        aside = self.size.width - tools.scrollable_content_region.width
        words = Content.assemble(*pieces, " " * (1 + max(aside, 0))) if count else Content("")
        say(self.query_one("#heads", Static), words)

    def select(self, name: str) -> bool:
        """Put the cursor on the tool of this exact name; False if it is not in sight."""
        return self.query_one(ToolList).select_name(name)

    def reveal(self, name: str) -> bool:
        """Do as `select`; a filter or fold that hides the tool is removed."""
        if not self.select(name) and any(tool.name == name for tool in self._tools):
            self._only_read_only = False
            self.query_one(Input).value = ""
            self._list()
        return self.select(name)

    def focus_list(self) -> None:
        # At once: a moment later it would take the focus from the next widget.
        self.screen.set_focus(self.query_one(ToolList))

    def focus_filter(self) -> None:
        field = self.query_one(Input)
        self.screen.set_focus(field)
        # Even if the field had the focus already: typing replaces the old text.
        field.select_all()

    def regroup(self) -> None:
        self._grouping = self._grouping.following
        self._list()
        self.post_message(self.Regrouped(self._grouping))

    def toggle_read_only(self) -> None:
        self._only_read_only = not self._only_read_only
        self._list()

    def leave_filter(self) -> bool:
        """Empty the filter and go to the list, if it is in use where the focus is."""
        field = self.query_one(Input)
        is_used = field.has_focus or (bool(field.value) and self.query_one(ToolList).has_focus)
        if is_used:
            # The first match of the typed words was not chosen.
            self._goes_back = bool(self.no_match) or not self._has_chosen
            field.value = ""
            self.focus_list()
        return is_used

    def settle(self) -> None:
        """Take the cursor's position as final, without waiting until it rests."""
        if self._settle is not None:
            self._settle.stop()
            self._settle = None

    def on_mount(self) -> None:
        # By the attribute instead of the message: letter and list are painted together.
        self.watch(self.query_one(Input), "value", self._filter_changed, init=False)
        self.watch(self.screen, "focused", self._focus_moved, init=False)

    def _filter_changed(self, words: str) -> None:
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

    @on(RowList.Highlighted, "ToolList")
    def _highlighted(self, message: RowList.Highlighted[ToolDefinition]) -> None:
        message.stop()
        self.settle()
        self._has_chosen |= self._is_filtered and self.query_one(ToolList).has_focus
        now = time.monotonic()
        has_rested = now - self._moved_at >= SETTLE_SECONDS
        self._moved_at = now
        if has_rested and self.query_one(ToolList).has_focus:
            # Where the cursor is comes first.
            self.call_after_refresh(self._tell_settled)
        else:
            self._settle = self.set_timer(SETTLE_SECONDS, self._tell_settled)

    @on(RowList.Chosen, "ToolList")
    def _chosen(self, message: RowList.Chosen[ToolDefinition]) -> None:
        message.stop()
        self._has_chosen = True
        self.settle()
        self.post_message(self.Chosen())

    @on(RowList.NoneChosen)
    def _none_chosen(self, message: RowList.NoneChosen) -> None:
        message.stop()
        words = NO_TOOLS if not self._tools else "The filter hides every tool. esc clears it."
        self.notify(words, timeout=4, markup=False)

    def _tell_settled(self) -> None:
        self._settle = None
        self.post_message(self.Settled())

    def _list(self, *, is_filtered_anew: bool = False) -> None:
        words = self.query_one(Input).value
        total = len(self._tools)
        is_filtered = bool(words.strip())
        every = self._grouped(is_filtered=is_filtered)
        groups = filter_groups(every, words, read_only=self._only_read_only)
        shown = sum(len(group.tools) for group in groups)
        tools = self.query_one(ToolList)
        if is_filtered and not self._is_filtered:
            self._before, self._shape = tools.highlighted, tools.shape
            self._has_chosen = False
        was_filtered = self._is_filtered
        self._is_filtered = is_filtered
        tools.show(groups, total=total, shortens=self._has_sections and not is_filtered)
        if is_filtered_anew and is_filtered:
            best = best_match((tool for group in groups for tool in group.tools), words)
            if best is not None:
                tools.select_tool(best)
        elif was_filtered and not is_filtered:
            self._go_back(tools)
        self._goes_back = False
        count = f"{total:,}" if shown == total else f"{shown:,} of {total:,}"
        self.border_title = Content(f"Tools {count}")
        self._only = " · read-only ones" if self._only_read_only else ""
        self._tell_below()
        self._explain()
        if self._hosts:
            self._head()

    def _go_back(self, tools: ToolList) -> None:
        """Look as before the filter, unless the list has changed; a chosen tool stays so."""
        chosen = self._before if self._goes_back else tools.highlighted
        if self._shape is not None:
            tools.take_shape(self._shape)
        if chosen is not None:
            tools.select_name(chosen.name)

    def _grouped(self, *, is_filtered: bool) -> tuple[ToolGroup, ...]:
        key = self._grouping, is_filtered
        if key not in self._groups:
            self._groups[key] = (
                group_sections(self._tools, self._grouping, is_filtered=is_filtered)
                if self._has_sections
                else group_tools(self._tools, self._grouping)
            )
        return self._groups[key]

    def on_resize(self) -> None:
        self._tell_below()
        self._explain()
        self.call_after_refresh(self._head)

    def _focus_moved(self) -> None:
        """Update the key hint: in the filter, the key for changes takes one press more."""
        if self._diff:
            self._tell_below()

    def _tell_below(self) -> None:
        """Show grouping, filter and changes, in as many words as there is room for."""
        by = f"by {self._grouping.value}{self._only}"
        if not self._diff:
            wordings = [Content(by)]
        else:
            key = way_to("D", self.screen.focused)
            said = bar_words([(key, "Changes")])
            wordings = [
                Content.assemble(f"{by} · {self._diff}  ", said),
                Content.assemble(f"{self._diff}  ", said),
                said,
            ]
        self.border_subtitle = that_fits(self, wordings)

    def _explain(self) -> None:
        # Less the air at its sides.
        shown = self._hosts[: self.query_one(ToolList).hosts_in_sight]
        words = legend(
            self._grouping,
            self.size.width - 2,
            [title for title, _ in shown if title],
            has_addressed=any(is_addressed(tool.findings) for tool in self._tools),
        )
        say(self.query_one("#legend", Static), Content(words))


_WITH_DIM: Final = 30
"""Cells from which on the legend has room for a dim sign."""


def legend(
    grouping: Grouping, width: int, hosts: Sequence[str] = (), *, has_addressed: bool = False
) -> str:
    """The signs beside the tools in words; those of the effects without a heading.

    With columns of `hosts`, their heads take the place of the signs for world and repeating. A sign
    stays beside its word: an item wider than `width` moves to a new line.
    """
    dim = ["dim: by default"] if width >= _WITH_DIM else []
    found = ["* finding", *([f"{MODEL_SIGN} addresses a model"] if has_addressed else [])]
    rows = [["◇ closed world", "↗ open world", *dim, "= idempotent", *found]]
    if hosts:
        heads = [_head_words(visible(one)) for one in hosts]
        rows = [[*heads, f"{MEASURED} measured", *found]]
    if grouping is not Grouping.EFFECT:
        effects = [f"{effect.sign} {effect.value}" for effect in Effect]
        rows += [effects[:3], effects[3:]]
    lines: list[str] = []
    for row in rows:
        lines.append(row[0])
        for entry in row[1:]:
            joined = f"{lines[-1]}  {entry}"
            if cell_len(joined) <= width:
                lines[-1] = joined
            else:
                lines.append(entry)
    return "\n".join(lines)


def _head_words(title: str) -> str:
    short = abbreviation(title)
    return title if short == title else f"{short} {title}"
