"""What becomes of each part of a result in a host: given to the model, lost, or not known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from enum import Enum, auto
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import count
from .response import KIND_WORDS, Kind, Response
from .table import ErrorForm, Form, ModelHost, Rendering, Structured

STRUCTURED: Final = "structuredContent"
IS_ERROR: Final = "isError"
TEXT: Final = "text"


class Route(Enum):
    """The way of a result through a host. The first ones end where the facts end."""

    MALFORMED = auto()
    ERROR_UNKNOWN = auto()
    ERROR_BESIDE_STRUCTURED = auto()
    STRUCTURED_UNKNOWN = auto()
    STRUCTURED_ODD = auto()
    CONTENT_UNKNOWN = auto()
    EMPTY = auto()
    STRUCTURED_ALONE = auto()
    JSON = auto()
    WORDS_LOST = auto()
    WRAPPED = auto()
    OBJECT = auto()
    NUMBER = auto()
    STRINGS = auto()
    ITEMS = auto()
    TEXT = auto()


_NUMBER: Final = re.compile(r"\s*-?[0-9]{1,4000}(?:\.[0-9]{1,4000})?(?:[eE][-+]?[0-9]{1,9})?\s*")


def route_of(host: ModelHost, response: Response) -> Route:
    """The way of a result through a host."""
    is_error = response.is_error
    takes_structured = response.has_structured and host.structured is Structured.ALONE
    checks = (
        (bool(response.problem), Route.MALFORMED),
        (is_error and host.error is ErrorForm.NOT_KNOWN, Route.ERROR_UNKNOWN),
        (is_error and takes_structured, Route.ERROR_BESIDE_STRUCTURED),
        (
            response.has_structured and host.structured is Structured.NOT_KNOWN,
            Route.STRUCTURED_UNKNOWN,
        ),
        (takes_structured and not response.replaces_content, Route.STRUCTURED_ODD),
        (takes_structured, Route.STRUCTURED_ALONE),
        (host.form is Form.NOT_KNOWN, Route.CONTENT_UNKNOWN),
        (host.form is Form.RESULT, Route.JSON),
        (is_error and host.error is ErrorForm.WORDS_LOST, Route.WORDS_LOST),
        (is_error and host.error is ErrorForm.WRAPPED, Route.WRAPPED),
        (response.is_empty, Route.EMPTY),
        (host.form is Form.CONTENT, Route.JSON),
        (is_error and host.error is ErrorForm.OBJECT, Route.OBJECT),
        (_is_number(host, response), Route.NUMBER),
        (host.form is Form.STRINGS, Route.STRINGS),
        (host.form is Form.ITEMS, Route.ITEMS),
    )
    return next((route for holds, route in checks if holds), Route.TEXT)


def _is_number(host: ModelHost, response: Response) -> bool:
    """True for a first text that the host cannot read, a number alone."""
    if not host.number_error or response.has_structured:
        return False
    first = next((one.text for one in response.blocks if one.kind is Kind.TEXT), "")
    return _NUMBER.fullmatch(first) is not None


@frozen
class Loss:
    """A part of a result that a model does not get. `raw` are its values, raw."""

    name: str
    """`text`, `structuredContent`, `isError`, or the kind of another block."""
    words: str
    """The loss in a phrase, safe to show."""
    raw: tuple[JsonValue, ...] = ()


def losses_of(host: ModelHost, response: Response) -> tuple[Loss, ...]:
    """The parts that the model of a host does not get."""
    return tuple(_losses(host, response, route_of(host, response)))


_KEEP_TEXT: Final = (Route.JSON, Route.STRINGS, Route.ITEMS, Route.TEXT)


def _losses(host: ModelHost, response: Response, route: Route) -> Iterator[Loss]:
    is_compared = response.copies.state != "skipped"
    if route is Route.WORDS_LOST or (route is Route.STRUCTURED_ALONE and is_compared):
        places = response.own_texts
        if places:
            texts = tuple(response.blocks[at].text for at in places)
            total = sum(one.kind is Kind.TEXT for one in response.blocks)
            which = "" if total == 1 else f" ({len(places):,} of {total:,} texts)"
            yield Loss(TEXT, f"{TEXT}{which}", texts)
    if route is Route.WORDS_LOST:
        for kind, number in Counter(one.kind for one in response.blocks).items():
            if kind is not Kind.TEXT:
                raw = tuple(one.raw for one in response.blocks if one.kind is kind)
                yield Loss(kind.value, _counted(kind, number), raw)
    if route in _KEEP_TEXT and _drops_structured(host, response) and response.has_words:
        yield Loss(STRUCTURED, STRUCTURED, (response.structured,))
    if response.is_error and host.error is ErrorForm.LOST and route in _KEEP_TEXT:
        yield Loss(IS_ERROR, f"{IS_ERROR}: the error looks like a success", (True,))


def _drops_structured(host: ModelHost, response: Response) -> bool:
    """True if a host drops a structuredContent that has data of its own."""
    repeats = response.copies.state in ("same", "skipped")
    return host.structured is Structured.DROPPED and bool(response.structured) and not repeats


def unknown_of(host: ModelHost, response: Response) -> tuple[str, ...]:
    """The facts about this result that are not known, a phrase each."""
    return tuple(_unknown(host, response, route_of(host, response)))


_UNKNOWN: Final = {
    Route.ERROR_UNKNOWN: "the form of an error",
    Route.ERROR_BESIDE_STRUCTURED: "the form of an error with structuredContent",
    Route.STRUCTURED_UNKNOWN: "the use of structuredContent",
    Route.STRUCTURED_ODD: "the use of a structuredContent that is empty or not an object",
    Route.CONTENT_UNKNOWN: "the form of content",
    Route.WRAPPED: "the form of the content in the error",
    Route.NUMBER: "whether the number is in the error",
    Route.EMPTY: "the text for a result without words",
}


def _unknown(host: ModelHost, response: Response, route: Route) -> Iterator[str]:
    if route is Route.MALFORMED:
        yield f"the use of a malformed result: {response.problem}"
    elif route in _UNKNOWN:
        yield _UNKNOWN[route]
    counted = Counter(one.kind for one in response.blocks)
    texts, others = counted.pop(Kind.TEXT, 0), counted
    if route is Route.STRUCTURED_ALONE:
        yield from (f"{_counted(kind, n)} beside structuredContent" for kind, n in others.items())
    takes_half = host.structured in (Structured.ALONE, Structured.DROPPED)
    if response.copies.state == "skipped" and takes_half:
        yield "whether a text repeats structuredContent: too large to compare"
    if route is Route.OBJECT and (others or texts > 1):
        yield "the form of several parts in the error"
    if route is Route.STRINGS and texts == 1 and not others:
        yield "whether a single text is in an array"
    if route in _KEEP_TEXT:
        yield from _unknown_renderings(host, route, others)
        if _drops_structured(host, response) and not response.has_words:
            yield "the use of structuredContent without a text"
    if route is Route.TEXT:
        if response.is_error and host.error is ErrorForm.MARKED:
            yield "the mark of an error"
        if host.join == "newlines" and len(response.blocks) > 1:
            yield "the number of newlines between parts"


def _unknown_renderings(host: ModelHost, route: Route, others: Counter[Kind]) -> Iterator[str]:
    for kind, number in others.items():
        rendering = host.renderings.get(kind.value, Rendering.NOT_KNOWN)
        if rendering is Rendering.NOT_KNOWN:
            yield f"the form of {_counted(kind, number)}"
        elif rendering is not Rendering.TEXT and route is not Route.JSON:
            yield f"the members of the JSON of {_counted(kind, number)}"


def _counted(kind: Kind, number: int) -> str:
    return count(number, KIND_WORDS[kind])
