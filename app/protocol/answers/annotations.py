"""What a server says about a part of an answer: for whom it is, how much it matters, since when."""

from __future__ import annotations

from dataclasses import dataclass

from ...content.json.jsonio import JsonValue
from ...content.text import cut, shortened, visible
from ..findings import Finding, warning

ROLES = ("user", "assistant")
"""For whom a part may be (spec 2025-11-25, schema, "Role")."""
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Annotations:
    """For whom a part is, how much it matters, and when it was changed (spec, "Annotations").

    What is malformed is left out here, and a finding. `last_modified` is raw.
    """

    audience: tuple[str, ...] = ()
    """Some of "user" and "assistant", in the server's order; empty: not said."""
    priority: float | None = None
    """From 0, optional, to 1, effectively required."""
    last_modified: str = ""

    @property
    def said(self) -> bool:
        return bool(self.audience or self.last_modified) or self.priority is not None

    def is_for(self, role: str) -> bool:
        """Whether a role may use the part: one that names nobody is for everybody."""
        return not self.audience or role in self.audience

    def as_json(self) -> dict[str, JsonValue]:
        """What was said, by the protocol's names."""
        found: dict[str, JsonValue] = {}
        if self.audience:
            found["audience"] = list(self.audience)
        if self.priority is not None:
            found["priority"] = self.priority
        if self.last_modified:
            found["lastModified"] = self.last_modified
        return found


NOTHING_SAID = Annotations()


def read_annotations(
    block: dict[str, JsonValue], path: str, findings: list[Finding]
) -> Annotations:
    """The annotations of a content block at `path`; what is malformed goes to `findings`.

    They belong to the block (spec 2025-11-25, schema, "EmbeddedResource"). Where a server puts them
    into the embedded resource, as an example of spec 2025-06-18 did, they are read there.
    """
    raw = block.get("annotations")
    if "annotations" not in block:
        resource = block.get("resource")
        if not isinstance(resource, dict) or "annotations" not in resource:
            return NOTHING_SAID
        raw, path = resource["annotations"], f"{path}.resource"
    path = f"{path}.annotations"

    def malformed(what: str, key: str = "") -> None:
        findings.append(warning("malformed-annotations", what, f"{path}{key}"))

    if not isinstance(raw, dict):
        malformed("annotations are not an object")
        return NOTHING_SAID
    audience: list[str] = []
    roles = raw.get("audience", [])
    if not isinstance(roles, list):
        malformed("the audience is not an array", ".audience")
        roles = []
    strange = [role for role in roles if role not in ROLES]
    if strange:
        malformed(f"the audience has {_named(strange[0])}, not user or assistant", ".audience")
    for role in roles:
        if isinstance(role, str) and role in ROLES and role not in audience:
            audience.append(role)
    priority = raw.get("priority")
    if "priority" in raw and not _is_priority(priority):
        malformed("the priority is not a number from 0 to 1", ".priority")
        priority = None
    changed = raw.get("lastModified", "")
    if not isinstance(changed, str):
        malformed("lastModified is not a string", ".lastModified")
        changed = ""
    value = float(priority) if isinstance(priority, int | float) else None
    return Annotations(tuple(audience), value, changed)


def annotation_words(said: Annotations) -> tuple[str, ...]:
    """The same in words that are safe to show, one phrase each."""
    words = []
    if len(said.audience) > 1:
        words.append("for both")
    elif said.audience:
        words.append(f"for the {said.audience[0]}")
    if said.priority is not None:
        words.append(f"priority {said.priority:g}")
    if said.last_modified:
        words.append(f"changed {shortened(said.last_modified, _SHOWN)}")
    return tuple(words)


def _is_priority(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _named(value: JsonValue) -> str:
    if isinstance(value, str):
        return f"“{visible(cut(value, _SHOWN).text)}”"
    return "something that is not a string"
