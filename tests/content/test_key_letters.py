"""One letter is one verb, on every screen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from signoff.app.content.key_tables import key_sections

SAME_IDEA: Mapping[str, frozenset[str]] = {
    "0": frozenset({"Fit", "Reset"}),
    "1": frozenset({"What if", "100 %"}),
    "2": frozenset({"What if", "What if destructive"}),
    "3": frozenset({"What if", "What if idempotent"}),
    "4": frozenset({"What if", "What if openWorld"}),
    "N": frozenset({"Previous", "Previous hit"}),
    "S": frozenset({"Servers", "Save all"}),
    "X": frozenset({"Clear all", "Revoke all"}),
    "Y": frozenset({"Copy command", "Copy path"}),
    "c": frozenset({"Calls", "Call"}),
    "d": frozenset({"Differing", "Disagreeing"}),
    "e": frozenset({"Edit", "Fill in"}),
    "q": frozenset({"Close", "Leave it", "Back", "Deny or cancel"}),
    "v": frozenset(
        {"Next view", "View", "Raw", "All hints, whole description", "Whole description"}
    ),
    "y": frozenset({"Copy", "Copy value"}),
}
"""Words of one idea: a second view, the whole, the way back, all of them."""

APART: Mapping[str, frozenset[str]] = {
    "H": frozenset({"Report", "HTML"}),
    "L": frozenset({"Roots", "Log level"}),
    "a": frozenset({"It is my change", "Send again", "Answer", "Approve"}),
    "m": frozenset({"Plain", "Compare"}),
    "n": frozenset({"Notes", "Next", "Next hit", "Name", "New message"}),
    "o": frozenset({"Read-only", "Open the link", "Logger", "Mode"}),
    "p": frozenset({"Play", "Ping"}),
    "r": frozenset({"Refresh", "Revoke"}),
    "s": frozenset({"Save", "Subscribe"}),
    "v": frozenset({"Verify", "Why"}),
    "x": frozenset({"Open outside", "Cancel call", "Cancel", "Tick"}),
}
"""Letters that mean something else on a screen of its own, which shows its keys."""


def _verbs() -> dict[str, set[str]]:
    """The labels of each letter and digit, without those that only move, or close their screen."""
    found: dict[str, set[str]] = defaultdict(set)
    for section, rows in key_sections().items():
        place = section.partition(":")[0]
        for row in rows:
            letters = [key for key in row.keys.split(",") if len(key) == 1]
            for letter in letters:
                is_move = letter in "gGhjkl" or place == "tour"
                # Upper-case letters that open a screen also close it.
                if not is_move and not (letter.isupper() and row.label == "Close"):
                    found[letter].add(row.label)
    return found


def test_a_letter_has_one_verb() -> None:
    many = {
        letter: words - SAME_IDEA.get(letter, frozenset()) - APART.get(letter, frozenset())
        for letter, words in _verbs().items()
        if len(words) > 1
    }
    assert {letter: words for letter, words in many.items() if words} == {}


def test_the_exceptions_are_of_use() -> None:
    verbs = _verbs()
    for table in (SAME_IDEA, APART):
        for letter, words in table.items():
            assert words <= verbs[letter], letter


def test_next_error_is_not_the_letter_of_edit() -> None:
    verbs = _verbs()
    assert "Next error" not in verbs["e"]
    assert verbs["f"] == {"Next error"}
    assert verbs["i"] == {"In the list"}
    assert "In the list" not in verbs["c"]
