"""The scrolling part of the tool pane: hints, description, the form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from textual import events, on
from textual.containers import VerticalScroll
from textual.geometry import Offset, Region
from textual.scrollbar import ScrollDown, ScrollTo, ScrollUp
from textual.widget import Widget
from textual.widgets import TextArea

from ....widgets.forms.form_row import FormRow
from ....widgets.labels import AutoHeight


class ToolScroll(VerticalScroll):
    """Keeps the focused field in sight whenever the room changes.

    Once the user scrolls elsewhere it stays there, until they go to a field or the window is
    resized.
    """

    FOCUS_ON_CLICK = False
    """Hold a pressed widget in place until the button is released."""
    DEFAULT_CSS = """
    ToolScroll { height: 1fr; scrollbar-gutter: stable; }
    """

    _begins = False
    _keeps = False
    """Whether the field is brought into sight after each layout."""
    _shown: tuple[Widget | None, int] | None = None
    """What was brought into sight last, and its line with the cursor."""
    _from = 0
    """The scroll position when a person went there."""

    @property
    def content(self) -> AutoHeight:
        """All that scrolls."""
        return self.get_child_by_type(AutoHeight)

    def on_mount(self) -> None:
        self.screen.screen_layout_refresh_signal.subscribe(self, self._laid_out)

    def on_resize(self) -> None:
        self._keeps = True
        self._show_field()

    def begin_anew(self) -> None:
        """Show something else above the form: from the top, then on to the field."""
        self.scroll_home(animate=False, immediate=True)
        self._keeps = self._begins = True

    @on(AutoHeight.Grew)
    def _laid_out_anew(self) -> None:
        if self._begins:
            self._begins = False
            self.scroll_home(animate=False, immediate=True)
            self._show_field()

    def to_top(self) -> None:
        """Scroll to the top: another tool is shown, and its form does not have the focus."""
        self._keeps = False
        self.scroll_home(animate=False)

    def on_descendant_focus(self) -> None:
        self._keeps = True

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._keeps = False

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._keeps = False

    def on_scroll_to(self, message: ScrollTo) -> None:
        self._keeps = False

    def on_scroll_up(self, message: ScrollUp) -> None:
        self._keeps = False

    def on_scroll_down(self, message: ScrollDown) -> None:
        self._keeps = False

    @on(TextArea.SelectionChanged)
    def _cursor_moved(self) -> None:
        self._keeps = True
        self.call_after_refresh(self._show_field)

    def _laid_out(self, _: object) -> None:
        # A bar that was hidden while its container scrolled does not know the position.
        self.vertical_scrollbar.position = self.scroll_y
        if self._keeps:
            self._show_field()

    def scroll_to_region(self, region: Region, **options: Any) -> Offset:
        """As a widget of the form asks for it; if that is not about its field, it stays so."""
        delta = super().scroll_to_region(region, **options)
        _, row = self._field()
        if row is None or not self._place_of(row).contains_region(region):
            self._from = round(self.scroll_offset.y) + delta.y
        return delta

    def _field(self) -> tuple[Widget | None, FormRow | None]:
        """The focused widget and its row; or the row of the form that would get the focus."""
        focused = self.screen.focused
        if focused is None or self not in focused.ancestors:
            return None, next(iter(self.query(FormRow)), None)
        return focused, next((one for one in focused.ancestors if isinstance(one, FormRow)), None)

    def _show_field(self) -> None:
        """Scroll as little as possible to the field that has the focus, or would get it.

        Always from the scroll position at which the field got the focus: positions in between,
        while the layout comes to rest, leave no trace.
        """
        if not self.is_attached:
            return
        if self.has_focus:
            self._shown = None
            return
        focused, row = self._field()
        line = focused.cursor_location[0] if isinstance(focused, TextArea) else 0
        if self._shown is None or self._shown != (focused, line):
            self._shown = focused, line
            self._from = round(self.scroll_offset.y)
        window = Region(0, self._from, *self.scrollable_content_region.size)
        for place in self._places(focused, row):
            if place:
                across = place.reset_offset.translate((0, place.y))
                window = window.translate(Region.get_scroll_to_visible(window, across))
        self.scroll_to(y=window.y, animate=False, immediate=True)

    def _places(self, focused: Widget | None, row: FormRow | None) -> Iterator[Region]:
        """Yield regions to be shown, the most important last: they may not all fit."""
        if row is not None:
            yield self._place_of(row)
        if focused is not None:
            yield self._place_of(focused)
        if isinstance(focused, TextArea):
            line = focused.cursor_screen_offset - focused.region.offset
            yield Region(0, self._place_of(focused).y + line.y, 1, 1)

    def _place_of(self, widget: Widget) -> Region:
        """Return the region of a widget within the scrolled content, as of the last layout."""
        place = widget.virtual_region
        for parent in widget.ancestors:
            if parent is self or not isinstance(parent, Widget):
                break
            inner = parent.content_region.offset - parent.region.offset
            place = place.translate(parent.virtual_region.offset + inner)
        return place
