"""The response to a read or to a request for a prompt, as lines below the list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...approval.questions.sheet import text_lines
from ...calls.call import Call, Outcome
from ...content.json.jsonio import pretty_spans
from ...content.media.audio import read_facts as audio_facts
from ...content.media.image_facts import read_facts as image_facts
from ...content.text import cut, seconds, size, visible
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from ...protocol.answers.content import (
    AudioPart,
    BlobResourcePart,
    ImagePart,
    LinkPart,
    Part,
    TextPart,
    TextResourcePart,
    UnknownPart,
)
from .words import INDENT

TEXT_MAX: Final = 20_000
"""Characters of a part; the main screen has all of it."""


def response_lines(call: Call) -> Iterator[SheetLine]:
    """The state or the outcome of the call, and the parts of its response."""
    is_fine = call.outcome in (None, Outcome.OK)
    took = f"  {seconds(call.elapsed(call.ended_at))}" if call.sent and call.ended_at else ""
    status: Piece = (call.status, "strong" if is_fine else "error")
    yield labelled("response", INDENT, status, (f"{took}  call {call.id}", "dim"))
    if call.reason:
        yield labelled("", INDENT, (call.reason, ""))
    if call.answer is None or call.withheld:
        return
    for number, part in enumerate(call.answer.parts):
        if role := call.answer.role(number):
            yield SheetLine(((role, "strong"),))
        yield from _part_lines(part)
    if more := call.answer.more_parts:
        yield SheetLine(
            ((f"{more:,} more parts: esc, then the response of call {call.id}", "dim"),)
        )


def _part_lines(part: Part) -> Iterator[SheetLine]:
    match part:
        case TextPart(text) | TextResourcePart(_, _, text):
            yield from _text(text)
        case ImagePart(data, mime):
            yield _fact("image", mime, image_facts(data, mime).words.removeprefix("image  "))
        case AudioPart(data, mime):
            yield _fact("audio", mime, audio_facts(data, mime).words.removeprefix("audio  "))
        case BlobResourcePart(_, mime, blob):
            yield _fact("binary", mime, size(len(blob.rstrip("=")) * 3 // 4))
        case LinkPart(uri):
            yield _fact("link", uri, "")
        case UnknownPart(raw, reason):
            yield SheetLine(((reason, "error"),))
            for line in pretty_spans(raw):
                yield SheetLine((("".join(span.text for span in line), ""),), gutter=True)


def _text(text: str) -> Iterator[SheetLine]:
    short = cut(text, TEXT_MAX)
    for pieces in text_lines(short.text, max_blanks=40):
        yield SheetLine(pieces, gutter=True)
    if short.is_cut:
        yield SheetLine(((short.notice, "noticed"),))


def _fact(label: str, kind: str, words: str) -> SheetLine:
    return labelled(label, INDENT, (visible(kind), ""), (f"  {words}", "dim"))
