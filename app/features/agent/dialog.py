"""The dialog for a permission request of an agent: its words, the facts, and its own answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from textual.binding import BindingType

from ....widgets.bindings import bindings_of
from ....widgets.buttons import GuardedButton
from ....widgets.key_bar import BarKey
from ...approval.approval import DECISION_SECONDS
from ...approval.questions.sheet import Room
from ...content.text import count
from ...content.texts.sheet_line import SheetLine
from ...protocol.acp import OptionKind, PermissionOption
from ...tui.approving.sheet_dialog import SheetDialog, keys_of_sheet
from .question_lines import AgentQuestion, agent_question_lines, option_words

BUTTONS_MOST = 6
"""Answers that get a button; no host is known to offer more."""
_SHORT = {
    "Allow once": "Once",
    "Allow always": "Always",
    "Reject once": "Reject",
    "Reject always": "Never",
    "Other answer": "Other",
}


class AgentDialog(SheetDialog[PermissionOption | None], inherit_bindings=False):
    """The result is the chosen answer, or None for `cancelled`.

    The first button rejects and has the focus; it is `Cancel` if the agent offers no answer that
    rejects. After `decision_seconds` without a sign of a person it is the answer. `guard`: keyword
    arguments of SheetDialog.
    """

    HELP = """
# An agent asks

The buttons are the agent's own answers; `enter` on one that allows, or a click, gives it. Every
other key rejects or does nothing. Until half a second has passed without input, the dialog accepts
`esc` and no other key.
"""
    BINDINGS: ClassVar[list[BindingType]] = [*SheetDialog.BINDINGS, *bindings_of("agent_dialog")]
    doing = "answering"

    def __init__(
        self,
        question: AgentQuestion,
        *,
        waiting: int = 0,
        decision_seconds: float = DECISION_SECONDS,
        **guard: Any,
    ) -> None:
        words = option_words(question.options)
        shown = sorted(question.options[:BUTTONS_MOST], key=_place)
        self._results: dict[GuardedButton, PermissionOption | None] = {
            GuardedButton(words[one.option_id]): one for one in shown
        }
        acting = sum(not one.rejects for one in shown)
        if acting == len(shown):
            self._results = {GuardedButton("Cancel"): None, **self._results}
        super().__init__(tuple(self._results), acting=acting, **guard)
        self._question = question
        self._words = words
        self._waiting = waiting
        self._decision_seconds = decision_seconds
        self._painted_at = self.now()
        self._in_full = False

    @property
    def question(self) -> AgentQuestion:
        """The shown request."""
        return self._question

    def show(self, question: AgentQuestion, waiting: int) -> None:
        """Something else is known now; the buttons stay."""
        if self.is_answered or (question, waiting) == (self._question, self._waiting):
            return
        has_changed = question != self._question
        self._question, self._waiting = question, waiting
        if self.is_mounted and has_changed:
            self.lay_out(keep_seen=False)
            self.sheet.scroll_home(animate=False)
            self.restart()

    def on_mount(self) -> None:
        self._painted_at = self.now()

    def title_words(self) -> str:
        more = f" · {self._waiting} more waiting" if self._waiting else ""
        return f"The agent asks for permission{more}"

    def lines(self, columns: int) -> Iterator[SheetLine]:
        room = Room(columns, is_roomy=self.app.size.height >= 30, in_full=self._in_full)
        yield from agent_question_lines(self._question, room)
        if (more := len(self._question.options) - BUTTONS_MOST) > 0:
            yield SheetLine(((f"▲ {count(more, 'more answer')} without a button", "noticed"),))

    def keys_said(self) -> tuple[BarKey, ...]:
        left = max(0, round(self._deadline - self.now()))
        leaves = f"{self.first_stop.label} (in {left} s)"
        details = BarKey("agent_dialog.in_full", "Details", 1)
        return keys_of_sheet(leaves, details)

    def label_buttons(self, width: int) -> None:
        labels = {button: self._label(button) for button in self._results}
        for room, is_short in ((3, False), (1, False), (1, True), (0, True)):
            for button, words in labels.items():
                button.room = room
                button.label = _short(words) if is_short else words
            needed = sum(len(one.label) + 2 * room + 1 for one in labels)
            if needed <= width - 6:
                return

    def result_of(self, button: GuardedButton) -> PermissionOption | None:
        return self._results[button]

    def action_in_full(self) -> None:
        if self.is_armed:
            self._in_full = not self._in_full
            self.lay_out()
            self.restart()

    def answer(self, result: PermissionOption | None) -> None:
        """The first answer counts."""
        if self.is_active or self.is_answered:
            super().answer(result)
            return
        # The help may be on top; neither the time limit nor the end of the agent waits for it.
        self._is_answered = True
        self.pop_until_active()
        self.app.call_later(self.dismiss, result)

    def tick(self) -> None:
        if self.now() >= self._deadline and not self.is_answered:
            self.answer(self.result_of(self.first_stop))
            return
        super().tick()

    @property
    def _deadline(self) -> float:
        return max(self._painted_at, self.last_sign) + self._decision_seconds

    def _label(self, button: GuardedButton) -> str:
        option = self._results[button]
        return "Cancel" if option is None else self._words[option.option_id]


def _place(option: PermissionOption) -> int:
    """Those that allow come last, and the narrowest of them at the very end."""
    return (
        OptionKind.REJECT_ONCE,
        OptionKind.REJECT_ALWAYS,
        OptionKind.OTHER,
        OptionKind.ALLOW_ALWAYS,
        OptionKind.ALLOW_ONCE,
    ).index(option.kind)


def _short(words: str) -> str:
    """A label in one word, with its number."""
    name, _, number = words.rpartition(" ")
    if number.isdecimal():
        return f"{_SHORT[name]} {number}"
    return _SHORT.get(words, words)
