"""The lines about the server: configured name, command or URL, state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum, auto
from functools import partial

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from ..app.content.labels import fitted_command
from ..app.content.text import count, shortened, visible
from ..app.content.texts.sheet_line import GUTTER
from ..app.protocol.server import Phase, Server, Trust, VersionSource
from .cells import fit
from .keys import RESTART_KEY

MUTED = "$foreground-muted"
LOUD = "bold $text on $error"
GAP = " · "
NAME_MAX = 40
COMMAND_ROWS = 3
INSECURE = " certificates not checked "
LENIENT = " sign-in not checked: {} "
EXPERIMENTAL = " experimental: {} "
LAST_WORDS = f"end of stderr {GUTTER}"
LAST_WORDS_ROWS = 3


class ServerBar(Vertical):
    """Draws a `Server`, briefly until it is connected: `StartView` has the rest until then.

    The command is beside the state if there is room for it, else on lines of its own; only one of
    more than three lines is cut, and names the place of the rest.
    """

    DEFAULT_CSS = """
    ServerBar { height: auto; background: $panel; padding: 0 1; }
    ServerBar > Horizontal { height: auto; }
    ServerBar .about { width: 1fr; height: auto; }
    ServerBar .trust, ServerBar .policy { width: auto; height: 1; padding-left: 2; }
    ServerBar > .more { width: 1fr; height: auto; }
    ServerBar.-gone { background: $error-muted; }
    """

    class TrustClicked(Message):
        """The trust switch was clicked."""

    class PolicyClicked(Message):
        """The name of the policy was clicked."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._server: Server | None = None
        self._has_been_open = False
        self._findings = 0
        self._changed: tuple[str, ...] = ()
        self._policy = "cautious"
        self._is_loud = False

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static(classes="about", markup=False)
            yield _TrustSwitch(classes="trust", markup=False)
            yield _PolicySwitch(classes="policy", markup=False)
        yield Static(classes="more", markup=False)

    def show(self, server: Server, findings: int = 0) -> None:
        """Draw the server; `findings` counts those on the connection."""
        self._has_been_open |= server.is_open
        if server.phase is Phase.FAILED and self._has_been_open:
            # It was started again in vain: the reason is shown as that of a loss is.
            server = replace(server, phase=Phase.LOST)
        self._server, self._findings = server, findings
        self.set_class(server.phase in (Phase.FAILED, Phase.LOST), "-gone")
        self._draw()

    def show_changed(self, files: Sequence[str]) -> None:
        """Show that these files of the server are others on disk than at its start."""
        if (changed := tuple(files)) != self._changed:
            self._changed = changed
            self._draw()

    def show_policy(self, name: str, *, is_loud: bool = False) -> None:
        """The policy by which calls are judged; a loud one asks about nothing."""
        if (name, is_loud) != (self._policy, self._is_loud):
            self._policy, self._is_loud = name, is_loud
            self._draw()

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        server = self._server
        if server is None:
            return
        room = max(20, self.content_size.width)
        command = visible(fitted_command(server.command, room))
        trust = trust_words(server.trust)
        about, policy = self._arranged(server, room - 4 - trust.cell_length)
        taken = about.cell_length + 4 + trust.cell_length
        beside = room - taken - policy.cell_length - len(GAP)
        lines: list[Content] = []
        if not _was_connected(server):
            pass
        elif cell_len(command) <= beside:
            about = Content.assemble(about, (GAP, MUTED), command)
        else:
            lines.append(Content(_cut(command, room)))
        if server.phase is Phase.LOST:
            lines += _last_words(server, room)
        self.query_one(".about", Static).update(about)
        switch = self.query_one(".trust", Static)
        switch.update(trust)
        switch.tooltip = Content(
            "ctrl+t: switch. Trusted: the policy uses this server's hints. "
            "Untrusted: its hints let no call run."
        )
        chosen = self.query_one(".policy", Static)
        chosen.update(policy)
        chosen.display = bool(policy)
        chosen.tooltip = Content(
            "ctrl+o: choose the policy. It decides which calls run, ask or are refused."
        )
        more = self.query_one(".more", Static)
        more.update(Content("\n").join(lines))
        more.display = bool(lines)

    def _arranged(self, server: Server, room: int) -> tuple[Content, Content]:
        """Arrange server and policy in as few rows as possible.

        The policy is more important than the name of this program, the pid and the protocol: these
        are dropped first. A policy that asks for nothing is never left out.
        """
        full, named, brief = (
            policy_words(self._policy, is_loud=self._is_loud, room=room) for room in PolicyRoom
        )
        of_server = partial(describe, server, self._findings, self._changed)
        whole = of_server()
        bare = of_server(with_program=False)
        short = of_server(with_program=False, with_pid=False)
        least = of_server(with_program=False, with_pid=False, with_version=False)
        choices = [(whole, full), (whole, named), (bare, named), (short, named), (least, named)]
        choices += [(bare, brief), (short, brief), (least, brief)]
        if not self._is_loud:
            if server.phase is Phase.LOST:
                # There is nothing to decide, and whatever is left of the server has this pid. If
                # there are problems, f9 shows it with them.
                choices = choices[:1]
                if not self._findings:
                    short = bare
            choices += [(bare, Content()), (short, Content())]
        # The first of those with the fewest rows.
        return min(choices, key=lambda choice: _rows(choice[0], room - choice[1].cell_length))


class _TrustSwitch(Static):
    def on_click(self) -> None:
        self.post_message(ServerBar.TrustClicked())


class _PolicySwitch(Static):
    def on_click(self) -> None:
        self.post_message(ServerBar.PolicyClicked())


def _rows(about: Content, width: int) -> int:
    return len(about.wrap(max(width, 1)))


def describe(
    server: Server,
    findings: int = 0,
    changed: Sequence[str] = (),
    *,
    with_program: bool = True,
    with_pid: bool = True,
    with_version: bool = True,
) -> Content:
    """Describe name, state, pid, findings, changed files; after its end, how it ended."""
    pieces: list[Content | str | tuple[str, str]] = []
    if with_program:
        pieces += [("Signoff", "bold $accent"), "  "]
    pieces += [(visible(server.name), "bold"), (GAP, MUTED)]
    if server.is_insecure:
        pieces += [(INSECURE, LOUD), (GAP, MUTED)]
    if server.lenient:
        pieces += [(LENIENT.format(", ".join(server.lenient)), LOUD), (GAP, MUTED)]
    if server.experimental:
        pieces += [(EXPERIMENTAL.format(", ".join(server.experimental)), LOUD), (GAP, MUTED)]
    match server.phase:
        case Phase.CONNECTING:
            words = "starting" if server.is_started_here else "connecting"
            pieces.append((words, "$text-warning"))
        case Phase.CONNECTED:
            version = f", {visible(server.version)}" if with_version else ""
            pieces.append((f"connected{version}", "$text-success"))
            if with_version and server.basis is VersionSource.GUESSED:
                pieces.append((" (a guess)", "$text-warning"))
        case Phase.FAILED:
            pieces.append(("not connected", "bold $text-error"))
        case Phase.LOST:
            pieces.append((visible(server.ended_words), "bold $text-error"))
    if with_pid and server.pid is not None and _was_connected(server):
        pieces += [(GAP, MUTED), f"pid {server.pid}"]
    if findings:
        words = f"{findings:,} problem{'' if findings == 1 else 's'}"
        pieces += [(GAP, MUTED), (words, "$text-warning"), (" f9", MUTED)]
    if changed:
        what = shortened(changed[0], NAME_MAX) if len(changed) == 1 else count(len(changed), "file")
        words = f"{visible(what)} changed on disk"
        pieces += [(GAP, MUTED), (words, "$text-warning"), (f"{GAP}{RESTART_KEY}", MUTED)]
    return Content.assemble(*pieces)


def _was_connected(server: Server) -> bool:
    return server.phase in (Phase.CONNECTED, Phase.LOST)


def trust_words(trust: Trust) -> Content:
    """The switch and its key."""
    style = "bold $text-success" if trust is Trust.TRUSTED else "bold $text-warning"
    return Content.assemble((trust.value, style), (" ctrl+t", MUTED))


class PolicyRoom(Enum):
    """How much of the words about the policy there is room for."""

    WITH_KEY = auto()
    NAMED = auto()
    BARE = auto()


def policy_words(name: str, *, is_loud: bool, room: PolicyRoom) -> Content:
    """The policy and its key; inverse if it never asks."""
    shown = (f" {visible(name)} ", "bold $text on $error") if is_loud else (visible(name), "")
    key = " ctrl+o" if room is PolicyRoom.WITH_KEY else ""
    label = "" if room is PolicyRoom.BARE else "policy "
    return Content.assemble((label, MUTED), shown, (key, MUTED))


def _cut(command: str, room: int) -> str:
    most = COMMAND_ROWS * room - room // 2
    if cell_len(command) <= most:
        return command
    return f"{fit(command, most)} f9: show all"


def _last_words(server: Server, room: int) -> list[Content]:
    """Rows that end in the possible actions; the few rows of the server's output are behind a
    bar."""
    everything = Content.styled(f"f9: show all · {RESTART_KEY}: restart", MUTED)
    if server.pid is None and not server.last_words:
        # A server by URL has no process here, and so no stderr.
        return [everything]
    if not server.last_words:
        rows = [Content.styled("nothing on stderr", MUTED)]
    else:
        width = max(room - len(GUTTER), 1)
        most = LAST_WORDS_ROWS * width - width // 2
        whole = Content(fit(f"{LAST_WORDS}{visible(server.last_words[-1])}", most))
        first, *further = whole.stylize(MUTED, 0, len(LAST_WORDS)).wrap(width)
        rows = [first, *(Content.assemble((GUTTER, MUTED), row) for row in further)]
    beside = Content.assemble(rows[-1], "   ", everything)
    if beside.cell_length <= room:
        return [*rows[:-1], beside]
    return [*rows, everything]
