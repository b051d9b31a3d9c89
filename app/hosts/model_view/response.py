"""A raw result of `tools/call` as hosts take it apart: blocks, structuredContent, isError.

Spec 2025-11-25, server/tools, "Tool Result". Reading never fails, whatever the JSON is.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.json.parts import Flawed
from ...protocol.answers.copies import COMPARED_LIMIT, Copies, compare_copies


class BlockKind(StrEnum):
    """The kind of a block, as hosts distinguish it."""

    TEXT = "text"
    RESOURCE = "resource"
    BLOB = "blob"
    IMAGE = "image"
    AUDIO = "audio"
    LINK = "link"
    OTHER = "other"


KIND_WORDS: Final = {
    BlockKind.TEXT: "text",
    BlockKind.RESOURCE: "embedded resource",
    BlockKind.BLOB: "embedded blob",
    BlockKind.IMAGE: "image",
    BlockKind.AUDIO: "audio block",
    BlockKind.LINK: "resource link",
    BlockKind.OTHER: "malformed block",
}


@frozen
class Block:
    """One entry of `content`. Both values are raw; `text` is empty for a block without text."""

    kind: BlockKind
    raw: JsonValue
    text: str = ""


@frozen
class ResultInParts:
    """A result in parts, raw."""

    raw: JsonValue
    blocks: tuple[Block, ...] = ()
    has_structured: bool = False
    structured: JsonValue = None
    is_error: bool = False
    copies: Copies = Copies()
    """The comparison of structuredContent with all texts together."""
    copied: frozenset[int] = frozenset()
    """The places of the texts that repeat structuredContent as JSON."""
    own_texts: tuple[int, ...] = ()
    """The places of texts with words of their own: neither blank nor a copy."""
    breaks_schema: bool = False
    """True if structuredContent is known to break the output schema of its tool."""
    problem: str = ""
    """Why hosts cannot be expected to read it, in words of our own; empty if they can."""

    @property
    def replaces_content(self) -> bool:
        """True if structuredContent is an object with members, as in every measured result."""
        return isinstance(self.structured, dict) and bool(self.structured)

    @property
    def has_words(self) -> bool:
        """True if a text is not blank."""
        return any(one.kind is BlockKind.TEXT and one.text.strip() for one in self.blocks)

    @property
    def is_empty(self) -> bool:
        """True if the content has nothing but blank texts."""
        return all(one.kind is BlockKind.TEXT and not one.text.strip() for one in self.blocks)


def read_response(
    raw: JsonValue, copies: Copies | None = None, breaks_schema: bool = False
) -> ResultInParts:
    """Take a raw result apart. `copies`: the comparison of its texts, if it was made already."""
    if not isinstance(raw, dict):
        return ResultInParts(raw, problem="the result is not an object")
    listed = raw.get("content", [])
    if not isinstance(listed, list):
        return ResultInParts(raw, problem="its content is another type than an array")
    structured = raw.get("structuredContent")
    has_structured = "structuredContent" in raw
    if isinstance(structured, Flawed) and not structured.is_whole:
        return ResultInParts(raw, problem="structuredContent cannot be read")
    blocks = tuple(map(_block, listed))
    copied = frozenset[int]()
    if has_structured:
        places = [at for at, one in enumerate(blocks) if one.kind is BlockKind.TEXT]
        copies = copies or compare_copies((blocks[at].text for at in places), structured)
        if sum(len(blocks[at].text) for at in places) > COMPARED_LIMIT:
            # Even if one of them is a copy: to find out which would take too long.
            copies = Copies("skipped")
        if copies.state == "same":
            copied = _copied(blocks, places, structured)
    own = (at for at, one in enumerate(blocks) if one.kind is BlockKind.TEXT and one.text.strip())
    return ResultInParts(
        raw,
        blocks,
        has_structured,
        structured,
        raw.get("isError") is True,
        copies or Copies(),
        copied,
        tuple(at for at in own if at not in copied),
        breaks_schema,
    )


def _copied(blocks: tuple[Block, ...], places: list[int], structured: JsonValue) -> frozenset[int]:
    """The places of the copies; all of them if only together they are one."""
    same = [at for at in places if compare_copies((blocks[at].text,), structured).state == "same"]
    return frozenset(same or places)


def _block(raw: JsonValue) -> Block:
    if not isinstance(raw, dict) or (isinstance(raw, Flawed) and not raw.is_whole):
        return Block(BlockKind.OTHER, raw)
    match raw.get("type"):
        case "text" if isinstance(text := raw.get("text"), str):
            return Block(BlockKind.TEXT, raw, text)
        case "image" if isinstance(raw.get("data"), str):
            return Block(BlockKind.IMAGE, raw)
        case "audio" if isinstance(raw.get("data"), str):
            return Block(BlockKind.AUDIO, raw)
        case "resource_link" if isinstance(raw.get("uri"), str):
            return Block(BlockKind.LINK, raw)
        case "resource" if isinstance(resource := raw.get("resource"), dict):
            if isinstance(text := resource.get("text"), str):
                return Block(BlockKind.RESOURCE, raw, text)
            if isinstance(resource.get("blob"), str):
                return Block(BlockKind.BLOB, raw)
    return Block(BlockKind.OTHER, raw)
