"""The words for one field of a form, for plain lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...content.text import cut, shortened, visible
from ...headless.argument_mistakes import exact_or_text
from ...schemas.form.entries import Entry, State, state_of
from ...schemas.form.fields import Field, Kind, Place
from .listing import gutter

HELP: Final = (
    "Type a value and Enter; Enter alone keeps what stands in brackets.",
    "  -              not sent",
    '  !JSON          exactly this JSON: !null, !"", !5, ![1, 2], !{"a": 1}, or !@FILE',
    "  !all JSON      all arguments as one JSON object, or !all @FILE",
    "  !done          the rest stays as it is",
    "  !back          the question before",
    "  !cancel        calls nothing (ctrl+C, too)",
    "  !text WORDS    the words as they are, where they begin with ! or -",
    "  !help          this",
)
SHOWN: Final = 60
_DESCRIPTION: Final = 300
CHOICES: Final = 40


def field_lines(one: Field, words: str = "") -> Iterator[str]:
    """Name, type and whether it must be there; then what the server says of it."""
    must = "required" if one.required else "optional"
    nullable = ", may be null" if one.nullable and "null" not in one.type_words else ""
    yield words or f"{label(one) or 'the arguments'}: {one.type_words}, {must}{nullable}"
    for text in (one.title, one.description):
        if text:
            yield from gutter(text, _DESCRIPTION, "!help")
    if one.kind in (Kind.ENUM, Kind.CHOICES):
        yield from _choices(one)
        if one.kind is Kind.CHOICES:
            yield "  several: their numbers or names with commas between"
    if one.shape:
        yield f"  such as {visible(one.shape)}"
    if one.examples:
        few = [visible(cut(exact_or_text(each), SHOWN).text) for each in one.examples]
        yield f"  the server's examples: {', '.join(few)}"


def _choices(one: Field) -> Iterator[str]:
    for number, choice in enumerate(one.choices[:CHOICES], 1):
        label = f" {visible(one.labels[number - 1])}" if one.labels else ""
        yield f"  {number:>3}  {visible(cut(exact_or_text(choice), SHOWN).text)}{label}"
    if len(one.choices) > CHOICES:
        yield f"       and {len(one.choices) - CHOICES:,} more; type a name or a number"


def whole_description(one: Field) -> Iterator[str]:
    if one.description:
        yield from gutter(one.description, 64_000)


def standing(one: Field, entry: Entry) -> str:
    """What Enter keeps."""
    state = state_of(one, entry)
    if state in (State.NOT_SENT, State.NULL, State.EMPTY):
        return state.value
    text = shortened(" ".join(entry.text.split()), SHOWN)
    who = {State.DEFAULT: ", the server's default", State.FILLED: ", the only value"}
    return f"{text}{who.get(state, '')}"


def index_of(typed: str, names: list[str]) -> int | None:
    if typed.isascii() and typed.isdigit() and 0 < int(typed[:9]) <= len(names):
        return int(typed) - 1
    folded = [name.casefold() for name in names]
    return folded.index(typed.casefold()) if typed.casefold() in folded else None


def label(one: Field) -> str:
    return label_of(one.place)


def label_of(place: Place) -> str:
    """`address.lines[2]`, safe to show."""
    words = ""
    for step in place:
        shown = f"[{step + 1}]" if isinstance(step, int) else visible(cut(step, SHOWN).text)
        words += shown if isinstance(step, int) or not words else f".{shown}"
    return words
