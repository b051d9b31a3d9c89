"""The question whether a resource may be read, or a prompt asked for: no definition says anything
of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..approval.policies.reads import nothing_said
from ..content.texts.sheet_line import Piece, SheetLine, labelled
from ..protocol.answers.links import LinkFacts, look_at
from ..protocol.requests import PromptGet, Unclaimed
from ..protocol.rpc import PROMPT_METHOD, READ_METHOD
from .argument_lines import argument_lines
from .link_lines import caution_lines, host_lines
from .parts import Parts, Room
from .questions import AboutAnswer, AboutRead
from .run_lines import not_known_lines
from .server_lines import asked_line, server_lines
from .sheet_text import quoted

WHAT_IT_IS: Final = "reads a resource of this server"
NO_CLAIMS: Final = "nothing: no hints are given for reading a resource"
CAUTION: Final = "Reading should change nothing; nothing keeps a server from it."
NOT_FETCHED: Final = "the server is asked for it; Signoff itself fetches nothing"
GETS_A_PROMPT: Final = "asks this server for the prompt"
NO_CLAIMS_OF_PROMPTS: Final = "nothing: no hints are given for prompts"
CAUTION_OF_PROMPTS: Final = "A prompt should change nothing; nothing keeps a server from it."
NOT_USED: Final = "no model is asked; what comes back is shown and goes nowhere"


def parts(question: AboutRead, room: Room) -> Parts:
    """All that is said of a read."""
    indent, verdict = room.indent, question.verdict
    # Where the reasons say that nothing is known of it, there is nothing to add of claims.
    is_said = nothing_said(question.request.method) in verdict.reasons
    is_prompt = isinstance(question.request, PromptGet)
    caution = CAUTION_OF_PROMPTS if is_prompt else CAUTION
    return Parts(
        first=request_lines(question, room),
        noticed=odd_lines(question, room),
        changes=[],
        subject=list(argument_lines(question.snapshot, {})),
        rest=[
            asked_line(question, verdict.reasons, room),
            *([labelled("", indent, (caution, "noticed"))] if question.is_strong else []),
            *(() if is_said else no_claims(question.request, room)),
            not_fetched(question.request, room),
        ],
    )


def request_lines(question: AboutRead | AboutAnswer, room: Room) -> list[SheetLine]:
    """The server, what it is asked for, and where that leads."""
    request = question.request
    if isinstance(request, PromptGet):
        asks = ((GETS_A_PROMPT, "strong"), (" ", ""), *quoted(request.prompt))
        method: Piece = (f"   {PROMPT_METHOD}", "dim")
        return [*server_lines(question, room), labelled("request", room.indent, *asks, method)]
    return [
        *server_lines(question, room),
        labelled("request", room.indent, (WHAT_IT_IS, "strong"), (f"   {READ_METHOD}", "dim")),
        *host_lines(_facts(question), room.indent),
    ]


def odd_lines(question: AboutRead | AboutAnswer, room: Room) -> list[SheetLine]:
    """What is odd about the server and the URI."""
    runs = question.snapshot.runs
    if isinstance(question.request, PromptGet):
        return [*not_known_lines(runs, room.indent)]
    return [*not_known_lines(runs, room.indent), *caution_lines(_facts(question), room.indent)]


def no_claims(request: Unclaimed, room: Room) -> Iterator[SheetLine]:
    words = NO_CLAIMS_OF_PROMPTS if isinstance(request, PromptGet) else NO_CLAIMS
    yield labelled("claims", room.indent, (words, ""))


def not_fetched(request: Unclaimed, room: Room) -> SheetLine:
    """What does not happen."""
    words = NOT_USED if isinstance(request, PromptGet) else NOT_FETCHED
    return labelled("", room.indent, (words, "dim"))


def _facts(question: AboutRead | AboutAnswer) -> LinkFacts:
    return look_at(str(question.snapshot.arguments().get("uri")))
