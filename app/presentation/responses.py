"""A response, part by part: the heading and the lines of each, safe to show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ..approval.questions.sheet import text_lines
from ..calls.call import Call
from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue, pointer, pretty_spans
from ..content.text import PRINTED_BLANKS, count, cut, size, visible
from ..content.texts.sheet_line import Piece, SheetLine, labelled
from ..protocol.answers.blocks import annotation_words
from ..protocol.answers.content import (
    AudioPart,
    BlobResourcePart,
    ImagePart,
    LinkPart,
    Part,
    TextPart,
    TextResourcePart,
    UnknownPart,
)
from ..protocol.answers.links import look_at, size_words
from ..protocol.clients.findings import rejection_words
from ..schemas.schema import SchemaAnswer

_MIME_MAX: Final = 80
_SCHEMA_ROLES: Final = {SchemaAnswer.VALID: "success", SchemaAnswer.INVALID: "error"}


@frozen
class PartLook:
    """How much of a part is shown."""

    text_max: int
    """Characters of a text."""
    whole: str = ""
    """The place of the whole text, in words; empty if none is named."""
    conceal: Callable[[str], str] = str
    """Takes secrets out of a text, before it is cut."""
    indent: int = 8
    """Columns of the labels."""

    def row(self, label: str, words: str) -> SheetLine:
        """A line with a label."""
        return labelled(label, self.indent, (words, ""))


@frozen
class ShownPart:
    """One part: its heading, empty for a text alone, and the lines below it."""

    heading: tuple[Piece, ...]
    lines: tuple[SheetLine, ...]
    sender: str = ""
    """The role of who sent it, for a message."""

    @property
    def sheet(self) -> Iterator[SheetLine]:
        """All of it."""
        for pieces in (((self.sender, "strong"),), self.heading):
            if any(text for text, _ in pieces):
                yield SheetLine(pieces)
        yield from self.lines


def heading(part: Part, *, is_read: bool = False) -> str:
    """Kind, claimed type and size of a part; of media read from the bytes if `is_read`."""
    match part:
        case TextPart(text):
            return f"text  {count(len(text), 'character')}"
        case TextResourcePart(_, mime, text):
            return f"{claimed('resource', mime)}  {count(len(text), 'character')}"
        case ImagePart(data, mime):
            return f"{claimed('image', mime)}  {_read(part) if is_read else _bytes(data)}"
        case AudioPart(data, mime):
            return f"{claimed('audio', mime)}  {_read(part) if is_read else _bytes(data)}"
        case BlobResourcePart(_, mime, blob):
            return f"{claimed('binary resource', mime)}  {_bytes(blob)}"
        case LinkPart():
            return "resource link"
        case UnknownPart(_, reason):
            return f"✗ {reason}"


def _bytes(base64: str) -> str:
    return size(len(base64.rstrip("=")) * 3 // 4)


def _read(part: ImagePart | AudioPart) -> str:
    """What the bytes spell. The readers are imported as they are needed: most parts are texts."""
    if isinstance(part, ImagePart):
        from ..content.media.image_facts import read_facts as image_facts

        return image_facts(part.data, part.mime).words.removeprefix("image  ")
    from ..content.media.audio import read_facts as audio_facts

    return audio_facts(part.data, part.mime).words.removeprefix("audio  ")


def claimed(kind: str, mime: str) -> str:
    """A kind with the type that the server claims; safe to show."""
    return f"{kind}  {visible(cut(mime, _MIME_MAX).text)}" if mime else kind


def parts(call: Call, look: PartLook) -> Iterator[ShownPart]:
    """The parts of a response in their order, then structuredContent."""
    answer = call.answer
    if answer is None or call.withheld:
        return
    for number, part in enumerate(answer.parts):
        is_text = isinstance(part, TextPart)
        role = "error" if isinstance(part, UnknownPart) else "strong"
        words = "" if is_text else heading(part, is_read=True)
        lines = (*_body(part, look), *_annotations(part))
        yield ShownPart(((words, role),), lines, answer.role(number))
    if answer.has_structured:
        yield _structured(call, look)


def _body(part: Part, look: PartLook) -> Iterator[SheetLine]:
    match part:
        case TextPart(text):
            yield from _text(text, look)
        case TextResourcePart(uri, _, text):
            yield look.row("uri", visible(uri))
            yield from _text(text, look)
        case BlobResourcePart(uri, _, _):
            yield look.row("uri", visible(uri))
        case LinkPart():
            yield from _link(part, look)
        case UnknownPart(raw, _):
            yield from _json(raw)


def _text(text: str, look: PartLook) -> Iterator[SheetLine]:
    short = cut(look.conceal(text), look.text_max)
    for pieces in text_lines(short.text, max_blanks=PRINTED_BLANKS):
        yield SheetLine(pieces, gutter=True)
    if short.is_cut:
        rest = f"; {look.whole}" if look.whole else ""
        yield SheetLine(((f"  {short.notice}{rest}", "dim"),))


def _json(value: JsonValue) -> Iterator[SheetLine]:
    for line in pretty_spans(value):
        yield SheetLine((("".join(span.text for span in line), ""),), gutter=True)


def _link(part: LinkPart, look: PartLook) -> Iterator[SheetLine]:
    """The server's texts on a link, its target, and problems of that."""
    found = look_at(part.uri)
    rows = {
        "uri": visible(part.uri),
        "host": visible(found.host),
        "name": visible(part.name),
        "title": visible(part.title),
        "description": visible(cut(part.description, look.text_max).text),
        "type": visible(part.mime),
        "size": size_words(part.size)[0],
    }
    yield from (look.row(label, words) for label, words in rows.items() if words)
    yield from (look.row("", f"▲ {caution}") for caution in found.cautions)


def _annotations(part: Part) -> Iterator[SheetLine]:
    if words := annotation_words(part.annotations):
        yield SheetLine((("annotated ", "dim"), (" · ".join(words), "")))


def _structured(call: Call, look: PartLook) -> ShownPart:
    verdict, answer = call.schema, call.answer
    assert answer is not None
    words = verdict.answer.value if verdict else "not validated"
    if verdict and verdict.reason:
        words += f" ({verdict.reason})"
    role = _SCHEMA_ROLES.get(verdict.answer, "noticed") if verdict else "noticed"
    return ShownPart(
        (("structuredContent  ", "strong"), (words, role), (f"  {answer.copies.words}", "dim")),
        (*_json(answer.structured), *_errors(call)),
    )


def _errors(call: Call) -> Iterator[SheetLine]:
    for error in call.schema.errors if call.schema else ():
        schema = "/" + "/".join(visible(str(step)) for step in error.schema_path)
        place = (f"✗ {pointer(error.path)}  ", "error")
        yield SheetLine((place, (error.message, ""), (f"  schema {schema}", "dim")))
    for error in call.schema.rejected_by_clients if call.schema else ():
        yield SheetLine((("▲ ", "noticed"), (f"valid, but {rejection_words(error)}", "")))
