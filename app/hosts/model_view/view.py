"""Applies the shape of a host to a raw result: the texts its model gets, and the lost parts.

Nothing is guessed: a part whose form is not known is `PieceSource.UNKNOWN` in the texts, and a
sentence in `unknown`. All strings of the server are raw, as the model gets them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, compact, load
from .fates import (
    Loss,
    Route,
    gives_structured_after,
    gives_structured_before,
    is_json_text,
    losses_of,
    route_of,
    takes_structured_alone,
    unknown_of,
)
from .matching import VARIES, ModelText, PieceSource, SourcedText, is_match, itself
from .response import KIND_WORDS, Block, BlockKind, ResultInParts, read_response
from .table import ContentForm, ErrorForm, ModelHost, Rendering, Structured, model_hosts


@frozen
class ModelView:
    """What the model of one host gets of one result."""

    host: ModelHost
    items: tuple[ModelText, ...]
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

    def matches(self, got: JsonValue) -> bool:
        """True if a measured value of a model is what this view has; see `matching`."""
        return is_match(self.host, self.items, got)


def model_view(host: ModelHost | str, raw_result: JsonValue) -> ModelView:
    """What the model of a host, or of the host with this id, gets of a raw result."""
    known = model_hosts()[host] if isinstance(host, str) else host
    return view_of(known, read_response(raw_result))


def view_of(host: ModelHost, response: ResultInParts) -> ModelView:
    """The same of a result that was read already: many hosts can share the reading."""
    return ModelView(
        host,
        tuple(_items(host, response)),
        losses_of(host, response),
        unknown_of(host, response),
    )


def _host(text: str) -> SourcedText:
    return SourcedText(text, PieceSource.HOST)


def _unknown(words: str) -> SourcedText:
    return SourcedText(f"[{words}: not measured]", PieceSource.UNKNOWN)


def _json(value: JsonValue) -> SourcedText:
    try:
        return SourcedText(compact(value), json=(value,))
    except JsonError:
        return _unknown("JSON that cannot be written")


def _items(host: ModelHost, response: ResultInParts) -> Iterator[ModelText]:
    route = route_of(host, response)
    before = (_host(host.before),) if host.before else ()
    match route:
        case Route.ENDS:
            return
        case Route.ITEMS:
            if before:
                yield ModelText(before)
            for one in response.blocks:
                yield ModelText(tuple(_rendered(host, one)))
        case Route.STRUCTURED_ALONE if host.form is ContentForm.ITEMS:
            yield ModelText((*before, *_break(before), _json(response.structured)))
        case _:
            ahead = _ahead(host, response) if route is Route.TEXT else ()
            yield ModelText((*ahead, *before, *_of_route(host, response, route)))
    if route is Route.TEXT or route is Route.ITEMS:
        for one in response.blocks:
            if after := host.rendered(one.kind.value).after:
                yield ModelText(tuple(_filled(after, one)))


def _ahead(host: ModelHost, response: ResultInParts) -> Iterator[SourcedText]:
    for one in response.blocks:
        yield from _filled(host.rendered(one.kind.value).ahead, one)


def _break(before: Sequence[SourcedText]) -> tuple[SourcedText, ...]:
    return (_host("\n"),) if before else ()


def _of_route(host: ModelHost, response: ResultInParts, route: Route) -> Iterator[SourcedText]:
    match route:
        case Route.STRUCTURED_ALONE:
            yield _json(response.structured)
        case Route.JSON:
            yield _json(_whole(host, response))
        case Route.WORDS_LOST:
            yield _host(host.error_words)
        case Route.WRAPPED:
            yield from _with_values(host.error_words, {"result": _json(_whole(host, response))})
        case Route.SCHEMA_ERROR:
            yield _host(host.breaks_schema or "")
        case Route.NUMBER:
            yield _host(host.number_error)
        case Route.EMPTY:
            yield _host(host.empty or "")
        case Route.OBJECT:
            yield from _error_object(host, response)
        case Route.STRINGS:
            yield from _strings(host, response)
        case Route.TEXT:
            yield from _joined(host, response)
        case unknown:
            yield _unknown(_ENDS[unknown])


_ENDS: Final = {
    Route.MALFORMED: "a malformed result",
    Route.SCHEMA_UNKNOWN: "invalid structuredContent",
    Route.ERROR_UNKNOWN: "an error",
    Route.ERROR_BESIDE_STRUCTURED: "an error with structuredContent",
    Route.STRUCTURED_UNKNOWN: "structuredContent",
    Route.STRUCTURED_ODD: "structuredContent that is empty or not an object",
    Route.CONTENT_UNKNOWN: "content",
    Route.EMPTY_UNKNOWN: "a result without words",
}


def _whole(host: ModelHost, response: ResultInParts) -> JsonValue:
    assert isinstance(response.raw, dict)
    dropped = host.dropped_members
    content: JsonValue = [
        {key: value for key, value in one.raw.items() if key not in dropped}
        if dropped and isinstance(one.raw, dict)
        else one.raw
        for one in response.blocks
    ]
    if host.form is ContentForm.CONTENT:
        return content
    keys = ("structuredContent", "isError")
    more = {key: response.raw[key] for key in keys if key in response.raw}
    return {"content": content, **more}


def _error_object(host: ModelHost, response: ResultInParts) -> Iterator[SourcedText]:
    if takes_structured_alone(host, response):
        yield _json({"error": compact(response.structured)})
        return
    texts = [one for one in response.blocks if one.kind is BlockKind.TEXT]
    if len(texts) == 1 and len(response.blocks) == 1:
        yield _json({"error": texts[0].text})
        return
    yield from (_host('{"error":'), _unknown("several parts in the error"), _host("}"))


def _strings(host: ModelHost, response: ResultInParts) -> Iterator[SourcedText]:
    blocks = response.blocks
    if len(blocks) == 1:
        is_json = host.rewrites_json and is_json_text(blocks[0].text)
        yield from (_json(load(blocks[0].text).value),) if is_json else _rendered(host, blocks[0])
        return
    if all(_is_bare(host, one) for one in blocks):
        yield _json([one.text for one in blocks])
        return
    yield _host("[")
    for at, one in enumerate(blocks):
        if at:
            yield _host(",")
        if _is_bare(host, one):
            yield _json(one.text)
        else:
            yield from (_host('"'), *_rendered(host, one), _host('"'))
    yield _host("]")


def _is_bare(host: ModelHost, block: Block) -> bool:
    """True if a block is given as its text."""
    return block.kind is BlockKind.TEXT or host.rendered(block.kind.value).how is Rendering.TEXT


def _joined(host: ModelHost, response: ResultInParts) -> Iterator[SourcedText]:
    if response.is_error and host.error is ErrorForm.BEFORE:
        yield _host(host.error_words)
    elif response.is_error and host.error is ErrorForm.MARKED:
        yield _unknown("error mark")
    first, last = host.around
    is_first = not gives_structured_before(host, response)
    if not is_first:
        yield _json(response.structured)
    if _is_json_alone(host, response):
        yield _json(load(response.blocks[0].text).value)
        return
    for one in response.blocks:
        if host.rendered(one.kind.value).how is Rendering.DROPPED:
            continue
        if not is_first and host.join:
            yield _host("\n" if host.join == "newlines" else host.join)
        is_first = False
        is_framed = _is_bare(host, one)
        yield from (_host(first),) if first and is_framed else ()
        yield from _rendered(host, one)
        yield from (_host(last),) if last and is_framed else ()
    if gives_structured_after(host, response):
        values = {"structured": _json(response.structured)}
        is_bare = host.structured is Structured.APPENDED and not response.blocks
        yield from _with_values("{structured}" if is_bare else host.structured_after, values)


def _is_json_alone(host: ModelHost, response: ResultInParts) -> bool:
    """True for a JSON text that a host writes again: beside structuredContent it stays as it is."""
    if not host.rewrites_json or response.has_structured or len(response.blocks) != 1:
        return False
    return _is_bare(host, response.blocks[0]) and is_json_text(response.blocks[0].text)


def _rendered(host: ModelHost, block: Block) -> Iterator[SourcedText]:
    rendered = host.rendered(block.kind.value)
    if _is_bare(host, block):
        yield SourcedText(without_hidden(block.text) if host.drops_hidden else block.text)
        return
    match rendered.how:
        case Rendering.JSON:
            yield _json(block.raw)
        case Rendering.SNAKE_JSON:
            yield _json(_snake(block.raw))
        case Rendering.ITSELF:
            yield SourcedText(itself(block.kind), PieceSource.PART)
        case Rendering.WORDS:
            yield from _filled(rendered.words, block)
        case Rendering.DROPPED:
            return
        case _:
            yield _unknown(KIND_WORDS[block.kind])


_JOINERS: Final = "\u200c\u200d"


def without_hidden(text: str) -> str:
    """The text without format characters, such as those of direction; joiners stay."""
    return "".join(one for one in text if one in _JOINERS or unicodedata.category(one) != "Cf")


def _filled(template: str, block: Block) -> Iterator[SourcedText]:
    """The host's words about a block, with the server's in their places."""
    raw = block.raw if isinstance(block.raw, dict) else {}
    resource = raw.get("resource")
    found = resource if isinstance(resource, dict) else raw
    names = {"mime": "mimeType", "uri": "uri", "name": "name", "title": "title"}
    words = {key: found.get(name) for key, name in names.items()}
    words["title"] = words["title"] or words["name"]
    values = {
        key: SourcedText(value) if isinstance(value, str) else _host(VARIES)
        for key, value in words.items()
    }
    values["text"] = SourcedText(block.text)
    return _with_values(template, values)


_PLACEHOLDER: Final = re.compile(r"\{(mime|uri|name|title|text|result|structured)\}")


def _with_values(template: str, values: Mapping[str, SourcedText]) -> Iterator[SourcedText]:
    for at, part in enumerate(_PLACEHOLDER.split(template)):
        if at % 2:
            yield values[part]
        elif part:
            yield _host(part)


_SNAKE: Final = {"mimeType": "mime_type", "_meta": "meta"}


def _snake(value: JsonValue) -> JsonValue:
    """JSON with the member names of the Python SDK."""
    if isinstance(value, dict):
        return {_SNAKE.get(key, key): _snake(one) for key, one in value.items()}
    return [_snake(one) for one in value] if isinstance(value, list) else value
