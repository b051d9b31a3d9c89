"""The question whether an answer may be used: it was asked for, and nothing more is sent."""

from __future__ import annotations

from collections.abc import Iterator

from ..content.json.jsonio import pretty_spans
from ..content.text import count, cut, size
from ..content.texts.sheet_line import Piece, SheetLine, labelled
from ..protocol.answers.content import (
    Answer,
    AudioPart,
    BlobResourcePart,
    ImagePart,
    LinkPart,
    Part,
    TextPart,
    TextResourcePart,
)
from ..protocol.requests import PromptGet, ResourceRead, ToolCall
from .about_read import no_claims, not_fetched, odd_lines, request_lines
from .definition_lines import claim_lines, finding_lines, noticed_in, tool_line
from .parts import Parts, Room
from .question_words import policy_words
from .questions import AboutAnswer
from .run_lines import not_known_lines
from .server_lines import server_lines
from .sheet_text import pieces_of, quoted, text_lines

TEXT_LIMIT = 200_000
"""Characters shown of one part; an answer that is cut says so."""
_URI_LIMIT = 2_000


def parts(question: AboutAnswer, room: Room) -> Parts:
    """All that is said of an answer; it stands last, however long the rest is."""
    match question.request:
        case ResourceRead() | PromptGet() as request:
            first, noticed = request_lines(question, room), odd_lines(question, room)
            claims = [*no_claims(request, room), not_fetched(request, room)]
        case ToolCall(tool):
            findings, more = noticed_in(tool, room.is_roomy)
            runs = question.snapshot.runs
            first = [*server_lines(question, room), tool_line(tool, room.indent)]
            noticed = [
                *not_known_lines(runs, room.indent),
                *finding_lines(findings, more, room.indent),
            ]
            claims = list(claim_lines(question, room))
    rest = [*claims, *_asked(question, room.indent)]
    return Parts(first, noticed, [], list(answer_lines(question.answer)), rest, is_last=True)


def _asked(question: AboutAnswer, indent: int) -> Iterator[SheetLine]:
    """Why it is asked, and what has happened already."""
    reason = (
        "it is open world, so anybody may have written what it answers"
        if question.request.hints.is_open_world
        else "the answer of this tool is looked at before it is used"
    )
    yield labelled("asked", indent, (reason, ""), aside=((policy_words(question.verdict), "dim"),))
    sha = question.snapshot.arguments_digest[:8]
    yield labelled("sent", indent, (f"the call has been made, with arguments sha256 {sha}", ""))
    yield labelled("", indent, ("What it did stays done; a withheld answer is not shown.", "dim"))


def answer_lines(answer: Answer) -> Iterator[SheetLine]:
    """The whole answer, in the order of its parts, then the structured one."""
    yield SheetLine((("Answer     ", "strong"), (_summary(answer), "dim")))
    if answer.is_error:
        yield SheetLine((("isError: ", "error"), ("the tool says that it failed", "")))
    for number, part in enumerate(answer.parts, 1):
        if role := answer.role(number - 1):
            yield SheetLine(((role, "strong"),))
        yield from _part_lines(number, len(answer.parts), part)
    if answer.more_parts:
        yield SheetLine(((f"and {count(answer.more_parts, 'more part')}, not shown", "noticed"),))
    if answer.has_structured:
        yield SheetLine((("structuredContent", "label"),))
        for parts in pretty_spans(answer.structured):
            yield SheetLine(pieces_of(parts), gutter=True, exact=True)
    for finding in answer.findings:
        yield SheetLine((("▲ ", "warning"), (finding.message, "noticed")))


def _summary(answer: Answer) -> str:
    words = [count(len(answer.parts) + answer.more_parts, "part")]
    if characters := sum(len(part.text) for part in answer.parts if isinstance(part, TextPart)):
        words.append(f"{count(characters, 'character')} of text")
    if answer.has_structured:
        words.append("structured")
    return " · ".join(words)


def _part_lines(number: int, total: int, part: Part) -> Iterator[SheetLine]:
    text, about = _text_of(part), _about(part)
    if about or total > 1:
        place = f"{number} of {total}  " if total > 1 else ""
        yield SheetLine(((place, "label"), *(about or (("text", "label"),))))
    if text is None:
        return
    short = cut(text, TEXT_LIMIT)
    for pieces in text_lines(short.text):
        yield SheetLine(pieces, gutter=True, exact=True)
    if short.is_cut:
        yield SheetLine(((short.notice, "noticed"),))


def _text_of(part: Part) -> str | None:
    return part.text if isinstance(part, TextPart | TextResourcePart) else None


def _about(part: Part) -> tuple[Piece, ...]:
    """What a part is, where it is not plain text."""
    match part:
        case TextPart():
            return ()
        case ImagePart(data, mime) | AudioPart(data, mime):
            kind = "image" if isinstance(part, ImagePart) else "audio"
            return ((f"{kind} ", "label"), *quoted(mime), (f"  {size(len(data) * 3 // 4)}", "dim"))
        case TextResourcePart(uri, mime):
            return (("resource ", "label"), *quoted(uri, _URI_LIMIT), ("  ", ""), *quoted(mime))
        case BlobResourcePart(uri, mime, blob):
            amount = size(len(blob) * 3 // 4)
            return (
                *(("resource ", "label"), *quoted(uri, _URI_LIMIT), ("  ", "")),
                *(*quoted(mime), (f"  {amount}", "dim")),
            )
        case LinkPart(uri, name):
            return (("link ", "label"), *quoted(uri, _URI_LIMIT), ("  ", ""), *quoted(name))
        case _:
            return ((part.reason, "noticed"),)
