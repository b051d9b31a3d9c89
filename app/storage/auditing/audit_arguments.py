"""Arguments as the audit log keeps them: their digest, and a masked copy of bounded size."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from ...approval.snapshot import Snapshot
from ...content.json.jsonio import JsonError, JsonValue, canonical
from ...content.text import visible
from ...protocol.requests import Request
from ...schemas.secrets.places import mask_arguments
from ...schemas.secrets.secrets import conceal

SHOWN_MAX = 65_536
"""Characters of arguments in one record."""

STRING_MAX = 65_536
_BUDGET = 2 * SHOWN_MAX
_DEPTH_MAX = 100


@dataclass(frozen=True, slots=True)
class Arguments:
    """What is written of the arguments of one call, and what must not be."""

    sha256: str
    size: int
    """Characters of the arguments as they are sent."""
    fields: dict[str, JsonValue]
    _found: frozenset[str] = field(default_factory=frozenset, repr=False)

    @property
    def digest_only(self) -> dict[str, JsonValue]:
        return {"sha256": self.sha256, "size": self.size}

    def conceal(self, text: str) -> str:
        """Words that may quote an argument, without its secrets."""
        return conceal(text, set(self._found)) if self._found else text


@dataclass(frozen=True, slots=True)
class _Looked:
    """A call that was looked at; the definition that its snapshot names has this schema."""

    snapshot: Snapshot
    schema: JsonValue = field(compare=False, repr=False)


def look_at(snapshot: Snapshot, request: Request) -> Arguments:
    """The masked arguments of a request; the schema of its tool may call some of them secret.

    Over 65,536 characters they are kept as the beginning of their JSON text, with a note.
    """
    return _look_at(_Looked(snapshot, request.definition.input_schema))


@lru_cache(maxsize=16)
def _look_at(looked: _Looked) -> Arguments:
    snapshot = looked.snapshot
    arguments = snapshot.arguments()
    # What is left out is left out before masking: a cut could leave the half of a secret.
    masked = mask_arguments(_reduced(arguments, [_BUDGET], 0), looked.schema)
    size = len(snapshot.arguments_json)
    fields: dict[str, JsonValue] = {"sha256": snapshot.arguments_digest, "size": size}
    if masked.count:
        fields["masked"] = masked.count
    try:
        text = canonical(masked.value)
    except JsonError as problem:
        text = f"[{problem.reason}]"
    if len(text) <= SHOWN_MAX:
        fields["value"] = masked.value
    else:
        fields["beginning"] = text[:SHOWN_MAX]
        fields["cut"] = f"cut: {SHOWN_MAX:,} of {size:,} characters"
    # Messages quote arguments as they are shown, with marks for what is invisible.
    found = masked.found | {visible(secret) for secret in masked.found}
    return Arguments(snapshot.arguments_digest, size, fields, frozenset(found))


def _reduced(value: JsonValue, budget: list[int], depth: int) -> JsonValue:
    """`value` without what is too long to be shown; `budget` holds the characters left."""
    if isinstance(value, str):
        if len(value) > min(STRING_MAX, budget[0]):
            return f"[left out: {len(value):,} characters]"
        budget[0] -= len(value) + 2
        return value
    budget[0] -= 4
    if not isinstance(value, (dict, list)):
        return value
    if depth >= _DEPTH_MAX:
        return "[left out: nested too deeply]"
    if isinstance(value, list):
        items: list[JsonValue] = []
        for item in value:
            if budget[0] <= 0:
                items.append(f"[left out: {len(value) - len(items):,} more]")
                break
            items.append(_reduced(item, budget, depth + 1))
        return items
    members: dict[str, JsonValue] = {}
    for name, item in value.items():
        if budget[0] <= 0:
            members["[left out]"] = f"{len(value) - len(members):,} more"
            break
        budget[0] -= min(len(name), STRING_MAX)
        shown = name if len(name) <= STRING_MAX else f"[left out: {len(name):,} characters]"
        members[shown] = _reduced(item, budget, depth + 1)
    return members
