"""Earlier forms of options: accepted for one release, each with a note on the form to write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .server import DEMO

BARE: Final = frozenset(("--junit", "--sarif"))
"""Options that took no file in the commands of `WITH_BARE`."""
WITH_BARE: Final = frozenset(("lint", "decide"))


def current_words(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words in the form of this release, and a note on each that was in an earlier form."""
    given, notes = list(words), list[str]()
    if given[:1] and given[0] in WITH_BARE:
        given = _with_files(given, notes)
    return given, notes


def _with_files(words: list[str], notes: list[str]) -> list[str]:
    """Put `-` behind an option for a report without a file."""
    found: list[str] = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        found.append(word)
        if word in BARE and _is_no_file(following):
            found.append("-")
            notes.append(
                f"{word} without a file prints on stdout; write {word} - for that, or {word} FILE "
                "(the next release needs one of them)"
            )
    return found


def _is_no_file(word: str) -> bool:
    return word in ("", DEMO) or (word.startswith("-") and word != "-")
