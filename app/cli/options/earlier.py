"""Earlier names and forms of options: accepted for one release, each with a note on stderr.

The words are rewritten before they are parsed, so that no help has them. An earlier name is
declared with its option.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .parser import DEMO, Parser

BARE: Final = frozenset(("--junit", "--sarif"))
"""Options that took no file in the commands of `WITH_BARE`."""
WITH_BARE: Final = frozenset(("lint", "decide"))


def current_words(words: Sequence[str], parser: Parser) -> tuple[list[str], list[str]]:
    """The words in the form of this release, and a note on each that was in an earlier form."""
    notes: list[str] = []
    meant = parser.meant(words)
    given = [_renamed(word, meant, notes) for word in words]
    if given[:1] and given[0] in WITH_BARE:
        given = _with_files(given, notes)
    return given, list(dict.fromkeys(notes))


def _renamed(word: str, meant: Parser, notes: list[str]) -> str:
    name, equals, value = word.partition("=")
    if name not in meant.earlier:
        return word
    option = meant.earlier[name]
    notes.append(
        f"{name} of {meant.prog} has another name: {option} (the next release takes only that)"
    )
    return f"{option}{equals}{value}"


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
