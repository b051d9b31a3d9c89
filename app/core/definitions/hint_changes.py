"""What it means when a hint is claimed differently.

A hint is weakened where it claims less harm than before under the defaults of the specification
(2025-11-25, schema `ToolAnnotations`); a malformed claim counts as not said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.core.answers.differences import Found, Maybe, unchanged
from app.core.definitions.change_values import Weight
from app.core.forms.subschemas import MISSING
from app.core.hints import HINT_KEYS, Claim, Effect, Hint, Hints, read_hints
from app.core.jsonio import JsonValue

_MILDER: Final = {"readOnly": True, "destructive": False, "idempotent": True, "openWorld": False}
"""The value of each hint that claims less harm."""


def hint_changes(old: JsonValue, new: JsonValue) -> Iterator[Found]:
    """The four hints of the raw `annotations`; anything but an object says nothing."""
    before, after = read_hints(old), read_hints(new)
    found = [
        (was, now, *_values(key, old, new))
        for key, was, now in zip(HINT_KEYS, before, after, strict=True)
    ]
    differing = [one for one in found if not unchanged(one[2], one[3])]
    judged = [_judge(was, now) for was, now, _, _ in differing]
    if _claims_less(before, after) and all(weight < Weight.WEAKENED for weight, _, _ in judged):
        words = f"as a whole it was {before.effect.value}, and counts as {after.effect.value} now"
        at = next((i for i, one in enumerate(differing) if one[0].name != "openWorld"), 0)
        _, _, own = judged[at]
        judged[at] = Weight.WEAKENED, "hint-weakened", f"{own}; {words}"
    for (was, now, left, right), (weight, code, words) in zip(differing, judged, strict=True):
        steps = ("annotations", f"{was.name}Hint")
        yield Found(code, weight, f"{now.name}: {words}", steps, left, right)


def _values(key: str, old: JsonValue, new: JsonValue) -> tuple[Maybe, Maybe]:
    return (
        old.get(key, MISSING) if isinstance(old, dict) else MISSING,
        new.get(key, MISSING) if isinstance(new, dict) else MISSING,
    )


def _judge(was: Hint, now: Hint) -> tuple[Weight, str, str]:
    moved = f"{_claim_words(was)}, is now {_claim_words(now)}"
    if was.effective != now.effective:
        if now.effective == _MILDER[now.name]:
            return Weight.WEAKENED, "hint-weakened", f"was {moved}; it claims less harm"
        return Weight.SAFE, "hint-strengthened", f"was {moved}; it claims more harm"
    if now.claim is Claim.MALFORMED:
        return Weight.REWORDED, "hint-malformed", f"was {moved}, which says nothing"
    if was.claim is Claim.MALFORMED:
        return Weight.SAFE, "hint-restated", f"was {moved}; it means the same"
    said = "said now" if was.claim is Claim.UNSAID else "no longer said"
    return Weight.SAFE, "hint-restated", f"{said}, same meaning: {str(now.effective).lower()}"


def _claim_words(hint: Hint) -> str:
    match hint.claim:
        case Claim.UNSAID:
            return f"not said ({str(hint.default).lower()} by default)"
        case Claim.MALFORMED:
            return f"malformed ({hint.malformed_as})"
        case _:
            return hint.claim.value


def _claims_less(before: Hints, after: Hints) -> bool:
    """Whether the hints add up to less harm, even where none of them says so by itself."""
    return (
        _harm(after.effect) < _harm(before.effect)
        or (after.is_repeatable and not before.is_repeatable)
        or (before.is_open_world and not after.is_open_world)
    )


def _harm(effect: Effect) -> int:
    return 2 if effect.may_destroy else 0 if effect is Effect.READ_ONLY else 1
