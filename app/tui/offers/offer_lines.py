"""One resource, template or prompt in full, as the lines of a sheet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ....widgets.offer_list import OfferRow
from ...content.text import cut, spans, visible
from ...content.texts.sheet_line import SheetLine, labelled
from ...protocol.answers.blocks import annotation_words
from ...protocol.answers.links import look_at, size_words
from ...protocol.findings import Finding, Severity
from ...protocol.resources.offers import Offer, Prompt, Resource
from ...questions.sheet import pieces_of, text_lines

INDENT: Final = 12
_TEXT_MAX: Final = 20_000
_LINE_MAX: Final = 2_000
_SIGNS: Final = {Severity.NOTE: "·", Severity.WARNING: "▲", Severity.ERROR: "✗"}
UPDATED: Final = "updated"
FOLLOWED: Final = "follows"


def row_of(offer: Offer, *, is_updated: bool = False, is_followed: bool = False) -> OfferRow:
    """The row of a list."""
    mark = UPDATED if is_updated else FOLLOWED if is_followed else ""
    title = offer.title or offer.name or "(no name)"
    if isinstance(offer, Prompt):
        about = " ".join(f"{one.name}{'' if one.is_required else '?'}" for one in offer.arguments)
        return OfferRow(offer.key, title, about, "", mark)
    return OfferRow(offer.key, title, offer.key, offer.mime, mark)


def what_keys_do(offer: Offer | None, *, is_updated: bool, is_followed: bool) -> str:
    """What enter does, and what `s` does where it ends something."""
    match offer:
        case None:
            return ""
        case Resource():
            again = " again, as it was updated" if is_updated else ""
            return f"enter reads it{again}{' · s unsubscribes' if is_followed else ''}"
        case Prompt(arguments=()):
            return "enter asks for it"
        case _:
            return "enter fills in what it takes"


def detail_lines(offer: Offer) -> Iterator[SheetLine]:
    """All that is said of it; what the server wrote stands behind the gutter or is quoted."""
    if not isinstance(offer, Prompt):
        what = "address" if isinstance(offer, Resource) else "template"
        yield _said(what, offer.key)
    yield _said("name", offer.name or "(no name)")
    if offer.title:
        yield _said("title", offer.title)
    if isinstance(offer, Prompt):
        yield from _prompt_lines(offer)
    else:
        if offer.mime:
            yield _said("type", offer.mime)
        if isinstance(offer, Resource) and offer.size is not None:
            yield labelled("size", INDENT, (size_words(offer.size)[0], ""))
        if words := annotation_words(offer.annotations):
            yield labelled("says", INDENT, (" · ".join(words), ""))
        if isinstance(offer, Resource):
            for caution in look_at(offer.uri).cautions:
                yield labelled("", INDENT, (f"▲ {caution}", "noticed"))
        elif offer.template is not None:
            names = ", ".join(visible(one.name) for one in offer.template.variables)
            yield labelled("takes", INDENT, (names or "nothing", ""))
    for icon in offer.icons:
        yield labelled("icon", INDENT, (icon.words, "dim"))
    for finding in offer.findings:
        yield finding_line(finding)
    if offer.description:
        yield SheetLine()
        short = cut(offer.description, _TEXT_MAX)
        for pieces in text_lines(short.text):
            yield SheetLine(pieces, gutter=True)
        if short.is_cut:
            yield SheetLine(((short.notice, "noticed"),))


def finding_line(finding: Finding) -> SheetLine:
    role = "dim" if finding.severity is Severity.NOTE else finding.severity.value
    sign = (f"{_SIGNS[finding.severity]} ", role)
    return labelled("", INDENT, sign, (finding.message, "noticed"))


def _prompt_lines(prompt: Prompt) -> Iterator[SheetLine]:
    if not prompt.arguments:
        yield labelled("takes", INDENT, ("nothing", "dim"))
    for one in prompt.arguments:
        label = "needs" if one.is_required else "takes"
        said = f"  {one.title}" if one.title else ""
        said += f"  {one.description}" if one.description else ""
        pieces = [(text, "strong") for text, _ in pieces_of(spans(cut(one.name, 200).text))]
        about = pieces_of(spans(cut(said, _LINE_MAX).text))
        yield labelled(label, INDENT, *pieces, *about)


def _said(label: str, text: str) -> SheetLine:
    return labelled(label, INDENT, *pieces_of(spans(cut(text, _LINE_MAX).text)))
