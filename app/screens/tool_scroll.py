"""What scrolls in the pane of the chosen tool: hints, description, the form."""

from __future__ import annotations

from textual import events, on
from textual.containers import VerticalScroll

from widgets.forms.form_row import FormRow
from widgets.growing import Growing


class ToolScroll(VerticalScroll):
    """Keeps the field that is typed in in sight, whatever becomes of the room."""

    FOCUS_ON_CLICK = False
    """What is pressed must stay where it is until the button is let go."""
    DEFAULT_CSS = """
    ToolScroll { height: 1fr; scrollbar-gutter: stable; }
    """

    _begins = False

    @property
    def content(self) -> Growing:
        """All that scrolls."""
        return self.get_child_by_type(Growing)

    def on_resize(self, event: events.Resize) -> None:
        if not self.has_focus:
            self.call_after_refresh(self._show_field)

    def begin_anew(self) -> None:
        """Something else stands above the form: from the top, and on to the field."""
        self._begins = True
        self.scroll_home(animate=False)

    @on(Growing.Grew)
    def _laid_out(self) -> None:
        if self._begins:
            self._begins = False
            self.call_after_refresh(self._from_the_top)

    def _from_the_top(self) -> None:
        self.scroll_home(animate=False, immediate=True)
        if not self.has_focus:
            self.call_after_refresh(self._show_field)

    def _show_field(self) -> None:
        """The field that has the focus, or would get it."""
        focused = self.screen.focused if self.is_attached else None
        around = focused.ancestors_with_self if focused is not None else []
        row = next((one for one in around if isinstance(one, FormRow)), None)
        if row is None or self not in row.ancestors:
            row = next(iter(self.query(FormRow)), None)
        if row is not None:
            row.scroll_visible(animate=False)
            if focused is not None and row in focused.ancestors:
                focused.scroll_visible(animate=False)
