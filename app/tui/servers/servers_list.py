"""Rows of the screen of all servers, and the screen of what these could do together.

Rows are servers, their tools and calls, in one list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, Final, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.cells import left
from ....widgets.key_footer import KeyFooter
from ....widgets.lists.row_list import Heading, KeyedList
from ....widgets.sheets import SheetView
from ...approval.combinations import parts_of
from ...calls.call import Call
from ...content.frozen import frozen
from ...content.text import count, shortened
from ...content.texts.sheet_line import SheetLine
from ...protocol.hints import Effect
from ...protocol.server import Phase, Server
from ...protocol.tool import ToolDefinition
from ...schemas.secrets.commands import mask_command
from ..base.browser_screen import DetailScreen
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

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "servers-list--open",
        "servers-list--gone",
        *(f"servers-list--{effect.value}" for effect in Effect),
    }
    DEFAULT_CSS = """
    ServersList > .row-list--heading { color: $foreground; text-style: bold; }
    ServersList > .servers-list--open { color: $text-success; text-style: bold; }
    ServersList > .servers-list--gone { color: $text-error; text-style: bold; }
    ServersList > .servers-list--read-only { color: $text-success; text-style: bold; }
    ServersList > .servers-list--additive { color: $text-primary; text-style: bold; }
    ServersList > .servers-list--destructive { color: $text-error; text-style: bold; }
    ServersList > .servers-list--undeclared { color: $text-warning; text-style: bold; }
    ServersList > .servers-list--contradictory { color: $text-error; text-style: bold; }
    """

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        segments = super().draw_row(index, width, base, under_cursor)
        is_heading = isinstance(self._rows[index], Heading)
        return self._with_effect(segments[0]) if is_heading else segments

    def _with_effect(self, heading: Segment) -> list[Segment]:
        """A heading with the sign and the word of an effect in its colour."""
        text, style, _ = heading
        found = _EFFECT.search(text)
        if found is None:
            return [heading]
        effect = found[0].split(" ")[1]
        coloured = self.get_component_rich_style(f"servers-list--{effect}")
        return [
            Segment(text[: found.start()], style),
            Segment(found[0], coloured),
            Segment(text[found.end() :], style),
        ]

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
        role = _role(row)
        is_gone = isinstance(row, ToolRow) and not row.member.engine.server.is_open
        style = muted if is_gone else base
        signed = style if under_cursor or not role else self.get_component_rich_style(role)
        before = [
            Segment("› " if under_cursor else "  ", base),
            Segment(first[:1], style if is_gone else signed),
            Segment(left(first, names)[1:], style),
            Segment(" ", base),
        ]
        room = max(width - 2 - names - 1, 0)
        if role == _GONE:
            # A failure needs the room of its state and of its command.
            words = f"{second}: {rest}" if rest else second
            return [*before, Segment(left(words, room), muted)]
        return [
            *before,
            Segment(left(second, names), muted if isinstance(row, ServerRow) else style),
            Segment(" ", base),
            Segment(left(rest, max(room - names - 1, 0)), muted),
        ]


_EFFECT: Final = re.compile("|".join(f"{re.escape(one.sign)} {one.value}" for one in Effect))
"""The sign of an effect with its word, in a heading."""


_GONE: Final = "servers-list--gone"


def _role(row: Row) -> str:
    """The component class of the sign of a row; empty for none."""
    match row:
        case ToolRow(_, tool):
            return f"servers-list--{tool.effect.value}"
        case ServerRow(_, server) if server.phase is Phase.CONNECTED:
            return "servers-list--open"
        case ServerRow(_, server) if server.phase is Phase.CONNECTING:
            return ""
        case ServerRow() | ServerNotOpened():
            return _GONE
    return ""


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
            title = tool.title_shown if tool.has_own_title else ""
            marks = f"≡ also on {', '.join(others)}" if others else title
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
            if server.is_insecure:
                facts.insert(0, "certificates not checked")
            if server.lenient:
                facts.insert(0, f"sign-in not checked: {', '.join(server.lenient)}")
            if server.experimental:
                facts.insert(0, f"experimental: {', '.join(server.experimental)}")
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


LOOK_SECONDS: Final = 1.0


class TogetherScreen(DetailScreen[None]):
    """Shows what the servers could do together, as they are now."""

    HELP = """
# Together

A model that reads private data and text from strangers in one session can be made to send the data
away, although each tool alone is harmless. The list names the tools with each of the three parts,
and the reason. Below it: which tools would ask once a response has brought text from outside
(a what-if: SEP-1913 proposes such a mark on responses).
"""
    DEFAULT_CSS = """
    TogetherScreen { background: $background; }
    TogetherScreen #head {
        height: 1; padding: 0 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis;
    }
    TogetherScreen #detail {
        height: 1fr; border: round $primary; padding: 0 1; background: $surface;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("together")

    def __init__(self, lines: Callable[[], Sequence[SheetLine]]) -> None:
        """`lines` gives the lines as the servers are now."""
        super().__init__()
        self._make = lines
        self._lines: Sequence[SheetLine] = ()

    def compose(self) -> ComposeResult:
        yield Static(Content("What these servers could do together"), id="head", markup=False)
        with Vertical(id="detail"):
            yield SheetView()
        yield KeyFooter()

    def on_mount(self) -> None:
        self._lines = self._make()
        self.set_interval(LOOK_SECONDS, self._look)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self.show_detail, self._lines, about="together")

    def _look(self) -> None:
        lines = self._make()
        if lines != self._lines:
            self._lines = lines
            self.show_detail(lines, about="together")

    def draw_detail_frame(self) -> None:
        frame = self.query_one("#detail")
        frame.border_title = Content(f"together{self.more_lines}")
