"""What a call was seen to do: the server's process is watched, and its lists are compared."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ..analysis.evidence.claims import of_lost
from ..content.text import count

if TYPE_CHECKING:
    from .surroundings import Surroundings
    from .telling import Telling

LISTS: Final = (("tools", "name"), ("resources", "uri"), ("prompts", "name"))
"""What is listed before and after: the capability, which is also the key of the list, and the
property by which two entries are the same."""
LIST_SECONDS: Final = 5.0

Lists = Mapping[str, frozenset[str]]


@contextlib.asynccontextmanager
async def watched(around: Surroundings, telling: Telling) -> AsyncIterator[None]:
    """Watch what the server does meanwhile, where it is watched at all; the call is told of it."""
    watch = around.link.watch
    if watch is None or watch.is_resting:
        yield
        return
    before = await _lists(around)
    watching = await watch.begin()
    try:
        yield
    finally:
        seen = await watch.end(watching)
        if around.server.is_open:
            seen = replace(seen, lists=_differences(before, await _lists(around)))
        else:
            seen = of_lost(seen)
        telling.change(evidence=seen)


async def _lists(around: Surroundings) -> Lists:
    """The first page of each list that the server has."""
    found = {}
    for key, name in LISTS:
        if key in around.server.capabilities:
            answer = await around.link.ask(f"{key}/list", {}, LIST_SECONDS)
            entries = answer.get(key) if isinstance(answer, dict) else None
            if isinstance(entries, list):
                found[key] = frozenset(
                    str(entry.get(name)) for entry in entries if isinstance(entry, dict)
                )
    return found


def _differences(before: Lists, after: Lists) -> tuple[str, ...]:
    """In words of our own, without a name of the server's."""
    told = []
    for key in before:
        if key in after:
            more, less = after[key] - before[key], before[key] - after[key]
            told += [f"{count(len(more), key[:-1])} more listed"] if more else []
            told += [f"{count(len(less), key[:-1])} no longer listed"] if less else []
    return tuple(told)
