"""Secrets, masked before anything is written down: by the name of a key, and by their look.

A mask says that something was masked and how long it was, and nothing of what it was. The rules
lean towards masking too much under a telling name, and too little elsewhere: digests, UUIDs and
paths stay, since a log in which they are masked proves nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ...content.json.jsonio import JsonValue
from .secret_assignments import NUMBERS, PLACEHOLDER, assigned_secrets
from .secret_looks import without_looks
from .secret_names import counts_something, is_secret_name, words_of

DEPTH_MAX = 200
FOUND_MAX = 1_000
_DISTINCT = 4
"""Characters from which on a secret is looked for inside of words, too."""

_NAMED = ("name", "key", "header", "field", "variable")

Place: TypeAlias = tuple[str | int, ...]


@dataclass(slots=True)
class Masked:
    """A value without its secrets; `found` are the secrets themselves, for `conceal`."""

    value: JsonValue
    count: int = 0
    found: set[str] = field(default_factory=set, repr=False)
    places: list[Place] = field(default_factory=list)
    """Where the secrets were; of one in the name of a member, where the object is."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Places of a value that are known to be secret, whatever stands there."""

    is_secret: bool = False
    below: Mapping[str | int, Marks] = field(default_factory=dict)

    def at(self, step: str | int) -> Marks | None:
        return self.below.get(step)


def mask_value(value: JsonValue, marks: Marks | None = None) -> Masked:
    """A copy without what looks like a secret; `marks` are places that are secret besides."""
    masked = Masked(None)
    masked.value = _value(value, masked, (), marks)
    return masked


def mask_text(text: str) -> str:
    """Free text without what looks like a secret."""
    return mask_string(text, Masked(None))


def mask_string(text: str, masked: Masked) -> str:
    """`mask_text`; what was found is added to `masked`."""
    return without_looks(_assigned(text, masked), lambda secret: taken(secret, masked))


def conceal(text: str, found: set[str]) -> str:
    """A text about a masked value, such as a message of a validator, without its secrets.

    A message may have cut a long secret short, so its beginning is looked for too.
    """
    for secret in sorted(found, key=len, reverse=True):
        if len(secret) < _DISTINCT:
            alone = rf"(?<!\w){re.escape(secret)}(?!\w)"
            text = re.sub(alone, note(len(secret)), text)
            continue
        at = 0
        while (at := text.find(secret[:_DISTINCT], at)) >= 0:
            end = at + _DISTINCT
            while end - at < len(secret) and text[end : end + 1] == secret[end - at]:
                end += 1
            is_it = end - at == len(secret) or text.startswith(("…", "..."), end)
            shown = note(end - at) if is_it else text[at:end]
            text = text[:at] + shown + text[end:]
            at += len(shown)
    return text


def _value(value: JsonValue, masked: Masked, at: Place, marks: Marks | None) -> JsonValue:
    """`value` at the place `at` without its secrets; what was found is added to `masked`."""
    before = masked.count
    if marks is not None and marks.is_secret:
        shown = _whole(value, masked)
    elif isinstance(value, str):
        shown = mask_string(value, masked)
    elif not isinstance(value, (dict, list)):
        return value
    elif len(at) >= DEPTH_MAX:
        shown = _whole(value, masked)
    elif isinstance(value, list):
        return _items(value, masked, at, marks)
    else:
        return _members(value, masked, at, marks)
    if masked.count > before:
        masked.places.append(at)
    return shown


def _members(
    value: dict[str, JsonValue], masked: Masked, at: Place, marks: Marks | None
) -> dict[str, JsonValue]:
    names = [value.get(name) for name in _NAMED]
    names_a_secret = any(isinstance(name, str) and is_secret_name(name) for name in names)
    shown: dict[str, JsonValue] = {}
    for name, item in value.items():
        before = masked.count
        key, number = mask_string(name, masked), 2
        if masked.count > before:
            masked.places.append(at)
        while key in shown:
            key, number = f"{mask_string(name, masked)} ({number})", number + 1
        is_secret = _is_secret(name, item) or (names_a_secret and name in ("value", "values"))
        inner = _SECRET if is_secret else marks.at(name) if marks is not None else None
        shown[key] = _value(item, masked, (*at, name), inner)
    return shown


def _items(
    items: list[JsonValue], masked: Masked, at: Place, marks: Marks | None
) -> list[JsonValue]:
    """A list; what follows an option such as `--token` in it is that option's value."""
    shown: list[JsonValue] = []
    before = ""
    for number, item in enumerate(items):
        is_secret = isinstance(item, str) and is_value_of(before, item)
        inner = _SECRET if is_secret else marks.at(number) if marks is not None else None
        shown.append(_value(item, masked, (*at, number), inner))
        before = item if isinstance(item, str) else ""
    return shown


_SECRET = Marks(is_secret=True)


def is_value_of(option: str, word: str) -> bool:
    """Whether a word after an option such as `--token` is its secret."""
    if not option.startswith("-") or "=" in option or word.startswith("--"):
        return False
    return tells_of(option, word)


def tells_of(name: str, text: str) -> bool:
    """Whether a name says of this text that it is a secret, and not a number that counts."""
    counts = counts_something(words_of(name)) and NUMBERS.fullmatch(text) is not None
    return is_secret_name(name) and not counts


def _is_secret(name: str, value: JsonValue) -> bool:
    if value is None or isinstance(value, bool):
        return False
    words = words_of(name)
    if words and words[-1] in ("pin", "code") and ("pin" in words):
        return str(value).isdigit()
    if not is_secret_name(name):
        return False
    return not (isinstance(value, (int, float)) and counts_something(words))


def _whole(value: JsonValue, masked: Masked) -> JsonValue:
    """Everything of a value masked at once."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return taken(value, masked)
    stack: list[JsonValue] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack += item.values()
        elif isinstance(item, list):
            stack += item
        elif item is not None and not isinstance(item, bool):
            _remember(str(item), masked)
    return taken(json.dumps(value, default=str), masked, remember=False)


def taken(secret: str, masked: Masked, *, remember: bool = True) -> str:
    """What stands for a secret; `masked` counts it."""
    if PLACEHOLDER.match(secret):
        return secret
    masked.count += 1
    if remember:
        _remember(secret, masked)
    return note(len(secret))


def _remember(secret: str, masked: Masked) -> None:
    if secret and len(masked.found) < FOUND_MAX:
        masked.found.add(secret)


def note(length: int) -> str:
    """What stands for a secret of so many characters."""
    return f"[masked: {length:,} character{'' if length == 1 else 's'}]"


def _assigned(text: str, masked: Masked) -> str:
    """Mask the values of `name=value`, `name: value`, `"name": "value"` and `--name value`."""
    done = 0
    pieces: list[str] = []
    for begin, end in assigned_secrets(text):
        pieces += [text[done:begin], taken(text[begin:end], masked)]
        done = end
    return "".join([*pieces, text[done:]]) if pieces else text
