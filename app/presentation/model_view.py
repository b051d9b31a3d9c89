"""What hosts give their models of a result, in lines and as JSON: lost parts first, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..approval.questions.sheet import text_lines
from ..content.json.jsonio import JsonError, JsonValue, compact
from ..content.text import PRINTED_BLANKS, count, cut, visible
from ..content.texts.sheet_line import SheetLine, labelled
from ..hosts.model_view.fates import Loss
from ..hosts.model_view.matching import ModelText, PieceSource
from ..hosts.model_view.table import ModelHost
from ..hosts.model_view.view import ModelView

INDENT: Final = 11
"""Columns of the labels."""
TEXT_MAX: Final = 20_000
"""Characters of all texts of one view that are shown."""
LOST_MAX: Final = 400
"""Characters of each lost part that are shown."""
PARTS_MAX: Final = 50
"""Texts and lost parts of one kind that are shown."""
CAUTION: Final = "A fact of that version. Other versions and settings may differ."
_LABELS: Final = {
    PieceSource.SERVER: "server",
    PieceSource.HOST: "host adds",
    PieceSource.PART: "part",
    PieceSource.UNKNOWN: "unknown",
}


def summary(losses: Sequence[Loss], unknown: Sequence[str]) -> str:
    """What of a result reaches the model, in a phrase: lost parts, and facts not measured."""
    lost = ", ".join(one.name for one in losses)
    if unknown:
        facts = f"not measured: {count(len(unknown), 'fact')}"
        return f"loses {lost} · {facts}" if lost else facts
    return f"loses {lost}" if lost else "gets everything"


def sign_of(losses: Sequence[Loss], unknown: Sequence[str]) -> str:
    """A sign for the same: ▲ for a loss, ? for an unknown fact, ✓ for a whole result."""
    return "▲" if losses else "?" if unknown else "✓"


def totals(fates: Sequence[tuple[Sequence[Loss], Sequence[str]]]) -> str:
    """Count the hosts with losses, with unknown facts alone, and with the whole result."""
    signs = [sign_of(*one) for one in fates]
    words = (("▲", "lose a part"), ("?", "not measured"), ("✓", "get everything"))
    return " · ".join(f"{signs.count(sign)} {what}" for sign, what in words if sign in signs)


def view_lines(view: ModelView, text_max: int = TEXT_MAX) -> Iterator[SheetLine]:
    """Describe a view: losses, unknown facts, the texts by their sources, and the basis."""
    yield from _fate_lines(view)
    yield from _texts(view.items, text_max)
    yield SheetLine()
    yield from host_lines(view.host)


def groups_of(views: Sequence[ModelView]) -> list[list[ModelView]]:
    """Views in groups that lose the same; those with losses first, then those not measured."""
    found: dict[tuple[object, ...], list[ModelView]] = {}
    for view in views:
        lost = tuple((one.name, one.words) for one in view.losses)
        found.setdefault((lost, view.unknown), []).append(view)
    return sorted(found.values(), key=lambda one: "▲?✓".index(_sign(one[0])))


def same_texts(views: Sequence[ModelView]) -> list[list[ModelView]]:
    """Views in groups whose models get the same texts, and lose the same; in the same order."""
    return [same for group in groups_of(views) for same in _by_texts(group).values()]


def _by_texts(group: Sequence[ModelView]) -> dict[tuple[object, ...], list[ModelView]]:
    found: dict[tuple[object, ...], list[ModelView]] = {}
    for view in group:
        found.setdefault(tuple(tuple(_runs(item)) for item in view.items), []).append(view)
    return found


_BEGINS: Final = 120


def beginning(texts: Sequence[str]) -> str:
    """The size of texts, and how they begin: `63 characters: {"result": 5}`."""
    size = sum(map(len, texts))
    first = next((one for one in texts if one.strip()), "")
    parts = f" in {len(texts)} texts" if len(texts) > 1 else ""
    return f"{count(size, 'character')}{parts}: {visible(first[:_BEGINS])}" if size else "nothing"


def groups_lines(
    groups: Sequence[list[ModelView]], text_max: int = TEXT_MAX
) -> Iterator[SheetLine]:
    """A table with a row for each group; then, for each with a loss, what its models get."""
    views = [view for group in groups for view in group]
    yield labelled(
        "models of",
        INDENT,
        (count(len(views), "host"), "strong"),
        (f"   {totals([(one.losses, one.unknown) for one in views])}", ""),
    )
    phrases = [f"{_sign(one)} {summary(one.losses, one.unknown)}" for one, *_ in groups]
    width = max(map(len, phrases))
    for number, (group, phrase) in enumerate(zip(groups, phrases, strict=True), 1):
        label = str(number) if len(groups) > 1 else ""
        yield labelled(label, INDENT, (f"{phrase:<{width}}   ", ""), (_named(group), "strong"))
    for number, group in enumerate(groups, 1):
        if _sign(group[0]) != "✓":
            yield SheetLine()
            yield labelled(f"row {number}", INDENT, (_named(group), "strong"))
            yield from _fate_lines(group[0])
            yield from _texts_of_each(group, text_max)
    yield SheetLine()
    yield labelled(
        "", INDENT, ("one host, with its whole text and basis: --model-view HOST", "dim")
    )


def _texts_of_each(group: Sequence[ModelView], text_max: int) -> Iterator[SheetLine]:
    """Each text of a group once, below the hosts whose models get it."""
    same = _by_texts(group)
    for listed in same.values():
        if len(same) > 1:
            yield labelled("in", INDENT, (_named(listed), "strong"))
        yield from (line for line in _texts(listed[0].items, text_max) if line != SheetLine())


def _sign(view: ModelView) -> str:
    return sign_of(view.losses, view.unknown)


def _named(group: Sequence[ModelView]) -> str:
    return ", ".join(one.host.words for one in group)


def _fate_lines(view: ModelView) -> Iterator[SheetLine]:
    yield from loss_lines(view.losses)
    if not view.losses:
        words = "nothing known" if view.unknown else "nothing"
        yield labelled("lost", INDENT, (words, ""))
    for at, words in enumerate(view.unknown):
        yield labelled("" if at else "unknown", INDENT, ("? ", "warning"), (words, "noticed"))


def loss_lines(losses: Sequence[Loss]) -> Iterator[SheetLine]:
    """Name each lost part, and quote its beginning."""
    for at, loss in enumerate(losses):
        label = "" if at else "lost"
        yield labelled(label, INDENT, ("▲ ", "warning"), (loss.words, "noticed"))
        values = [one for one in loss.raw if not isinstance(one, bool)]
        for value in values[:PARTS_MAX]:
            yield from _quoted(_written(value), LOST_MAX)
        if len(values) > PARTS_MAX:
            yield _not_shown(len(values) - PARTS_MAX)


def host_lines(host: ModelHost) -> Iterator[SheetLine]:
    """The facts about a host with their basis."""
    yield labelled("host", INDENT, (host.words, "strong"), (f"   {host.kind}", "dim"))
    yield labelled("basis", INDENT, (host.basis_words, ""))
    for at, words in enumerate(host.shape_words):
        yield labelled("" if at else "form", INDENT, (words, ""))
    for words in (*host.notes, CAUTION):
        yield labelled("", INDENT, (words, "dim"))


def view_json(view: ModelView) -> dict[str, Any]:
    """Return a view as JSON; all strings of the server are as they came."""
    host = view.host
    return {
        "host": host.id,
        "title": host.title,
        "kind": host.kind,
        "version": host.version,
        "basis": host.basis,
        "date": host.date,
        "surface": host.surface or None,
        "source": host.source,
        "texts": [
            {
                "text": item.text,
                "pieces": [
                    {"source": piece.source.value, "text": piece.text} for piece in item.pieces
                ],
            }
            for item in view.items
        ],
        "lost": [{"part": one.name, "words": one.words} for one in view.losses],
        "not_known": list(view.unknown),
        "notes": list(host.notes),
    }


def _texts(items: Sequence[ModelText], room: int) -> Iterator[SheetLine]:
    for number, item in enumerate(items, 1):
        if room <= 0 or number > PARTS_MAX:
            yield _not_shown(len(items) - number + 1)
            return
        yield SheetLine()
        which = f"text {number} of {len(items)}" if len(items) > 1 else "one text"
        if all(piece.source is PieceSource.UNKNOWN for piece in item.pieces):
            # Its length would be that of words of Signoff's own.
            yield labelled("model gets", INDENT, (which, "strong"), ("   not measured", "noticed"))
            continue
        length = count(len(item.text), "character")
        yield labelled("model gets", INDENT, (which, "strong"), (f"   {length}", "dim"))
        for source, text in _runs(item):
            if room <= 0:
                yield labelled("", INDENT, ("more of this text is not shown", "noticed"))
                break
            yield labelled(_LABELS[source], INDENT, (_ABOUT[source], "dim"))
            yield from _quoted(text.strip("\n") if source is PieceSource.HOST else text, room)
            room -= len(text)


def _not_shown(number: int) -> SheetLine:
    return labelled("", INDENT, (f"and {number:,} more, not shown", "noticed"))


_ABOUT: Final = {
    PieceSource.SERVER: "from the result:",
    PieceSource.HOST: "words of its own (… varies):",
    PieceSource.PART: "itself, not as a text:",
    PieceSource.UNKNOWN: "a part; what the host makes of it was not measured:",
}


def _runs(item: ModelText) -> list[tuple[PieceSource, str]]:
    """The text in runs of one source. A separator belongs to the run before it."""
    found: list[tuple[PieceSource, list[str]]] = []
    for piece in item.pieces:
        if found and (piece.is_break or piece.source is found[-1][0]):
            found[-1][1].append(piece.text)
        else:
            found.append((piece.source, [piece.text]))
    return [(source, "".join(texts)) for source, texts in found]


def _quoted(text: str, limit: int) -> Iterator[SheetLine]:
    short = cut(text, limit)
    for pieces in text_lines(short.text, PRINTED_BLANKS):
        yield SheetLine(pieces, gutter=True, exact=True)
    if short.is_cut:
        words = f"shown here: the first {limit:,} of {len(text):,} characters"
        yield SheetLine(((words, "noticed"),))


def _written(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    try:
        return compact(value)
    except JsonError as error:
        return f"({error})"
