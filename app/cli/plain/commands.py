"""The table of plain commands: names, help texts, functions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from ...content.frozen import frozen
from ...content.suggest import did_you_mean
from ...content.text import cut, visible
from . import call_commands, resource_commands, server_commands, tool_commands
from .session import Desk, NotDone

Verb: TypeAlias = Callable[[Desk, str], Awaitable[None]]


@frozen
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
        desk.say("The number or exact name of a tool: show that tool.")
        desk.say("Ctrl+C: cancel the running call or open question; press twice to quit.")


async def _quit(desk: Desk, rest: str) -> None:
    desk.is_leaving = True


COMMANDS: Final = (
    Command(
        "list [by world|retry] [WORDS]",
        "list the tools by effect, or only those that match all words, such as read-only",
        tool_commands.list_tools,
        ("tools", "/"),
    ),
    Command("show [TOOL] [all]", "show one tool: hints, verdict, arguments", tool_commands.show),
    Command(
        "call [although-invalid] [TOOL] [!JSON|!@FILE]",
        "enter the arguments, or give them as JSON, and call the tool",
        tool_commands.call,
    ),
    Command("schema [TOOL]", "show the raw definition of a tool", tool_commands.schema, ("f4",)),
    Command(
        "resources [WORDS]",
        "list the resources of the server and its URI templates",
        resource_commands.resources,
        ("P",),
    ),
    Command(
        "read NUMBER|URI",
        "read a resource of the server, for example a link of a result",
        resource_commands.read,
        ("open",),
    ),
    Command("prompts [WORDS]", "list the prompts of the server", resource_commands.prompts),
    Command(
        "prompt [although-invalid] NUMBER|NAME [!JSON|!@FILE]",
        "enter the arguments, or give them as JSON, and get the prompt",
        resource_commands.prompt,
    ),
    Command(
        "earlier [TOOL]",
        "list the presets of a tool and the arguments of earlier calls, by number",
        tool_commands.earlier,
        ("presets", "f11"),
    ),
    Command(
        "use NUMBER|NAME",
        "call the selected tool with arguments from that list",
        tool_commands.use,
    ),
    Command(
        "keep NAME",
        "save the arguments of the last shown call as a preset",
        tool_commands.keep,
    ),
    Command("calls", "list the calls of this session", call_commands.calls),
    Command(
        "response [CALL] [all]", "show the response to a call, part by part", call_commands.answer
    ),
    Command("raw [CALL]", "show the raw result of a call", call_commands.raw, ("f8",)),
    Command(
        "model [CALL] [HOST,...|all]",
        "show what the models of known hosts would get of a response",
        call_commands.model,
        ("M",),
    ),
    Command(
        "save [CALL[.PART]] PLACE",
        "save the raw result or a part to a file, or all parts to a folder (ends with /)",
        call_commands.save,
    ),
    Command("next [CALL]", "get the next page of a response", call_commands.turn, (">",)),
    Command(
        "again [CALL]",
        "make a call a second time and compare both results",
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
        "make a new call with the same arguments, which can be changed first",
        call_commands.repeat,
    ),
    Command(
        "trust [on|off]", "show or set whether this server's hints count", server_commands.trust
    ),
    Command(
        "policy [NAME|NUMBER]",
        "show or choose the policy or host rules",
        server_commands.policy,
        ("as",),
    ),
    Command(
        "grants [revoke ID|clear]",
        "list or revoke remembered approvals",
        server_commands.grants,
        ("f10",),
    ),
    Command(
        "changes",
        "show the changes of the definitions since last time",
        server_commands.changes,
        ("D",),
    ),
    Command("findings", "list findings", server_commands.findings),
    Command("server", "show the server: command, protocol, state", server_commands.server, ("f9",)),
    Command("servers", "list the servers of this session", server_commands.servers, ("S",)),
    Command("go NUMBER|NAME", "change to another server of this session", server_commands.go),
    Command("stderr [all]", "show the server's stderr", server_commands.stderr),
    Command(
        "log [all|LEVEL|logger GLOB]",
        "show the server's log messages; LEVEL sets the lowest level",
        server_commands.log,
    ),
    Command(
        "tasks [result|cancel ID]",
        "list the tasks that the server keeps, also those of other sessions",
        resource_commands.tasks,
        ("K",),
    ),
    Command("audit", "show the path of the audit log", server_commands.audit),
    Command(
        "reconnect",
        "connect again after a lost connection",
        server_commands.reconnect,
        ("R",),
    ),
    Command("help [COMMAND]", "show this help", _help, ("?",)),
    Command("quit", "end the server and quit", _quit, ("exit", "q")),
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
