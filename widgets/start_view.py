"""What is on the screen while a server starts, and when it could not be reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from textual.content import Content
from textual.widgets import Static

from signoff.app.core.server import Phase, Server
from signoff.app.core.text import seconds, visible
from signoff.app.core.texts.sheet_line import GUTTER

LATE_SECONDS = 15.0
STDERR_SHOWN = 12
UNKNOWN_WIDTH = 80
"""Columns before anything was laid out."""
NOISE_WORDS = "It prints where only messages may go: its own words belong on stderr."


class StartView(Static):
    """Draws a server that is not connected yet, or never was: what it waits for, what it said."""

    DEFAULT_CSS = """
    StartView { width: 1fr; height: 1fr; padding: 1 3; overflow-y: auto; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._draw: Callable[[int], Content] | None = None

    def show(
        self,
        server: Server,
        elapsed: float,
        stderr: Sequence[str],
        noise: str = "",
        *,
        can_start_again: bool = False,
    ) -> None:
        """`elapsed` is the seconds since the start, `noise` a finding about its stdout."""
        self._draw = partial(
            _describe, server, elapsed, tuple(stderr), noise, can_start_again=can_start_again
        )
        self.on_resize()

    def on_resize(self) -> None:
        if self._draw is not None:
            self.update(self._draw(self.content_size.width or UNKNOWN_WIDTH))


def _describe(
    server: Server,
    elapsed: float,
    stderr: Sequence[str],
    noise: str,
    width: int,
    *,
    can_start_again: bool,
) -> Content:
    muted = "$foreground-muted"

    def quoted(text: str, first: str = GUTTER, style: str = "") -> Iterator[tuple[str, str]]:
        # No row may begin with what the server wrote, the further ones of a long line neither.
        rows = Content(visible(text)).wrap(max(width - len(GUTTER), 1)) or [Content()]
        for index, row in enumerate(rows):
            yield from ((GUTTER if index else first, muted), (f"{row.plain}\n", style))

    lines: list[Content | str | tuple[str, str]] = []
    if server.phase is Phase.FAILED:
        lines += [("The server could not be reached.", "bold $text-error"), "\n\n"]
        # It may end in words of the server.
        lines += quoted(server.ended_words, "", "bold")
    else:
        words = "Starting the server" if server.is_started_here else "Connecting to the server"
        lines += [(words, "bold"), "\n\n"]
        lines += [(f"{visible(server.stage)}, {seconds(elapsed)}", ""), "\n"]
        if elapsed >= LATE_SECONDS:
            end = " and ends the server" if server.is_started_here else ""
            words = f"It is late. Signoff goes on waiting; ctrl+q gives up{end}."
            lines += [(words, "$text-warning"), "\n"]
    facts = [("pid", server.pid), ("exit code", server.exit_code)]
    known = [f"{label} {value}" for label, value in facts if value is not None]
    if known:
        lines += [("   ".join(known), muted), "\n"]
    if noise:
        lines += ["\n", (NOISE_WORDS, "$text-warning"), "\n", *quoted(noise)]
    said = list(server.last_words or stderr)[-STDERR_SHOWN:]
    if said:
        is_over = server.phase is Phase.FAILED
        lines += ["\n", ("last words on stderr" if is_over else "on stderr", muted), "\n"]
        for line in said:
            lines += quoted(line)
    lines += ["\n", ("command  ", muted), visible(server.command), "\n"]
    lines += ["\n", ("f9 shows everything it said   f1 help   ctrl+q quits", muted)]
    if server.phase is Phase.FAILED:
        again = "R tries again" if can_start_again else "start Signoff again"
        lines += ["\n", (f"mend it, then {again}", muted)]
    return Content.assemble(*lines)
