"""What changed in the list of tools, and goes on to change while it is read."""

from __future__ import annotations

from collections.abc import Sequence

from ..pager import PagerScreen, Section


class ChangesScreen(PagerScreen):
    """One section, which is drawn anew where there are other changes."""

    def take(self, sections: Sequence[Section]) -> None:
        """Show them as they are by now, unless somebody searches in what is there, or marks it."""
        if tuple(sections) == self._sections or not self.is_mounted:
            return
        if self._search is not None or self.get_selected_text():
            return
        top = self.lines.top_position
        self._sections = tuple(sections)
        self._show()
        self.lines.go_to(top, at_top=True)
