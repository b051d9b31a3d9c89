"""Rows of the screen of all servers: servers, their tools and calls, in one list."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, TypeAlias

from rich.segment import Segment
from rich.style import Style

from ....widgets.cells import left
from ....widgets.lists.row_list import KeyedList
from ...analysis.combinations import parts_of
from ...calls.call import Call
from ...content.frozen import frozen
from ...content.text import count, shortened
from ...protocol.server import Phase, Server
from ...protocol.tool import ToolDefinition
from ...schemas.secrets.commands import mask_command
from ..startup import ServerNotOpened
from .group import Member

NAME_LEAST, NAME_MOST = 16, 32
SIGNS: Final = {Phase.CONNECTING: "…", Phase.CONNECTED: "●", Phase.FAILED: "✗", Phase.LOST: "✗"}


@frozen
class ServerRow:
    """A server of the session."""

    member: Member
    server: Server
    tools: int
    findings: int


@frozen
class ToolRow:
    """A tool, with the other servers that have a tool of its name."""

    member: Member
    tool: ToolDefinition
    others: tuple[str, ...] = ()


@frozen
class CallRow:
    """A call on one of the servers."""

    member: Member
    call: Call


Row: TypeAlias = "ServerRow | ServerNotOpened | ToolRow | CallRow"


class ServersList(KeyedList[Row]):
    """Draws servers, tools and calls; each row names its server."""

    empty = "nothing here"

    def key(self, row: Row) -> Hashable:
        match row:
            case ServerRow(member):
                return ("server", member.name)
            case ServerNotOpened(name):
                return ("missing", name)
            case ToolRow(member, tool):
                return ("tool", member.name, tool.name, tool.index)
            case CallRow(member, call):
                return ("call", member.name, call.id)

    def paint(self, row: Row, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        names = min(max(NAME_LEAST, width // 3), NAME_MOST)
        first, second, rest = _columns(row)
        mark = "› " if under_cursor else "  "
        used = 2 + 2 * names + 2
        is_gone = isinstance(row, ToolRow) and not row.member.engine.server.is_open
        style = muted if is_gone else base
        return [
            Segment(f"{mark}", base),
            Segment(left(first, names), style),
            Segment(" ", base),
            Segment(left(second, names), muted if isinstance(row, ServerRow) else style),
            Segment(" ", base),
            Segment(left(rest, max(width - used, 0)), muted),
        ]


def _columns(row: Row) -> tuple[str, str, str]:
    """The three texts of a row, safe to show."""
    match row:
        case ServerRow(member, server, tools, findings):
            state = server.phase.value
            if server.phase is Phase.CONNECTED:
                state = count(tools, "tool") + (
                    f", {count(findings, 'finding')}" if findings else ""
                )
            elif server.phase is Phase.CONNECTING:
                state = "starting"
            rest = server.ended_words or mask_command(server.command)
            return f"{SIGNS[server.phase]} {member.name}", state, shortened(rest, 300)
        case ServerNotOpened(name, _, problem):
            return f"✗ {name}", "not started", shortened(problem, 300)
        case ToolRow(member, tool, others):
            marks = f"≡ also on {', '.join(others)}" if others else tool.title_shown
            if not member.engine.server.is_open:
                marks = "not connected"
            return f"{tool.effect.sign} {tool.display_name}", member.name, marks
        case CallRow(member, call):
            name = call.request.display_name
            return f"{call.id} {name}", member.name, call.status


def about_row(row: Row | None) -> str:
    """Words about a row, for the lines below the list; safe to show."""
    match row:
        case ServerRow(member, server):
            facts = [server.trust.value, f"policy {member.engine.policy.shown_name}"]
            if server.phase is Phase.CONNECTED:
                facts.append(f"protocol {server.protocol_words}")
            first = f"{shortened(mask_command(server.command), 300)}\n{' · '.join(facts)}"
            last = shortened(server.last_words[-1], 200) if server.last_words else ""
            return f"{first}\n{last}" if last else first
        case ServerNotOpened(_, shown, problem):
            return f"{shortened(shown, 300)}\n{shortened(problem, 300)}"
        case ToolRow(member, tool, others):
            lines = [f"{tool.display_name} on {member.name}: {tool.effect.meaning}"]
            if others:
                lines.append(f"A tool of this name is on {', '.join(others)}, too.")
            parts = [f"{one.part.value} ({one.reason})" for one in parts_of(tool)]
            if parts:
                lines.append("; ".join(parts))
            return "\n".join(lines)
        case CallRow(member, call):
            return f"call {call.id} on {member.name}: {call.status}  {shortened(call.reason, 200)}"
        case None:
            return ""
