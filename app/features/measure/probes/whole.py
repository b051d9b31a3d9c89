"""Probes of what a model is given whole: long results, definitions, instructions.

A long result has numbered pieces of one length, so its kept parts are known whatever the form is in
which the host passes it on. Each part of a definition has a word of its own.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from .probe import Probe, text_result, tool_of

LARGE_ANSWER: Final = 200_000
"""Characters of a long result."""
PIECE: Final = 30
"""Characters of a numbered piece, with the sign after it."""
_TEXT: Final = 2_000
_NUMBERED: Final = re.compile(r"line (\d{6}) of a long answer\.")
_HINTS: Final = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}
_RANGES_MOST: Final = 20
DESCRIPTION: Final = 10_000
"""Characters of the long description."""


def numbered(size: int, end: str = "\n") -> str:
    """Pieces with their numbers, `size` characters in all, each with the sign after it."""
    pieces = (f"line {number:06} of a long answer.{end}" for number in itertools.count(1))
    return "".join(itertools.islice(pieces, size // PIECE + 1))[:size]


@lru_cache(maxsize=1)
def whole_probes() -> tuple[Probe, ...]:
    """Results of 200,000 characters in several forms."""

    def whole(kind: str, words: str, result: dict[str, Any], **more: Any) -> Probe:
        tool = tool_of(f"probe_w_{kind}", _HINTS, **more)
        return Probe(f"whole/{kind}", "whole", tool, {"note": f"word-{kind}"}, result, words=words)

    lines = numbered(LARGE_ANSWER)
    texts = [
        {"type": "text", "text": lines[at : at + _TEXT * PIECE]}
        for at in range(0, LARGE_ANSWER, _TEXT * PIECE)
    ]
    structured = {"lines": lines.splitlines()}
    schema = {
        "type": "object",
        "properties": {"lines": {"type": "array", "items": {"type": "string"}}},
    }
    return (
        whole("lines", "many lines", text_result(lines)),
        whole("line", "one line", text_result(numbered(LARGE_ANSWER, " "))),
        whole("texts", f"{len(texts)} text blocks", {"content": texts, "isError": False}),
        whole("error", "an error of many lines", {**text_result(lines), "isError": True}),
        whole(
            "structured",
            "structuredContent of many lines, and its copy as text",
            {**text_result(json.dumps(structured)), "structuredContent": structured},
            outputSchema=schema,
        ),
    )


def kept_ranges(value: Any) -> list[tuple[int, int]]:
    """The kept characters of a long result in what a model was given: from, to."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    numbers = sorted({int(one) for one in _NUMBERED.findall(text)})
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        start, end = (number - 1) * PIECE, number * PIECE
        if end + PIECE > LARGE_ANSWER:
            # The last piece is not a whole one.
            end = LARGE_ANSWER
        if ranges and ranges[-1][1] == start:
            ranges[-1] = (ranges[-1][0], end)
        else:
            ranges.append((start, end))
    return ranges


def whole_facts(given: Any) -> dict[str, Any]:
    """How many of the characters a model was given, and which."""
    ranges = kept_ranges(given)
    return {
        "kept": sum(end - start for start, end in ranges),
        "of": LARGE_ANSWER,
        "parts": [f"{start:,}-{end:,}" for start, end in ranges[:_RANGES_MOST]],
    }


INSTRUCTIONS: Final = "offered/instructions"
GREETING: Final = (
    "instructions-begin-canary. Use the tools of this server one after the other. "
    + "These are further words of the server. " * 100
    + "instructions-end-canary"
)
"""The instructions of the probe server."""


@lru_cache(maxsize=1)
def offered_probes() -> tuple[Probe, ...]:
    """The instructions of a server, and a definition, with a canary in each part."""
    marks = (f"mark-{number:03}-canary " for number in itertools.count())
    text = "".join(itertools.islice(marks, DESCRIPTION // 16 + 1))[:DESCRIPTION]
    schema = {
        "type": "object",
        "properties": {"note": {"type": "string", "description": "property-text-canary"}},
        "required": ["note"],
    }
    output = {"type": "object", "properties": {"x": {"description": "output-text-canary"}}}
    tool = tool_of("probe_f_definition", {**_HINTS, "title": "offered-hint-title-canary"})
    tool |= {
        "title": "offered-top-title-canary",
        "description": text,
        "inputSchema": schema,
        "outputSchema": output,
    }
    parts = {
        "title": "offered-top-title-canary",
        "annotations.title": "offered-hint-title-canary",
        "hints": "readOnlyHint",
        "input schema": "property-text-canary",
        "output schema": "output-text-canary",
        "beginning of the description": "mark-000-canary",
        "end of the description": f"mark-{DESCRIPTION // 16 - 1:03}-canary",
    }
    said = {"instructions": "instructions-begin-canary", "their end": "instructions-end-canary"}
    result = text_result("done")

    def offered(kind: str, words: str, one: dict[str, Any], canaries: dict[str, str]) -> Probe:
        note = {"note": f"word-{kind}"}
        return Probe(
            f"offered/{kind}", "offered", one, note, result, words=words, canaries=canaries
        )

    return (
        offered(
            "instructions",
            f"instructions of {len(GREETING):,} characters",
            tool_of("probe_f_instructions", _HINTS),
            said,
        ),
        offered("definition", "the parts of a definition", tool, parts),
    )


_SYSTEM: Final = frozenset(("system", "instructions", "systemInstruction", "system_instruction"))
_SYSTEM_ROLES: Final = frozenset(("system", "developer"))
IN_SYSTEM, IN_TOOLS, IN_MESSAGE = "system prompt", "tools", "message"
_DEPTH: Final = 40


def places_in(request: Mapping[str, Any], canaries: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each canary that is in a request to a model, with its place there."""
    wanted = tuple(canaries)
    for name, value in request.items():
        for place, part in _parts(name, value):
            for text in _texts(part, 0):
                yield from ((one, place) for one in wanted if one in text)


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if name in _SYSTEM:
        yield IN_SYSTEM, value
    elif name in ("tools", "functions"):
        yield IN_TOOLS, value
    elif isinstance(value, list):
        for one in value:
            role = one.get("role") if isinstance(one, dict) else None
            yield (IN_SYSTEM if role in _SYSTEM_ROLES else IN_MESSAGE), one


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < _DEPTH and isinstance(value, dict):
        for name, one in value.items():
            yield str(name)
            yield from _texts(one, depth + 1)
    elif depth < _DEPTH and isinstance(value, list):
        for one in value:
            yield from _texts(one, depth + 1)


def offered_facts(probe: Probe, seen: Mapping[str, set[str]]) -> dict[str, Any]:
    """The place of each part in the requests to the model; false for a part that was in none.

    Of several places the system prompt counts first, then the tools.
    """
    found: dict[str, Any] = {}
    for part, canary in probe.canaries.items():
        places = seen.get(canary, set())
        best = next((one for one in (IN_SYSTEM, IN_TOOLS, IN_MESSAGE) if one in places), None)
        found[part] = best or False
    return found
