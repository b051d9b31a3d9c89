"""The README's table of keys, made from the bindings: `python -m tests.readme_keys` prints it."""

from __future__ import annotations

from collections.abc import Iterable

from textual.binding import Binding, BindingType
from textual.keys import format_key

from app.screens.app import SignoffApp
from app.screens.keys import SERVER_KEYS, WORK_KEYS
from app.screens.tool_pane import ToolPane
from widgets.argument_form import ArgumentForm

_SHOWN = {"slash": "/", "question_mark": "?"}


def key_table() -> str:
    """A Markdown table of the main screen's keys."""
    groups: tuple[Iterable[BindingType], ...] = (
        WORK_KEYS,
        ToolPane.BINDINGS,
        [one for one in ArgumentForm.BINDINGS if _binding(one).action != "submit"],
        SERVER_KEYS,
        SignoffApp.BINDINGS,
    )
    rows = [
        f"| {_keys(binding)} | {binding.tooltip} |"
        for group in groups
        for binding in map(_binding, group)
    ]
    return "\n".join(["| key | what it does |", "|---|---|", *rows])


def _binding(given: BindingType) -> Binding:
    assert isinstance(given, Binding)
    return given


def _keys(binding: Binding) -> str:
    return ", ".join(f"`{_SHOWN.get(key) or format_key(key)}`" for key in binding.key.split(","))


if __name__ == "__main__":
    print(key_table())
