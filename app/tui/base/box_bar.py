"""The bar of keys on the lower border of a box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.containers import Vertical
from textual.screen import Screen

from ....widgets.key_bar import BarKey, show_bar


class HasBoxBar:
    """Mix into a screen with one box: its outer Vertical has the bar, as many keys as fit."""

    BOX_KEYS: ClassVar[Sequence[BarKey]] = ()

    @property
    def box_keys(self) -> Sequence[BarKey]:
        """The keys that do something now, in their order."""
        return self.BOX_KEYS

    def draw_box_bar(self) -> None:
        """Draw it once the box is laid out: a screen that has just been left has none."""
        assert isinstance(self, Screen)
        for box in list(self.query(Vertical))[:1]:
            show_bar(box, self.box_keys)

    def on_mount(self) -> None:
        assert isinstance(self, Screen)
        self.call_after_refresh(self.draw_box_bar)

    def on_resize(self, event: events.Resize) -> None:
        assert isinstance(self, Screen)
        self.call_after_refresh(self.draw_box_bar)
