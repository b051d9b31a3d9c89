"""Keeps the newest lines of a sheet in sight, until a person scrolls away from them."""

from __future__ import annotations

from ....widgets.sheets import SheetView


class FollowsEnd:
    """Mix into a screen with one sheet whose lines are added at the end."""

    follows = True
    """Whether the end is kept in sight."""

    @property
    def sheet(self) -> SheetView:
        """The sheet."""
        raise NotImplementedError

    def keep_end(self) -> None:
        """Show the end of lines that have just been set, if it is followed."""
        if self.follows:
            self.sheet.call_after_refresh(self.sheet.scroll_end, animate=False)

    def action_scroll(self, where: str) -> None:
        getattr(self.sheet, f"scroll_{where}")(animate=False)
        self._look_later()

    def on_mouse_scroll_up(self) -> None:
        self._look_later()

    def on_mouse_scroll_down(self) -> None:
        self._look_later()

    def _look_later(self) -> None:
        self.sheet.call_after_refresh(self._look_where)

    def _look_where(self) -> None:
        self.follows = self.sheet.below == 0
