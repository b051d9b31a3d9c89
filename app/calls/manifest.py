"""A result as files: their names, their bytes, and a manifest of them all.

Names of files are our own words and numbers; a server's texts are in the manifest only, as JSON
strings.
"""

from __future__ import annotations

import binascii
import hashlib
import json
import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator

from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, JsonValue, parse, pretty
from ..content.mime import NO_SUFFIX, essence, found_type, is_text, suffix_of, text_of
from ..protocol.answers.content import (
    Answer,
    AudioPart,
    BlobResourcePart,
    ImagePart,
    LinkPart,
    Part,
    TextPart,
    TextResourcePart,
    UnknownPart,
)
from ..protocol.rpc import Oversized

MANIFEST = "manifest.json"
STRUCTURED = "structured.json"
RAW = "raw-result.json"
MESSAGE = "raw-message.json"

_NAME_LIMIT = 40
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_PRETTY_LIMIT = 1_000_000
"""Characters of JSON up to which it is indented, which takes seconds for much of it."""


@frozen
class PartBytes:
    """The bytes of a part unmodified, and the suffix of a file for them.

    `claimed` is the server's type, raw; `found` the detected one, "" unknown.
    """

    data: bytes
    suffix: str
    kind: str
    claimed: str = ""
    found: str = ""
    problem: str = ""
    """Why these are not the bytes that were meant, in words of our own."""


@frozen
class AnswerFile:
    """A file to be written. `entry` is its entry in the manifest."""

    name: str
    chunks: Callable[[], Iterable[bytes]]
    """Gives out the bytes, each time from the beginning."""
    entry: dict[str, JsonValue]


@frozen
class CallContent:
    """Response to a call: the parts of a result, the raw result, or a message too large."""

    answer: Answer | None
    raw: JsonValue = None
    oversized: Oversized | None = None


@frozen
class CallFacts:
    """The manifest's facts on the call itself. Strings are raw."""

    server: str
    tool: str
    arguments_sha256: str
    outcome: str
    ended: str = ""
    """When it ended, as an ISO 8601 timestamp; "" if that is not known."""


def safe_name(text: str) -> str:
    """A name of a server as part of the name of a file: letters, digits, `-` and `_` only."""
    return _UNSAFE.sub("-", text[: 4 * _NAME_LIMIT])[:_NAME_LIMIT].strip("-") or "tool"


def folder_name(call_id: int, tool: str) -> str:
    return f"signoff-response-{call_id}-{safe_name(tool)}"


def file_name(number: int, suffix: str) -> str:
    return f"part-{number:02d}{suffix}"


def part_bytes(part: Part) -> PartBytes:
    """Return the file content for one part. Links and unknown parts become their JSON."""
    match part:
        case TextPart(text):
            return _text(text, "text", "")
        case TextResourcePart(_, mime, text):
            return _text(text, "resource", mime)
        case ImagePart(data, mime):
            return _binary(data, "image", mime)
        case AudioPart(data, mime):
            return _binary(data, "audio", mime)
        case BlobResourcePart(_, mime, blob):
            return _binary(blob, "blob", mime)
        case LinkPart():
            return PartBytes(json_bytes(_link(part)), ".json", "resource_link", part.mime)
        case UnknownPart(raw):
            return PartBytes(json_bytes(raw), ".json", "unknown")


def json_bytes(value: JsonValue) -> bytes:
    """JSON for a file, indented if it is not large; a lone surrogate is written as an escape."""
    compact = json.dumps(value)
    text = compact if len(compact) > _PRETTY_LIMIT else pretty(value)
    return f"{text}\n".encode("utf-8", "backslashreplace")


def files_of(came: CallContent) -> Iterator[AnswerFile]:
    """Every file of an answer but the manifest, one after the other. Raises JsonError."""
    answer = came.answer
    parts = () if answer is None else answer.parts
    for number, part in enumerate(parts, 1):
        found = part_bytes(part)
        entry: dict[str, JsonValue] = {"part": number, "kind": found.kind}
        if found.claimed:
            entry["claimedMimeType"] = found.claimed
        if found.found:
            entry["foundMimeType"] = found.found
        if found.problem:
            entry["problem"] = found.problem
        uri = getattr(part, "uri", None)
        if isinstance(uri, str):
            entry["uri"] = uri
        if part.annotations.said:
            entry["annotations"] = part.annotations.as_json()
        yield _file(file_name(number, found.suffix), _just(found.data), entry)
    if answer is not None and answer.has_structured:
        structured = _just(json_bytes(answer.structured))
        yield _file(STRUCTURED, structured, {"kind": "structuredContent"})
    if came.oversized is not None:
        yield _file(MESSAGE, came.oversized.chunks, {"kind": "the whole message, as received"})
    else:
        # In the order in which it came, and every number as it was understood.
        raw = _just(json.dumps(came.raw).encode("ascii"))
        yield _file(RAW, raw, {"kind": "raw result"})


def manifest_file(
    told: CallFacts, entries: list[dict[str, JsonValue]], answer: Answer | None
) -> AnswerFile:
    return AnswerFile(MANIFEST, _just(json_bytes(manifest(told, entries, answer))), {})


def manifest(
    told: CallFacts, entries: list[dict[str, JsonValue]], answer: Answer | None
) -> JsonValue:
    """Describe the response, its origin, its time, and the file of each part."""
    found: dict[str, JsonValue] = {
        "server": told.server,
        "tool": told.tool,
        "argumentsSha256": told.arguments_sha256,
        "outcome": told.outcome,
    }
    if told.ended:
        found["ended"] = told.ended
    if answer is not None:
        found["isError"] = answer.is_error
        if answer.more_parts:
            found["partsOnlyInRawResult"] = answer.more_parts
    found["files"] = list(entries)
    return found


def _just(data: bytes) -> Callable[[], Iterable[bytes]]:
    return lambda: [data]


def _file(
    name: str, chunks: Callable[[], Iterable[bytes]], entry: dict[str, JsonValue]
) -> AnswerFile:
    size, digest = 0, hashlib.sha256()
    for chunk in chunks():
        size += len(chunk)
        digest.update(chunk)
    about: dict[str, JsonValue] = {"file": name, **entry, "bytes": size}
    return AnswerFile(name, chunks, {**about, "sha256": digest.hexdigest()})


def _text(text: str, kind: str, mime: str) -> PartBytes:
    # A lone surrogate has no UTF-8; the raw result keeps it as an escape.
    data = text.encode("utf-8", "replace")
    claimed = suffix_of(mime)
    suffix = claimed if mime and claimed != NO_SUFFIX else _suffix_of_text(text)
    return PartBytes(data, suffix, kind, mime, found_type(data))


def _suffix_of_text(text: str) -> str:
    if text.lstrip()[:1] in ("{", "["):
        try:
            parse(text)
        except JsonError:
            return ".txt"
        return ".json"
    return ".txt"


def _binary(data_base64: str, kind: str, mime: str) -> PartBytes:
    try:
        data = b64decode(data_base64, validate=True)
    except (binascii.Error, ValueError):
        words = "not valid base64: saved as received"
        raw = data_base64.encode("utf-8", "replace")
        return PartBytes(raw, ".base64.txt", kind, mime, problem=words)
    found = found_type(data)
    return PartBytes(data, _suffix_of_bytes(data, found, mime), kind, mime, found)


def _suffix_of_bytes(data: bytes, found: str, mime: str) -> str:
    """Return the suffix by the bytes; by the declared type only if its kind has no signature."""
    claim = essence(mime)
    if found:
        is_office = found == "application/zip" and claim.startswith("application/vnd.")
        is_dialect = found == "application/xml" and claim.endswith("xml")
        return suffix_of(claim if is_office or is_dialect else found)
    if text_of(data) is not None:
        return suffix_of(claim) if is_text(claim) else ".txt"
    has_signature = claim.startswith(("image/", "audio/", "video/", "text/"))
    return NO_SUFFIX if has_signature else suffix_of(claim)


def _link(part: LinkPart) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {"type": "resource_link", "uri": part.uri, "name": part.name}
    rest: dict[str, JsonValue] = {
        "title": part.title,
        "description": part.description,
        "mimeType": part.mime,
        "annotations": part.annotations.as_json(),
    }
    found |= {key: value for key, value in rest.items() if value}
    if part.size is not None:
        found["size"] = part.size
    return found
