"""The lines of plain mode: its own commands, those of the command line, and the help on both."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from ...content.frozen import frozen
from ...content.suggest import did_you_mean
from ...content.text import cut, visible
from .running import entries, run_line
from .session import NotDone, PlainSession, is_number

Verb: TypeAlias = Callable[[PlainSession, str], Awaitable[None]]


@frozen
class PlainCommand:
    """`usage` begins with the name; `also` are other names, such as the key on the screen."""

    usage: str
    words: str
    also: tuple[str, ...] = ()
    where: str = ""
    """`module:function` of this folder, which gets the rest of the line."""

    @property
    def name(self) -> str:
        return self.usage.partition(" ")[0]

    @property
    def line(self) -> str:
        also = ", ".join(one for one in self.also if one)
        return f"  {self.usage}: {self.words}{f' (also {also})' if also else ''}"


async def print_help(desk: PlainSession, rest: str) -> None:
    wanted = rest.strip()
    wanted = ALSO.get(wanted, wanted)
    verb = _verb(wanted) if wanted else None
    if verb is not None:
        desk.say(verb.line)
        if verb.name in entries():
            desk.say(f"  {verb.name} --help: its options")
        return
    if wanted in entries():
        await run_line(desk, wanted, "--help")
        return
    if wanted:
        raise NotDone(f"No such command: “{visible(cut(wanted, 40).text)}”; help lists them.")
    desk.console.say_all(one.line for one in own_verbs().values())
    desk.say("Commands of the command line, on this server; each has --help:")
    for one in entries().values():
        if one.name not in own_verbs():
            takes = " NAME|NUMBER" if one.takes else ""
            also = tuple(other for other, name in ALSO.items() if name == one.name)
            usage = f"{one.name}{takes}{' [WORDS]' if one.lists else ''}"
            desk.say(PlainCommand(usage, one.words, also).line)
    desk.say("The number or exact name of a tool: show that tool.")
    desk.say("Ctrl+C: cancel the running call or open question; press twice to quit.")


async def leave(desk: PlainSession, rest: str) -> None:
    desk.is_leaving = True


ALSO: Final = {
    "P": "resources",
    "open": "read",
    "changes": "diff",
    "D": "diff",
    "findings": "doctor",
    "f10": "grants",
}
"""Other names of commands of the command line, such as the key of a screen with the same."""


@cache
def own_verbs() -> Mapping[str, PlainCommand]:
    """The commands of plain mode alone, by name, in the order of the help."""
    text = Path(__file__).with_name("verbs.txt").read_text("utf-8")
    rows = [line.split(" ; ") for line in text.splitlines() if not line.startswith("#")]
    found = (
        PlainCommand(usage, words, tuple(also.split(", ")), at) for usage, also, at, words in rows
    )
    return {one.name: one for one in found}


async def carry_out(desk: PlainSession, line: str) -> None:
    """Run one line of a person or a script. Raises NotDone with the message, Cancelled and
    Ended.
    """
    words = line.strip()
    if not words:
        return
    if words.startswith("/"):
        words = f"list {words[1:]}"
    name, _, rest = words.partition(" ")
    if verb := _verb(name) or _verb(name.casefold()):
        module, _, function = verb.where.partition(":")
        work: Verb = getattr(importlib.import_module(f".{module}", __package__), function)
        await work(desk, rest)
        return
    commands = entries()
    if command := next((one for one in (name, ALSO.get(name, "")) if one in commands), ""):
        await run_line(desk, command, rest)
        return
    if is_number(name) or any(tool.name == words for tool in desk.engine.tools):
        await carry_out(desk, f"show {words}")
        return
    known = [*own_verbs(), *commands, *(tool.name for tool in desk.engine.tools)]
    hint = did_you_mean(words if len(words) < 60 else name, known)
    shown = visible(cut(words, 60).text)
    raise NotDone(f"No such command: “{shown}”{hint or '; help lists them.'}")


def _verb(name: str) -> PlainCommand | None:
    return next((one for one in own_verbs().values() if name in (one.name, *one.also)), None)
