"""Base of screens with a list above and details of one row below."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.screen import Screen

from ....widgets.sheets import SheetView
from ...content.texts.sheet_line import SheetLine
from ..fresh_sizes import FreshSizes


class DetailScreen(FreshSizes, Screen[str | None]):
    """Holds one `SheetView`. Dismissed with the name of the chosen row, or None."""

    _below = 0
    """Lines of the words below those that are seen."""
    _about: object = None
    """What they are about."""

    def action_close(self) -> None:
        self.dismiss(None)

    def action_scroll_detail(self, rows: int) -> None:
        self.query_one(SheetView).scroll_relative(y=rows, animate=False)

    @on(SheetView.Moved)
    def _detail_moved(self, message: SheetView.Moved) -> None:
        message.stop()
        self._below = message.below
        self._draw_title()

    def _show_detail(
        self, lines: Sequence[SheetLine], width: int | None = None, *, about: object = None
    ) -> None:
        """Show other words, as wide as they are seen or as is given.

        From their beginning, unless they are `about` the same as those before.
        """
        sheet = self.query_one(SheetView)
        is_same, self._about = about is not None and about == self._about, about
        sheet.set_lines(lines, max(sheet.size.width, 1) if width is None else width)
        if not is_same:
            sheet.scroll_home(animate=False)

    @property
    def _more(self) -> str:
        """Count the lines below, for a title; empty if there are none."""
        return f" · {self._below} more lines, shift+↓" if self._below else ""

    def _draw_title(self) -> None:
        raise NotImplementedError
