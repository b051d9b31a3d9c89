"""All calls, the newest on top, drawn by one widget.

`RunningLine` shows the newest running call, for layouts without room for the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ...app.calls.call import Call
from ..bindings import bindings_of
from .call_row import CallLine, Mood, can_cancel, draw_call, middle_cells
from .painted_list import WHOLE_LINES
from .row_list import RowList

AROUND = 20
"""Newest calls that the column of names is made for."""


class CallList(RowList[Call]):
    """Calls as immutable `Call` values; the owner sets the pace.

    It has no timer of its own: `show` is the clock, and repaints the lines of running and changed
    calls only.
    """

    tells_whole = True
    DEFAULT_CSS = """
    CallList > .call-list--bar { color: $text-accent; }
    CallList > .call-list--cancel { color: $text-error; text-style: underline; }
    CallList > .call-list--fine { color: $text-success; }
    CallList > .call-list--broken { color: $text-error; text-style: bold; }
    CallList > .call-list--stopped { color: $text-warning; }
    CallList > .call-list--denied { color: $text-warning; }
    CallList > .call-list--not-sent { color: $text-primary; text-style: bold; }
    CallList > .call-list--unknown { color: $text-warning; text-style: bold; }
    CallList > .call-list--unfinished { color: $text-warning; }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "call-list--bar",
        "call-list--cancel",
        *(f"call-list--{mood.value}" for mood in Mood if mood is not Mood.RUNNING),
    }

    ENTER_HELP = "Go to the response of this call."
    HELP = """
# The calls

All calls of this session with their results, newest first. The response of the selected call is
below. `ctrl+x`: cancel a running call.
"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("calls")

    class Grew(Message):
        """The full text of the selected call takes more lines than before, or fewer."""

    class CancelRequested(Message):
        """The user wants to cancel this call."""

        def __init__(self, call_id: int) -> None:
            super().__init__()
            self.call_id = call_id

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self._calls: tuple[Call, ...] = ()
        self._now = 0.0
        self._id_cells = 1
        self._cells: dict[int, tuple[Call, int, int]] = {}
        """Of the newest calls by id: the cells of the name, and of what came of the call."""
        self._longest = (0, 0)
        """Cells of the longest name, and of the longest words about what came of a call."""
        self._target: int | None = None
        self._announced: int | None = None

    def row_at(self, index: int) -> Call:
        return self._calls[-1 - index]

    @property
    def cancel_target(self) -> Call | None:
        """The call that ctrl+x is for: the selected one if it can be cancelled, else the newest."""
        selected = self.highlighted
        if selected is not None and can_cancel(selected):
            return selected
        return next((call for call in reversed(self._calls) if can_cancel(call)), None)

    def show(self, calls: Sequence[Call], now: float) -> None:
        """Draw these calls, given oldest first; `now` is a time of the clock they were made by.

        The cursor stays on its call, and the call keeps its line on the screen as calls are added.
        """
        before, old_target = self._calls, self._target
        selected = self.highlighted
        self._calls = tuple(calls)
        self._now = now
        self._id_cells = len(str(max(calls[-1].id, calls[0].id))) if calls else 1
        longest, self._longest = self._longest, self._measure()
        if longest != self._longest:
            self.refresh()
        if len(before) != len(self._calls) or (calls and before[-1].id != calls[-1].id):
            self._lay_out_anew(selected)
            return
        self._target = self._target_id()
        if (old_target is None) != (self._target is None):
            self.refresh()
        top = self.scroll_offset.y
        for index in range(top, min(top + self.page_height, len(self._calls))):
            call, old = self.row_at(index), before[-1 - index]
            target_moved = self._target != old_target and call.id in (self._target, old_target)
            if call is not old or not call.is_over or target_moved:
                self.refresh_line(index)
        if self.has_focus:
            self._tell_whole()

    def _measure(self) -> tuple[int, int]:
        """The longest among the newest, so that it costs the same with thousands."""
        before, self._cells = self._cells, {}
        for call in self._calls[-AROUND:]:
            known = before.get(call.id)
            if known is None or known[0] is not call:
                known = (call, cell_len(call.request.display_name), middle_cells(call))
            self._cells[call.id] = known
        names = max((name for _, name, _ in self._cells.values()), default=0)
        return names, max((middle for _, _, middle in self._cells.values()), default=0)

    def select(self, call_id: int) -> bool:
        """Put the cursor on a call; False if it does not exist."""
        index = self._index_of(call_id)
        if index is not None:
            self.move_cursor(index)
        return index is not None

    @property
    def whole_room(self) -> int:
        # Its parent makes room for it.
        return WHOLE_LINES

    def whole_changed(self) -> None:
        self.post_message(self.Grew())

    def empty_text(self) -> str:
        return "no calls yet"

    def cursor_moved(self) -> None:
        self._announce()
        old, self._target = self._target, self._target_id()
        if old != self._target:
            for call_id in (old, self._target):
                if call_id is not None and (index := self._index_of(call_id)) is not None:
                    self.refresh_line(index)

    def row_clicked(self, index: int, x: int, chain: int) -> None:
        line = self._line(index, self.scrollable_content_region.width, True)
        if line.role_at(x) == "cancel":
            self.post_message(self.CancelRequested(self.row_at(index).id))

    def action_cancel(self) -> None:
        target = self.cancel_target
        if target is not None:
            self.post_message(self.CancelRequested(target.id))

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        parts = self._line(index, width, under_cursor).parts
        return [Segment(part.text, self._style(part.role, base, under_cursor)) for part in parts]

    def _line(self, index: int, width: int, under_cursor: bool) -> CallLine:
        call = self.row_at(index)
        return draw_call(
            call,
            width,
            self._now,
            id_cells=self._id_cells,
            cursor=under_cursor,
            has_key=call.id == self._target,
            longest_name=self._longest[0],
            longest_middle=self._longest[1],
            something_runs=self._target is not None,
        )

    def _style(self, role: str, base: Style, under_cursor: bool) -> Style:
        if under_cursor or not role:
            return base + _UNDERLINE if role == "cancel" else base
        component = "row-list--muted" if role == "muted" else f"call-list--{role}"
        return self.get_component_rich_style(component)

    def _lay_out_anew(self, selected: Call | None) -> None:
        top = self.scroll_offset.y
        line = self._cursor - top
        found = self._index_of(selected.id) if selected is not None else None
        cursor = found if found is not None else min(self._cursor, len(self._calls) - 1)
        # At the very top the newest call comes into sight, further down nothing moves.
        self.set_rows(len(self._calls), cursor, cursor - line if top else 0)
        if 0 <= line < self.page_height and self._calls:
            self.show_cursor()
        self._target = self._target_id()
        self._announce()

    def _announce(self) -> None:
        selected = self.highlighted
        call_id = selected.id if selected is not None else None
        if call_id != self._announced:
            self._announced = call_id
            self.post_message(self.Highlighted(self, selected))

    def _target_id(self) -> int | None:
        target = self.cancel_target
        return target.id if target is not None else None

    def _index_of(self, call_id: int) -> int | None:
        for index, call in enumerate(reversed(self._calls)):
            if call.id == call_id:
                return index
        return None


_UNDERLINE = Style(underline=True)


class RunningLine(Widget):
    """One line while a call runs, nothing otherwise.

    A click on `cancel` posts `CallList.CancelRequested`, one elsewhere `Clicked`.
    """

    class Clicked(Message):
        """The user wants to see the call of the line."""

        def __init__(self, call_id: int) -> None:
            super().__init__()
            self.call_id = call_id

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    RunningLine {
        height: 1;
        width: 1fr;
        display: none;
        background: $panel;
        color: $foreground;
    }
    RunningLine.-running { display: block; }
    RunningLine > .running-line--bar { color: $text-accent; }
    RunningLine > .running-line--cancel { color: $text-error; text-style: underline; }
    RunningLine > .running-line--muted { color: $text-muted; }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "running-line--bar",
        "running-line--cancel",
        "running-line--muted",
    }

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._call: Call | None = None
        self._others = 0
        self._now = 0.0

    def show(self, calls: Sequence[Call], now: float) -> None:
        """Draw the newest of these calls that has no outcome yet; they are given oldest first.

        While an answer is being validated, its call is not over, but no longer runs.
        """
        open_calls = [call for call in calls if call.outcome is None]
        self._call = open_calls[-1] if open_calls else None
        self._others = max(0, len(open_calls) - 1)
        self._now = now
        self.set_class(self._call is not None, "-running")
        if self._call is not None:
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.rich_style
        line = self._line(width)
        if line is None or y:
            return Strip.blank(width, base)
        segments = [
            Segment(
                part.text,
                self.get_component_rich_style(f"running-line--{part.role}") if part.role else base,
            )
            for part in line.parts
        ]
        return Strip(segments).adjust_cell_length(width, base)

    def on_click(self, event: events.Click) -> None:
        line = self._line(self.size.width)
        if line is None or self._call is None:
            return
        event.stop()
        if line.role_at(event.x) == "cancel":
            self.post_message(CallList.CancelRequested(self._call.id))
        else:
            self.post_message(self.Clicked(self._call.id))

    def _line(self, width: int) -> CallLine | None:
        if self._call is None:
            return None
        more = f"+{self._others:,} more" if self._others else ""
        return draw_call(
            self._call,
            width,
            self._now,
            id_cells=len(str(self._call.id)),
            has_key=True,
            more=more,
        )
