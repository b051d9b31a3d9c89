"""Every place at which two JSON values differ, as exactly as their canonical texts do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from ...content.json.jsonio import JsonValue, Path
from ...schemas.form.subschemas import MISSING, Missing
from ..definitions.change_values import Weight

Maybe: TypeAlias = JsonValue | Missing

DEEPEST: Final = 120
"""Steps from the root up to which schemas are read; deeper changes count as not understood."""


@dataclass(frozen=True, slots=True)
class Found:
    """A judged difference. MISSING stands for what does not exist."""

    code: str
    weight: Weight
    words: str
    steps: Path
    old: Maybe
    new: Maybe


def differences(old: Maybe, new: Maybe, steps: Path = ()) -> list[tuple[Path, Maybe, Maybe]]:
    """The smallest places that differ, in the order of `old`.

    Lists of different lengths are one place. 1, 1.0 and true are three values, as in the canonical
    text; the order of names means nothing.
    """
    found: list[tuple[Path, Maybe, Maybe]] = []
    stack: list[tuple[Path, Maybe, Maybe]] = [(steps, old, new)]
    while stack:
        place = stack.pop()
        at, left, right = place
        if isinstance(left, dict) and isinstance(right, dict):
            inner: list[tuple[Path, Maybe, Maybe]] = [
                ((*at, name), item, right.get(name, MISSING)) for name, item in left.items()
            ]
            inner += [
                ((*at, name), MISSING, item) for name, item in right.items() if name not in left
            ]
            stack.extend(reversed(inner))
        elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            pairs = enumerate(zip(left, right, strict=True))
            stack.extend(reversed([((*at, index), *pair) for index, pair in pairs]))
        elif not same_scalar(left, right):
            found.append(place)
    return found


def unchanged(old: Maybe, new: Maybe) -> bool:
    if isinstance(old, dict | list) and isinstance(new, dict | list):
        return not differences(old, new)
    return same_scalar(old, new)


def same_scalar(old: Maybe, new: Maybe) -> bool:
    """Whether two values are the same scalar; False for objects and lists."""
    if type(old) is not type(new) or isinstance(old, dict | list):
        return False
    if isinstance(old, float):
        return repr(old) == repr(new)
    return old == new
