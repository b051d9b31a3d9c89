"""Compares two definitions of a tool, and weighs each change.

A hint is weakened if it declares less harm than before under the defaults of the specification
(2025-11-25, schema `ToolAnnotations`), and worsened if it claims more and that counts: the earlier
promise no longer holds. A malformed claim counts as not set.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from ...content.json.jsonio import JsonValue, canonical, digest, pointer
from ...schemas.form.merging import MISSING
from ..answers.values import Maybe, ValueDifference, differences, unchanged
from ..hints import HINT_KEYS, Claim, Effect, Hint, Hints, read_hints
from .change_values import Change, DefinitionDiff, ListDiff, Renamed, Weight
from .schema_changes import schema_changes

__all__ = ["Change", "DefinitionDiff", "ListDiff", "Renamed", "Weight", "compare_definitions"]

MAX_CHANGES: Final = 500
"""Listed changes of one definition; the rest is counted."""

_CODES: Final = {
    "title": ("title", "the title"),
    "description": ("description", "the description"),
    "icons": ("icons", "the icons"),
    "_meta": ("meta", "_meta"),
    "execution": ("execution", "`execution`"),
}


def compare_definitions(old: JsonValue, new: JsonValue) -> DefinitionDiff:
    """List every difference between two raw entries of `tools/list`.

    There are changes exactly if the digests differ. Raises JsonError for an entry without digest.
    """
    old_digest, new_digest = digest(old), digest(new)
    name = tool_name(new) or tool_name(old)
    if old_digest == new_digest:
        return DefinitionDiff(name, old_digest, new_digest, ())
    old, new = _joined(old), _joined(new)
    found = list(_definition(old, new))
    if not found:
        found = [_not_understood("only the form differs", old, new)]
    # A changed default first among its like: it is sent without anyone having typed it.
    found.sort(key=lambda one: (-one.weight, one.code != "default-changed"))
    changes = tuple(_change(one) for one in found[:MAX_CHANGES])
    return DefinitionDiff(name, old_digest, new_digest, changes, len(found) - len(changes))


def _definition(old: JsonValue, new: JsonValue) -> Iterator[ValueDifference]:
    if not isinstance(old, dict) or not isinstance(new, dict):
        now = "an object" if isinstance(new, dict) else "not an object"
        yield _not_understood(f"the entry is {now} now", old, new)
        return
    for key in dict.fromkeys((*old, *new)):
        left, right = old.get(key, MISSING), new.get(key, MISSING)
        match key:
            case "name":
                if not unchanged(left, right):
                    words = f"the name {_verb(left, right)}"
                    yield ValueDifference("name", Weight.BREAKING, words, ("name",), left, right)
            case "annotations":
                yield from _annotations(left, right)
            case "inputSchema":
                yield from schema_changes(left, right, ("inputSchema",))
            case "outputSchema":
                yield from _output(left, right)
            case _:
                yield from _reworded(key, left, right)


def _output(old: Maybe, new: Maybe) -> Iterator[ValueDifference]:
    for steps, was, now in differences(old, new, ("outputSchema",)):
        whole = "the output schema" if len(steps) == 1 else "part of the output schema"
        words = f"{whole} {_verb(was, now)}"
        yield ValueDifference("output-schema", Weight.OUTPUT, words, steps, was, now)


def _annotations(old: Maybe, new: Maybe) -> Iterator[ValueDifference]:
    left = old if isinstance(old, dict) else {}
    right = new if isinstance(new, dict) else {}
    if old is not left or new is not right:
        # If the annotations were missing before, the changes of the hints are enough.
        if not (old is MISSING and right) and not unchanged(old, new):
            words = f"annotations {_verb(old, new)}"
            yield ValueDifference("annotations", Weight.REWORDED, words, ("annotations",), old, new)
        if not isinstance(old, dict) and not isinstance(new, dict):
            return
    yield from hint_changes(left, right)
    for key in dict.fromkeys((*left, *right)):
        if key in HINT_KEYS:
            continue
        was, now = left.get(key, MISSING), right.get(key, MISSING)
        code = "title" if key == "title" else "annotations"
        for steps, before, after in differences(was, now, ("annotations", key)):
            words = f"{'the title' if key == 'title' else 'an annotation'} {_verb(was, now)}"
            yield ValueDifference(code, Weight.REWORDED, words, steps, before, after)


def _reworded(key: str, old: Maybe, new: Maybe) -> Iterator[ValueDifference]:
    code, what = _CODES.get(key, ("other", "an unknown field"))
    for steps, was, now in differences(old, new, (key,)):
        if steps == ("execution", "taskSupport") or (key == "execution" and len(steps) == 1):
            yield _execution(steps, was, now)
        else:
            yield ValueDifference(
                code, Weight.REWORDED, f"{what} {_verb(old, new)}", steps, was, now
            )


def _execution(steps: tuple[str | int, ...], old: Maybe, new: Maybe) -> ValueDifference:
    """Spec 2025-11-25, utilities/tasks: with `required`, an ordinary call is refused."""
    support = new.get("taskSupport") if isinstance(new, dict) else new
    if support == "required":
        words = "it can be called only as a task now"
        return ValueDifference("execution", Weight.BREAKING, words, steps, old, new)
    words = f"`execution` {_verb(old, new)}"
    return ValueDifference("execution", Weight.REWORDED, words, steps, old, new)


def _verb(old: Maybe, new: Maybe) -> str:
    if old is MISSING:
        return "was added"
    return "was removed" if new is MISSING else "changed"


def _not_understood(words: str, old: JsonValue, new: JsonValue) -> ValueDifference:
    return ValueDifference("not-understood", Weight.BREAKING, words, (), old, new)


def _change(found: ValueDifference) -> Change:
    had, has = found.old is not MISSING, found.new is not MISSING
    return Change(
        code=found.code,
        weight=found.weight,
        path=pointer(found.steps),
        words=found.words,
        old=None if found.old is MISSING else found.old,
        new=None if found.new is MISSING else found.new,
        had=had,
        has=has,
        steps=found.steps,
    )


def tool_name(raw: JsonValue) -> str:
    """The exact name in a raw entry; empty if it has none."""
    name = raw.get("name") if isinstance(raw, dict) else None
    return name if isinstance(name, str) else ""


def _joined(value: JsonValue) -> JsonValue:
    """`value` with pairs of surrogates as the one character that they are in JSON."""
    if "\\ud" not in canonical(value):
        return value
    joined: JsonValue = json.loads(json.dumps(value))
    return joined


_MILDER: Final = {"readOnly": True, "destructive": False, "idempotent": True, "openWorld": False}
"""The value of each hint that declares less harm."""


def hint_changes(old: JsonValue, new: JsonValue) -> Iterator[ValueDifference]:
    """The changes of the four hints of the raw `annotations`; only an object has hints."""
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
        yield ValueDifference(code, weight, f"{now.name}: {said}", steps, left, right)


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
            return Weight.WEAKENED, "hint-weakened", f"was {moved}; it declares less harm"
        if is_worse:
            return Weight.WORSENED, "hint-worsened", f"was {moved}; it declares more harm"
        words = f"was {moved}; it declares more harm, which is ignored here"
        return Weight.SAFE, "hint-strengthened", words
    if now.claim is Claim.MALFORMED:
        return Weight.REWORDED, "hint-malformed", f"was {moved}, which has no effect"
    if was.claim is Claim.MALFORMED:
        return Weight.SAFE, "hint-restated", f"was {moved}; it means the same"
    said = "set now" if was.claim is Claim.NOT_SET else "no longer set"
    return Weight.SAFE, "hint-restated", f"{said}, same meaning: {str(now.effective).lower()}"


def _claim_words(hint: Hint) -> str:
    match hint.claim:
        case Claim.NOT_SET:
            return f"not set ({str(hint.default).lower()} by default)"
        case Claim.MALFORMED:
            return f"malformed ({hint.malformed_as})"
        case _:
            return hint.claim.value


def _claims_less(before: Hints, after: Hints) -> bool:
    """True if the hints add up to less harm, even if none of them does so by itself."""
    return (
        _harm(after.effect) < _harm(before.effect)
        or (after.is_repeatable and not before.is_repeatable)
        or (before.is_open_world and not after.is_open_world)
    )


def _what_is_worse(before: Hints, after: Hints) -> frozenset[str]:
    """The names of the hints by which a tool may have got more harmful, if it has."""
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
