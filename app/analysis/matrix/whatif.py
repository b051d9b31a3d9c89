"""What-if: hints that the person sets in place of the server's, to see the verdicts move.

They are never the server's: the raw definition, its digest and everything that is sent stay as
they came. On real calls they count only where they make a verdict stricter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, TypeAlias

from ...approval.policies.verdicts import Verdict, VerdictAnswer
from ...content.json.jsonio import JsonValue
from ...protocol.findings import Finding
from ...protocol.hints import HINT_KEYS
from ...protocol.tool_reading import read_tool
from ...protocol.tools import ToolDefinition

Overrides: TypeAlias = Mapping[str, bool | None]
"""Hint name (as in `Hint.name`: readOnly, ...) to a claim; None for not said."""

HINT_NAMES: Final = tuple(key.removesuffix("Hint") for key in HINT_KEYS)
SET_BY_PERSON: Final = "by the hints that you have set for a what-if"

_FROM_HINTS = ("malformed-hint", "contradictory-hints")
_MILDEST_FIRST = (
    VerdictAnswer.ALLOW,
    # A call of which a host's rules are not known is asked about.
    VerdictAnswer.UNKNOWN,
    VerdictAnswer.ASK,
    VerdictAnswer.HIDE,
    VerdictAnswer.REFUSE,
)


def overridden(tool: ToolDefinition, overrides: Overrides) -> ToolDefinition:
    """The tool as it would be judged with other hints; `raw`, name and digest stay.

    What was found in the server's own hints - malformed, contradictory - is found again in the new
    ones. Raises ValueError for a name that no hint has.
    """
    if unknown := sorted(set(overrides) - set(HINT_NAMES)):
        raise ValueError(f"no hint has the name {unknown[0]!r}")
    if not overrides:
        return tool
    annotations = _annotations(tool.raw)
    for name, claim in overrides.items():
        if claim is None:
            annotations.pop(f"{name}Hint", None)
        else:
            annotations[f"{name}Hint"] = claim
    supposed = read_tool(tool.index, {"name": tool.name, "annotations": annotations})
    kept = [finding for finding in tool.findings if not _is_from_hints(finding)]
    found = [finding for finding in supposed.findings if _is_from_hints(finding)]
    return replace(tool, hints=supposed.hints, findings=(*kept, *found))


def strictest(actual: Verdict, supposed: Verdict) -> Verdict:
    """The verdict on a real call: never milder than either, the actual one where it suffices.

    `supposed` is the verdict with the hints that the person has set. An approval that is remembered
    counts only where nothing stricter is said.
    """
    stricter = _rank(supposed) > _rank(actual)
    verdict = supposed if stricter else actual
    is_asked = verdict.answer in (VerdictAnswer.ASK, VerdictAnswer.UNKNOWN)
    strong = is_asked and (actual.strong or supposed.strong)
    reviews = actual.reviews_result or supposed.reviews_result
    if stricter or strong > actual.strong or reviews > actual.reviews_result:
        reasons = (SET_BY_PERSON, *verdict.reasons)
        verdict = replace(verdict, reasons=reasons, strong=strong, reviews_result=reviews)
    return replace(verdict, depends=actual.depends or supposed.depends)


def _rank(verdict: Verdict) -> int:
    return _MILDEST_FIRST.index(verdict.answer)


def _annotations(raw: JsonValue) -> dict[str, JsonValue]:
    annotations = raw.get("annotations") if isinstance(raw, dict) else None
    return dict(annotations) if isinstance(annotations, dict) else {}


def _is_from_hints(finding: Finding) -> bool:
    return finding.code in _FROM_HINTS
