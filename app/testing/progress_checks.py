"""What is expected of the progress of a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..protocol.progress import Progress
from .matching import NOTHING, Match


def progress_matches(wanted: Mapping[str, Any], log: Sequence[Progress]) -> list[Match]:
    """Number, order and total of the reports; their messages are texts like others."""
    found: list[Match] = []
    said = ", ".join(one.words or "no number" for one in log[:12]) or NOTHING
    said += ", ..." if len(log) > 12 else ""
    if "reports" in wanted:
        least = wanted["reports"]
        found.append(Match(len(log) >= least, f"at least {least} reports", f"{len(log)}: {said}"))
    if "increasing" in wanted:
        values = [one.value for one in log if one.value is not None]
        fallen = next((pair for pair in pairwise(values) if not pair[0] < pair[1]), None)
        expected = "each above the one before" if wanted["increasing"] else "not always above"
        where = f"{fallen[1]:g} comes after {fallen[0]:g}: " if fallen else ""
        found.append(Match((fallen is None) == wanted["increasing"], expected, f"{where}{said}"))
    if "total" in wanted:
        total = log[-1].total if log else None
        words = NOTHING if total is None else f"{total:g}"
        found.append(Match(total == wanted["total"], f"a total of {wanted['total']:g}", words))
    return found
