"""How long policies take: a verdict on every tool of a long list, by every built-in policy."""

from __future__ import annotations

import time
from typing import Any

from app.core.builtin import built_in_text, built_ins
from app.core.hints import HINT_KEYS
from app.core.history import Seen
from app.core.policy import Case, Policy, PolicyKind
from app.core.policy_text import read_policy
from app.core.tools import ToolDefinition, read_tools
from app.core.trust import Trust

TOOLS = 5_000
TARGET = 0.1
"""Seconds for all verdicts."""

_CLAIMS = (None, True, False)
_OWN = """
name = "own"
summary = "By names and arguments, then by effects."

[[rule]]
tool = ["delete_*", "drop_*"]
then = "ask strongly"

[[rule]]
tool = "*_99"
argument = [{ at = "/path", glob = "/tmp/*" }]
then = "allow"

[[rule]]
effect = "read-only"
then = "allow"
"""


def measure() -> list[tuple[str, float]]:
    """What was measured, and the seconds it took; the policies are read anew each time."""
    tools = _tools()
    cases = [Case(tool, Trust.TRUSTED, "bench", seen=Seen.SAME) for tool in tools]
    started = time.perf_counter()
    fresh = [_fresh(policy.name) for policy in built_ins()]
    read = time.perf_counter()
    for policy in fresh:
        for case in cases:
            policy.judge(case)
    judged = time.perf_counter()
    own = read_policy(_OWN, "own.toml")
    begun = time.perf_counter()
    for case in cases:
        own.judge(case)
    ended = time.perf_counter()
    return [
        (f"reading {len(fresh)} built-in policies", read - started),
        (f"verdicts, {len(tools):,} tools x {len(fresh)} policies", judged - read),
        (f"verdicts, {len(tools):,} tools, an own policy by names", ended - begun),
    ]


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


if __name__ == "__main__":
    for label, seconds in measure():
        print(f"{label:<48} {seconds * 1000:8.1f} ms")
