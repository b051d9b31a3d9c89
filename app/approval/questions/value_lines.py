"""Arguments and links, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...content.json.jsonio import pretty, pretty_spans
from ...content.text import count, cut, spans
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from ...protocol.answers.content import LinkPart
from ...protocol.answers.links import LinkFacts, LinkKind, size_words
from ...schemas.form.entries import Origin
from ..snapshot import Snapshot
from .question_words import exact_name
from .sheet import pieces_of, text_lines

ORIGIN_SIGNS: Mapping[Origin, str] = {
    Origin.TYPED: "●",
    Origin.EXAMPLE: "◎",
    Origin.DEFAULT: "◌",
    Origin.FILLED: "◐",
}
_LEGEND: Mapping[Origin, str] = {
    Origin.TYPED: "typed",
    Origin.EXAMPLE: "example",
    Origin.DEFAULT: "server's default",
    Origin.FILLED: "filled by Signoff",
}
_IN_WORDS: Mapping[Origin, str] = {
    Origin.EXAMPLE: "the server's own examples, chosen by you",
    Origin.DEFAULT: "the server's own defaults",
    Origin.FILLED: "filled by Signoff, not chosen by anyone",
}
INDENT = 11
HEADING = "Arguments  "


def argument_lines(
    snapshot: Snapshot,
    origins: Mapping[str, Origin],
    *,
    has_signs: bool = True,
    heading: str = HEADING,
    nothing: str = "none are sent",
) -> Iterator[SheetLine]:
    """All arguments, drawn from the very values that would be sent.

    A sign beside each value shows its origin, or without `has_signs` words below. `nothing` is the
    text without arguments.
    """
    values = snapshot.arguments()
    sha = f"sha256 {snapshot.arguments_digest[:8]}"
    if not values:
        yield SheetLine(((heading, "strong"), (f"{nothing} · {sha}", "dim")))
        return
    lines = pretty_spans(values)
    characters = len(pretty(values))
    facts = (
        f"{count(len(values), 'key')} · {count(characters, 'character')} · "
        f"{count(len(lines), 'line')} · {sha}"
    )
    used = set(origins.values()) if has_signs else set()
    legend: list[Piece] = []
    for one, words in _LEGEND.items():
        if one in used:
            gap = "   " * bool(legend)
            role = "typed" if one.is_chosen else "dim"
            legend.append((f"{gap}{ORIGIN_SIGNS[one]} {words}", role))
    yield SheetLine(((heading, "strong"), (facts, "dim")), aside=tuple(legend))
    names = iter(values)
    reserve = 2 if used else 0
    for parts in lines:
        aside: tuple[Piece, ...] = ()
        # Line ends in strings are escaped, so only a top-level member begins like this.
        if parts and parts[0].text.startswith('  "') and not parts[0].mark:
            origin = origins.get(next(names))
            if origin is not None and has_signs:
                role = "typed" if origin.is_chosen else "dim"
                aside = ((ORIGIN_SIGNS[origin], role),)
        yield SheetLine(pieces_of(parts), gutter=True, aside=aside, reserve=reserve, exact=True)
    if not has_signs:
        yield from _origin_lines(origins)


def _origin_lines(origins: Mapping[str, Origin]) -> Iterator[SheetLine]:
    for origin, words in _IN_WORDS.items():
        names = [name for name, one in origins.items() if one is origin]
        if names:
            yield labelled("", INDENT, (f"{words}: {', '.join(map(exact_name, names))}", "dim"))


URI_LIMIT = 2_000
NAME_LIMIT = 300
DESCRIPTION_LIMIT = 500
CARD_INDENT = 13

DOES = {
    LinkKind.WEB: "o: open from this server or in the browser",
    LinkKind.MAIL: "o: open from this server or in the mail program",
    LinkKind.FILE: "o: choose what to do (a file is not opened from here)",
    LinkKind.NEVER: "o: read from this server (never opened outside)",
    LinkKind.OWN: "o: read from this server, if the policy allows it",
    LinkKind.MALFORMED: "o: read from this server, if the policy allows it",
}
"""What the key does with a link; with a web or mail link only if it can be opened."""


def card_lines(part: LinkPart, facts: LinkFacts) -> Iterator[SheetLine]:
    """Name, title, description, hints, target, problems; in that order."""
    yield from _said("name", part.name, NAME_LIMIT)
    yield from _said("title", part.title, NAME_LIMIT)
    yield from _said("description", part.description, DESCRIPTION_LIMIT, is_multiline=True)
    yield from _said("type", part.mime, NAME_LIMIT)
    size, is_size = size_words(part.size)
    if size:
        yield labelled("size", CARD_INDENT, (size, "" if is_size else "noticed"))
    yield from uri_lines(facts, CARD_INDENT, URI_LIMIT, "enter: show all")
    does = DOES[facts.kind]
    if facts.kind in (LinkKind.WEB, LinkKind.MAIL) and not facts.can_open:
        yield labelled("", CARD_INDENT, (f"not opened outside: {facts.why_not}", "noticed"))
        does = DOES[LinkKind.OWN]
    yield labelled("", CARD_INDENT, (does, "dim"))


def uri_lines(facts: LinkFacts, indent: int, limit: int, rest: str) -> Iterator[SheetLine]:
    """The host apart, the URI, and its problems.

    `rest`: the place that shows characters over `limit`.
    """
    yield from host_lines(facts, indent)
    if facts.uri:
        yield from _said("uri", facts.uri, limit, indent=indent, rest=rest)
    else:
        yield labelled("uri", indent, ("empty", "noticed"))
    yield from caution_lines(facts, indent)


def host_lines(facts: LinkFacts, indent: int) -> Iterator[SheetLine]:
    """The host, or the path of a file."""
    if facts.host:
        yield SheetLine(
            pieces_of(spans(cut(facts.host, NAME_LIMIT).text), "strong"),
            label="host",
            indent=indent,
            gutter=True,
            exact=True,
        )
    if facts.path:
        yield from _said("file", facts.path, URI_LIMIT, indent=indent)


def caution_lines(facts: LinkFacts, indent: int) -> Iterator[SheetLine]:
    """Show problems of the URI."""
    for caution in facts.cautions:
        yield labelled("", indent, ("▲ ", "warning"), (caution, "noticed"))


def _said(
    label: str,
    text: str,
    limit: int,
    *,
    is_multiline: bool = False,
    indent: int = CARD_INDENT,
    rest: str = "enter: show all",
) -> Iterator[SheetLine]:
    """A text of the server's behind the gutter, and how much of it is missing."""
    if not text:
        return
    short = cut(text, limit)
    lines: list[tuple[Piece, ...]] = (
        list(text_lines(short.text)) if is_multiline else [pieces_of(spans(short.text))]
    )
    for at, pieces in enumerate(lines):
        yield SheetLine(
            pieces,
            label="" if at else label,
            indent=indent,
            gutter=True,
            exact=not is_multiline,
        )
    if short.is_cut:
        yield labelled("", indent, (f"{short.notice}, {rest}", "noticed"))
