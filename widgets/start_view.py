"""What is on the screen while a server starts, and when it could not be reached."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from signoff.app.core.server import Phase, Server
from signoff.app.core.text import seconds, visible

LATE_SECONDS = 15.0
STDERR_SHOWN = 12


class StartView(Static):
    """Draws a server that is not connected yet, or never was: what it waits for, what it said."""

    DEFAULT_CSS = """
    StartView { width: 1fr; height: 1fr; padding: 1 3; overflow-y: auto; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)

    def show(self, server: Server, elapsed: float, stderr: Sequence[str]) -> None:
        """`elapsed` is the seconds since the start."""
        self.update(_describe(server, elapsed, stderr))


def _describe(server: Server, elapsed: float, stderr: Sequence[str]) -> Content:
    muted = "$foreground-muted"
    lines: list[Content | str | tuple[str, str]] = []
    if server.phase is Phase.FAILED:
        lines += [("The server could not be reached.", "bold $text-error"), "\n\n"]
        lines += [(visible(server.ended_words), "bold"), "\n"]
    else:
        lines += [("Starting the server", "bold"), "\n\n"]
        lines += [(f"{visible(server.stage)}, {seconds(elapsed)}", ""), "\n"]
        if elapsed >= LATE_SECONDS:
            words = "It is late. Signoff goes on waiting; ctrl+q gives up and ends the server."
            lines += [(words, "$text-warning"), "\n"]
    facts = [("pid", server.pid), ("exit code", server.exit_code)]
    known = [f"{label} {value}" for label, value in facts if value is not None]
    if known:
        lines += [("   ".join(known), muted), "\n"]
    said = list(server.last_words or stderr)[-STDERR_SHOWN:]
    if said:
        is_over = server.phase is Phase.FAILED
        lines += ["\n", ("last words on stderr" if is_over else "on stderr", muted), "\n"]
        for line in said:
            lines += [("┃ ", muted), visible(line), "\n"]
    lines += ["\n", ("command  ", muted), visible(server.command), "\n"]
    lines += ["\n", ("f9 shows everything it said   f1 help   ctrl+q quits", muted)]
    return Content.assemble(*lines)
