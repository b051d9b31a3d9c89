"""The table of plain commands: names, help texts, functions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from ...content.suggest import did_you_mean
from ...content.text import cut, visible
from . import call_commands, resource_commands, server_commands, tool_commands
from .session import Desk, NotDone

Verb: TypeAlias = Callable[[Desk, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Command:
    """`usage` begins with the name; `also` are other names, such as the key on the screen."""

    usage: str
    words: str
    run: Verb
    also: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.usage.partition(" ")[0]


async def _help(desk: Desk, rest: str) -> None:
    wanted = rest.strip()
    found = [one for one in COMMANDS if wanted in (one.name, *one.also)] if wanted else COMMANDS
    if not found:
        raise NotDone(f"No such command: “{visible(cut(wanted, 40).text)}”; help lists them.")
    for one in found:
        also = f" (also {', '.join(one.also)})" if one.also else ""
        desk.say(f"  {one.usage}: {one.words}{also}")
    if not wanted:
        desk.say("A number or the exact name of a tool alone shows it.")
        desk.say("Ctrl+C cancels what runs or is asked; twice where nothing does, it leaves.")


async def _quit(desk: Desk, rest: str) -> None:
    desk.is_leaving = True


COMMANDS: Final = (
    Command(
        "list [by world|retry] [WORDS]",
        "the tools by effect, or those with all of the words; read-only for those",
        tool_commands.list_tools,
        ("tools", "/"),
    ),
    Command("show [TOOL] [all]", "one tool: hints, verdict, arguments", tool_commands.show),
    Command(
        "call [although-invalid] [TOOL] [!JSON|!@FILE]",
        "fill in the arguments, or give them as JSON, and call it",
        tool_commands.call,
    ),
    Command("schema [TOOL]", "the raw definition of a tool", tool_commands.schema, ("f4",)),
    Command(
        "resources [WORDS]",
        "the resources of the server, and templates of their addresses",
        resource_commands.resources,
        ("P",),
    ),
    Command(
        "read NUMBER|URI",
        "read a resource of the server, for example a link of a result",
        resource_commands.read,
        ("open",),
    ),
    Command("prompts [WORDS]", "the prompts of the server", resource_commands.prompts),
    Command(
        "prompt [although-invalid] NUMBER|NAME [!JSON|!@FILE]",
        "fill in what a prompt takes, or give it as JSON, and ask for it",
        resource_commands.prompt,
    ),
    Command(
        "earlier [TOOL]",
        "presets of a tool, and what it was called with before, by number",
        tool_commands.earlier,
        ("presets", "f11"),
    ),
    Command(
        "use NUMBER|NAME",
        "fill in one of those of the chosen tool, and call it",
        tool_commands.use,
    ),
    Command(
        "keep NAME",
        "keep the arguments of the call that was shown last as a preset",
        tool_commands.keep,
    ),
    Command("calls", "the calls of this session", call_commands.calls),
    Command("answer [CALL] [all]", "what came of a call, part by part", call_commands.answer),
    Command("raw [CALL]", "the raw result of a call", call_commands.raw, ("f8",)),
    Command(
        "save [CALL[.PART]] PLACE",
        "save the raw result or a part in a file; all of an answer in a folder (ends with /)",
        call_commands.save,
    ),
    Command("next [CALL]", "the next page of an answer", call_commands.turn, (">",)),
    Command(
        "again [CALL]",
        "repeat a call, to compare the results",
        call_commands.again,
        ("C",),
    ),
    Command(
        "retry [CALL]",
        "retry a lost call, if that is known to be harmless",
        call_commands.retry,
    ),
    Command(
        "repeat [CALL]",
        "a new call with the same arguments, which can be changed first",
        call_commands.repeat,
    ),
    Command("trust [on|off]", "whether this server's hints count", server_commands.trust),
    Command(
        "policy [NAME|NUMBER]",
        "who decides what runs, asks or is refused; hosts, too",
        server_commands.policy,
        ("as",),
    ),
    Command("grants [revoke ID|clear]", "remembered approvals", server_commands.grants, ("f10",)),
    Command(
        "changes",
        "what changed in the definitions since last time",
        server_commands.changes,
        ("D",),
    ),
    Command("findings", "what breaks or bends the contract", server_commands.findings),
    Command("server", "the server: command, protocol, state", server_commands.server, ("f9",)),
    Command("stderr [all]", "what the server wrote on stderr", server_commands.stderr),
    Command(
        "log [all|LEVEL|logger GLOB]",
        "the server's log messages; a level asks for those from it on",
        server_commands.log,
    ),
    Command(
        "tasks [result|cancel ID]",
        "the tasks that the server keeps, those of other sessions as well",
        resource_commands.tasks,
        ("K",),
    ),
    Command("audit", "where the audit log is", server_commands.audit),
    Command(
        "reconnect",
        "connect again where the connection was lost",
        server_commands.reconnect,
        ("R",),
    ),
    Command("help [COMMAND]", "this", _help, ("?",)),
    Command("quit", "end the server and leave", _quit, ("exit", "q")),
)


async def carry_out(desk: Desk, line: str) -> None:
    """Run one line of a person or a script. Raises NotDone with the message, Cancelled and
    Ended.
    """
    words = line.strip()
    if not words:
        return
    if words.startswith("/"):
        words = f"list {words[1:]}"
    name, _, rest = words.partition(" ")
    by_name = {other: one for one in COMMANDS for other in (one.name, *one.also)}
    command = by_name.get(name) or by_name.get(name.casefold())
    if command is not None:
        await command.run(desk, rest)
        return
    if (name.isascii() and name.isdigit()) or any(tool.name == words for tool in desk.engine.tools):
        await tool_commands.show(desk, words)
        return
    known = [one.name for one in COMMANDS] + [tool.name for tool in desk.engine.tools]
    hint = did_you_mean(words if len(words) < 60 else name, known)
    shown = visible(cut(words, 60).text)
    raise NotDone(f"No such command: “{shown}”{hint or '; help lists them.'}")
