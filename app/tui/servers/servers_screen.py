"""Screen of all servers: their states, their tools in one list, and their newest calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from ....widgets.bindings import bindings_of
from ....widgets.key_footer import KeyFooter
from ....widgets.lists.row_list import Heading, RowList
from ...content.text import count, sentence
from ...content.texts.sheet_line import SheetLine
from ...protocol.hints import Effect
from ...protocol.tool import Grouping, ToolDefinition, filter_tools, group_tools
from ..base.restart_key import RestartKey
from ..opening.opening_screen import FilteredListScreen
from ..startup import ServerNotOpened
from .group import Lists, Member, ServerGroup
from .servers_list import CallRow, Row, ServerRow, ServersList, ToolRow, about_row

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from ..approving.asker import Asked

FLUSHES_A_SECOND: Final = 8
CALLS_SHOWN: Final = 5
HINT: Final = "filter servers and tools"
NO_MATCH: Final = "no match · esc: clear the filter"
STARTING: Final = "Starting the servers…"


class ToolOrder(StrEnum):
    """The ways in which the tools of all servers are grouped."""

    EFFECT = "effect"
    SERVER = "server"
    BOTH = "server, effect"

    @property
    def following(self) -> ToolOrder:
        order = list(ToolOrder)
        return order[(order.index(self) + 1) % len(order)]


class ServersScreen(FilteredListScreen[None]):
    """Lists all servers of the session. It stays open below the main screens of the servers."""

    class Mounted(Message):
        """The screen is there, and the servers can begin."""

    HELP = """
# All servers

Every server of this session, the tools of all of them, and the newest calls. Type words to filter.
`enter` opens the main screen of a server, with the tool under the cursor; on a call, that of its
server. `alt+e` leads back here.

A tool marked `≡` has the same name on another server. Check the server before you approve. An
approval on one server never covers another.
"""
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("servers")

    def __init__(
        self,
        group: ServerGroup,
        go: Callable[[Member, str], None],
        add: Callable[[], None] | None = None,
        leave: Callable[[], None] | None = None,
    ) -> None:
        """`go` opens the main screen of a server, with a tool by its exact name or none; `add`
        starts one more server; `leave` goes back, and is None if there is nothing below."""
        super().__init__()
        self.group = group
        self._go = go
        self._add = add
        self._restarting = RestartKey(self._say)
        self._leave = leave
        self._order = ToolOrder.EFFECT
        self._is_dirty = True
        self._is_waiting = False
        """Whether a change waits to be drawn."""
        self._is_closing = False
        self._made: tuple[tuple[str, ToolOrder, Lists], list[Row | Heading]] | None = None
        """The rows of the tools, and what they were made of."""
        group.changed = self._note

    def _note(self) -> None:
        self._is_dirty = True
        if not self._is_waiting and self.is_running:
            self._is_waiting = True
            # Called from outside, where a timer would not know its app.
            self.call_later(self.set_timer, 1 / FLUSHES_A_SECOND, self._flush)

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        yield Input(placeholder=HINT, select_on_focus=False)
        yield ServersList()
        yield Static(id="about", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        self.post_message(self.Mounted())
        self._draw(from_top=True)

    def _flush(self) -> None:
        self._is_waiting = False
        if self._is_dirty and self.is_current:
            self._draw()

    def on_screen_resume(self, _event: events.ScreenResume) -> None:
        self._note()

    def show_closing(self) -> None:
        """The servers are being ended, which can take seconds."""
        self._is_closing = True
        words = "Ending the servers and all that they started. ctrl+q again ends them by force."
        self.notify(words, title="Closing", timeout=30, markup=False)

    def show_server(self, member: Member) -> None:
        """Clear the filter, and put the cursor on this server."""
        self.query_one(Input).value = ""
        self._draw()
        self._list.show_at(list(self._rows()), ("server", member.name))
        self._list.show_cursor()

    # Questions

    async def on_asked(self, message: Asked) -> None:
        """Open the dialog of a question of a server whose main screen was not opened yet."""
        message.stop()
        message.approver.open_dialog(message, getattr(self.app, "last_click", None))
        member = next((one for one in self.group if one.opening.approver is message.approver), None)
        if member is not None and member.opening.person is not None:
            from ..approving.asker import answer_in_time

            answer_in_time(member.opening.person, message, message.approver)

    # Drawing

    @property
    def _list(self) -> ServersList:
        return self.query_one(ServersList)

    @property
    def _words(self) -> str:
        return self.query_one(Input).value

    def _draw(self, *, from_top: bool = False) -> None:
        self._is_dirty = False
        rows = list(self._rows())
        self._list.empty = NO_MATCH if self._words else STARTING
        if from_top:
            self._list.show_anew(rows)
        else:
            self._list.show(rows)
        tools = sum(len(one.engine.tools) for one in self.group)
        parts = [count(len(self.group) + len(self.group.missing), "server"), count(tools, "tool")]
        if self.group.waiting:
            parts.append(f"{self.group.waiting} starting")
        if waiting := self.group.turns.waiting:
            parts.append(f"{count(waiting, 'question')} waiting")
        parts.append(f"tools by {self._order.value}")
        if self.group.combinations.is_whole:
            parts.append("▲ together")
        head = Content.assemble(("All servers", "bold"), f"  {' · '.join(parts)}")
        self.query_one("#head", Static).update(head)
        self._tell(self._list.highlighted)

    def _rows(self) -> Iterator[Row | Heading]:
        words = self._words
        servers = [*self._server_rows(words)]
        if servers:
            yield Heading("Servers")
            yield from servers
        calls = [
            CallRow(member, call)
            for member, call in self.group.newest_calls(CALLS_SHOWN)
            if _has(f"{member.name} {call.request.name}", words)
        ]
        if calls:
            yield Heading("Calls, the newest first")
            yield from calls
        yield from self._tool_rows(words)

    def _tool_rows(self, words: str) -> Sequence[Row | Heading]:
        """The tools under their headings; made again only if something about them changed."""
        key = words, self._order, self.group.lists
        if self._made is None or self._made[0] != key:
            self._made = key, list(self._make_tool_rows(words))
        return self._made[1]

    def _make_tool_rows(self, words: str) -> Iterator[Row | Heading]:
        for title, tools in self._grouped(words):
            yield Heading(f"{title} ({len(tools)})")
            for member, tool in tools:
                yield ToolRow(member, tool, self.group.others(member, tool.name))

    def _server_rows(self, words: str) -> Iterator[ServerRow | ServerNotOpened]:
        for member in self.group:
            engine = member.engine
            if _has(member.name, words):
                yield ServerRow(member, engine.server, len(engine.tools), engine.observed.count())
        for one in self.group.missing:
            if _has(one.name, words):
                yield one

    def _grouped(self, words: str) -> Iterator[tuple[str, Sequence[tuple[Member, ToolDefinition]]]]:
        """Headings with their tools, each with its server; in the chosen order."""
        found = [(member, tool) for member in self.group for tool in _filtered(member, words)]
        if self._order is ToolOrder.EFFECT:
            for effect in Effect:
                of_effect = [one for one in found if one[1].effect is effect]
                if of_effect:
                    yield f"{effect.sign} {effect.value}", of_effect
            return
        for member in self.group:
            tools = [tool for one, tool in found if one is member]
            if self._order is ToolOrder.SERVER:
                if tools:
                    yield member.name, [(member, tool) for tool in tools]
                continue
            for group in group_tools(tools, Grouping.EFFECT):
                title = f"{member.name}: {group.sign} {group.label}"
                yield title, [(member, tool) for tool in group.tools]

    def _tell(self, row: Row | None) -> None:
        self.query_one("#about", Static).update(Content(about_row(row)))

    # Keys

    @on(Input.Changed)
    def _typed(self, message: Input.Changed) -> None:
        message.stop()
        self._draw(from_top=True)
        self.refresh_bindings()

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.action_open()

    @on(RowList.Highlighted)
    def _highlighted(self, message: RowList.Highlighted[Row]) -> None:
        message.stop()
        self._tell(message.row)
        self.refresh_bindings()

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen[Row]) -> None:
        message.stop()
        self._open(message.row)

    def action_open(self) -> None:
        row = self._list.highlighted
        if row is not None:
            self._open(row)

    def _open(self, row: Row) -> None:
        match row:
            case ToolRow(member, tool):
                self._go(member, tool.name)
            case ServerRow(member) | CallRow(member):
                self._go(member, "")
            case ServerNotOpened():
                self.notify(f"Not started: {sentence(row.problem)}", timeout=8, markup=False)

    def action_regroup(self) -> None:
        self._order = self._order.following
        self._draw()

    def action_add(self) -> None:
        if self._add is not None:
            self._add()

    def action_leave(self) -> None:
        if self._words:
            self.query_one(Input).value = ""
        elif self._leave is not None:
            self._leave()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "add":
            return self._add is not None
        if action == "leave":
            return self._leave is not None or (self.is_mounted and bool(self._words))
        if action == "restart":
            member = self._member if self.is_mounted else None
            return member is not None and member.engine.can_restart
        return super().check_action(action, parameters)

    @property
    def _member(self) -> Member | None:
        """The server of the row under the cursor."""
        row = self._list.highlighted
        return None if row is None or isinstance(row, ServerNotOpened) else row.member

    def _say(self, words: str, severity: SeverityLevel) -> None:
        self.notify(words, severity=severity, timeout=8, markup=False)

    async def action_restart(self) -> None:
        member = self._member
        if member is not None:
            await self._restarting.press(member.engine, member.name)

    def action_matrix(self) -> None:
        """Show the tools of all servers under every policy and host."""
        from ...engine.policy_state import read_rulebook
        from ...presentation.feature import hook

        screen = hook("matrix of servers")(lambda: self.group.lists, read_rulebook().columns)

        def closed(result: str | None) -> None:
            server, tool = screen.opened or ("", "")
            member = self.group.named(server)
            if member is not None:
                # The matrix is still on the stack here.
                self.call_later(self._go, member, tool)

        self.app.push_screen(screen, closed)

    def action_together(self) -> None:
        """Show what the servers could do together."""
        from ...presentation.combinations import combination_lines
        from .servers_list import TogetherScreen

        def lines() -> list[SheetLine]:
            found = list(combination_lines(self.group.combinations, self.group.judge))
            if not self.group.waiting:
                return found
            starting = count(self.group.waiting, "server")
            words = f"Not complete: {starting} still to list the tools."
            return [SheetLine(((words, "noticed"),)), SheetLine(), *found]

        self.app.push_screen(TogetherScreen(lines))


def _has(text: str, words: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words.casefold().split())


def _filtered(member: Member, words: str) -> Sequence[ToolDefinition]:
    """The tools of a server that have all words, some of which may be of its own name."""
    name = member.name.casefold()
    others = [word for word in words.split() if word.casefold() not in name]
    return filter_tools(member.engine.tools, " ".join(others))
