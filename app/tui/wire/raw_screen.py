"""A message for the wire, written as JSON: checked as it is typed, asked about before it leaves."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ....widgets.forms.field_editors import TextEditor
from ....widgets.verb_bar import Verb, VerbBar
from ...protocol.wire.composing import CALLS, Composed, Miswritten, read_written
from ..failures import TellsFailures
from ..fresh_sizes import FreshSizes


class RawScreen(FreshSizes, ModalScreen[Composed | None], TellsFailures):
    """The result is the message, None where there is to be none."""

    FAILED = "This could not be done"

    DEFAULT_CSS = """
    RawScreen { align: center middle; background: $background 70%; }
    RawScreen > Vertical {
        width: 95%; max-width: 110; height: 90%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    RawScreen TextEditor { height: 1fr; max-height: 100%; }
    RawScreen .about { height: auto; color: $text-muted; margin-bottom: 1; }
    RawScreen .told { height: auto; max-height: 3; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="raw.back", tooltip="Back; nothing is sent."),
        Binding(
            "f5,ctrl+enter",
            "review",
            "Review",
            id="raw.review",
            tooltip="Ask about exactly this message; nothing is sent before that.",
        ),
        Binding(
            "ctrl+e",
            "edit",
            "Edit elsewhere",
            id="raw.editor",
            tooltip="Edit the message in $EDITOR.",
        ),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._editor = TextEditor(text, json=True, is_whole=True)

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content("A message for the server")
            calls = ", ".join(CALLS)
            words = f'With an "id" it is a request, whose id Signoff gives. {calls}: as calls.'
            yield Static(Content(words), classes="about")
            yield self._editor
            yield Static(classes="told", markup=False)
            review = Verb("review", "Review", "f5", is_main=True)
            yield VerbBar([review, Verb("edit", "Editor", "ctrl+e"), Verb("back", "Back", "esc")])

    def on_mount(self) -> None:
        self._editor.focus()
        self._tell()

    def action_back(self) -> None:
        self.dismiss(None)

    def action_review(self) -> None:
        try:
            written = read_written(self._editor.text)
        except Miswritten as problem:
            self._tell()
            if problem.at is not None:
                before = self._editor.text[: problem.at]
                column = problem.at - (before.rfind("\n") + 1)
                self._editor.move_cursor((before.count("\n"), column))
            self._editor.focus()
        else:
            self.dismiss(written)

    @work(exclusive=True, exit_on_error=False)
    async def action_edit(self) -> None:
        from ..arguments.editing import edit_on_terminal
        from ..editor import NotEdited

        try:
            self._editor.load_text(await edit_on_terminal(self.app, self._editor.text))
        except NotEdited as problem:
            self.notify(f"{problem}.", markup=False)
        self._editor.focus()

    @on(TextEditor.Changed)
    def _changed(self) -> None:
        self._tell()

    @on(VerbBar.Picked)
    async def _picked(self, message: VerbBar.Picked) -> None:
        message.stop()
        await self.run_action(message.name)

    def _tell(self) -> None:
        """What is wrong, and where; or what it would be."""
        try:
            written = read_written(self._editor.text)
        except Miswritten as problem:
            words = Content.styled(f"▲ Not a message: {problem}.", "$text-warning")
        else:
            what = "a notification" if not written.is_request else "a request"
            what = "a call, asked about and logged as any other" if written.is_call else what
            told = f"This is {what}" + (f"; {written.id_words}" if written.id_words else "")
            words = Content.styled(f"{told}.", "$foreground 60%")
        self.query_one(".told", Static).update(words)
