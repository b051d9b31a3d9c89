"""Probes of answers: one tool for each kind of result."""

from __future__ import annotations

import itertools
import json
from base64 import b64encode
from functools import lru_cache
from typing import Any, Final

from .probe import Probe, text_result, tool_of

LARGE_ANSWER: Final = 200_000
_DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
_SILENCE = b64encode(
    b"RIFF\x2c\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00"
    b"@\x1f\x00\x00\x01\x00\x08\x00data\x08\x00\x00\x00" + b"\x80" * 8
).decode()
_FACTS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"fact": {"type": "string"}, "number": {"type": "integer"}},
    "required": ["fact", "number"],
}


def _answer(kind: str, words: str, result: dict[str, Any], **more: Any) -> Probe:
    name = f"probe_a_{kind.replace('-', '_')}"
    hints = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}
    tool = tool_of(name, hints, **more)
    arguments = {"note": f"word-{kind}"}
    return Probe(f"answers/{kind}", "answers", tool, arguments, result, words=words)


def numbered_lines(size: int) -> str:
    """Lines with their numbers, `size` characters in all: they show the place of a cut."""
    lines = (f"line {number:06} of a long answer.\n" for number in itertools.count(1))
    text = "".join(itertools.islice(lines, size // 30 + 1))
    return text[:size]


def _block(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


@lru_cache(maxsize=1)
def answer_probes() -> tuple[Probe, ...]:
    """One tool for each kind of answer."""
    fact = {"fact": "structured-canary", "number": 7}
    png = {"type": "image", "data": _DOT, "mimeType": "image/png"}
    uri = "signoff-probe://note"
    text_resource = {"uri": uri, "mimeType": "text/plain", "text": "resource-canary"}
    link = {"type": "resource_link", "uri": uri, "name": "note-canary", "title": "A note"}
    two = [
        _block("for-user-canary", annotations={"audience": ["user"]}),
        _block("for-model-canary", annotations={"audience": ["assistant"]}),
    ]
    schema = {"outputSchema": _FACTS_SCHEMA}
    same = json.dumps(fact)
    return (
        _answer("text", "one text", text_result("text-canary")),
        _answer(
            "texts",
            "two texts",
            {"content": [_block("first-canary"), _block("second-canary")]},
        ),
        _answer("number-text", "a text that is a number", text_result("5")),
        _answer("json-text", "a text that is JSON", text_result('{"key": "json-canary"}')),
        _answer(
            "structured",
            "structuredContent, no text",
            {"content": [], "structuredContent": fact},
            **schema,
        ),
        _answer(
            "both-different",
            "text and structuredContent, different",
            {"content": [_block("text-canary")], "structuredContent": fact},
            **schema,
        ),
        _answer(
            "both-equal",
            "text and structuredContent, the same JSON",
            {"content": [_block(same)], "structuredContent": fact},
            **schema,
        ),
        _answer(
            "structured-no-schema",
            "structuredContent without an outputSchema, and text",
            {"content": [_block("text-canary")], "structuredContent": fact},
        ),
        _answer(
            "structured-breaks-schema",
            "structuredContent that breaks its schema",
            {
                "content": [_block("text-canary")],
                "structuredContent": {"fact": 5, "number": "seven"},
            },
            **schema,
        ),
        _answer(
            "error",
            "isError with a text",
            {"content": [_block("error-canary")], "isError": True},
        ),
        _answer(
            "error-structured",
            "isError with text and structuredContent",
            {"content": [_block("error-canary")], "structuredContent": fact, "isError": True},
            **schema,
        ),
        _answer("empty", "no content at all", {"content": []}),
        _answer("image", "text and an image", {"content": [_block("text-canary"), png]}),
        _answer(
            "audio",
            "text and audio",
            {
                "content": [
                    _block("text-canary"),
                    {"type": "audio", "data": _SILENCE, "mimeType": "audio/wav"},
                ]
            },
        ),
        _answer(
            "resource",
            "text and an embedded resource",
            {
                "content": [
                    _block("text-canary"),
                    {"type": "resource", "resource": text_resource},
                ]
            },
        ),
        _answer(
            "blob",
            "text and an embedded resource of bytes",
            {
                "content": [
                    _block("text-canary"),
                    {
                        "type": "resource",
                        "resource": {
                            "uri": uri,
                            "mimeType": "application/octet-stream",
                            "blob": "Ynl0ZXMtY2FuYXJ5",
                        },
                    },
                ]
            },
        ),
        _answer("link", "text and a resource link", {"content": [_block("text-canary"), link]}),
        _answer("audience", "a text for the user, one for the model", {"content": two}),
        _answer(
            "control", "control and bidirectional characters", text_result("a\x1b[31mb\x07c\u202ed")
        ),
        _answer("large", "200,000 characters", text_result(numbered_lines(LARGE_ANSWER))),
    )
