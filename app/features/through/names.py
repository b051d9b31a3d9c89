"""Pairs each tool of a server with itself behind a gateway, and describes what became of its name.

Gateways put the name of a server before or after that of a tool, cut long names, replace their end
by a hash, write them in other signs, or make up new ones. What a name does not show, the definition
does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from ...content.json.jsonio import JsonError
from ...content.text import shortened, visible
from ...protocol.definitions.lists import renamed_places
from ...protocol.tool import ToolDefinition

_SHOWN: Final = 60
_BETWEEN: Final = r"[_./:|@~#-]+"
"""Signs between the name of a server and that of its tool in the name that a gateway makes."""
_HASHED: Final = re.compile(r"[_.~#-]?[0-9A-Za-z]{4,16}")
_CUT_FROM: Final = 8
"""Characters of a name that have to be left for it to be known as cut."""

_READ: Final = 500
"""Characters of a name, of which longer ones are not examined."""


def pair_tools(
    direct: Sequence[ToolDefinition], gateway: Sequence[ToolDefinition]
) -> tuple[list[tuple[ToolDefinition, ToolDefinition | None]], list[ToolDefinition]]:
    """Each tool with itself behind the gateway, or None; then the tools that only the gateway has.

    A gateway may put the name of a server before that of a tool, or after it; the other tools are
    known by their definitions.
    """
    free = list(gateway)
    pairs: dict[int, ToolDefinition | None] = {}
    for by in (_has_same_name, has_longer_name):
        for at, own in enumerate(direct):
            if pairs.get(at) is None:
                pairs[at] = next((one for one in free if by(own.name, one.name)), None)
                free = [one for one in free if one is not pairs[at]]
    places = [at for at, other in pairs.items() if other is None]
    found = _by_definition([direct[at] for at in places], free)
    pairs |= {places[at]: other for at, other in found.items()}
    taken = {id(one) for one in found.values()}
    rest = [one for one in free if id(one) not in taken]
    return [(own, pairs[at]) for at, own in enumerate(direct)], rest


def _by_definition(
    missing: Sequence[ToolDefinition], free: Sequence[ToolDefinition]
) -> dict[int, ToolDefinition]:
    try:
        found = list(renamed_places([one.raw for one in missing], [one.raw for one in free]))
    except JsonError:
        return {}
    return {at: free[to] for at, to, _ in found}


def _has_same_name(own: str, other: str) -> bool:
    return own == other


def has_longer_name(own: str, other: str) -> bool:
    """True if a name is the own one with that of a server before or after it."""
    if not own or own not in other:
        return False
    name = re.escape(own)
    return bool(re.fullmatch(rf".+{_BETWEEN}{name}|{name}{_BETWEEN}.+", other, re.DOTALL))


def renaming_words(own: str, other: str) -> str:
    """Describe what a gateway made of a name, with NAME for the own one; safe to show."""
    if own and own in other:
        before, _, after = other.partition(own)
        return f"now {_shown(before)}NAME{_shown(after)}"
    if max(len(own), len(other)) > _READ:
        return f"renamed: now “{_shown(other)}”"
    if len(other) >= _CUT_FROM and own.startswith(other):
        return f"cut to {len(other)} characters"
    same = takewhile(lambda pair: pair[0] == pair[1], zip(own, other, strict=False))
    common = sum(1 for _ in same)
    end = other[common:]
    if common >= max(_CUT_FROM, len(other) / 2) and _is_hash(end):
        return f"cut to {common} characters, with “{_shown(end)}” in place of the rest"
    kept = next((at for at in range(len(own), _CUT_FROM, -1) if other.endswith(own[:at])), 0)
    if kept:
        return f"now {_shown(other[:-kept])}NAME, cut to {len(other)} characters"
    if (prefix := _before(own, other)) is not None:
        return f"now {_shown(prefix)}NAME in other signs or letters"
    return f"renamed: now “{_shown(other)}”"


def _is_hash(end: str) -> bool:
    """True for the end of a name that a digest may have: with a digit."""
    return bool(_HASHED.fullmatch(end)) and any(char.isdecimal() for char in end)


def _before(own: str, other: str) -> str | None:
    """Return the text before a name that is written in other signs; None for another name."""
    letters = _letters(own)
    if not letters or not _letters(other).endswith(letters):
        return None
    return next(
        other[:at] for at in range(len(other), -1, -1) if _letters(other[at:]).endswith(letters)
    )


def _letters(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def _shown(text: str) -> str:
    return shortened(visible(text), _SHOWN)
