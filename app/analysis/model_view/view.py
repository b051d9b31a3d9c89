"""Applies the shape of a host to a raw result: the texts its model gets, and the lost parts.

Nothing is guessed: a part whose form is not known is `Source.UNKNOWN` in the texts, and a sentence
in `unknown`. All strings of the server are raw, as the model gets them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, compact, load, same
from .fates import Loss, Route, losses_of, route_of, unknown_of
from .response import KIND_WORDS, Block, Kind, Response, read_response
from .table import ErrorForm, Form, ModelHost, Rendering, model_hosts

VARIES: Final = "…"
"""Replaces words of a host that vary, or whose exact form is not known."""


class Source(StrEnum):
    """The origin of a piece of text."""

    SERVER = "server"
    HOST = "host"
    UNKNOWN = "not known"


@frozen
class Piece:
    """A part of a text: words of the server, words of the host, or a part that is not known."""

    text: str
    source: Source = Source.SERVER
    json: tuple[JsonValue, ...] = ()
    """The value, if the text is its JSON: blanks and the order of names are not known."""
    is_exact: bool = True
    """False for JSON whose members are not known exactly."""

    @property
    def is_break(self) -> bool:
        """True if it only separates other pieces."""
        return self.source is Source.HOST and not self.text.strip()


@frozen
class Item:
    """One text of the model's data."""

    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        return "".join(one.text for one in self.pieces)


@frozen
class ModelView:
    """What the model of one host gets of one result."""

    host: ModelHost
    items: tuple[Item, ...]
    losses: tuple[Loss, ...]
    """The parts of the result that the model does not get."""
    unknown: tuple[str, ...]
    """Facts about this result that are not known, a phrase each, in words of our own."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts, raw."""
        return tuple(one.text for one in self.items)

    @property
    def is_known(self) -> bool:
        """True if everything about this result is known."""
        return not self.unknown

    @property
    def is_whole(self) -> bool:
        """True if the model is known to get the whole result."""
        return not self.losses and not self.unknown

    def matches(self, got: str | Sequence[str]) -> bool:
        """True if a measured text, or the measured texts, of a model is what this view has.

        Words that vary, blanks and the order of names in JSON, the number of unknown newlines, and
        the division into texts are not compared; an unknown piece matches anything.
        """
        whole = got if isinstance(got, str) else "\n".join(got)
        pieces = [
            (one, at > 0 and index == 0)
            for at, item in enumerate(self.items)
            for index, one in enumerate(item.pieces)
        ]
        values = [one.json[0] for one, _ in pieces if one.json]
        pattern = "".join(
            (r"\s*" if begins else "") + _pattern(one, self.host) for one, begins in pieces
        )
        found = re.fullmatch(pattern, whole, re.DOTALL)
        return found is not None and all(map(_is_same_json, found.groups(), values))


def model_view(host: ModelHost | str, raw_result: JsonValue) -> ModelView:
    """What the model of a host, or of the host with this id, gets of a raw result."""
    known = model_hosts()[host] if isinstance(host, str) else host
    return view_of(known, read_response(raw_result))


def view_of(host: ModelHost, response: Response) -> ModelView:
    """The same of a result that was read already: many hosts can share the reading."""
    return ModelView(
        host,
        tuple(_items(host, response)),
        losses_of(host, response),
        unknown_of(host, response),
    )


def _pattern(piece: Piece, host: ModelHost) -> str:
    if piece.source is Source.UNKNOWN or not piece.is_exact:
        return ".*?"
    if piece.json:
        return "(.*?)"
    if piece.source is Source.HOST:
        if piece.is_break and host.join == "newlines":
            return r"\n+"
        return ".*?".join(map(re.escape, _VARYING.split(piece.text)))
    return re.escape(piece.text)


_RESULT_KEYS: Final = ("content", "structuredContent")


_VARYING: Final = re.compile(rf" ?{VARIES} ?")


def _is_same_json(text: str, value: JsonValue) -> bool:
    try:
        found = load(text).value
    except JsonError:
        return False
    if isinstance(value, dict) and isinstance(found, dict) and "content" in value:
        # A whole result: its parser may add members, such as an isError that was not sent.
        pairs = ((found.get(key), value.get(key)) for key in _RESULT_KEYS)
        is_same = all(same(one, other) for one, other in pairs)
        return is_same and (found.get("isError") is True) is (value.get("isError") is True)
    return same(found, value)


def _host(text: str) -> Piece:
    return Piece(text, Source.HOST)


def _unknown(words: str) -> Piece:
    return Piece(f"[{words}: form not known]", Source.UNKNOWN)


def _json(value: JsonValue) -> Piece:
    try:
        return Piece(compact(value), json=(value,))
    except JsonError:
        return _unknown("JSON that cannot be written")


def _items(host: ModelHost, response: Response) -> Iterator[Item]:
    match route_of(host, response):
        case Route.STRUCTURED_ALONE:
            before = (_host(host.before + "\n"),) if host.before else ()
            yield Item((*before, _json(response.structured)))
        case Route.JSON:
            yield Item((_json(_whole(host.form, response)),))
        case Route.WORDS_LOST:
            yield Item((_host(host.error_before),))
        case Route.WRAPPED:
            yield Item((_host(host.error_before), _unknown("the content in the error")))
        case Route.NUMBER:
            yield Item((_host(host.number_error),))
        case Route.OBJECT:
            yield Item(_error_object(response))
        case Route.STRINGS:
            yield Item(_strings(response))
        case Route.ITEMS:
            if host.before:
                yield Item((_host(host.before),))
            for one in response.blocks:
                yield Item((_rendered(host, one),))
        case Route.TEXT:
            yield Item(tuple(_joined(host, response)))
        case unknown:
            yield Item((_unknown(_ENDS[unknown]),))


_ENDS: Final = {
    Route.MALFORMED: "a malformed result",
    Route.ERROR_UNKNOWN: "an error",
    Route.ERROR_BESIDE_STRUCTURED: "an error with structuredContent",
    Route.STRUCTURED_UNKNOWN: "structuredContent",
    Route.STRUCTURED_ODD: "structuredContent that is empty or not an object",
    Route.CONTENT_UNKNOWN: "content",
    Route.EMPTY: "a result without words",
}


def _whole(form: Form, response: Response) -> JsonValue:
    assert isinstance(response.raw, dict)
    if form is Form.CONTENT:
        return response.raw.get("content", [])
    keys = ("content", "isError", "structuredContent")
    return {key: response.raw[key] for key in keys if key in response.raw}


def _error_object(response: Response) -> tuple[Piece, ...]:
    texts = [one for one in response.blocks if one.kind is Kind.TEXT]
    if len(texts) != 1 or len(response.blocks) != 1:
        return (_host('{"error":'), _unknown("several parts in the error"), _host("}"))
    return (_json({"error": texts[0].text}),)


def _strings(response: Response) -> tuple[Piece, ...]:
    blocks = response.blocks
    if len(blocks) == 1 and blocks[0].kind is Kind.TEXT:
        # The server's text is known, and whether an array or quotes are around it is not.
        return (_unknown("the frame of a single text"), Piece(blocks[0].text))
    if all(one.kind is Kind.TEXT for one in blocks):
        return (_json([one.text for one in blocks]),)
    pieces = [_host("[")]
    for at, one in enumerate(blocks):
        if at:
            pieces.append(_host(","))
        is_text = one.kind is Kind.TEXT
        pieces.append(_json(one.text) if is_text else _unknown(_a(one)))
    return (*pieces, _host("]"))


def _joined(host: ModelHost, response: Response) -> Iterator[Piece]:
    before = host.before
    if response.is_error and host.error is ErrorForm.BEFORE:
        before = host.error_before
    elif response.is_error and host.error is ErrorForm.MARKED:
        yield _unknown("error mark")
    if before:
        yield _host(before)
    first, last = host.around
    for at, one in enumerate(response.blocks):
        join = "\n" if host.join == "newlines" else host.join
        if at and join:
            yield _host(join)
        if first:
            yield _host(first)
        yield _rendered(host, one)
        if last:
            yield _host(last)


def _rendered(host: ModelHost, block: Block) -> Piece:
    if block.kind is Kind.TEXT:
        return Piece(block.text)
    match host.renderings.get(block.kind.value, Rendering.NOT_KNOWN):
        case Rendering.TEXT:
            return Piece(block.text)
        case Rendering.JSON:
            return replace(_json(block.raw), json=(), is_exact=False)
        case Rendering.SNAKE_JSON:
            return replace(_json(_snake(block)), json=(), is_exact=False)
    return _unknown(_a(block))


def _snake(block: Block) -> JsonValue:
    raw = block.raw if isinstance(block.raw, dict) else {}
    inner = raw.get("resource")
    resource = inner if isinstance(inner, dict) else {}
    return {
        "type": "resource",
        "resource": {
            "uri": resource.get("uri"),
            "mime_type": resource.get("mimeType"),
            "meta": resource.get("_meta"),
            "text": resource.get("text"),
        },
    }


def _a(block: Block) -> str:
    return KIND_WORDS[block.kind]
