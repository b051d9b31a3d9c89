"""The sheet of a sign-in: the server, the page set apart, the scopes, and where tokens are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ...content.labels import and_more
from ...content.text import cut, spans, visible
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from ...protocol.answers.links import LinkFacts, look_at
from ..sign_in import AboutSignIn
from .server_lines import server_lines
from .sheet import Parts, Room, pieces_of
from .value_lines import uri_lines

URL_LIMIT: Final = 400
SCOPES_SHOWN: Final = 20
FIELD_LIMIT: Final = 300
REQUEST: Final = "asks you to sign in, on a page in your browser"
_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]", "::1")
NOT_OPENED: Final = "not opened yet: your browser opens it, only if you agree"
YOU_OPEN: Final = "not opened: you open it in your browser, if you agree"
NO_SCOPE: Final = "none requested: the authorization server chooses"
ONE_PLACE: Final = "the token is sent to this server alone, and shown nowhere"


def sign_in_parts(question: AboutSignIn, room: Room) -> Parts:
    """The whole content of a sign-in."""
    wanted = question.wanted
    return Parts(
        first=[
            *server_lines(question, room),
            labelled("request", room.indent, (REQUEST, "strong")),
        ],
        noticed=[*_doubts(question, room)],
        noticed_below="Checks that failed are below",
        changes=[],
        subject=[
            *uri_lines(_page(question), room.indent, URL_LIMIT, "the rest is not shown"),
            labelled("", room.indent, (NOT_OPENED if room.has_keys else YOU_OPEN, "dim")),
            _row("issuer", wanted.issuer, room),
            labelled("scopes", room.indent, *_scopes(wanted.scopes, wanted.granted)),
        ],
        rest=[
            labelled("client", room.indent, *pieces_of(spans(_client(question)))),
            *_places(question, room),
            _row("back to", f"{wanted.redirect} on this machine", room),
            _row("kept", wanted.place, room),
            labelled("", room.indent, (ONE_PLACE, "dim")),
            _row("why", wanted.why, room),
        ],
    )


def _page(question: AboutSignIn) -> LinkFacts:
    """The page; where the server is on this machine, no caution that it is there, too."""
    facts, server = look_at(question.wanted.page), look_at(question.wanted.url)
    is_ours = facts.host == server.host and facts.host.partition(":")[0] in _LOOPBACK
    return replace(facts, cautions=()) if is_ours else facts


def _row(label: str, text: str, room: Room) -> SheetLine:
    return labelled(label, room.indent, *pieces_of(spans(cut(text, FIELD_LIMIT).text)))


def _client(question: AboutSignIn) -> str:
    wanted = question.wanted
    if not wanted.registration_endpoint:
        return cut(wanted.client, FIELD_LIMIT).text
    return f"{wanted.client}, at {cut(wanted.registration_endpoint, FIELD_LIMIT).text}"


def _places(question: AboutSignIn, room: Room) -> Iterator[SheetLine]:
    """The token endpoint, if it is at another host than the page."""
    wanted = question.wanted
    if look_at(wanted.token_endpoint).host != look_at(wanted.page).host:
        yield _row("token at", wanted.token_endpoint, room)


def _scopes(scopes: Sequence[str], granted: Sequence[str]) -> Iterator[Piece]:
    """Each scope, those that are new marked if there were others before."""
    if not scopes:
        yield NO_SCOPE, ""
    for at, one in enumerate(scopes[:SCOPES_SHOWN]):
        yield (", " if at else ""), ""
        yield from pieces_of(spans(cut(one, 100).text), "strong")
        if granted and one not in granted:
            yield " new", "warning"
    if more := and_more(len(scopes) - SCOPES_SHOWN):
        yield f" {more}", "noticed"


def _doubts(question: AboutSignIn, room: Room) -> Iterator[SheetLine]:
    wanted = question.wanted
    told = [f"set aside by --lenient: {one}" for one in wanted.doubts]
    if wanted.issuer_before:
        before = visible(cut(wanted.issuer_before, FIELD_LIMIT).text)
        told.insert(0, f"another issuer than before: you signed in at {before}")
    for one in told:
        yield labelled("", room.indent, ("▲ ", "warning"), (one, "noticed"))
