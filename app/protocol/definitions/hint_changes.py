"""What it means when a hint is claimed differently.

A hint is weakened where it claims less harm than before under the defaults of the specification
(2025-11-25, schema `ToolAnnotations`), and worsened where it claims more and that counts: what was
promised before does not hold any more. A malformed claim counts as not said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...content.json.jsonio import JsonValue
from ...schemas.form.subschemas import MISSING
from ..answers.differences import Found, Maybe, unchanged
from ..hints import HINT_KEYS, Claim, Effect, Hint, Hints, read_hints
from .change_values import Weight

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
    worse = _what_is_worse(before, after)
    judged = [_judge(was, now, was.name in worse) for was, now, _, _ in differing]
    at = next((i for i, one in enumerate(differing) if one[0].name != "openWorld"), 0)
    words = f"as a whole it was {before.effect.value}, and counts as {after.effect.value} now"
    if _claims_less(before, after) and all(weight < Weight.WEAKENED for weight, _, _ in judged):
        judged[at] = Weight.WEAKENED, "hint-weakened", f"{judged[at][2]}; {words}"
    elif _harm(after.effect) > _harm(before.effect):
        at = next((i for i, one in enumerate(judged) if one[1] == "hint-worsened"), at)
        judged[at] = Weight.WORSENED, "hint-worsened", f"{judged[at][2]}; {words}"
    for (was, now, left, right), (weight, code, said) in zip(differing, judged, strict=True):
        steps = ("annotations", f"{was.name}Hint")
        yield Found(code, weight, f"{now.name}: {said}", steps, left, right)


def _values(key: str, old: JsonValue, new: JsonValue) -> tuple[Maybe, Maybe]:
    return (
        old.get(key, MISSING) if isinstance(old, dict) else MISSING,
        new.get(key, MISSING) if isinstance(new, dict) else MISSING,
    )


def _judge(was: Hint, now: Hint, is_worse: bool) -> tuple[Weight, str, str]:
    """`is_worse`: claiming more harm by this hint makes the tool more harmful as a whole."""
    moved = f"{_claim_words(was)}, is now {_claim_words(now)}"
    if was.effective != now.effective:
        if now.effective == _MILDER[now.name]:
            return Weight.WEAKENED, "hint-weakened", f"was {moved}; it claims less harm"
        if is_worse:
            return Weight.WORSENED, "hint-worsened", f"was {moved}; it claims more harm"
        words = f"was {moved}; it claims more harm, which counts for nothing here"
        return Weight.SAFE, "hint-strengthened", words
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


def _what_is_worse(before: Hints, after: Hints) -> frozenset[str]:
    """The names of the hints by which a tool may have got more harmful, where it has."""
    worse: set[str] = set()
    if _harm(after.effect) > _harm(before.effect):
        worse |= {"readOnly", "destructive"}
    if before.is_repeatable and not after.is_repeatable:
        worse |= {"readOnly", "destructive", "idempotent"}
    if after.is_open_world and not before.is_open_world:
        worse.add("openWorld")
    return frozenset(worse)


def _harm(effect: Effect) -> int:
    return 2 if effect.may_destroy else 0 if effect is Effect.READ_ONLY else 1
