"""What becomes of each part of a result in a host: given to the model, lost, or not known.

Also counts the hosts whose models get only a half of a response: the text, or structuredContent.
Spec 2025-06-18 and later, server/tools, "Structured Content": a tool that returns structured
content SHOULD also return the serialised JSON in a text block. Then no half is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, load
from ...content.text import count
from ...protocol.findings.findings import Finding, note, warning
from .response import KIND_WORDS, Block, BlockKind, ResultInParts, read_response
from .table import (
    ENDS,
    LARGE,
    UNCHECKED,
    ContentForm,
    ErrorForm,
    ModelHost,
    Rendering,
    Structured,
    model_hosts,
)
from .table import Structured as Use

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue
    from ...protocol.answers.copies import Copies


STRUCTURED: Final = "structuredContent"
IS_ERROR: Final = "isError"
TEXT: Final = "text"
RESULT: Final = "result"


class Route(Enum):
    """The way of a result through a host. The first ones end where the facts end."""

    MALFORMED = auto()
    SCHEMA_UNKNOWN = auto()
    ERROR_UNKNOWN = auto()
    ERROR_BESIDE_STRUCTURED = auto()
    STRUCTURED_UNKNOWN = auto()
    STRUCTURED_ODD = auto()
    CONTENT_UNKNOWN = auto()
    EMPTY_UNKNOWN = auto()
    ENDS = auto()
    SCHEMA_ERROR = auto()
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


_BESIDE_STRUCTURED: Final = (ErrorForm.LOST, ErrorForm.WORDS_LOST, ErrorForm.OBJECT)
"""The errors of hosts of which an error with structuredContent was measured."""


def route_of(host: ModelHost, response: ResultInParts) -> Route:
    """The way of a result through a host."""
    is_error = response.is_error
    takes_structured = takes_structured_alone(host, response)
    is_loss = is_error and host.error is ErrorForm.WORDS_LOST
    breaks = response.breaks_schema and host.breaks_schema != UNCHECKED
    checks = (
        (bool(response.problem), Route.MALFORMED),
        (breaks and (host.breaks_schema is None or is_error), Route.SCHEMA_UNKNOWN),
        (breaks and host.breaks_schema == ENDS, Route.ENDS),
        (breaks, Route.SCHEMA_ERROR),
        (is_error and host.error is ErrorForm.NOT_KNOWN, Route.ERROR_UNKNOWN),
        (
            is_error and takes_structured and host.error not in _BESIDE_STRUCTURED,
            Route.ERROR_BESIDE_STRUCTURED,
        ),
        (
            response.has_structured and host.structured is Structured.NOT_KNOWN,
            Route.STRUCTURED_UNKNOWN,
        ),
        (takes_structured and not response.replaces_content, Route.STRUCTURED_ODD),
        (is_loss, Route.WORDS_LOST),
        (is_error and host.error is ErrorForm.OBJECT, Route.OBJECT),
        (takes_structured, Route.STRUCTURED_ALONE),
        (host.form is ContentForm.NOT_KNOWN, Route.CONTENT_UNKNOWN),
        (any(_ends(host, one) for one in response.blocks), Route.ENDS),
        (host.form is ContentForm.RESULT, Route.JSON),
        (is_error and host.error is ErrorForm.WRAPPED, Route.WRAPPED),
        (_is_empty(host, response), Route.EMPTY),
        (_is_blank(host, response), Route.EMPTY_UNKNOWN),
        (host.form is ContentForm.CONTENT, Route.JSON),
        (_is_number(host, response), Route.NUMBER),
        (host.form is ContentForm.STRINGS, Route.STRINGS),
        (host.form is ContentForm.ITEMS, Route.ITEMS),
    )
    return next((route for holds, route in checks if holds), Route.TEXT)


def takes_structured_alone(host: ModelHost, response: ResultInParts) -> bool:
    """True if a host gives structuredContent in place of the content."""
    if not response.has_structured or _is_flagged(host, response):
        return False
    if host.structured is Structured.WITHOUT_CONTENT:
        return not response.blocks
    return host.structured is Structured.ALONE


def _is_flagged(host: ModelHost, response: ResultInParts) -> bool:
    """True for an error that a host flags beside its content, whatever else it has."""
    return response.is_error and host.error is ErrorForm.FLAGGED


def gives_structured_after(host: ModelHost, response: ResultInParts) -> bool:
    """True if a host adds structuredContent to the content; most hosts only if it is new."""
    if host.structured is Structured.APPENDED:
        return bool(response.structured)
    is_new = bool(response.structured) and response.copies.state != "same"
    return host.structured is Structured.AFTER_CONTENT and is_new


def gives_structured_before(host: ModelHost, response: ResultInParts) -> bool:
    """True if a host puts structuredContent before the content, repeated or not."""
    return host.structured is Structured.BEFORE_CONTENT and bool(response.structured)


def _ends(host: ModelHost, block: Block) -> bool:
    return host.rendered(block.kind.value).how is Rendering.ENDS


def _is_empty(host: ModelHost, response: ResultInParts) -> bool:
    """True for a result without blocks, for which a host is known to have a text."""
    if response.blocks or host.empty is None or response.is_error:
        return False
    return not _gives_structured_too(host, response)


def _gives_structured_too(host: ModelHost, response: ResultInParts) -> bool:
    """True if a host gives structuredContent beside the content, as a text."""
    return gives_structured_after(host, response) or gives_structured_before(host, response)


def _is_blank(host: ModelHost, response: ResultInParts) -> bool:
    """True for a result without words whose text in this host was not measured."""
    is_measured = _gives_structured_too(host, response) and not response.blocks
    return response.is_empty and (response.is_error or not is_measured)


def _is_number(host: ModelHost, response: ResultInParts) -> bool:
    """True for a first text that the host cannot read, a number alone."""
    if not host.number_error or response.has_structured:
        return False
    first = next((one.text for one in response.blocks if one.kind is BlockKind.TEXT), "")
    return _NUMBER.fullmatch(first) is not None


@frozen
class Loss:
    """A part of a result that a model does not get. `raw` are its values, raw."""

    name: str
    """`text`, `structuredContent`, `isError`, or the kind of another block."""
    words: str
    """The loss in a phrase, safe to show."""
    raw: tuple[JsonValue, ...] = ()


def losses_of(host: ModelHost, response: ResultInParts) -> tuple[Loss, ...]:
    """The parts that the model of a host does not get."""
    return tuple(_losses(host, response, route_of(host, response)))


_KEEP_TEXT: Final = (Route.JSON, Route.STRINGS, Route.ITEMS, Route.TEXT)


def _losses(host: ModelHost, response: ResultInParts, route: Route) -> Iterator[Loss]:
    is_compared = response.copies.state != "skipped"
    if route in (Route.WORDS_LOST, Route.NUMBER) or (
        _is_replaced(host, response, route) and is_compared
    ):
        places = response.own_texts
        if places:
            texts = tuple(response.blocks[at].text for at in places)
            total = sum(one.kind is BlockKind.TEXT for one in response.blocks)
            which = "" if total == 1 else f" ({len(places):,} of {total:,} texts)"
            yield Loss(TEXT, f"{TEXT}{which}", texts)
    if route is Route.WORDS_LOST:
        for kind, number in Counter(one.kind for one in response.blocks).items():
            if kind is not BlockKind.TEXT:
                raw = tuple(one.raw for one in response.blocks if one.kind is kind)
                yield Loss(kind.value, _counted(kind, number), raw)
    if route is Route.ENDS:
        yield Loss(RESULT, "the whole result: the run ends", (response.raw,))
    if route is Route.SCHEMA_ERROR:
        yield Loss(RESULT, "the whole result: it becomes an error of the host", (response.raw,))
    if route in _KEEP_TEXT:
        yield from _lost_blocks(host, response)
    is_known = route is Route.EMPTY or (route in _KEEP_TEXT and response.has_words)
    if is_known and _drops_structured(host, response):
        yield Loss(STRUCTURED, STRUCTURED, (response.structured,))
    keeps = (*_KEEP_TEXT, Route.STRUCTURED_ALONE)
    if response.is_error and host.error is ErrorForm.LOST and route in keeps:
        yield Loss(IS_ERROR, f"{IS_ERROR}: the error looks like a success", (True,))


def _is_replaced(host: ModelHost, response: ResultInParts, route: Route) -> bool:
    """True if structuredContent replaces the content, in an error as well."""
    if route is Route.OBJECT:
        return takes_structured_alone(host, response)
    return route is Route.STRUCTURED_ALONE


def _lost_blocks(host: ModelHost, response: ResultInParts) -> Iterator[Loss]:
    """Blocks that are dropped, or of which the model gets words alone."""
    for kind in dict.fromkeys(one.kind for one in response.blocks):
        rendered = host.rendered(kind.value)
        is_told = rendered.is_told and kind is not BlockKind.LINK
        if rendered.is_beside or rendered.is_maybe_beside:
            continue
        if rendered.how is not Rendering.DROPPED and not is_told:
            continue
        raw = tuple(one.raw for one in response.blocks if one.kind is kind)
        words = _counted(kind, len(raw))
        yield Loss(kind.value, f"{words}: only words about it" if is_told else words, raw)


_DROPS: Final = (Structured.DROPPED, Structured.WITHOUT_CONTENT)


def _drops_structured(host: ModelHost, response: ResultInParts) -> bool:
    """True if a host drops a structuredContent that has data of its own."""
    repeats = response.copies.state in ("same", "skipped")
    is_dropping = host.structured in _DROPS or _is_flagged(host, response)
    return is_dropping and bool(response.structured) and not repeats


def unknown_of(host: ModelHost, response: ResultInParts) -> tuple[str, ...]:
    """The facts about this result that are not known, a phrase each."""
    return tuple(_unknown(host, response, route_of(host, response)))


_UNKNOWN: Final = {
    Route.ERROR_UNKNOWN: "how it passes an error on",
    Route.ERROR_BESIDE_STRUCTURED: "how it passes an error with structuredContent on",
    Route.STRUCTURED_UNKNOWN: "the use of structuredContent",
    Route.STRUCTURED_ODD: "the use of a structuredContent that is empty or not an object",
    Route.CONTENT_UNKNOWN: "how it passes content on",
    Route.SCHEMA_UNKNOWN: "the use of structuredContent that breaks its schema",
    Route.EMPTY_UNKNOWN: "the text for a result without words",
}


def _unknown(host: ModelHost, response: ResultInParts, route: Route) -> Iterator[str]:
    if route is Route.MALFORMED:
        yield f"the use of a malformed result: {response.problem}"
    elif route in _UNKNOWN:
        yield _UNKNOWN[route]
    counted = Counter(one.kind for one in response.blocks)
    texts, others = counted.pop(BlockKind.TEXT, 0), counted
    is_replaced = _is_replaced(host, response, route)
    if is_replaced:
        yield from (f"{_counted(kind, n)} beside structuredContent" for kind, n in others.items())
    takes_half = host.structured is Structured.ALONE or host.structured in _DROPS
    if response.copies.state == "skipped" and takes_half:
        yield "whether a text repeats structuredContent: too large to compare"
    if route is Route.OBJECT and not is_replaced and (others or texts > 1):
        yield "the form of several parts in the error"
    is_rewritten = host.rewrites_json and route in (Route.STRINGS, Route.TEXT)
    if is_rewritten and texts > 1 and _has_json(response):
        yield "the form of a text that is JSON among others"
    if route in _KEEP_TEXT:
        yield from _unknown_renderings(host, route, others)
        yield from _unknown_excerpt(host, response)
        is_moved = _drops_structured(host, response) or gives_structured_after(host, response)
        if is_moved and response.blocks and not response.has_words:
            yield "the use of structuredContent without a text"
    if route is Route.TEXT:
        if response.is_error and host.error is ErrorForm.MARKED:
            yield "the mark of an error"
        if host.join == "newlines" and len(response.blocks) > 1:
            yield "the number of newlines between parts"


def _unknown_renderings(host: ModelHost, route: Route, others: Counter[BlockKind]) -> Iterator[str]:
    for kind, number in others.items():
        rendered = host.rendered(kind.value)
        if route is not Route.JSON and rendered.how is Rendering.NOT_KNOWN:
            yield f"the form of {_counted(kind, number)}"
        elif rendered.is_maybe_beside:
            yield f"whether the model gets {_counted(kind, number)} outside the result"


def _unknown_excerpt(host: ModelHost, response: ResultInParts) -> Iterator[str]:
    """Whether a text is cut is known only up to the size that is whole in any case."""
    size = sum(len(one.text) for one in response.blocks)
    if host.large is not None and size > host.large.whole_to:
        yield f"the cut of {size:,} characters; of {LARGE:,}: {host.large.words}"


def is_json_text(text: str) -> bool:
    """True for a text that is a JSON object or array."""
    if not text.startswith(("{", "[")):
        return False
    try:
        load(text)
    except JsonError:
        return False
    return True


def _has_json(response: ResultInParts) -> bool:
    return any(one.kind is BlockKind.TEXT and is_json_text(one.text) for one in response.blocks)


def _counted(kind: BlockKind, number: int) -> str:
    return count(number, KIND_WORDS[kind])


HOSTS: Final = "hosts and libraries"
ADVICE: Final = "repeat structuredContent as JSON in a text block"


def halves_findings(raw: JsonValue, copies: Copies) -> list[Finding]:
    """The finding on a result whose text does not repeat its structuredContent.

    `copies` is their comparison. Nothing is lost if the text is the same JSON, whatever its
    blanks, its order of names and its notation of numbers. A copy with another value has a
    finding of its own, `text-copy-differs`.
    """
    if not isinstance(raw, dict) or "structuredContent" not in raw:
        return []
    if copies.state in ("same", "differs", "skipped"):
        return []
    response = read_response(raw, copies)
    if response.problem or not response.structured:
        return []
    words = (
        _lost_words(response)
        if response.has_words
        else f"no text repeats it; {text_only_words(Use.DROPPED)}"
    )
    if not words:
        return []
    if response.is_error and not response.own_texts:
        words = f"the error is only in structuredContent: {words}; {ADVICE}"
        return [warning("model-view-differs", words, "$.content")]
    about = "" if response.has_words else f"{STRUCTURED}: "
    return [note("model-view-differs", f"{about}{words}; {ADVICE}", "$.content")]


def _lost_words(response: ResultInParts) -> str:
    """Count the hosts that drop each half of a result with a text; empty if none does."""
    hosts = model_hosts().values()
    lost = [{one.name for one in losses_of(host, response)} for host in hosts]
    told = ""
    for half in (STRUCTURED, TEXT):
        if number := sum(half in one for one in lost):
            told += f"; {number} do not show it {half}" if told else _give_no(number, half)
    return told


def _give_no(number: int, half: str) -> str:
    return f"{number} of {len(model_hosts())} {HOSTS} do not show the model {half}"


WITH_TEXT: Final = (Use.DROPPED, Use.WITHOUT_CONTENT)
"""The uses of structuredContent by which a model gets the text alone, if there is one."""


def text_only_words(*uses: Use) -> str:
    """Count the hosts whose models get the text alone, as a sentence without its end."""
    number = len(text_only(*uses))
    return f"{number} of {len(model_hosts())} {HOSTS} give the model only the text"


def text_only(*uses: Use) -> tuple[ModelHost, ...]:
    """The hosts and libraries with one of these uses; by default `WITH_TEXT`."""
    return tuple(one for one in model_hosts().values() if one.structured in (uses or WITH_TEXT))
