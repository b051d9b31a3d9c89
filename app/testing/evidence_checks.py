"""What is expected of what a watched call was seen to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..analysis.evidence.claims import Standing, judge_call
from ..calls.call import Call
from ..calls.deeds import Loss, Seen
from .matching import NOTHING, Match

NOT_WATCHED = "the server was not watched"
SHOWN = 6


def evidence_matches(wanted: Mapping[str, Any], call: Call) -> list[Match]:
    """Files, programs and addresses: some, or none; and whether a hint is contradicted."""
    seen = call.evidence
    if seen is None:
        return [Match(False, "a watched call", NOT_WATCHED if call.sent else "nothing was sent")]
    found: list[Match] = []
    for key, deeds in _deeds(seen).items():
        if key in wanted:
            is_so = bool(deeds) is (wanted[key] == "some")
            told = "; ".join(deeds[:SHOWN]) or NOTHING
            found.append(Match(is_so, f"{key}: {wanted[key]}", told))
    if "contradicts" in wanted:
        against = [one for one in judge_call(call) if one.standing is Standing.CONTRADICTED]
        told = "; ".join(one.words for one in against) or "no hint is contradicted"
        expected = "a hint contradicted" if wanted["contradicts"] else "no hint contradicted"
        found.append(Match(bool(against) is wanted["contradicts"], expected, told))
    return found


def _deeds(seen: Seen) -> dict[str, list[str]]:
    """What was done of each kind, in words."""
    changes = seen.changes
    return {
        "writes": [one.words(seen.scratch) for one in changes],
        "destroys": [one.words(seen.scratch) for one in changes if one.loss is Loss.LOST],
        "starts": [one.words for one in seen.processes],
        "reaches": [one.words for one in seen.reached],
    }
