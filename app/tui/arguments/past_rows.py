"""One row of earlier arguments: in full, what is to be said of it, whether a filter finds it."""

from __future__ import annotations

import json

from ....widgets.forms.argument_list import Row, brief
from ...calls.argument_history import KeptArguments, places_words, secrets_words
from ...content.json.jsonio import JsonValue, pretty_spans
from ...content.text import Span, size

PREVIEW_MAX = 200_000
"""Characters of JSON that are laid out beside the list."""


def fits(row: Row, words: list[str]) -> bool:
    """Whether all words of the filter are somewhere in a row."""
    facts = [brief(row)]
    if isinstance(row, KeptArguments):
        facts += [row.name, row.outcome_words, *row.marks, row.document.text or ""]
    else:
        facts.append(row.words)
    text = " ".join(facts).casefold()
    return all(word in text for word in words)


def lines_of(value: dict[str, JsonValue] | None) -> list[list[Span]]:
    """Its arguments in full, or why they are not shown."""
    if value is None:
        return [[Span("too large to be kept: only a digest is there", False)]]
    length = len(json.dumps(value))
    if length > PREVIEW_MAX:
        return [[Span(f"{length:,} characters, too many to be shown here", False)]]
    return pretty_spans(value)


def kept_words(row: Row | None, problem: str) -> str:
    """What of a row was not kept, and whether it lasts; `problem`: why nothing is kept on disk."""
    words = []
    if isinstance(row, KeptArguments) and row.document.not_kept:
        places = row.document.not_kept
        words.append(f"{secrets_words(len(places))}: {places_words(places)}")
    elif isinstance(row, KeptArguments) and row.document.text is None:
        words.append(f"{size(row.document.size)}, sha256 {row.document.digest}")
    if problem:
        words.append(f"Kept for this session only: {problem}")
    elif isinstance(row, KeptArguments) and not row.is_on_disk:
        words.append("Kept for this session only")
    return ". ".join(words)
