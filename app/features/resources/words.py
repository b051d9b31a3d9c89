"""Resources, templates and prompts, in lines and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...approval.questions.sheet import pieces_of, text_lines
from ...content.text import cut, spans, visible
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from ...protocol.answers.blocks import annotation_words
from ...protocol.answers.links import look_at, size_words
from ...protocol.findings.findings import brief_with_code
from ...protocol.resources.offers import Offer, Prompt, Resource, ResourceTemplate

INDENT: Final = 12
"""Columns of the labels."""
TEXT_MAX: Final = 20_000
"""Characters of a description."""
_LINE_MAX: Final = 2_000
_NAME_MAX: Final = 200


def offer_lines(offer: Offer, *, text_max: int = TEXT_MAX) -> Iterator[SheetLine]:
    """Describe an offer; the server's texts are behind the gutter or after a label.

    `text_max` is the number of characters of its description.
    """
    if not isinstance(offer, Prompt):
        yield _of_server("address" if isinstance(offer, Resource) else "template", offer.key)
    yield _of_server("name", offer.name or "(no name)")
    if offer.title:
        yield _of_server("title", offer.title)
    if isinstance(offer, Prompt):
        yield from _arguments(offer)
    else:
        yield from _facts(offer)
    for icon in offer.icons:
        yield labelled("icon", INDENT, (icon.words, "dim"))
    for finding in offer.findings:
        yield brief_with_code(finding, INDENT)
    if offer.description:
        yield SheetLine()
        short = cut(offer.description, text_max)
        for pieces in text_lines(short.text):
            yield SheetLine(pieces, gutter=True)
        if short.is_cut:
            yield SheetLine(((short.notice, "noticed"),))


def offer_json(offer: Offer) -> dict[str, Any]:
    """Return an offer as JSON, with its entry as the server sent it."""
    found: dict[str, Any] = {"name": offer.name, "title": offer.title or None}
    if isinstance(offer, Resource):
        found["uri"] = offer.uri
    elif isinstance(offer, ResourceTemplate):
        found["uri_template"] = offer.uri_template
        template = offer.template
        found["variables"] = [one.name for one in template.variables] if template else None
    else:
        found["arguments"] = [
            {"name": one.name, "required": one.is_required} for one in offer.arguments
        ]
    return found | {
        "entry": offer.raw,
        "findings": [finding.as_json() for finding in offer.findings],
    }


def _facts(offer: Resource | ResourceTemplate) -> Iterator[SheetLine]:
    if offer.mime:
        yield _of_server("type", offer.mime)
    if isinstance(offer, Resource) and offer.size is not None:
        yield labelled("size", INDENT, (size_words(offer.size)[0], ""))
    if words := annotation_words(offer.annotations):
        yield labelled("annotated", INDENT, (" · ".join(words), ""))
    if isinstance(offer, Resource):
        for caution in look_at(offer.uri).cautions:
            yield labelled("", INDENT, (f"▲ {caution}", "noticed"))
    elif offer.template is not None:
        names = ", ".join(visible(one.name) for one in offer.template.variables)
        yield labelled("variables", INDENT, (names or "none", ""))


def _arguments(prompt: Prompt) -> Iterator[SheetLine]:
    if not prompt.arguments:
        yield labelled("arguments", INDENT, ("none", "dim"))
    for one in prompt.arguments:
        label = "required" if one.is_required else "optional"
        about = "".join(f"  {text}" for text in (one.title, one.description) if text)
        name: list[Piece] = [
            (text, "strong") for text, _ in pieces_of(spans(cut(one.name, _NAME_MAX).text))
        ]
        yield labelled(label, INDENT, *name, *pieces_of(spans(cut(about, _LINE_MAX).text)))


def _of_server(label: str, text: str) -> SheetLine:
    return labelled(label, INDENT, *pieces_of(spans(cut(text, _LINE_MAX).text)))
