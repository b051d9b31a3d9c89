"""Tool resolution: hints for the exact arguments of a call, read from `tools/resolve`.

Draft `tool-resolution` of the annotations group, at the revision in `register.py`. Sections of it
are named by their headings. A server marks a tool whose hints depend on the arguments; the result
has the four hints, all of them, and nothing else of a tool. Resolved hints may be milder than the
ones of `tools/list`, and never worse ("Marking resolvable tools").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from ...content.frozen import frozen
from ...content.text import cut, visible
from ..findings.findings import Finding, error, warning
from ..hints import HINT_KEYS, Effect, Hints, read_hints
from .register import EXTENSIONS

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue
    from ..tool import ToolDefinition

NAME: Final = "tool-resolution"
"""The word of `--experimental`."""
_IDENTIFIER: Final = EXTENSIONS[NAME].identifier
_KEYS: Final = frozenset({"resultType", "name", "annotations", "_meta"})
_SHOWN: Final = 60


def marker_of(raw: JsonValue) -> JsonValue:
    """The marker of an entry of `tools/list` as it came; None if there is none."""
    meta = raw.get("_meta") if isinstance(raw, dict) else None
    return meta.get(_IDENTIFIER) if isinstance(meta, dict) else None


def is_resolvable(raw: JsonValue) -> bool:
    """True if an entry is marked: `resolvable` is the boolean true ("Marking resolvable tools")."""
    marker = marker_of(raw)
    return isinstance(marker, dict) and marker.get("resolvable") is True


def marker_findings(raw: JsonValue) -> list[Finding]:
    """The faults of the marker of an entry; its schema has `resolvable`, always true."""
    marker, place = marker_of(raw), f"$._meta['{_IDENTIFIER}']"
    if marker is None:
        return []
    if not isinstance(marker, dict):
        return [warning("marker-malformed", "the marker is not an object", place)]
    found = []
    if marker.get("resolvable") is not True:
        words = "`resolvable` is not the boolean true: the tool counts as not marked"
        found.append(warning("marker-malformed", words, f"{place}.resolvable"))
    found += [
        warning("marker-malformed", f"the marker has the unknown key {_quoted(key)}", place)
        for key in list(marker)[:5]
        if key != "resolvable"
    ]
    return found


def is_marked_in_vain(tool: ToolDefinition) -> bool:
    """True if each resolution of a marked tool has the effect and reach of its static hints.

    A static read-only tool stays so in each resolution, and a closed world stays closed.
    """
    hints = tool.hints
    return (
        is_resolvable(tool.raw)
        and hints.effect is Effect.READ_ONLY
        and not hints.open_world.effective
    )


def resolve_params(name: str, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The params of a request, but for its `_meta` ("Request")."""
    return {"name": name, "arguments": dict(arguments)}


class ResolvedHints(NamedTuple):
    """The four hints of one call, as the server resolved them."""

    readOnlyHint: bool
    destructiveHint: bool
    idempotentHint: bool
    openWorldHint: bool

    @property
    def hints(self) -> Hints:
        return read_hints(self.as_json())

    def as_json(self) -> dict[str, JsonValue]:
        """The `annotations` of the result."""
        return dict(zip(HINT_KEYS, self, strict=True))


MILDEST: Final = ResolvedHints(
    readOnlyHint=True, destructiveHint=False, idempotentHint=True, openWorldHint=False
)
"""The mildest hints that a resolution may have, whatever is static."""


def read_result(
    raw: JsonValue, name: str, static: Hints
) -> tuple[ResolvedHints | None, list[Finding]]:
    """The resolved hints in a result for the tool `name`, and its faults.

    The hints are None unless they can be read; hints that exceed the static ones are returned with
    the finding. One fault makes it a failed resolution, after which the static hints count ("Client
    requirements", 5). Unknown keys of `_meta` are ignored.
    """
    if not isinstance(raw, dict):
        return None, [error("resolution-malformed", "the result is not an object")]
    found = [
        error("resolution-malformed", f"the result may not have {_quoted(key)}", "$")
        for key in list(raw)[:20]
        if key not in _KEYS
    ]
    kind = raw.get("resultType")
    if kind == "input_required":
        words = "the result requests input: resolution may not ask a person"
        found.append(error("resolution-asks", words, "$.resultType"))
    elif kind != "complete":
        words = '`resultType` is not "complete"' if kind else "`resultType` is missing"
        found.append(error("resolution-malformed", words, "$.resultType"))
    if not isinstance(raw.get("name"), str):
        found.append(error("resolution-malformed", "`name` is not a string", "$.name"))
    elif raw["name"] != name:
        words = f"the result is about another tool, {_quoted(str(raw['name']))}"
        found.append(error("resolution-other-tool", words, "$.name"))
    if "_meta" in raw and not isinstance(raw["_meta"], dict):
        found.append(
            error("resolution-malformed", "`_meta` of the result is not an object", "$._meta")
        )
    hints, faults = _read_annotations(raw.get("annotations"))
    found += faults
    if hints is not None and (exceeded := exceeded_hints(static, hints)):
        words = f"the resolved hints exceed those of tools/list: {', '.join(exceeded)}"
        found.append(error("resolution-weakens", words, "$.annotations"))
        return (hints if len(found) == 1 else None), found
    return (None if found else hints), found


def _read_annotations(annotations: JsonValue) -> tuple[ResolvedHints | None, list[Finding]]:
    if not isinstance(annotations, dict):
        words = "`annotations` is missing or not an object"
        return None, [error("resolution-malformed", words, "$.annotations")]
    found = [
        error("resolution-malformed", f"`annotations` may not have {_quoted(key)}", "$.annotations")
        for key in list(annotations)[:20]
        if key not in HINT_KEYS
    ]
    values = []
    for key in HINT_KEYS:
        value = annotations.get(key)
        if isinstance(value, bool):
            values.append(value)
        else:
            what = "is not a boolean" if key in annotations else "is missing"
            found.append(error("resolution-malformed", f"{key} {what}", f"$.annotations.{key}"))
    return (ResolvedHints(*values) if len(values) == len(HINT_KEYS) else None), found


def exceeded_hints(static: Hints, resolved: ResolvedHints) -> list[str]:
    """The keys of hints that are worse than `tools/list` allows, whose defaults apply first.

    The draft leaves out destructiveHint of a static read-only tool, which has no meaning for that.
    """
    writes = not resolved.readOnlyHint
    found = []
    if static.read_only.effective and writes:
        found.append("readOnlyHint")
    may_destroy = static.read_only.effective or static.destructive.effective
    if not may_destroy and resolved.destructiveHint:
        found.append("destructiveHint")
    if static.idempotent.effective and writes and not resolved.idempotentHint:
        found.append("idempotentHint")
    if not static.open_world.effective and resolved.openWorldHint:
        found.append("openWorldHint")
    return found


def stricter_hints(static: Hints, resolved: ResolvedHints) -> dict[str, bool]:
    """The resolved hints, by `Hint.name`, that are stricter than the static ones.

    Of an untrusted server only these count: its word may add caution, and never takes any away.
    """
    is_strict = (False, True, False, True)
    return {
        hint.name: value
        for hint, value, strict in zip(static, resolved, is_strict, strict=True)
        if value is strict and hint.effective is not strict
    }


def hints_to_judge(static: Hints, resolved: ResolvedHints, *, is_trusted: bool) -> dict[str, bool]:
    """The hints, by `Hint.name`, that replace the static ones for the decision on one call."""
    if not is_trusted:
        return stricter_hints(static, resolved)
    return {hint.name: value for hint, value in zip(static, resolved, strict=True)}


def differing_words(static: Hints, resolved: ResolvedHints) -> str:
    """Both effects in words, with the hints that differ: “read-only (static: destructive)”."""
    now = resolved.hints
    parts = [now.effect.value]
    if now.effect is not static.effect:
        parts[0] += f" (static: {static.effect.value})"
    if now.is_open_world is not static.is_open_world:
        parts.append(f"{_world(now)} (static: {_world(static)})")
    if now.effect is not Effect.READ_ONLY and now.is_repeatable is not static.is_repeatable:
        was = static.repeating.value or "may be repeated"
        parts.append(f"{now.repeating.value} (static: {was})")
    return ", ".join(parts) if len(parts) > 1 or "(" in parts[0] else f"{parts[0]}, as static"


def _world(hints: Hints) -> str:
    return "open world" if hints.is_open_world else "closed world"


class ResolutionStatus(Enum):
    """How far the resolution of one call came."""

    NOT_SENT = "not sent"
    """Signoff did not ask."""
    SENT = "sent"
    """The arguments left, and the response is awaited."""
    RESOLVED = "resolved"
    FAILED = "failed"
    """The static hints count ("Fallback and errors")."""
    REFUSED = "refused"
    """The server refused the arguments: the call may not be sent with them."""
    STALE = "stale"
    """The tools changed since ("Caching, staleness, and TOCTOU")."""


@frozen
class Resolution:
    """What became of the resolution of one call; never used for another one."""

    status: ResolutionStatus
    hints: ResolvedHints | None = None
    reason: str = ""
    """Why the static hints count; safe to show."""
    was_sent: bool = False
    """True if the arguments were sent to the server for it, before any approval."""
    announced: int = 0
    """How many changes of the tools the server had announced by then."""

    @property
    def is_resolved(self) -> bool:
        """True if the resolved hints may replace the static ones."""
        return self.status is ResolutionStatus.RESOLVED

    def words(self, static: Hints) -> str:
        """One clause: “read-only (static: destructive)”, or why the static hints count."""
        if self.hints is not None and self.is_resolved:
            return differing_words(static, self.hints)
        return f"{self.status.value}: {self.reason}" if self.reason else self.status.value

    def as_reason(self, static: Hints) -> str:
        """The same as a reason of the verdict that it changed."""
        return f"resolved for these arguments: {self.words(static)}"

    def as_json(self, static: Hints) -> dict[str, JsonValue]:
        """For the JSON of a call and the audit log: both kinds of hints, and what differs."""
        found: dict[str, JsonValue] = {
            "status": self.status.value,
            "arguments_sent": self.was_sent,
            "static": {hint.name: hint.effective for hint in static},
            "resolved": None,
            "differs": [],
            "reason": self.reason,
        }
        if self.hints is not None:
            pairs = list(zip(static, self.hints, strict=True))
            found["resolved"] = {hint.name: value for hint, value in pairs}
            found["differs"] = [hint.name for hint, value in pairs if hint.effective is not value]
        return found


def worst_first(findings: Sequence[Finding]) -> str:
    """The messages of a failed resolution in one clause."""
    return "; ".join(one.message for one in findings[:3])


def _quoted(text: str) -> str:
    return f"“{visible(cut(text, _SHOWN).text)}”"
