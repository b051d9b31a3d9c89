"""The keys of the main screen, which work in every pane, and why one is idle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from textual.actions import parse
from textual.binding import BindingType
from textual.screen import Screen

from ....widgets.bindings import binding_of, bindings_of
from ...content.key_tables import KeyRow, Mark, key_sections


def row_name(action: str, parameters: Sequence[object]) -> str:
    """The name of an action's row: the screen that it opens, or else the action."""
    return str(parameters[0]) if action == "open" and parameters else action


def _name(row: KeyRow) -> str:
    _, action, parameters = parse(row.action)
    return row_name(action, parameters)


def _rank(row: KeyRow) -> int:
    return int(row.marks.get(Mark.FOOTER) or 9)


_ADDED: Final = sorted(key_sections()["main: features"], key=_rank)
"""The keys that features add, those of the footer first."""
ROWS: Final = {
    _name(row): row for row in (*key_sections()["main"], *_ADDED, *key_sections()["main: screens"])
}
"""By what the key does, such as `cancel`, or by the screen that it opens."""
WORK_KEYS: Final[list[BindingType]] = bindings_of("main")
SCREEN_KEYS: Final[list[BindingType]] = [*map(binding_of, _ADDED), *bindings_of("main: screens")]
OFFERED: Final = tuple(row for row in key_sections()["main"] if row.can)
"""Rows whose keys the footer offers only while they would do something."""
QUEUED: Final = tuple(row for row in key_sections()["main"] if not row.action.startswith("open"))
"""Rows whose actions wait for the panes that are still to come."""

FORM_AS_JSON: Final = "ctrl+j"
NO_TOOLS: Final = "This server lists no tools."
NOT_CHOSEN: Final = "Select a tool in the list first."


def show_key(screen: Screen[None], key: str) -> None:
    """Show a key of a screen in its footer."""
    bindings = screen._bindings.key_to_bindings
    bindings[key] = [replace(one, show=True) for one in bindings[key]]


def why_idle(screen: Screen[None], key: str, why_no_tool: Callable[[], str]) -> str:
    """In words; empty if the key does something, or is none.

    `why_no_tool` is called where the key needs a tool: empty if one is chosen.
    """
    if key in screen.active_bindings:
        return ""
    for binding in screen._bindings.key_to_bindings.get(key, ()):
        _, action, parameters = parse(binding.action)
        row = ROWS.get(row_name(action, parameters))
        if row is not None and not screen.check_action(action, parameters):
            return (Mark.TOOL in row.marks and why_no_tool()) or row.why
    # The form, which has these keys, is not there without a tool.
    return why_no_tool() if key == FORM_AS_JSON else ""
