"""A choice of one of many values, found by typing a part of it.

`OptionWindow` is the filter, the cursor, and the window that follows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from ..bindings import bindings_of
from ..cells import fit
from ..labels import component_style

MAX_FILTER: Final = 60
"""Characters of a filter."""


class OptionWindow:
    """Up to hundreds of labels, narrowed by a filter, seen through a window of a few lines.

    `labels` are sanitised already. Options are identified by their index among all labels; a label
    matches when it contains the filter, whatever the case, and those that start with it come first.
    """

    def __init__(self, labels: Sequence[str], height: int) -> None:
        self.labels = tuple(labels)
        self.height = max(1, height)
        self.filter = ""
        self.matches: tuple[int, ...] = tuple(range(len(self.labels)))
        self._cursor = 0
        self._top = 0
        self._folded: tuple[str, ...] | None = None

    @property
    def current(self) -> int | None:
        """The option under the cursor; None if nothing matches."""
        return self.matches[self._cursor] if self.matches else None

    @property
    def shown(self) -> tuple[int, ...]:
        """The options in sight, in order."""
        return self.matches[self._top : self._top + self.height]

    @property
    def hidden(self) -> tuple[int, int]:
        """Number of matches above and below those in sight."""
        below = len(self.matches) - self._top - self.height
        return self._top, max(0, below)

    def narrow(self, text: str) -> None:
        """Filter by another text; the cursor goes to the first match."""
        self.filter = text[:MAX_FILTER]
        if self._folded is None:
            self._folded = tuple(label.casefold() for label in self.labels)
        wanted = self.filter.casefold()
        found = [index for index, label in enumerate(self._folded) if wanted in label]
        if wanted:
            # Sorting is stable: within both groups the server's order stays.
            folded = self._folded
            found.sort(key=lambda index: not folded[index].startswith(wanted))
        self.matches = tuple(found)
        self._cursor = self._top = 0

    def go_to(self, option: int) -> None:
        """Put the cursor on an option, if it matches."""
        if option in self.matches:
            self._move_cursor(self.matches.index(option))

    def move(self, by: int) -> None:
        """Move the cursor, as far as there are options."""
        self._move_cursor(self._cursor + by)

    def at(self, line: int) -> int | None:
        """The option on a line of the window."""
        return self.shown[line] if 0 <= line < len(self.shown) else None

    def _move_cursor(self, cursor: int) -> None:
        self._cursor = max(0, min(cursor, len(self.matches) - 1))
        self._top = min(self._top, self._cursor)
        self._top = max(self._top, self._cursor - self.height + 1)


def typed_into(text: str, key: str, character: str | None) -> str | None:
    """A filter after a key; None for a key that does not edit it."""
    if key == "backspace":
        return text[:-1]
    if key in ("ctrl+u", "ctrl+w"):
        return ""
    if character is not None and character.isprintable():
        return text + character
    return None


def is_letter(character: str | None) -> bool:
    """True if a key is for typing wherever the focus is in a form: a letter or a digit."""
    return character is not None and character.isalnum()


def starting_with(labels: Sequence[str], letter: str, after: int) -> int | None:
    """The next label, in a circle, that begins with a letter; None if none does."""
    count = len(labels)
    order = [(after + step) % count for step in range(1, count + 1)]
    return next((at for at in order if labels[at].casefold().startswith(letter.casefold())), None)


OPEN_LINES: Final = 8
"""Options in sight while the list is open."""
NOTHING: Final = "not sent"


class SearchSelect(Widget, can_focus=True):
    """One line with the chosen value; open, a filter and a window on the matches.

    `labels` are drawn literally and have to be sanitised already. With `may_be_nothing`, the first
    option means no value at all.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    SearchSelect {
        height: auto;
        padding: 0 1;
        background: $surface;
        &:focus { background: $surface-lighten-1; }
        .search-select--cursor { text-style: bold reverse; }
        .search-select--muted { color: $text-muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"search-select--cursor", "search-select--muted"}
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("select")

    class Taken(Message):
        """The person took a value; `index` is None for no value."""

        def __init__(self, select: SearchSelect, index: int | None) -> None:
            super().__init__()
            self.select = select
            self.index = index

        @property
        def control(self) -> SearchSelect:
            return self.select

    def __init__(
        self, labels: Sequence[str], taken: int | None, *, may_be_nothing: bool = True
    ) -> None:
        super().__init__()
        self._labels = tuple(labels)
        self._nothing = 1 if may_be_nothing else 0
        self._taken = taken
        self._window: OptionWindow | None = None

    @property
    def taken(self) -> int | None:
        """The index of the value that is taken, None for none."""
        return self._taken

    @taken.setter
    def taken(self, index: int | None) -> None:
        self._taken = index
        self.refresh()

    @property
    def is_open(self) -> bool:
        return self._window is not None

    @property
    def takes_text(self) -> bool:
        """True if keys for characters belong to the filter."""
        return self.is_open

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        is_for_filter = self.is_open and character is not None and character.isprintable()
        return is_letter(character) or is_for_filter

    def render(self) -> Content:
        width = self.content_size.width
        if self._window is None:
            return self._draw_closed(width)
        return self._draw_opened(self._window, width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        if self._window is None:
            return 1
        return 1 + min(OPEN_LINES, max(1, len(self._window.labels)))

    def _draw_closed(self, width: int) -> Content:
        label = NOTHING if self._taken is None else self._labels[self._taken]
        if self._taken is None:
            muted = self.get_visual_style("search-select--muted", partial=True)
            return Content(f"{fit(label, width - 2)} ▾").stylize(muted)
        return Content(f"{fit(label, width - 2)} ▾")

    def _draw_opened(self, window: OptionWindow, width: int) -> Content:
        muted = self.get_visual_style("search-select--muted", partial=True)
        cursor = component_style(self, "search-select--cursor")
        above, below = window.hidden
        # "Not sent" is not a value.
        found = sum(option >= self._nothing for option in window.matches)
        count = f"{found:,} of {len(self._labels):,}"
        more = "".join((" ↑" if above else "", " ↓" if below else ""))
        asked = f"{window.filter}▏" if window.filter else "▏type to filter"
        lines = [Content(fit(f"{asked}  {count}{more}", width)).stylize(muted)]
        if not window.matches:
            lines.append(Content("no value matches").stylize(muted))
        for option in window.shown:
            is_taken = option - self._nothing == self._taken or (
                self._taken is None and option < self._nothing
            )
            line = Content(fit(f"{'●' if is_taken else '○'} {window.labels[option]}", width))
            lines.append(line.stylize(cursor) if option == window.current else line)
        return Content("\n").join(lines)

    def action_open(self) -> None:
        self._open("")

    def _open(self, text: str) -> None:
        if self._window is None:
            first = (NOTHING,) if self._nothing else ()
            self._window = OptionWindow((*first, *self._labels), OPEN_LINES)
            at = self._nothing + self._taken if self._taken is not None else 0
            self._window.go_to(at)
        if text:
            self._window.narrow(text)
        self.refresh(layout=True)
        self.call_after_refresh(self.scroll_visible, animate=False)

    def close(self) -> None:
        """Leave the value as it is."""
        if self._window is not None:
            self._window = None
            self.refresh(layout=True)

    def on_blur(self) -> None:
        self.close()

    def on_key(self, event: events.Key) -> None:
        window = self._window
        if window is None:
            # Letters and digits only: other characters are keys of the screen.
            if event.character is not None and is_letter(event.character):
                _taken_over(event)
                self._open(event.character)
            return
        steps = {"up": -1, "down": 1, "pageup": 1 - OPEN_LINES, "pagedown": OPEN_LINES - 1}
        far = len(window.labels)
        steps |= {"home": -far, "end": far}
        text = typed_into(window.filter, event.key, event.character)
        if event.key == "escape":
            self.close()
        elif event.key == "enter":
            if window.current is not None:
                self._choose(window.current)
        elif event.key in steps:
            window.move(steps[event.key])
            self.refresh()
        elif text is not None:
            window.narrow(text)
            self.refresh()
        else:
            return
        _taken_over(event)

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        event.stop()
        if self._window is None:
            self.action_open()
        elif place.y == 0:
            self.close()
        else:
            option = self._window.at(place.y - 1)
            if option is not None:
                self._choose(option)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scroll(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scroll(event, -1)

    def _scroll(self, event: events.MouseEvent, by: int) -> None:
        if self._window is not None:
            event.stop()
            event.prevent_default()
            self._window.move(by)
            self.refresh()

    def _choose(self, option: int) -> None:
        self.close()
        index = option - self._nothing if option >= self._nothing else None
        if index != self._taken:
            self.taken = index
            self.post_message(self.Taken(self, index))


def _taken_over(event: events.Key) -> None:
    event.stop()
    event.prevent_default()
