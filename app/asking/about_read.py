"""The question whether a resource may be read: no definition says anything of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from signoff.app.asking.argument_lines import argument_lines
from signoff.app.asking.link_lines import caution_lines, host_lines
from signoff.app.asking.parts import Parts, Room
from signoff.app.asking.run_lines import not_known_lines
from signoff.app.asking.server_lines import asked_line, server_lines
from signoff.app.core.answers.links import LinkFacts, look_at
from signoff.app.core.approvals.questions import AboutAnswer, AboutRead
from signoff.app.core.policies.reads import NOTHING_SAID
from signoff.app.core.rpc import READ_METHOD
from signoff.app.core.texts.sheet_line import SheetLine, labelled

WHAT_IT_IS: Final = "reads a resource of this server"
NO_CLAIMS: Final = "nothing: no hints are given for reading a resource"
CAUTION: Final = "Reading should change nothing; nothing keeps a server from it."
NOT_FETCHED: Final = "the server is asked for it; Signoff itself fetches nothing"


def parts(question: AboutRead, room: Room) -> Parts:
    """All that is said of a read."""
    indent, verdict = room.indent, question.verdict
    # Where the reasons say that nothing is known of it, there is nothing to add of claims.
    is_said = NOTHING_SAID in verdict.reasons
    return Parts(
        first=request_lines(question, room),
        noticed=odd_lines(question, room),
        changes=[],
        subject=list(argument_lines(question.snapshot, {})),
        rest=[
            asked_line(question, verdict.reasons, room),
            *([labelled("", indent, (CAUTION, "noticed"))] if question.is_strong else []),
            *(() if is_said else no_claims(room)),
            not_fetched(room),
        ],
    )


def request_lines(question: AboutRead | AboutAnswer, room: Room) -> list[SheetLine]:
    """The server, what it is asked for, and where that leads."""
    return [
        *server_lines(question, room),
        labelled("request", room.indent, (WHAT_IT_IS, "strong"), (f"   {READ_METHOD}", "dim")),
        *host_lines(_facts(question), room.indent),
    ]


def odd_lines(question: AboutRead | AboutAnswer, room: Room) -> list[SheetLine]:
    """What is odd about the server and the URI."""
    runs = question.snapshot.runs
    return [*not_known_lines(runs, room.indent), *caution_lines(_facts(question), room.indent)]


def no_claims(room: Room) -> Iterator[SheetLine]:
    yield labelled("claims", room.indent, (NO_CLAIMS, ""))


def not_fetched(room: Room) -> SheetLine:
    return labelled("", room.indent, (NOT_FETCHED, "dim"))


def _facts(question: AboutRead | AboutAnswer) -> LinkFacts:
    return look_at(str(question.snapshot.arguments().get("uri")))
