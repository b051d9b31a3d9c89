"""The four hints of a tool: what is claimed, what is assumed, and what counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ..content.texts.sheet_line import GLUE, Piece, SheetLine, labelled
from ..protocol.hints import Claim, Effect, Hint
from ..protocol.tools import ToolDefinition
from .question_words import (
    NOT_THE_SERVERS,
    WHAT_IF,
    claim_word,
    what_if_words,
)

TABLE_COLUMNS = 66
_WHAT_IF_COLUMNS = 16

Overrides = Mapping[str, bool | None]


def table_columns(overrides: Overrides) -> int:
    """How many columns the table needs."""
    return TABLE_COLUMNS + _WHAT_IF_COLUMNS * bool(overrides)


def hint_table(tool: ToolDefinition, indent: int, overrides: Overrides) -> Iterator[SheetLine]:
    """What is claimed, what is the default, and what each comes to.

    What the person has set for a what-if stands in a column of its own, in the person's colour.
    """
    head = f"{'hint':<13}{'claimed':<14}{'default':<10}"
    counts = f"{'counts as':<22}" if overrides else "counts as"
    own = ((f"{WHAT_IF} ●", "typed"),) if overrides else ()
    yield labelled("claims", indent, (head + counts, "label"), *own)
    for hint in tool.hints:
        yield labelled("", indent, *_hint_row(hint, tool.effect), *_own(hint, overrides, tool))


def claimed(tool: ToolDefinition) -> Iterator[Piece]:
    """The hints on one line: those that are said, and what is assumed of the others."""
    said = [hint for hint in tool.hints if hint.claim is not Claim.UNSAID]
    rest = [hint for hint in tool.hints if hint.is_default]
    yield from _listed(said, _claim)
    if rest:
        is_odd = any(hint.claim is Claim.MALFORMED for hint in rest)
        head = "not said or malformed (default): " if is_odd else "not said (default): "
        yield f"{'   ' * bool(said)}{head.replace(' ', GLUE)}", "dim"
        yield from _listed(rest, lambda hint: (_default_words(hint), "dim"))


def what_if_lines(
    overrides: Overrides, indent: int, *, has_signs: bool = True
) -> Iterator[SheetLine]:
    """What the person has set, and that nobody else did."""
    if overrides:
        words = what_if_words(overrides) + " ●" * has_signs
        yield labelled("what-if", indent, (words, "typed"), (f"   {NOT_THE_SERVERS}", "dim"))


def _own(hint: Hint, overrides: Overrides, tool: ToolDefinition) -> Iterator[Piece]:
    if hint.name in overrides:
        counts, _ = _counts_as(hint, tool.effect)
        yield " " * max(22 - len(counts), 1), ""
        yield claim_word(overrides[hint.name]), "typed"


def _listed(hints: Sequence[Hint], words: Callable[[Hint], Piece]) -> Iterator[Piece]:
    for at, hint in enumerate(hints):
        if at:
            yield " · ", "dim"
        yield f"{hint.name}{GLUE}", "dim"
        text, role = words(hint)
        yield text.replace(" ", GLUE), role


def _default_words(hint: Hint) -> str:
    return _word(hint.default) if hint.meaningful else "counts for nothing"


def _hint_row(hint: Hint, effect: Effect) -> Iterator[Piece]:
    claimed, role = _claim(hint)
    if len(claimed) > 12:
        # The finding says it in full.
        claimed = f"{claimed[:11]}…"
    yield f"{hint.name:<13}", ""
    yield claimed, role
    yield " " * (14 - len(claimed)), ""
    yield f"{_word(hint.default):<10}", "dim"
    yield _counts_as(hint, effect)


def _claim(hint: Hint) -> Piece:
    if hint.claim is Claim.MALFORMED:
        shown = hint.malformed_as
        return shown if shown.startswith('"') else f"'{shown}'", "malformed"
    return hint.claim.value, "dim" if hint.claim is Claim.UNSAID else ""


def _counts_as(hint: Hint, effect: Effect) -> Piece:
    """What the hint comes to, where the claim is one word and the default another."""
    if effect is Effect.CONTRADICTORY and hint.name == "destructive":
        return "true, by the worse", ""
    if not hint.meaningful:
        return "nothing: read-only", "dim"
    if hint.is_default:
        return f"{_word(hint.effective)} (default)", "dim"
    return _word(hint.effective), ""


def _word(value: bool) -> str:
    return "true" if value else "false"
