"""Start screen: servers of before, servers of hosts, the bundled one, and a typed command.

Its base has a line to type in, a list below it, and words about the row.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, Final, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from ....widgets.bindings import bindings_of
from ....widgets.cells import left
from ....widgets.key_footer import KeyFooter
from ....widgets.lists.row_list import Heading, KeyedList, RowList
from ...approval.approval import QUIET_SECONDS
from ...content.text import sentence, shortened
from ...presentation.openings import BUILT_IN, Opening, Section, matching, typed_openings
from ..base.failures import NOT_DONE, TellsFailures
from ..base.screen_mixin import ScreenMixin

R = TypeVar("R")


class FilteredListScreen(ScreenMixin, Screen[R], TellsFailures):
    """The focus stays on the input; the keys that are of no use there move in the list.

    A subclass yields `#head`, an input, the list and `#about`.
    """

    FAILED = NOT_DONE
    AUTO_FOCUS = "Input"
    DEFAULT_CSS = """
    FilteredListScreen { background: $background; }
    FilteredListScreen #head {
        height: 1; padding: 0 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis;
    }
    FilteredListScreen Input { margin: 1 1 0 1; height: 3; padding: 0 1; }
    FilteredListScreen Input, FilteredListScreen Input:focus { border: round $primary; }
    FilteredListScreen KeyedList { height: 1fr; margin: 0 1; }
    FilteredListScreen #about {
        height: auto; max-height: 4; padding: 0 1; margin: 0 1; color: $text-muted;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("list: filtered")

    @property
    def filtered(self) -> KeyedList[Any]:
        """The list."""
        return self.query_one(KeyedList)

    def action_move(self, rows: int) -> None:
        """Move the cursor of the list."""
        place = self.filtered.cursor
        if place is not None:
            self.filtered.move_cursor(place + rows)
            self.filtered.show_cursor()


HINT: Final = "filter; or type a command or a URL, or paste JSON"
NOTHING_YET: Final = "No server starts until you choose one and agree."
LOOKING: Final = "Looking for configuration files…"
NAME_LEAST, NAME_MOST = 12, 28
NOTE_MOST: Final = 44


class OpeningList(KeyedList[Opening]):
    """Draws servers: name, command, and a note at the right."""

    tells_whole = True
    empty = "no server has these words"

    def key(self, row: Opening) -> Hashable:
        return row.key

    def paint(self, row: Opening, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        names = min(max(NAME_LEAST, width // 4), NAME_MOST)
        note = shortened(row.note, min(NOTE_MOST, width // 3))
        room = max(width - 5 - names - (len(note) + 2 if note else 0), 8)
        return [
            Segment("  › " if under_cursor else "    ", base),
            Segment(left(row.name, names), muted if row.problem else base),
            Segment(" ", base),
            Segment(left(row.detail, room), muted),
            *([Segment(f"  {note}", muted)] if note else []),
        ]


class OpeningInput(Input):
    """An input whose pasted lines become one: Textual's keeps the first alone."""

    def on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.insert_text_at_cursor(" ".join(event.text.split("\n")).replace("\r", " "))


class OpeningScreen(FilteredListScreen["Opening | None"]):
    """Dismissed with the server to open, or with None."""

    ENTER_HELP = "Open this server."
    HELP = """
# Open a server

Type words to filter the list, a command such as `npx -y some-server`, or a URL. Paste the JSON of a
server as its documents show it. `enter` opens the row under the cursor. A server of a configuration
file is started after you have agreed to its command.
"""
    DEFAULT_CSS = """
    OpeningScreen #about.-failed { color: $text-warning; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("opening")

    def __init__(
        self,
        load: Callable[[], Sequence[Section]],
        forget: Callable[[Opening], None] = lambda row: None,
        failed: str = "",
    ) -> None:
        """`load` reads the sections, in a thread; until then the bundled server is offered.

        `failed` is why the last choice was not opened.
        """
        super().__init__()
        self._load = load
        self._forget = forget
        self._failed = failed
        self._sections: tuple[Section, ...] = (BUILT_IN,)
        self._is_loading = True

    def compose(self) -> ComposeResult:
        yield Static(Content("Signoff  open a server · enter opens it"), id="head", markup=False)
        yield OpeningInput(placeholder=HINT, select_on_focus=False)
        yield OpeningList()
        yield Static(id="about", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        self._quiet_until = time.monotonic() + QUIET_SECONDS
        self._show(from_top=True)
        self.run_worker(self._read(), exit_on_error=False)

    async def _read(self) -> None:
        found = await asyncio.to_thread(self._load)
        self._is_loading = False
        if self.is_attached:
            # The row under the cursor may be another one now.
            self._quiet_until = time.monotonic() + QUIET_SECONDS
            self._sections = tuple(found)
            self._show(from_top=not self._text and not self._has_moved)

    _has_moved = False
    _quiet_until = 0.0
    """Until then no key opens a row: it was typed ahead, or meant another row."""

    @property
    def _text(self) -> str:
        return self.query_one(Input).value

    @property
    def _rows(self) -> OpeningList:
        return self.query_one(OpeningList)

    def _show(self, *, from_top: bool = False) -> None:
        """Draw the rows for the typed text; a command, an address or JSON comes first."""
        text = self._text
        typed = typed_openings(text, os.environ, sys.platform)
        found: list[Opening | Heading] = []
        is_filter = not (text.strip()[:1] in ("{", "[", '"') or "://" in text)
        for section in matching(self._sections, text) if is_filter else ():
            found += [Heading(section.title), *section.rows]
        # A word alone, and words that no program has, are more likely meant as a filter.
        is_last = bool(found) and any(one.note or len(one.words) == 2 for one in typed)
        rows = [*found, *typed] if is_last else [*typed, *found]
        if from_top or typed:
            self._rows.show_anew(rows)
        else:
            self._rows.show(rows)
        self._tell(self._rows.highlighted)

    @on(Input.Changed)
    def _typed(self) -> None:
        self._failed = ""
        self._show(from_top=True)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_open()

    @on(RowList.Highlighted)
    def _highlighted(self, message: RowList.Highlighted[Opening]) -> None:
        self._tell(message.row)
        self.refresh_bindings()

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen[Opening]) -> None:
        self._open(message.row)

    def action_move(self, rows: int) -> None:
        self._has_moved = True
        self._failed = ""
        super().action_move(rows)

    def action_open(self) -> None:
        row = self._rows.highlighted
        if row is not None and time.monotonic() >= self._quiet_until:
            self._open(row)

    def _open(self, row: Opening) -> None:
        if row.problem:
            self._failed = f"Not opened: {sentence(row.problem)}"
            self._tell(row)
            return
        self.dismiss(row)

    def action_leave(self) -> None:
        if self._text:
            self.query_one(Input).value = ""
        else:
            self.dismiss(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "forget":
            row = self._rows.highlighted if self.is_mounted else None
            return row is not None and row.key.startswith("recent ")
        return super().check_action(action, parameters)

    def action_forget(self) -> None:
        row = self._rows.highlighted
        if row is None:
            return
        self._forget(row)
        self._sections = tuple(
            Section(one.title, tuple(each for each in one.rows if each.key != row.key))
            for one in self._sections
        )
        self._sections = tuple(one for one in self._sections if one.rows)
        self._show()

    def _tell(self, row: Opening | None) -> None:
        about = self.query_one("#about", Static)
        about.set_class(bool(self._failed), "-failed")
        if self._failed:
            words = self._failed
        elif row is not None and row.words[:1] == ("--config",):
            file = shortened(row.words[1], 150)
            words = f"from {file}; it starts once you agreed to this command\n{row.detail}"
        elif row is not None and row.detail and row.words[:1] not in (("tour",), ("demo",)):
            words = row.detail
        else:
            words = LOOKING if self._is_loading else NOTHING_YET
        about.update(Content(words))
