"""The line about the server: who it is by configuration, exactly how it is reached, how it is."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from app.core.policy import Trust
from app.core.server import Phase, Server
from app.core.text import visible

POLICY = "cautious"
MUTED = "$foreground-muted"


class ServerBar(Horizontal):
    """Draws a `Server`; the command is never cut, however many rows it takes."""

    DEFAULT_CSS = """
    ServerBar { height: auto; background: $panel; padding: 0 1; }
    ServerBar > .about { width: 1fr; height: auto; }
    ServerBar > .trust { width: auto; height: 1; padding-left: 2; }
    ServerBar.-gone { background: $error-muted; }
    """

    class TrustClicked(Message):
        """The trust switch was clicked."""

    def compose(self) -> ComposeResult:
        yield Static(classes="about", markup=False)
        yield _TrustSwitch(classes="trust", markup=False)

    def show(self, server: Server) -> None:
        is_gone = server.phase in (Phase.FAILED, Phase.LOST)
        self.set_class(is_gone, "-gone")
        self.query_one(".about", Static).update(describe(server))
        trust = self.query_one(".trust", Static)
        trust.update(_trust_words(server.trust))
        trust.tooltip = Content(
            "ctrl+t switches. Trusted: read-only tools run without a question. "
            "Untrusted: every tool asks, its hints are shown and not obeyed."
        )


class _TrustSwitch(Static):
    def on_click(self) -> None:
        self.post_message(ServerBar.TrustClicked())


def describe(server: Server) -> Content:
    """Name, exact command, state, pid; at the end of a server, how it ended."""
    pieces: list[Content | str | tuple[str, str]] = [
        ("Signoff", "bold $accent"),
        "  ",
        (visible(server.name), "bold"),
        (" · ", MUTED),
    ]
    match server.phase:
        case Phase.CONNECTING:
            pieces.append((visible(server.stage), "$text-warning"))
        case Phase.CONNECTED:
            pieces.append((f"connected, {visible(server.version)}", "$text-success"))
        case Phase.FAILED | Phase.LOST:
            pieces.append((visible(server.ended_words), "bold $text-error"))
    if server.pid is not None:
        pieces += [(" · ", MUTED), f"pid {server.pid}"]
    pieces += [(" · ", MUTED), visible(server.command)]
    if server.phase is Phase.LOST:
        if server.last_words:
            pieces += [
                "\n",
                ("last words on stderr ┃ ", MUTED),
                visible(server.last_words[-1]),
            ]
        pieces.append(("   f9 shows everything", MUTED))
    return Content.assemble(*pieces)


def _trust_words(trust: Trust) -> Content:
    style = "bold $text-success" if trust is Trust.TRUSTED else "bold $text-warning"
    return Content.assemble((trust.value, style), (" ctrl+t  ", MUTED), ("policy ", MUTED), POLICY)
