"""The screen while a server starts, and when it could not be reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from ..app.content.labels import fitted_command
from ..app.content.text import PRINTED_BLANKS, seconds, visible
from ..app.content.texts.sheet_line import GUTTER
from ..app.protocol.server import LATE_SECONDS, Phase, Server
from .keys import RESTART_KEY

STDERR_SHOWN = 12
"""Lines of it at most, however much room there is."""
LEAST_SAID = 3
"""Rows of the server's output that are shown however small the screen is."""
UNKNOWN_SIZE = Size(80, 24)
"""Before anything was laid out."""
NOISE_WORDS = "It prints other text on stdout, which is for messages only: logs belong on stderr."


class StartView(Static):
    """Draws a server that is not connected yet, or never was: its stage and its output."""

    DEFAULT_CSS = """
    StartView { width: 1fr; height: 1fr; padding: 1 3; overflow-y: auto; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._draw: Callable[[Size], Content] | None = None

    def show(
        self,
        server: Server,
        elapsed: float,
        stderr: Sequence[str],
        noise: str = "",
        *,
        can_start_again: bool = False,
        has_others: bool = False,
    ) -> None:
        """`elapsed` is the seconds since the start, `noise` a finding about its stdout;
        `has_others`: the session has other servers to go to."""
        self._draw = partial(
            _describe,
            server,
            elapsed,
            tuple(stderr),
            noise,
            can_start_again=can_start_again,
            has_others=has_others,
        )
        self.on_resize()

    def on_resize(self) -> None:
        if self._draw is not None:
            room = self.content_size or UNKNOWN_SIZE
            self.update(self._draw(room))


def _describe(
    server: Server,
    elapsed: float,
    stderr: Sequence[str],
    noise: str,
    room: Size,
    *,
    can_start_again: bool,
    has_others: bool,
) -> Content:
    """Describe it within `room`: a server's words are cut before Signoff's.

    A traceback ends with the error, so the end of stderr is kept.
    """
    muted = "$foreground-muted"
    others = "alt+e: all servers   " if has_others else ""
    is_over = server.phase in (Phase.FAILED, Phase.LOST)

    def quoted(text: str, first: str = GUTTER, style: str = "") -> list[Content]:
        # No row may begin with what the server wrote, the further ones of a long line neither.
        shown = Content(visible(text, max_blanks=PRINTED_BLANKS))
        rows = shown.wrap(max(room.width - len(GUTTER), 1)) or [Content()]
        return [
            Content.assemble((GUTTER if index else first, muted), (row.plain, style))
            for index, row in enumerate(rows)
        ]

    why: list[Content] = []
    head: list[Content] = []
    if is_over:
        was_started = server.pid is not None or not server.is_started_here
        # It may end in words of the server, if there was one.
        words = server.ended_words
        why = quoted(words, "", "bold") if was_started else [Content.styled(visible(words), "bold")]
    else:
        head.append(Content(f"{visible(server.stage)}, {seconds(elapsed)}"))
        if elapsed >= LATE_SECONDS:
            end = " and end the server" if server.is_started_here else ""
            words = f"This takes long. Signoff keeps waiting. ctrl+q: quit{end}."
            head.append(Content.styled(words, "$text-warning"))
    facts = [("pid", server.pid), ("exit code", server.exit_code)]
    known = [f"{label} {value}" for label, value in facts if value is not None]
    if known:
        head.append(Content.styled("   ".join(known), muted))
    if noise:
        head += [Content(), Content.styled(NOISE_WORDS, "$text-warning"), *quoted(noise)]
    lines = server.last_words or stderr
    said = [row for line in lines[-STDERR_SHOWN:] for row in quoted(line)]
    # Two rows of it; f9 shows all.
    shown = fitted_command(server.command, 2 * max(room.width, 20) - len("command  ") - 8)
    tail = [
        Content(),
        Content.assemble(("command  ", muted), visible(shown)),
        Content(),
        Content.styled(f"f9: output and findings   f1: help   {others}ctrl+q: quit", muted),
    ]
    if is_over:
        words, first = "The server could not be reached.", "Fix it, then "
        again = f"press {RESTART_KEY} to restart" if can_start_again else "start Signoff again"
        if server.needs_sign_in:
            words, first = "A sign-in is required.", "To try again, "
        title = Content.styled(words, "bold $text-error")
        tail.append(Content.styled(f"{first}{again}.", muted))
    else:
        words = "Starting the server" if server.is_started_here else "Connecting to the server"
        title = Content.styled(words, "bold")
    left = room.height - _height([title, Content(), *head, *tail], room.width)
    left -= 2 if said else 0
    shown_why = why[: max(left - min(len(said), LEAST_SAID), LEAST_SAID)]
    if len(shown_why) < len(why):
        shown_why[-1] = Content.styled("… f9: show all", muted)
    rows = [title, Content(), *shown_why, *head]
    if said:
        most = max(left - len(shown_why), LEAST_SAID)
        is_cut = len(said) > most or len(lines) > STDERR_SHOWN
        words = "end of stderr" if is_cut else "stderr"
        rows += [Content(), Content.styled(words, muted), *said[-most:]]
    rows += tail
    if _height(rows, room.width) > room.height:
        rows = [row for row in rows if row.plain]
    return Content("\n").join(rows)


def _height(rows: Sequence[Content], width: int) -> int:
    return sum(len(row.wrap(max(width, 1))) or 1 for row in rows)
