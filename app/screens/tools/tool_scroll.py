"""What scrolls in the pane of the chosen tool: hints, description, the form."""

from __future__ import annotations

from textual import events, on
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.scrollbar import ScrollDown, ScrollTo, ScrollUp
from textual.widget import Widget
from textual.widgets import TextArea

from signoff.widgets.forms.form_row import FormRow
from signoff.widgets.growing import Growing


class ToolScroll(VerticalScroll):
    """Keeps the field that is typed in in sight, whatever becomes of the room.

    Until somebody looks elsewhere: then it stays where they have scrolled to, as long as they go to
    no field and the window stays as it is.
    """

    FOCUS_ON_CLICK = False
    """What is pressed must stay where it is until the button is let go."""
    DEFAULT_CSS = """
    ToolScroll { height: 1fr; scrollbar-gutter: stable; }
    """

    _begins = False
    _keeps = False
    """Whether the field is brought into sight after each layout."""

    @property
    def content(self) -> Growing:
        """All that scrolls."""
        return self.get_child_by_type(Growing)

    def on_mount(self) -> None:
        self.screen.screen_layout_refresh_signal.subscribe(self, self._laid_out)

    def on_resize(self) -> None:
        self._keeps = True
        self._show_field()

    def begin_anew(self) -> None:
        """Something else stands above the form: from the top, and on to the field."""
        self.scroll_home(animate=False, immediate=True)
        self._keeps = self._begins = True

    @on(Growing.Grew)
    def _laid_out_anew(self) -> None:
        if self._begins:
            self._begins = False
            self.scroll_home(animate=False, immediate=True)
            self._show_field()

    def to_top(self) -> None:
        """Another tool is shown, and nobody is in its form yet."""
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
        if self._keeps:
            self._show_field()

    def _show_field(self) -> None:
        """The field that has the focus, or would get it."""
        if self.has_focus or not self.is_attached:
            return
        focused = self.screen.focused
        if focused is None or self not in focused.ancestors:
            _bring_into_view(next(iter(self.query(FormRow)), None))
            return
        # Where it stands is known as of the last layout: looked up before anything is scrolled.
        place = self._cursor_of(focused) if isinstance(focused, TextArea) else None
        _bring_into_view(next((one for one in focused.ancestors if isinstance(one, FormRow)), None))
        _bring_into_view(focused)
        if place is not None:
            self.scroll_to_region(place, animate=False, immediate=True)

    def _cursor_of(self, area: TextArea) -> Region:
        """The line that is typed in, among all that scrolls; there can be more than rows."""
        line = area.cursor_screen_offset - self.scrollable_content_region.offset
        return Region(0, line.y + self.scroll_offset.y, 1, 1)


def _bring_into_view(widget: Widget | None) -> None:
    if widget is not None and widget.region:
        widget.scroll_visible(animate=False, immediate=True)
