"""The keys that work now, as many as there is room for, and the most important of them always."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

ALWAYS: Final = (
    frozenset({"work('call')", "submit"}),
    frozenset({"toggle_help", "app.toggle_help"}),
    frozenset({"quit", "app.quit"}),
)
"""Actions whose keys are never left out for others, the first of all first."""
GAP: Final = 1


class KeyFooter(Footer):
    """Shows whole keys only; what is left out is in the help and in the palette."""

    DEFAULT_CSS = """
    KeyFooter FooterKey.-command-palette { margin: 0; padding-right: 1; }
    """

    def __init__(self, *, show_command_palette: bool = True) -> None:
        super().__init__(compact=True, show_command_palette=show_command_palette)
        self._drawn_width = 0

    def compose(self) -> ComposeResult:
        self._drawn_width = self.app.size.width
        yield from fitting(list(super().compose()), self._drawn_width)

    def on_resize(self, event: events.Resize) -> None:
        if self._bindings_ready and self.app.size.width != self._drawn_width:
            self.call_after_refresh(self.recompose)


def fitting(keys: list[Widget], width: int) -> list[Widget]:
    """The keys that stand in so many cells, in their order."""
    room = width
    kept = set[Widget]()
    for key in sorted(keys, key=_rank):
        cells = _cells(key)
        if cells <= room:
            kept.add(key)
            room -= cells
    return [key for key in keys if key in kept]


def _rank(key: Widget) -> int:
    action = key.action if isinstance(key, FooterKey) else ""
    found = (at for at, actions in enumerate(ALWAYS) if action in actions)
    is_palette = key.has_class("-command-palette")
    return next(found, len(ALWAYS) if is_palette else len(ALWAYS) + 1)


def _cells(key: Widget) -> int:
    if not isinstance(key, FooterKey):
        return 0
    edge = 2 if key.has_class("-command-palette") else GAP
    return cell_len(f"{key.key_display} {key.description}") + edge
