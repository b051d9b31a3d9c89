"""What follows from a link that somebody wants to see: a read, a copy, or an address opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.geometry import Offset

from ...protocol.answers.links import LinkKind, look_at
from ...protocol.requests import ResourceRead
from ..opener import find_program, open_outside
from .outside import OutsideDialog, Way

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from ...calls.call import Call
    from ...engine.engine import Bench

LEADS_OUT = (LinkKind.WEB, LinkKind.MAIL, LinkKind.FILE)
"""Links about which it is asked where to follow them; the others are the server's alone."""
NO_PROGRAM = "there is no desktop here, or no program on it that opens addresses"


async def follow_link(app: App[Any], bench: Bench, uri: str) -> None:
    """Ask where to follow a link, and do that. Run it in a worker."""
    if any(_is_about_to_read(call, uri) for call in bench.calls.values()):
        return
    facts = look_at(uri)
    program, way = "", Way.READ
    if facts.kind in LEADS_OUT:
        program = find_program()
        last_click: Offset | None = getattr(app, "last_click", None)
        dialog = OutsideDialog(
            facts, bench.server, why_not="" if program else NO_PROGRAM, last_click=last_click
        )
        way = await app.push_screen_wait(dialog)
    match way:
        case Way.LEAVE:
            return
        case Way.COPY:
            app.copy_to_clipboard(uri)
            _say(app, "Copied the link as the server wrote it.")
        case Way.READ:
            if bench.server.is_open:
                bench.read(uri)
            else:
                words = bench.server.ended_words or "not connected"
                _say(app, f"Nothing was sent: {words}.", "error")
        case Way.OPEN:
            await _open(app, bench, uri, program)


def _is_about_to_read(call: Call, uri: str) -> bool:
    """Whether it is being asked already: a key that is held down asks once."""
    is_open = not call.is_over and not call.sent
    return is_open and call.request == ResourceRead(uri)


async def _open(app: App[Any], bench: Bench, uri: str, program: str) -> None:
    if not bench.consent.log_opened_outside(uri, program):
        _say(app, f"Not opened: it could not be logged: {bench.ledger.problem}.", "error")
        return
    problem = await open_outside(uri, program)
    if problem:
        _say(app, f"Not opened: {problem}.", "error")
    else:
        _say(app, "Given to the program outside; the audit log says so.")


def _say(app: App[Any], words: str, severity: SeverityLevel = "information") -> None:
    app.notify(words, severity=severity, timeout=6, markup=False)
