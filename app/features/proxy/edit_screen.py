"""Other arguments for a call of a host, which the policy judges again."""

from __future__ import annotations

import json
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.forms.field_editors import TextEditor
from ....widgets.key_footer import KeyFooter
from ...approval.questions.questions import AboutCall
from ...content.json.jsonio import JsonError, JsonValue, read_arguments
from ...content.text import sentence, visible
from ...tui.base.screen_mixin import ScreenMixin


class EditArguments(ScreenMixin, ModalScreen[dict[str, JsonValue] | None]):
    """The result has the arguments, or is None to go back to the question."""

    HELP = """
# Other arguments

The call goes to the policy again with what you write here. If it is sent, the result for the model
begins with the arguments that you changed it to.
"""
    DEFAULT_CSS = """
    EditArguments { align: center middle; background: $background 70%; }
    EditArguments > Vertical {
        width: 90%; max-width: 100; height: auto; max-height: 90%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    EditArguments TextEditor { max-height: 20; }
    EditArguments #told { height: auto; color: $text-error; }
    """
    AUTO_FOCUS = "TextEditor"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("watch_edit")

    def __init__(self, question: AboutCall) -> None:
        super().__init__()
        self._question = question
        self.call = question.call

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            name = self._question.tool.display_name
            box.border_title = Content.assemble("arguments of ", (name, "bold"))
            given = json.dumps(self._question.snapshot.arguments(), indent=2, ensure_ascii=False)
            yield TextEditor(given, json=True, is_whole=True)
            yield Static(id="told", markup=False)
            yield KeyFooter()

    def action_judge(self) -> None:
        """Leave with the arguments, if they are a JSON object."""
        try:
            value = read_arguments(self.query_one(TextEditor).text)
        except JsonError as problem:
            self._tell(problem.reason)
            return
        self.dismiss(value)

    def action_back(self) -> None:
        self.dismiss(None)

    def _tell(self, words: str) -> None:
        self.query_one("#told", Static).update(Content(visible(sentence(words, begins=True))))
