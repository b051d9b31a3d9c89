"""Earlier names and forms of options: accepted for one release, each with a note on stderr.

The words are rewritten before they are parsed, so that no parser and no help has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .parser import DEMO

RENAMED: Final[Mapping[tuple[str, ...], Mapping[str, str]]] = {
    ("matrix",): {"--columns": "--hosts"},
    ("compat",): {"--check": "--run-clients"},
    ("lint",): {"--for": "--review"},
    ("consent",): {"--limit": "--call-limit"},
    ("measure",): {"--limit": "--run-limit"},
    ("agent",): {
        "--host": "--agent",
        "--answer": "--reply",
        "--limit": "--turn-limit",
        "--mode": "--agent-mode",
    },
    ("probe-server",): {"--host": "--host-version"},
    ("audit", "verify"): {"--from": "--from-record"},
}
"""Command -> earlier name -> name."""
BARE: Final = frozenset(("--junit", "--sarif"))
"""Options that took no file in the commands of `WITH_BARE`."""
WITH_BARE: Final = frozenset(("lint", "decide"))


def current_words(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words in the form of this release, and a note on each that was in an earlier form."""
    given, notes = list(words), list[str]()
    command = _command(words)
    if command:
        given = [_renamed(word, RENAMED[command], command, notes) for word in given]
    if given[:1] and given[0] in WITH_BARE:
        given = _with_files(given, notes)
    return given, list(dict.fromkeys(notes))


def earlier_names(words: Sequence[str]) -> Mapping[str, str]:
    """The options of the command that the words begin with, by their earlier names."""
    return RENAMED.get(_command(words), {})


def _command(words: Sequence[str]) -> tuple[str, ...]:
    """The command with renamed options that the words begin with; empty for another one."""
    return next((one for one in RENAMED if tuple(words[: len(one)]) == one), ())


def _renamed(
    word: str, names: Mapping[str, str], command: tuple[str, ...], notes: list[str]
) -> str:
    name, equals, value = word.partition("=")
    if name not in names:
        return word
    notes.append(
        f"{name} of signoff {' '.join(command)} has another name: {names[name]} (the next release "
        "takes only that)"
    )
    return f"{names[name]}{equals}{value}"


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
