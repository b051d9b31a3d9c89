"""Holds a question against its call: a yes to something else does not approve the call.

A person knows what a question is about by the name of the tool, or by the arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from ....content.json.jsonio import JsonValue
from ..probes.probe import Probe
from ..scripted.model import ScriptedAttempt

NO_TOOL: Final = "the question named neither the tool nor its arguments"
OTHER_ARGUMENTS: Final = "the question showed other arguments than the call has"
_BETWEEN: Final = re.compile(r"[\W_]+")
_NEW_NUMBER: Final = re.compile(r"\s[\W_]*(?=\d)")
"""A number that begins a word is not the end of the word before: `word-01`, then `1. Allow`."""
_TELLING: Final = 6
"""Characters from which on an argument is not found in a text by chance."""
_CUT: Final = 4
"""Characters of a cut argument that are enough to know it by."""
_JSON_MAX: Final = 100_000


def plain(text: str) -> str:
    """The letters and digits of a text: hosts write names with other marks, and break lines."""
    parts = (_BETWEEN.sub("", one) for one in _NEW_NUMBER.split(text))
    return " ".join(parts).strip().casefold()


def other_words(
    text: str,
    attempt: ScriptedAttempt,
    probes: Mapping[str, Probe],
    value: JsonValue = None,
    around: str = "",
) -> str:
    """Why a question is about something else than a call; empty if it is about the call.

    Args:
        text: all that the question shows.
        value: the question as JSON, if it came so.
        around: the rest of a screen: it counts unless the question itself names another tool.
    """
    seen, planned = plain(text), attempt.planned
    others = [
        one.name for one in probes.values() if one.name != planned.tool and _is_in(one.name, seen)
    ]
    is_named = _is_named(seen, attempt, probes.get(planned.key))
    if not is_named and not others:
        is_named = _is_named(plain(around), attempt, probes.get(planned.key))
    if not is_named and others:
        return f"the question named another tool: {others[0]}"
    note = str(planned.arguments.get("note", ""))
    shows_note = len(note) >= _TELLING and _is_in(note, seen)
    if not is_named and not shows_note:
        return NO_TOOL
    if _has_others(value, planned.arguments) or (not shows_note and _shows_another(seen, probes)):
        return OTHER_ARGUMENTS
    return ""


def are_same(planned: Mapping[str, JsonValue], came: JsonValue) -> bool:
    """True if a call came with the arguments that the model gave it; hosts may add some."""
    return isinstance(came, dict) and all(
        key in came and _is_like(came[key], value) for key, value in planned.items()
    )


def _is_in(words: str, seen: str) -> bool:
    """True if a plain text has these words; a number in them is not the beginning of another."""
    return re.search(rf"{re.escape(plain(words))}(?!\d)", seen) is not None


def _is_named(seen: str, attempt: ScriptedAttempt, probe: Probe | None) -> bool:
    names = [attempt.planned.tool, attempt.name]
    if probe is not None:
        annotations = probe.tool.get("annotations")
        hints = annotations if isinstance(annotations, dict) else {}
        names += [one for one in (probe.tool.get("title"), hints.get("title")) if one]
    return any(_is_in(str(one), seen) for one in names)


def _shows_another(seen: str, probes: Mapping[str, Probe]) -> bool:
    """True if the arguments of some probe are shown; those of the call itself are not."""
    notes = (str(one.arguments.get("note", "")) for one in probes.values())
    return any(len(note) >= _TELLING and _is_in(note, seen) for note in notes)


def _has_others(value: JsonValue, planned: Mapping[str, JsonValue]) -> bool:
    """True if an argument of the call is in the question, and only with other values."""
    for key, wanted in planned.items():
        found = [one for one in _values(value, key) if isinstance(one, str)]
        if found and not any(_is_like(one, wanted) for one in found):
            return True
    return False


def _values(value: JsonValue, key: str) -> Iterator[JsonValue]:
    """Every value of a member, however deep, also in a text that is JSON."""
    match value:
        case dict():
            for name, one in value.items():
                if name == key:
                    yield one
                yield from _values(one, key)
        case list():
            for one in value:
                yield from _values(one, key)
        case str() if value.lstrip().startswith("{") and len(value) <= _JSON_MAX:
            try:
                parsed = json.loads(value)
            except (ValueError, RecursionError):
                return
            yield from _values(parsed, key)


def _is_like(shown: JsonValue, wanted: JsonValue) -> bool:
    """True for the same value, or a text that was cut, or has more around it."""
    if not isinstance(shown, str) or not isinstance(wanted, str):
        return shown == wanted
    first, second = plain(shown), plain(wanted)
    is_cut = len(first) >= _CUT and second.startswith(first)
    return first == second or is_cut or (bool(second) and second in first)
