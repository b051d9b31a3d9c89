"""All that a report of a session tells, as values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...analysis.evidence.claims import ClaimVerdict, Watched, judge
from ...analysis.matrix.matrix import Matrix
from ...calls.call import Call, Outcome
from ...protocol.findings import Finding
from ...protocol.server import Server
from ...protocol.tool import ToolDefinition

CALLS_MAX = 1_000
"""Calls that are told, the newest; the others are counted."""


@dataclass(frozen=True, slots=True)
class Session:
    """One server and what happened on it. `at` is seconds since the epoch."""

    server: Server
    command: str
    """The command line or the URL, without secrets."""
    policy: str
    at: float
    tools: Sequence[ToolDefinition]
    calls: Sequence[Call]
    findings: Sequence[tuple[str, Finding]]
    """What each is about, in words that are safe to show, and the finding."""
    matrix: Matrix
    more_calls: int = 0
    """Calls before these, which are not kept."""

    @property
    def evidence(self) -> Mapping[str, tuple[ClaimVerdict, ...]]:
        """Tool -> how its hints stand after all its watched calls."""
        watched: dict[str, list[Call]] = {}
        for call in self.calls:
            if call.evidence is not None and call.tool is not None:
                watched.setdefault(call.tool.name, []).append(call)
        return {tool: _stand(calls) for tool, calls in watched.items()}


def _stand(calls: Sequence[Call]) -> tuple[ClaimVerdict, ...]:
    """Calls with other arguments are no repetition, so that each set is judged by itself."""
    newest = calls[-1]
    assert newest.tool is not None
    sets: dict[str, list[Watched]] = {}
    for call in calls:
        if call.evidence is not None:
            of_same = sets.setdefault(call.snapshot.arguments_digest, [])
            of_same.append(Watched(call.evidence, call.outcome is Outcome.OK))
    return _worst(judge(newest.tool.hints, of_same) for of_same in sets.values())


def _worst(verdicts: Iterable[tuple[ClaimVerdict, ...]]) -> tuple[ClaimVerdict, ...]:
    """Of each hint the verdict that says most: contradicted before consistent before nothing."""
    order = ("contradicted", "consistent with what was seen", "not exercised")
    return tuple(
        min(of_hint, key=lambda one: order.index(one.standing.value))
        for of_hint in zip(*verdicts, strict=True)
    )
