"""What every command of plain mode works with: the bench, the lines, and what is chosen."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from ...calls.call import Call
from ...content.json.jsonio import JsonValue
from ...content.suggest import LONGEST, did_you_mean, shown_name
from ...content.text import cut, visible
from ...engine.engine import Bench
from ...headless.hiding import Hiding
from ...headless.targets import Target
from ...protocol.resources.offers import Kind
from ...protocol.tool import ToolDefinition
from ...protocol.tool_groups import filter_tools
from .console import Console
from .dialogue import Dialogue
from .listing import in_order

NOTICES_MAX = 10
"""Lines about what happened meanwhile that are said at once."""
_SHOWN = 80


class NotDone(Exception):
    """A command cannot be carried out; the message says why, and is safe to show."""


class Desk:
    """Holds on to what the person chose, by name: a list may be another by the next command."""

    def __init__(
        self,
        bench: Bench,
        console: Console,
        dialogue: Dialogue,
        target: Target,
        *,
        shows_secrets: bool = False,
    ) -> None:
        self.bench = bench
        self.console = console
        self.dialogue = dialogue
        self.target = target
        self.shows_secrets = shows_secrets
        self.chosen = ""
        """The exact name of the chosen tool; empty where none is."""
        self.numbers: tuple[str, ...] = ()
        """The names of the tools in the order in which they were numbered last."""
        self.offer_keys: dict[Kind, tuple[str, ...]] = {}
        """Addresses and names in the order in which they were numbered last."""
        self.selected: int | None = None
        """The call that commands are about which name none."""
        self.running: int | None = None
        """The call that is waited for."""
        self.notices: list[str] = []
        self.notices_left_out = 0
        self.is_leaving = False

    @property
    def is_interactive(self) -> bool:
        """Whether somebody sits at a terminal, reads there and types there."""
        return sys.stdin.isatty() and self.console.is_terminal

    def say(self, line: str = "") -> None:
        self.console.say(line)

    def note(self, line: str) -> None:
        """Say it before the next prompt."""
        if len(self.notices) < NOTICES_MAX:
            self.notices.append(line)
        else:
            self.notices_left_out += 1

    def say_notices(self) -> None:
        """What happened since the last prompt."""
        lines, left_out = self.notices, self.notices_left_out
        self.notices, self.notices_left_out = [], 0
        self.console.say_all(lines)
        if left_out:
            self.say(f"and {left_out:,} more; findings shows them")

    def hiding(
        self,
        tool: ToolDefinition | None = None,
        arguments: Mapping[str, JsonValue] | None = None,
    ) -> Hiding:
        """What may be said of the server, and of the arguments of a call."""
        return Hiding(self.shows_secrets, self.bench.server, tool, arguments, self.target.env)

    def number_anew(self) -> None:
        """The numbers are those of the list as it is now."""
        self.numbers = tuple(tool.name for tool in in_order(self.bench.tools))

    def number_of(self, tool: ToolDefinition) -> int:
        order = [id(one) for one in in_order(self.bench.tools)]
        return order.index(id(tool)) + 1 if id(tool) in order else 0

    def tool(self, words: str) -> ToolDefinition:
        """The tool of a number or an exact name; of nothing, the chosen one. Raises NotDone."""
        words = words.strip()
        if not words:
            if not self.chosen:
                raise NotDone("No tool is chosen: give its number or its name; list shows them.")
            words = self.chosen
        elif words.isascii() and words.isdigit():
            return self._numbered(int(words[:9]))
        found = [tool for tool in self.bench.tools if tool.name == words]
        if found:
            return found[0]
        raise NotDone(self._no_tool(words))

    def _numbered(self, number: int) -> ToolDefinition:
        if not self.numbers:
            self.number_anew()
        if not 0 < number <= len(self.numbers):
            raise NotDone(
                f"There is no tool {number}: the numbers go from 1 to {len(self.numbers)}."
            )
        name = self.numbers[number - 1]
        tools = in_order(self.bench.tools)
        if number <= len(tools) and tools[number - 1].name == name:
            return tools[number - 1]
        found = [tool for tool in tools if tool.name == name]
        shown = shown_name(cut(name, LONGEST).text)
        if not found:
            raise NotDone(f"Tool {number} was {shown}, which is gone; list shows what there is.")
        if len(found) > 1:
            raise NotDone(f"Tool {number} was {shown}, and now several have that name; list again.")
        return found[0]

    def _no_tool(self, words: str) -> str:
        names = [tool.name for tool in self.bench.tools]
        hint = did_you_mean(words, names, 3)
        if not hint and (near := filter_tools(self.bench.tools, words[:_SHOWN])):
            few = [shown_name(tool.name) for tool in near[:3] if len(tool.name) <= LONGEST]
            hint = f"; did you mean {', '.join(few)}?" if few else ""
        return f"There is no tool “{visible(cut(words, _SHOWN).text)}”{hint or '.'}"

    def call(self, words: str) -> Call:
        """The call of a number; of nothing, the one that was shown last. Raises NotDone."""
        calls = self.bench.calls
        words = words.strip()
        if not words:
            number = self.selected if self.selected in calls else next(reversed(calls), None)
            if number is None:
                raise NotDone("There is no call yet.")
            return calls[number]
        if words.isascii() and words.isdigit() and int(words[:9]) in calls:
            return calls[int(words[:9])]
        raise NotDone(f"There is no call “{visible(cut(words, _SHOWN).text)}”; calls lists them.")

    def must_be_open(self) -> None:
        """Raises NotDone where nothing can be sent."""
        server = self.bench.server
        if not server.is_open:
            why = server.ended_words or "not connected"
            again = "; reconnect starts it again" if self.bench.can_reconnect else ""
            raise NotDone(f"Nothing can be sent: {visible(self.hiding().said(why))}{again}.")
