"""Patterns and schemas of flows, tried in the worker that can be killed."""

from __future__ import annotations

import re
from typing import Final

from ...content.json.jsonio import JsonValue
from ...content.json.jsonio import pointer as place_words
from ...content.text import visible
from ...sandbox.worker import WorkerStopped, judge_in_worker, run_limited
from ...sandbox.worker_side import WorkerLimits
from ...schemas.schema import Answer as SchemaAnswer

SECONDS: Final = 1.0
"""What one pattern may take on one text."""


class WorkerJudges:
    """Tries what a server can make expensive where it can be stopped."""

    async def search(self, pattern: str, text: str) -> tuple[bool, str]:
        """Whether a pattern is found in a text; the second says why that could not be told."""
        try:
            groups = await run_limited(found, pattern, text, limits=_limits())
        except WorkerStopped as stopped:
            return False, stopped.reason
        except (re.error, OverflowError) as problem:
            return False, visible(str(problem))
        return groups is not None, ""

    async def keeps(self, schema: JsonValue, value: JsonValue) -> str:
        """How a value breaks a schema, in words; empty where it keeps it."""
        verdict = await judge_in_worker(True if schema is None else schema, value)
        if verdict.answer is SchemaAnswer.VALID:
            return ""
        said = [f"{place_words(one.path)}: {one.message}" for one in verdict.errors[:3]]
        return "; ".join(said) or verdict.reason or verdict.answer.value

    async def captured(self, pattern: str, text: str) -> tuple[str | None, str]:
        """What a pattern finds: its first group, or all of it; and why nothing, where it could
        not be told."""
        try:
            return await run_limited(found, pattern, text, limits=_limits()), ""
        except WorkerStopped as stopped:
            return None, stopped.reason
        except (re.error, OverflowError) as problem:
            return None, visible(str(problem))


def _limits() -> WorkerLimits:
    return WorkerLimits(wall_seconds=SECONDS, cpu_seconds=SECONDS)


def found(pattern: str, text: str) -> str | None:
    """What a pattern finds first, however long it takes; it belongs into a worker."""
    hit = re.search(pattern, text)
    if hit is None:
        return None
    return hit.group(1) or "" if hit.re.groups else hit.group()
