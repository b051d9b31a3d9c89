"""Keys with their verbs, as in the footer, for the last row of a dialog or of a box."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from textual.app import App
from textual.binding import Binding
from textual.content import Content
from textual.keys import format_key
from textual.widget import Widget

from ..app.content.frozen import frozen
from ..app.content.key_tables import KeyRow, Mark, key_rows
from .labels import that_fits

KEY: Final = "bold $footer-key-foreground"
VERB: Final = "$footer-description-foreground"
_GAP: Final = "  "


@frozen
class BarKey:
    """A key in a bar. `id`: that of its row in the tables of keys, or the key itself.

    `verb`: what it does; empty: the label of the row. `rank`: keys with a high one are left out
    first. `key`: how the key is written, if not as in the footer.
    """

    id: str
    verb: str = ""
    rank: int = 0
    key: str = ""


def said_key(key: str) -> str:
    """A key of Textual's as sentences write it: `ctrl+t`, `enter`, `/`."""
    *modifiers, last = key.split("+")
    return "+".join([*modifiers, last if last == "enter" else format_key(last)])


def bar_words(pairs: Sequence[tuple[str, str]]) -> Content:
    """Keys, each with its verb behind it, in the colours of the footer."""
    pieces: list[str | tuple[str, str]] = []
    for key, verb in pairs:
        pieces += [_GAP if pieces else "", (key, KEY), (f" {verb}".rstrip(), VERB)]
    return Content.assemble(*pieces)


def bar_wordings(app: App[Any], keys: Sequence[BarKey]) -> list[Content]:
    """The bar with all keys, then with fewer and fewer of them, at last with the lowest rank."""
    pairs = [_pair(app, one) for one in keys]
    ranks = [one.rank for one in keys]
    return [
        bar_words([pair for pair, rank in zip(pairs, ranks, strict=True) if rank <= most])
        for most in sorted({*ranks}, reverse=True)
    ]


def padded(wordings: Sequence[Content]) -> list[Content]:
    """Wordings with a blank on both sides, for the line of a frame."""
    return [Content.assemble(" ", one, " ") for one in wordings]


def show_bar(box: Widget, keys: Sequence[BarKey]) -> None:
    """Draw the bar on the lower border of a box that is laid out, with as many keys as fit."""
    put_bar(box, that_fits(box, bar_wordings(box.app, keys) or [Content("")]))


def put_bar(box: Widget, bar: Content) -> None:
    """Draw a bar on the lower border of a box, at its left as in every dialog."""
    box.styles.border_subtitle_align = "left"
    box.border_subtitle = bar


def _pair(app: App[Any], one: BarKey) -> tuple[str, str]:
    row = _rows().get(one.id)
    if row is None:
        return one.key or one.id, one.verb
    key = one.key or shown_key(app, row)
    return key, one.verb or row.label


def shown_key(app: App[Any], row: KeyRow) -> str:
    """The first key of a row as the footer shows it, with the keys that a person has chosen."""
    first = app._keymap.get(row.id, row.keys).partition(",")[0]
    return app.get_key_display(Binding(first, row.action, key_display=row.marks.get(Mark.AS)))


@cache
def _rows() -> dict[str, KeyRow]:
    return {row.id: row for row in key_rows()}
