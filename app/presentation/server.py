"""A server and its connection: facts, the line at the head of a list, and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Protocol

from ..approval.questions.server_lines import bound_lines
from ..content.text import PRINTED_BLANKS, count, visible
from ..content.texts.facts import Fact
from ..content.texts.sheet_line import GUTTER
from ..protocol.server import Phase, Server

if TYPE_CHECKING:
    from ..engine.engine import Engine

LABELS: Final = 14
"""Columns for the labels."""


class Hides(Protocol):
    """Takes secrets out of texts."""

    def command(self, command: str) -> str:
        """The command line or the URL."""

    def said(self, text: str) -> str:
        """A text of the server's."""

    def value(self, value: Any) -> Any:
        """JSON that may repeat a secret."""


class ShowsAll:
    """Hides nothing: the person at the screen started the server."""

    def command(self, command: str) -> str:
        return command

    def said(self, text: str) -> str:
        return text

    def value(self, value: Any) -> Any:
        return value


def facts(engine: Engine, hides: Hides) -> list[Fact]:
    """All facts on a server as it is, safe to show."""
    return [Fact(label, words) for label, words in _rows(engine, hides) if words]


def _rows(engine: Engine, hides: Hides) -> Iterator[tuple[str, str]]:
    server = engine.server
    yield "name", visible(server.name)
    yield "command", visible(hides.command(server.command))
    yield from getattr(engine.link, "route", ())
    yield from bound_lines(engine.runs)
    yield "own name", server.calls_itself or "not known"
    yield "trust", server.trust.value
    yield "policy", engine.policy.shown_name
    yield "state", server.phase.value
    yield "protocol", server.protocol_words or "not known"
    yield "pid", "none" if server.pid is None else str(server.pid)
    yield "ended", visible(hides.said(server.ended_words))
    yield "exit code", "" if server.exit_code is None else str(server.exit_code)
    for line in server.last_words:
        said = visible(hides.said(line), max_blanks=PRINTED_BLANKS)
        yield "stderr ends", f"{GUTTER}{said}"
    if (watch := engine.link.watch) is not None:
        yield "watched", f"by {watch.method.value}, in {visible(watch.scratch)}"
    yield "offers", _offers(engine)


def _offers(engine: Engine) -> str:
    """Count the tools, and the offers beside them."""
    if not engine.is_listed:
        return "not known"
    offers = engine.offers
    counts = [f"{len(offers.of(kind)):,} {kind.plural}" for kind in offers.kinds]
    more = ", ".join(counts) or "no resources and no prompts"
    return f"{count(len(engine.tools), 'tool')}, {more}"


def head(server: Server, tools: str) -> str:
    """`8 tools, trusted, protocol 2026-07-28`, for the head of a list; `tools` is their count."""
    protocol = f", protocol {server.protocol_words}" if server.protocol_words else ""
    return f"{tools}, {server.trust.value}{protocol}"


def as_json(engine: Engine, hides: Hides) -> dict[str, Any]:
    """The same as JSON, with what the server sent about itself."""
    server = engine.server
    signed_in = getattr(engine.link, "signed_in", None)
    return {
        "name": server.name,
        "command": hides.command(server.command),
        "trust": server.trust.value,
        "state": server.phase.value,
        "protocol_version": server.version or None,
        "protocol_basis": server.basis.value if server.version else None,
        "calls_itself": hides.value(server.info),
        "pid": server.pid,
        **({} if signed_in is None else {"sign_in": hides.value(signed_in.as_json())}),
        "ended": None
        if server.phase not in (Phase.FAILED, Phase.LOST)
        else {
            "words": hides.said(server.ended_words),
            "exit_code": server.exit_code,
            "last_words": [hides.said(line) for line in server.last_words],
        },
    }
