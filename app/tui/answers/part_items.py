"""Splits a result into items for the screen: one for each part and each other member.

An item costs nothing until its body is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...calls.call import Call
from ...calls.manifest import PartBytes, json_bytes, part_bytes
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...presentation.responses import claimed, heading
from ...protocol.answers.content import (
    NOTHING_SAID,
    Annotations,
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
from ...protocol.rpc import Oversized, beginning
from ...schemas.schema import SchemaAnswer
from .body import Body
from .text_body import UnknownBody


@frozen
class Item:
    """`place` and `brief` are safe to show; `uri` is raw, and None if a part has none."""

    place: str
    """Its place, "part 2 of 9"; empty for a single part."""
    stem: str
    """The name of a file for it, without the suffix."""
    brief: str
    """Kind and size, until a body knows better."""
    make: Callable[[], Body]
    bytes_of: Callable[[], PartBytes]
    """The bytes that are saved; takes a while, so it is asked in a thread."""
    large: Oversized | None = None
    """A source to save in pieces, for a part too large to copy."""
    said: Annotations = NOTHING_SAID
    uri: str | None = None
    """Shown above the body, where the body does not show it itself."""
    is_link: bool = False
    role: str = ""
    """The role of its sender, safe to show, for a message."""
    is_trouble: bool = False
    """Whether it is there because something was not understood."""

    @property
    def name(self) -> str:
        """The part in a sentence: "part 2", "structuredContent"."""
        return self.place.partition(" of ")[0] or "the only part"


def part_items(answer: Answer) -> list[Item]:
    """The parts, in their order."""
    total = len(answer.parts) + answer.more_parts
    items = [_part_item(part, number, total) for number, part in enumerate(answer.parts, 1)]
    return [replace(one, role=answer.role(index)) for index, one in enumerate(items)]


def structured_item(call: Call) -> Item | None:
    """structuredContent, or that it is missing; None if there is none and none was promised."""
    answer, verdict = call.answer, call.schema
    if answer is None:
        return None
    is_missing = verdict is not None and verdict.answer is SchemaAnswer.MISSING
    if not answer.has_structured and not is_missing:
        return None

    def make() -> Body:
        from .structured_body import StructuredBody

        return StructuredBody(
            answer.structured,
            verdict,
            has_structured=answer.has_structured,
            output_schema=call.request.definition.output_schema,
            copies=answer.copies,
            tool=call.request.name,
        )

    return Item(
        "structuredContent",
        "structured",
        "",
        make,
        lambda: PartBytes(json_bytes(answer.structured), ".json", "structuredContent"),
        is_trouble=is_missing,
    )


def raw_item(place: str, stem: str, value: JsonValue) -> Item:
    """JSON outside the parts of a response; `place` and `stem` are our own words."""
    return Item(
        place,
        stem,
        "",
        lambda: UnknownBody(value, ""),
        lambda: PartBytes(json_bytes(value), ".json", stem),
    )


def oversized_item(message: Oversized) -> Item:
    """The beginning of an answer that was too large to be read; all of it is saved."""
    what = "all of it" if message.kept == message.size else f"the first {message.kept:,}"
    shown = f"cut: the first {len(message.head):,} are shown"
    about = f"{message.size:,} bytes, {shown}, s: save {what}"

    def make() -> Body:
        from .text_body import TextBody

        return TextBody(beginning(message), about=about, is_excerpt=True)

    def whole() -> PartBytes:
        return PartBytes(b"".join(message.chunks()), ".json", "message")

    return Item("the response", "raw-message", about, make, whole, message)


def _part_item(part: Part, number: int, total: int) -> Item:
    return Item(
        f"part {number} of {total}" if total > 1 else "",
        f"part-{number:02d}",
        heading(part),
        lambda: _body(part),
        lambda: part_bytes(part),
        said=part.annotations,
        uri=part.uri if isinstance(part, TextResourcePart) else None,
        is_link=isinstance(part, LinkPart),
        is_trouble=isinstance(part, UnknownPart),
    )


def _body(part: Part) -> Body:
    # Imported as they are needed: most answers are text, and the first one is waited for.
    match part:
        case TextPart(text):
            from .text_body import TextBody

            return TextBody(text)
        case TextResourcePart(_, mime, text):
            from .text_body import TextBody

            return TextBody(text, mime, about=claimed("resource", mime))
        case ImagePart(data, mime):
            from .image import ImageBody

            return ImageBody(data, mime)
        case AudioPart(data, mime):
            from .audio import AudioBody

            return AudioBody(data, mime)
        case BlobResourcePart(uri, mime, blob):
            from .blob import BlobBody

            return BlobBody(blob, mime, uri)
        case LinkPart():
            from .links import LinkBody

            return LinkBody(part)
        case UnknownPart(raw, reason):
            return UnknownBody(raw, reason)
