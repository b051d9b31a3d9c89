"""Lines of approval requests for elicitation and sampling.

Elicitation: the server, its words behind the gutter, problems with them, the answer, and then the
fields as the server describes them. Spec 2025-11-25, client/elicitation: which server asks has to
be clear, and of a page the whole URL and its host.

Sampling: the person takes the part of the model. Spec 2025-11-25, client/sampling: a person sees
the prompt and may edit it, and sees the reply before the server does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...content.json.jsonio import JsonValue, canonical
from ...content.labels import some_named
from ...content.text import count, cut, size, spans
from ...content.texts.sheet_line import SheetLine, labelled
from ...protocol.answers.links import look_at
from ...protocol.findings.model_texts import addressing_findings
from ...protocol.server_requests.elicitation import ELICIT, imitates, secrets_asked
from ...protocol.server_requests.sampling import SAMPLE
from ..server_questions import AboutElicitation, AboutSampling, ServerQuestion
from .definition_lines import finding_lines
from .server_lines import asked_line, server_lines
from .sheet import Parts, Room, pieces_of, text_lines
from .value_lines import argument_lines, uri_lines

MESSAGE_LIMIT: Final = 4_000
FIELD_LIMIT: Final = 300
URL_LIMIT: Final = 8_000
FIELDS_SHOWN: Final = 40
MUST_NOT: Final = "servers must not request secrets in a form (client/elicitation)"
NOT_OURS: Final = "the message imitates Signoff; text beside a bar comes from the server"
WORDS_BELOW: Final = "The server's words are below"
NOT_FETCHED: Final = "not fetched: your browser opens it, only if you consent"
CONSENT_ONLY: Final = "the server learns only that you consented"


def elicitation_parts(question: AboutElicitation, room: Room) -> Parts:
    """The whole content of an elicitation."""
    is_form = question.elicitation.mode == "form"
    odd = [*_odd(question, room)]
    warned = f", with {count(len(odd), 'warning')}" if odd else ""
    return Parts(
        first=[*server_lines(question, room), _wish(question, room), *during(question, room)],
        noticed=[*_message(question, room), *odd],
        noticed_below=f"{WORDS_BELOW}{warned}",
        changes=[],
        subject=[*(answer_lines(question, room) if is_form else _address(question, room))],
        rest=[
            *(_fields(question, room) if is_form else _visit(room)),
            asked_line(question, question.verdict.reasons, room),
        ],
    )


def during(question: ServerQuestion, room: Room) -> Iterator[SheetLine]:
    """Lines on the calls that run: the wire does not show which of them the request is for."""
    if question.during:
        said = "; ".join(question.during)
        yield labelled("during", room.indent, *pieces_of(spans(cut(said, FIELD_LIMIT).text)))


def answer_lines(question: ServerQuestion, room: Room) -> Iterator[SheetLine]:
    """Show the answer as it would be sent, or a note that it is empty so far."""
    if question.draft is None:
        yield SheetLine((("Reply   ", "strong"), ("not filled in yet", "noticed")))
        return
    yield from argument_lines(
        question.snapshot,
        question.origins,
        has_signs=room.has_keys,
        heading="Reply   ",
        nothing="{}, an empty form",
    )
    for problem in question.problems:
        yield labelled("", room.indent, ("▲ ", "warning"), (problem, "noticed"))


def _wish(question: AboutElicitation, room: Room) -> SheetLine:
    asked = question.elicitation
    what = (
        f"asks for data: {count(len(asked.fields), 'field')}"
        if asked.mode == "form"
        else "asks you to open a page in your browser"
    )
    return labelled("request", room.indent, (what, "strong"), (f"   {ELICIT}", "dim"))


def _message(question: AboutElicitation, room: Room) -> Iterator[SheetLine]:
    short = cut(question.elicitation.message.strip(), MESSAGE_LIMIT)
    for at, pieces in enumerate(text_lines(short.text)):
        yield SheetLine(pieces, label="" if at else "message", indent=room.indent, gutter=True)
    if short.is_cut:
        yield labelled("", room.indent, (short.notice, "noticed"))


def _odd(question: AboutElicitation, room: Room) -> Iterator[SheetLine]:
    asked = question.elicitation
    if question.form_fault:
        yield labelled("", room.indent, ("▲ ", "warning"), (question.form_fault, "noticed"))
    if secrets := secrets_asked(asked):
        names = some_named(secrets, 5, lambda one: f"“{one}”")
        words = f"{names} may be a secret: {MUST_NOT}"
        yield labelled("", room.indent, ("▲ ", "warning"), (words, "noticed"))
    told: dict[str, JsonValue] = {"message": asked.message, "requestedSchema": asked.schema}
    yield from finding_lines(addressing_findings(told), 0, room.indent)
    if word := imitates(asked):
        yield labelled("", room.indent, ("▲ ", "warning"), (f"“{word}”: {NOT_OURS}", "noticed"))


def _fields(question: AboutElicitation, room: Room) -> Iterator[SheetLine]:
    """Every field as the server describes it: name, kind, whether it has to be there."""
    asked = question.elicitation
    properties = asked.schema.get("properties") if isinstance(asked.schema, dict) else None
    given = properties if isinstance(properties, dict) else {}
    is_by_person = any(one.is_chosen for one in question.origins.values())
    if question.draft is not None and is_by_person and not room.in_full:
        # A person who filled them in has seen them, and the values are above. The person has not
        # seen a server's suggestions: their names and titles show the meaning of an agreement.
        if room.has_keys:
            them = "it" if len(given) == 1 else "them"
            words = f"{count(len(given), 'field')}, filled in above; v: the server's words"
            words += f" for {them}"
            yield labelled("fields", room.indent, (words, "dim"))
        return
    required = set(asked.required)
    shown = len(given) if room.in_full else FIELDS_SHOWN
    for at, (name, field) in enumerate(given.items()):
        if at >= shown:
            yield labelled("", room.indent, (f"and {len(given) - shown:,} more fields", "dim"))
            return
        must = " (required)" if name in required else ""
        words = f"{name}{must}: {_kind(field)}"
        short = cut(words, FIELD_LIMIT)
        yield SheetLine(
            pieces_of(spans(short.text)),
            label="" if at else "fields",
            indent=room.indent,
            gutter=True,
        )


def _kind(field: JsonValue) -> str:
    """A field's schema on one line, in the server's own words."""
    if not isinstance(field, dict):
        return "anything"
    kind, title = field.get("type"), field.get("title")
    rest = {key: value for key, value in field.items() if key not in ("type", "title")}
    said = [str(kind) if isinstance(kind, str) else "of no type"]
    if isinstance(title, str):
        said.append(f"“{title}”")
    if rest:
        said.append(canonical(rest))
    return " ".join(said)


def _address(question: AboutElicitation, room: Room) -> Iterator[SheetLine]:
    facts = look_at(question.elicitation.url)
    yield from uri_lines(facts, room.indent, URL_LIMIT, "the rest is not opened")
    if not facts.can_open:
        yield labelled("", room.indent, (f"cannot be opened: {facts.why_not}", "noticed"))


def _visit(room: Room) -> Iterator[SheetLine]:
    yield labelled("", room.indent, (NOT_FETCHED, "dim"))
    yield labelled("", room.indent, (CONSENT_ONLY, "dim"))


TEXT_LIMIT: Final = 4_000
IN_FULL_LIMIT: Final = 200_000
NO_MODEL: Final = "Signoff has no model: your text is sent as the model's response"


def sampling_parts(question: AboutSampling, room: Room) -> Parts:
    """The whole content of a sampling request."""
    sampling = question.sampling
    wish = f"asks for a model's reply to {count(len(sampling.messages), 'message')}"
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
    """Return a block of content as text; other kinds are named with their size."""
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
    words = f"{count(len(sampling.tools), 'tool')} that the model may call"
    if sampling.tool_choice is not None:
        words = f"{words}, toolChoice {canonical(sampling.tool_choice)}"
    yield SheetLine(pieces_of(spans(cut(words, 300).text)), label="tools", indent=room.indent)
    for tool in sampling.tools if room.in_full else sampling.tools[:10]:
        description = tool.get("description")
        about = f": {description}" if isinstance(description, str) else ""
        short = cut(f"{tool.get('name')}{about}", 300)
        yield SheetLine(pieces_of(spans(short.text)), indent=room.indent, gutter=True)
