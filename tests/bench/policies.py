"""How long policies take: a verdict on every tool of a long list, by every built-in policy."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from signoff.app.approval.policies.policy import Policy, PolicyKind
from signoff.app.approval.policies.policy_text import built_in_text, built_ins, read_policy
from signoff.app.approval.policies.verdicts import Case
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.protocol.hints import HINT_KEYS
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tools
from tests.bench.figures import Figure, Samples

TOOLS = 5_000
TARGET = 0.1
"""Seconds for all verdicts."""

_CLAIMS = (None, True, False)
_OWN = """
name = "own"
summary = "By names and arguments, then by effects."

[[rule]]
tool = ["delete_*", "drop_*"]
then = "ask with a warning"

[[rule]]
tool = "*_99"
argument = [{ at = "/path", glob = "/tmp/*" }]
then = "allow"

[[rule]]
effect = "read-only"
then = "allow"
"""


READ = "reading the six built-in policies"
JUDGED = f"verdicts, {TOOLS:,} tools x 6 policies"
OWN = f"verdicts, {TOOLS:,} tools, one's own policy by names"


def measure(rounds: int = 10) -> list[Figure]:
    """The policies are read anew each time, since each remembers what it has judged."""
    samples = Samples()
    tools = _tools()
    cases = [Case(tool, Trust.TRUSTED, "bench", seen=DefinitionStatus.SAME) for tool in tools]
    for _ in range(rounds):
        started = time.perf_counter()
        fresh = [_fresh(policy.name) for policy in built_ins()]
        samples.add(READ, time.perf_counter() - started)
        samples.add(JUDGED, _judge(fresh, cases))
        samples.add(OWN, _judge([read_policy(_OWN, "own.toml")], cases))
    is_met = samples.median(JUDGED) < TARGET
    return [
        samples.figure(READ),
        samples.figure(JUDGED, f"under {TARGET * 1000:.0f} ms", "met" if is_met else "MISSED"),
        samples.figure(OWN),
    ]


def _judge(policies: Sequence[Policy], cases: Sequence[Case]) -> float:
    started = time.perf_counter()
    for policy in policies:
        for case in cases:
            policy.judge(case)
    return time.perf_counter() - started


def _fresh(name: str) -> Policy:
    return read_policy(built_in_text(name), f"{name}.toml", kind=PolicyKind.BUILT_IN)


def _tools() -> tuple[ToolDefinition, ...]:
    """Tools with every mixture of claims, one in ten of them malformed."""
    return read_tools([_entry(number) for number in range(TOOLS)])


def _entry(number: int) -> dict[str, Any]:
    claims: dict[str, Any] = {
        key: claim
        for place, key in enumerate(HINT_KEYS)
        if (claim := _CLAIMS[number // 3**place % 3]) is not None
    }
    if number % 10 == 0:
        claims["readOnlyHint"] = "yes"
    verb = ("read", "delete", "write")[number % 3]
    schema = {"type": "object"}
    return {"name": f"{verb}_{number}", "inputSchema": schema, "annotations": claims}
