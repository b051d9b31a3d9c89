"""The question what a server is told that wants a model to speak: nobody but the person is here.

Spec 2025-11-25, client/sampling: a person sees the prompt and may edit it, and sees what is said
before the server does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..approval.server_questions import AboutSampling
from ..content.json.jsonio import JsonValue, canonical
from ..content.text import count, cut, size, spans
from ..content.texts.sheet_line import SheetLine, labelled
from ..protocol.server_requests.sampling import SAMPLE
from .about_elicitation import WORDS_BELOW, answer_lines, during
from .parts import Parts, Room
from .server_lines import asked_line, server_lines
from .sheet_text import pieces_of, text_lines

TEXT_LIMIT: Final = 4_000
IN_FULL_LIMIT: Final = 200_000
NO_MODEL: Final = "Signoff has no model: what you write is sent in a model's place"


def parts(question: AboutSampling, room: Room) -> Parts:
    """All that is said of a sampling request."""
    sampling = question.sampling
    wish = f"wants a model to answer {count(len(sampling.messages), 'message')}"
    return Parts(
        first=[
            *server_lines(question, room),
            labelled("request", room.indent, (wish, "strong"), (f"   {SAMPLE}", "dim")),
            *during(question, room),
        ],
        noticed=[*_conversation(question, room)],
        noticed_below=WORDS_BELOW,
        changes=[],
        subject=[*answer_lines(question, room)],
        rest=[
            labelled("", room.indent, (NO_MODEL, "")),
            *_settings(question, room),
            *_tools(question, room),
            asked_line(question, question.verdict.reasons, room),
        ],
    )


def _conversation(question: AboutSampling, room: Room) -> Iterator[SheetLine]:
    """The system prompt and all messages, each behind the gutter."""
    sampling = question.sampling
    if sampling.system_prompt:
        yield from _said("system", sampling.system_prompt, room)
    for message in sampling.messages:
        role = message.get("role")
        label = role if role in ("user", "assistant") else "message"
        content = message.get("content")
        for block in content if isinstance(content, list) else [content]:
            yield from _said(label, _words(block), room)


def _words(block: JsonValue) -> str:
    """A block of content as text; what is none is told by its kind and size."""
    if not isinstance(block, dict):
        return canonical(block)
    text, data = block.get("text"), block.get("data")
    if block.get("type") == "text" and isinstance(text, str):
        return text
    if isinstance(data, str):
        about = f"{block.get('type')} {block.get('mimeType', '')}".strip()
        return f"[{about}, {size(len(data) * 3 // 4)}]"
    return canonical(block)


def _said(label: str, text: str, room: Room) -> Iterator[SheetLine]:
    short = cut(text, IN_FULL_LIMIT if room.in_full else TEXT_LIMIT)
    for at, pieces in enumerate(text_lines(short.text)):
        yield SheetLine(pieces, label="" if at else label, indent=room.indent, gutter=True)
    if short.is_cut:
        yield labelled("", room.indent, (short.notice, "noticed"))


def _settings(question: AboutSampling, room: Room) -> Iterator[SheetLine]:
    for at, (name, value) in enumerate(question.sampling.settings.items()):
        short = cut(f"{name}: {canonical(value)}", TEXT_LIMIT)
        yield SheetLine(
            pieces_of(spans(short.text)),
            label="" if at else "wants",
            indent=room.indent,
            gutter=True,
        )


def _tools(question: AboutSampling, room: Room) -> Iterator[SheetLine]:
    sampling = question.sampling
    if not sampling.tools:
        return
    words = f"{count(len(sampling.tools), 'tool')} to ask for"
    if sampling.tool_choice is not None:
        words = f"{words}, toolChoice {canonical(sampling.tool_choice)}"
    yield SheetLine(pieces_of(spans(cut(words, 300).text)), label="tools", indent=room.indent)
    for tool in sampling.tools if room.in_full else sampling.tools[:10]:
        description = tool.get("description")
        about = f": {description}" if isinstance(description, str) else ""
        short = cut(f"{tool.get('name')}{about}", 300)
        yield SheetLine(pieces_of(spans(short.text)), indent=room.indent, gutter=True)
