"""Shows and copies the command line that makes a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.content import Content
from textual.screen import Screen

from ....widgets.bars import Verb
from ...calls.command_line import CurrentPolicy, ShellCommand, call_command
from ...content.json.jsonio import JsonValue
from ...protocol.requests import Request
from ...protocol.server import Start
from ..answers.body import Copied, copy_out
from .pager import PagerScreen, PagerSection, plain_lines


class CommandScreen(PagerScreen):
    """Shows a command, wrapped, with notes on it; `y` copies it unwrapped."""

    DEFAULT_CSS = """
    CommandScreen > Vertical { width: 90%; height: 45%; min-height: 10; }
    """

    def __init__(self, command: ShellCommand, about: str) -> None:
        """`about` is its origin, in words of our own."""
        notes = "\n".join(command.notes)
        sections = [PagerSection("command", command.text)]
        if notes:
            sections.append(PagerSection("to be filled in", plain_lines(notes), is_ours=True))
        super().__init__(Content(f"The same as a command: {about}"), sections)
        self._command = command

    def on_mount(self) -> None:
        super().on_mount()
        if self._command.notes:
            self.query_one("Vertical").border_subtitle = Content(" ".join(self._command.notes))

    def copied(self) -> Copied:
        return Copied(self._command.text, "the command")

    def verbs(self) -> list[Verb]:
        # There is hardly ever a second section.
        return [one for one in super().verbs() if one.name != "turn(1)" or self._command.notes]


def show_command(
    screen: Screen[Any],
    start: Start,
    rules: CurrentPolicy,
    request: Request,
    arguments: Mapping[str, JsonValue],
    about: str,
) -> None:
    """Copy the command and show it, or show why it is impossible."""
    command = call_command(start, rules, request, arguments)
    if not command.text:
        screen.notify(
            f"Not copied: {command.notes[0]}", severity="warning", timeout=8, markup=False
        )
        return
    screen.app.push_screen(CommandScreen(command, about))
    copy_out(screen, Copied(command.text, "the command"))
