"""The manual's tables of keys, from the bindings: `python -m tests.readme_keys` prints them."""

from __future__ import annotations

from collections.abc import Iterable

from textual.binding import Binding, BindingType

from signoff.app.tui.answers.pages import TurnsPages
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.answers.part_view import PartHeader, PartView
from signoff.app.tui.app import SignoffApp
from signoff.app.tui.main.keys import SCREEN_KEYS, WORK_KEYS
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.widgets.forms.argument_form import ArgumentForm
from signoff.widgets.key_bar import said_key

_SHOWN = {"slash": "/", "question_mark": "?", "comma": ","}


def key_table() -> str:
    """A Markdown table of the main screen's keys."""
    groups: tuple[Iterable[BindingType], ...] = (
        WORK_KEYS,
        ToolPane.BINDINGS,
        [one for one in ArgumentForm.BINDINGS if _binding(one).action != "submit"],
        SCREEN_KEYS,
        SignoffApp.BINDINGS,
    )
    return _table(groups)


def answer_table() -> str:
    """A Markdown table of the keys in an answer: those of a part, then those of the pane."""
    mine = {_binding(one).key for one in PartView.BINDINGS}
    of_the_pane = [
        one
        for one in [*AnswerPane.BINDINGS, *TurnsPages.BINDINGS]
        if _binding(one).key not in {*mine, "enter"}
    ]
    return _table((PartHeader.BINDINGS, PartView.BINDINGS, of_the_pane))


def _table(groups: Iterable[Iterable[BindingType]]) -> str:
    rows: dict[str, None] = {}
    for group in groups:
        for binding in map(_binding, group):
            rows[f"| {_keys(binding)} | {binding.tooltip} |"] = None
    return "\n".join(["| key | what it does |", "|---|---|", *rows])


def _binding(given: BindingType) -> Binding:
    assert isinstance(given, Binding)
    return given


def _keys(binding: Binding) -> str:
    return ", ".join(f"`{_SHOWN.get(key) or said_key(key)}`" for key in binding.key.split(","))


if __name__ == "__main__":
    print(key_table(), answer_table(), sep="\n\n")
