"""Counts the hosts whose models get only a half of a response: the text, or structuredContent.

Spec 2025-06-18 and later, server/tools, "Structured Content": a tool that returns structured
content SHOULD also return the serialised JSON in a text block. Then no half is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...protocol.findings.findings import Finding, note, warning
from .fates import STRUCTURED, TEXT, losses_of
from .response import Response, read_response
from .table import ModelHost, model_hosts
from .table import Structured as Use

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue
    from ...protocol.answers.copies import Copies

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


def _lost_words(response: Response) -> str:
    """Count the hosts that drop each half of a result with a text; empty if none does."""
    hosts = model_hosts().values()
    lost = [{one.name for one in losses_of(host, response)} for host in hosts]
    told = ""
    for half in (STRUCTURED, TEXT):
        if number := sum(half in one for one in lost):
            told += f", {number} no {half}" if told else _give_no(number, half)
    return told


def _give_no(number: int, half: str) -> str:
    return f"{number} of {len(model_hosts())} {HOSTS} give the model no {half}"


WITH_TEXT: Final = (Use.DROPPED, Use.WITHOUT_CONTENT)
"""The uses of structuredContent by which a model gets the text alone, if there is one."""


def text_only_words(*uses: Use) -> str:
    """Count the hosts whose models get the text alone, as a sentence without its end."""
    number = len(text_only(*uses))
    return f"{number} of {len(model_hosts())} {HOSTS} give the model only the text"


def text_only(*uses: Use) -> tuple[ModelHost, ...]:
    """The hosts and libraries with one of these uses; by default `WITH_TEXT`."""
    return tuple(one for one in model_hosts().values() if one.structured in (uses or WITH_TEXT))


def structured_only() -> tuple[ModelHost, ...]:
    """The hosts and libraries that replace the content by structuredContent."""
    return tuple(one for one in model_hosts().values() if one.structured is Use.ALONE)
