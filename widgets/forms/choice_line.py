"""A choice of one of a few, or of any number of many values.

The few take one line, or as many as a narrow form takes; the many are a checklist that
narrows to typed text.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from ..bindings import bindings_of
from ..cells import fit
from ..labels import component_style
from .search_select import OptionWindow, is_letter, starting_with, typed_into

FEW: Final = 5
"""Fewer choices than this share one line, if they are short."""
LINE_WIDTH: Final = 40


def is_short(labels: Sequence[str]) -> bool:
    """True if choices are few and short enough for one line."""
    return len(labels) < FEW and sum(map(len, labels)) <= LINE_WIDTH


BETWEEN: Final = "  "
"""What parts two choices of a line."""


class ChoiceLine(Widget, can_focus=True):
    """A few choices in one line, at most one of them taken: `○ not sent  ● true  ○ false`.

    `labels` are drawn literally and have to be sanitised already.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    ChoiceLine {
        height: auto;
        padding: 0 1;
        color: $text-muted;
        background: $surface;
        &:focus { background: $surface-lighten-1; }
        &:focus .choice-line--taken { text-style: bold reverse; }
        .choice-line--taken { color: $foreground; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"choice-line--taken"}
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("choice")

    taken: reactive[int | None] = reactive(None, layout=False)

    class Taken(Message):
        """The person took another choice."""

        def __init__(self, line: ChoiceLine, index: int) -> None:
            super().__init__()
            self.line = line
            self.index = index

        @property
        def control(self) -> ChoiceLine:
            return self.line

    def __init__(self, labels: tuple[str, ...], taken: int | None) -> None:
        super().__init__()
        self._labels = labels
        self.set_reactive(ChoiceLine.taken, taken)

    def render(self) -> Content:
        style = component_style(self, "choice-line--taken")
        parts: list[Content] = []
        for index, label in enumerate(self._labels):
            part = Content(f"{'●' if index == self.taken else '○'} {label}")
            parts.append(part.stylize(style) if index == self.taken else part)
        rows = [[parts[index] for index in row] for row in self._rows(self.content_size.width)]
        return Content("\n").join(Content(BETWEEN).join(row) for row in rows)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """So many rows that no sign is parted from its word."""
        if any(cells > width for cells in self._cells()):
            return super().get_content_height(container, viewport, width)
        return len(self._rows(width))

    def _cells(self) -> list[int]:
        return [cell_len(label) + 2 for label in self._labels]

    def _rows(self, width: int) -> list[list[int]]:
        """The choices of each row; all in one where a choice alone is too wide, or none is laid
        out yet."""
        rows: list[list[int]] = [[]]
        used = 0
        cells = self._cells()
        if max(cells, default=0) > width:
            return [list(range(len(cells)))]
        for index, needed in enumerate(cells):
            if rows[-1] and used + len(BETWEEN) + needed > width:
                rows.append([])
                used = 0
            used += needed + len(BETWEEN) * bool(rows[-1])
            rows[-1].append(index)
        return rows

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        # In a form, letters are for typing: none of them is a key of the screen.
        return is_letter(character)

    def on_key(self, event: events.Key) -> None:
        if event.character is not None and is_letter(event.character):
            after = -1 if self.taken is None else self.taken
            index = starting_with(self._labels, event.character, after)
            if index is not None:
                event.stop()
                event.prevent_default()
                self._choose(index)

    def action_step(self, by: int) -> None:
        before = min(0, -by) if self.taken is None else self.taken
        self._choose((before + by) % len(self._labels))

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        rows = self._rows(self.content_size.width)
        if self.content_size.height != len(rows):
            # A click on a choice of several lines takes the next one, whatever the line.
            self.action_step(1)
            return
        at = 0
        cells = self._cells()
        for index in rows[min(place.y, len(rows) - 1)]:
            if at <= place.x < at + cells[index]:
                self._choose(index)
            at += cells[index] + len(BETWEEN)

    def _choose(self, index: int) -> None:
        if index != self.taken:
            self.taken = index
            self.post_message(self.Taken(self, index))


LINES: Final = 8
"""Values in sight; with more of them there is a filter."""


class ChoiceList(Widget, can_focus=True):
    """Values below each other, each taken or not. Space takes and gives back.

    `labels` are drawn literally and have to be sanitised already. `taken` is None while nothing is
    sent, which is something else than taking none.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    ChoiceList {
        height: auto;
        padding: 0 1;
        background: $surface;
        &:focus { background: $surface-lighten-1; }
        &:focus .choice-list--cursor { text-style: bold reverse; }
        .choice-list--muted { color: $text-muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"choice-list--cursor", "choice-list--muted"}
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("checklist")

    class Toggled(Message):
        """The person took or gave back a value; `taken` has the indexes in order."""

        def __init__(self, checklist: ChoiceList, taken: tuple[int, ...]) -> None:
            super().__init__()
            self.checklist = checklist
            self.taken = taken

        @property
        def control(self) -> ChoiceList:
            return self.checklist

    def __init__(self, labels: Sequence[str], taken: Collection[int] | None) -> None:
        super().__init__()
        self._window = OptionWindow(labels, LINES)
        self._taken = frozenset(taken) if taken is not None else None

    @property
    def taken(self) -> frozenset[int] | None:
        return self._taken

    @taken.setter
    def taken(self, taken: Collection[int] | None) -> None:
        self._taken = frozenset(taken) if taken is not None else None
        self.refresh()

    @property
    def takes_text(self) -> bool:
        """True if keys for characters belong to the filter."""
        return self._is_long

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        is_for_filter = self._is_long and character is not None and character.isprintable()
        return is_letter(character) or is_for_filter

    @property
    def _is_long(self) -> bool:
        return len(self._window.labels) > LINES

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return LINES + 1 if self._is_long else max(1, len(self._window.labels))

    def render(self) -> Content:
        window, width = self._window, self.content_size.width
        muted = self.get_visual_style("choice-list--muted", partial=True)
        cursor = component_style(self, "choice-list--cursor")
        lines: list[Content] = []
        if self._is_long:
            above, below = window.hidden
            more = "".join((" ↑" if above else "", " ↓" if below else ""))
            count = f"{len(self._taken or ()):,} taken of {len(window.labels):,}"
            asked = f"{window.filter}▏" if window.filter else "type to filter"
            lines.append(Content(fit(f"{asked}  {count}{more}", width)).stylize(muted))
        if not window.matches:
            lines.append(Content("no value matches").stylize(muted))
        for option in window.shown:
            mark = "[x]" if option in (self._taken or ()) else "[ ]"
            line = Content(fit(f"{mark} {window.labels[option]}", width))
            lines.append(line.stylize(cursor) if option == window.current else line)
        return Content("\n").join(lines)

    def action_take(self) -> None:
        self._toggle(self._window.current)

    def action_move(self, by: int) -> None:
        self._window.move(by)
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        window = self._window
        if event.key in ("space", "enter"):
            return
        if not self._is_long:
            self._go_to_letter(event)
            return
        steps = {"pageup": 1 - LINES, "pagedown": LINES - 1}
        steps |= {"home": -len(window.labels), "end": len(window.labels)}
        if event.key in steps:
            window.move(steps[event.key])
        elif event.key == "escape" and window.filter:
            window.narrow("")
        else:
            text = typed_into(window.filter, event.key, event.character)
            if text is None:
                return
            window.narrow(text)
        event.stop()
        event.prevent_default()
        self.refresh()

    def _go_to_letter(self, event: events.Key) -> None:
        window, letter = self._window, event.character
        if letter is None or not is_letter(letter):
            return
        index = starting_with(window.labels, letter, window.current or 0)
        if index is not None:
            event.stop()
            event.prevent_default()
            window.go_to(index)
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        event.stop()
        option = self._window.at(place.y - self._is_long)
        if option is not None:
            self._window.go_to(option)
            self._toggle(option)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scroll(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scroll(event, -1)

    def _scroll(self, event: events.MouseEvent, by: int) -> None:
        if self._is_long and self.has_focus:
            event.stop()
            event.prevent_default()
            self._window.move(by)
            self.refresh()

    def _toggle(self, option: int | None) -> None:
        if option is None:
            return
        self._taken = (self._taken or frozenset()) ^ {option}
        self.refresh()
        self.post_message(self.Toggled(self, tuple(sorted(self._taken))))
