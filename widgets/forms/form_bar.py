"""The line of words above a form that do what its keys do."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static


class _Verb(Static):
    """Words that run an action of the form when clicked."""

    ALLOW_SELECT = False

    def __init__(self, words: str, form: Widget, action: str) -> None:
        super().__init__(Content(words), classes="verb", markup=False)
        self._form = form
        self._action = action

    async def on_click(self) -> None:
        await self._form.run_action(self._action)


class FormBar(Horizontal):
    """Fields or JSON, reset, history."""

    DEFAULT_CSS = """
    FormBar {
        height: 1; margin-bottom: 1;
        & .verb { width: auto; margin-right: 3; color: $text-muted; }
        & .verb:hover { color: $text-accent; }
        & .verb.-current { color: $foreground; text-style: bold; }
    }
    """

    def __init__(self, form: Widget) -> None:
        super().__init__(classes="bar")
        self._form = form

    def compose(self) -> ComposeResult:
        yield _Verb("fields", self._form, "show_fields")
        yield _Verb("JSON ctrl+j", self._form, "show_json")
        yield _Verb("reset ctrl+r", self._form, "reset")
        yield _Verb("history f11", self._form, "history")

    def show(self, *, in_json: bool) -> None:
        """Which of the two it is now."""
        for verb, current in zip(self.query(_Verb), (not in_json, in_json), strict=False):
            verb.set_class(current, "-current")
