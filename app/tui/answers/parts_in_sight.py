"""A pane of many parts: bodies are made as they scroll into sight; keys step over them."""

from __future__ import annotations

from functools import partial

from textual import events, on
from textual.containers import VerticalScroll
from textual.widget import Widget

from ....widgets.text_view.search_bar import ScrollsAtOnce
from .part_view import PartHeader, PartView

AT_ONCE = 3
"""Bodies made before the screen is laid out again: the first ones may fill it."""
PATIENCE = 1.0
"""Seconds for a body to be laid out."""


class PartsInSight(VerticalScroll, ScrollsAtOnce, can_focus=True):
    """Scrolls at once, and makes the bodies that come into sight.

    `views` holds every part in its order; a subclass keeps it up to date and calls `look`.
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.views: list[PartView] = []
        self._looks_soon = False
        self._stays_at_end = False
        self._held: tuple[PartView, int] | None = None
        """The widget to hold in place, and its distance from the top."""

    @property
    def shown(self) -> list[PartView]:
        """The parts that are not filtered away."""
        return [view for view in self.views if view.display]

    def look(self) -> None:
        """Something moved: make the bodies that are in sight now, after the next layout."""
        if not self._looks_soon:
            self._looks_soon = True
            self.call_after_refresh(self._make_what_is_seen)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if new_value < old_value:
            self._stays_at_end = False
        self.look()

    def on_resize(self, event: events.Resize) -> None:
        self.look()

    def on_show(self) -> None:
        self.look()

    @on(PartView.Moved)
    def _part_moved(self, message: PartView.Moved) -> None:
        message.stop()
        self._settle()

    async def _make_what_is_seen(self) -> None:
        self._looks_soon = False
        if any(view.is_unsettled for view in self.shown):
            # A message follows its layout; until then the visible parts are not known.
            return
        wanted = [view for view in self.shown if view.is_wanted and self.is_seen(view)]
        if not wanted:
            return
        self._held = self._anchor(wanted[0])
        for view in wanted[:AT_ONCE]:
            await view.make_body()
        # One that has no height does not change its own.
        self.set_timer(PATIENCE, partial(self._wait_no_longer, wanted[:AT_ONCE]))

    def _wait_no_longer(self, views: list[PartView]) -> None:
        for view in views:
            view.settle()
        self._settle()

    def span(self, view: PartView) -> tuple[int, int]:
        """The first row of a part, and the one after its last, counted from the top of all."""
        # Places on the screen are those of the last scroll that was drawn; these are not.
        top = view.virtual_region.y
        if isinstance(view.parent, Widget):
            top += view.parent.virtual_region.y
        return top, top + view.virtual_region.height

    def is_seen(self, view: PartView) -> bool:
        """True if any of it is in the pane."""
        top, bottom = self.span(view)
        height = self.scrollable_content_region.height
        return top < bottom and bottom > self.scroll_y and top < self.scroll_y + height

    def _anchor(self, first: PartView) -> tuple[PartView, int] | None:
        """Return the view that must not move when a body grows above the upper edge."""
        if self.span(first)[0] >= self.scroll_y:
            return None
        at = self.views.index(first)
        below = [view for view in self.views[at + 1 :] if view.display and self.is_seen(view)]
        return (below[0], self.span(below[0])[0]) if below else None

    def _settle(self) -> None:
        """Restore the scroll position after a layout, and make the bodies that came into sight."""
        if any(view.is_unsettled for view in self.shown):
            return
        held, self._held = self._held, None
        if self._stays_at_end:
            self.scroll_end(animate=False)
        elif held is not None and held[0].is_attached:
            view, top = held
            self.scroll_to(y=self.scroll_y + self.span(view)[0] - top, animate=False)
        self.look()

    # Keys

    @on(PartHeader.Stepped)
    def _stepped(self, message: PartHeader.Stepped) -> None:
        message.stop()
        shown = self.shown
        at = next(index for index, one in enumerate(shown) if one.header is message.header)
        if at + message.step < 0:
            self.focus(scroll_visible=False)
            self.scroll_home(animate=False)
        elif at + message.step >= len(shown):
            # The last part may be longer than the pane.
            self.scroll_down(animate=False)
        else:
            self.go_to(shown[at + message.step])

    def go_to(self, view: PartView) -> None:
        """Focus a part, and show as much of it as there is room for, its header first."""
        view.header.focus(scroll_visible=False)
        top, bottom = self.span(view)
        below = bottom - self.scroll_y - self.scrollable_content_region.height
        if top < self.scroll_y:
            self.scroll_to(y=top, animate=False)
        elif below > 0:
            self.scroll_to(y=min(top, self.scroll_y + below), animate=False)

    def action_scroll_end(self) -> None:
        self._stays_at_end = True
        super().action_scroll_end()
