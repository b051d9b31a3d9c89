"""Takes the tour's `Scene` from the running program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...approval.policies.policy import Policy
from ...engine.engine import Bench
from .scene import Scene


def scene_of(
    bench: Bench, since: int, hosts: Mapping[str, Policy], screens: Iterable[str]
) -> Scene:
    """`since`: the last call from before the step; `screens`: those that were open in it."""
    return Scene(
        tools={tool.name: tool for tool in bench.tools},
        calls=tuple(call for at, call in bench.calls.items() if at > since),
        trust=bench.server.trust,
        policy=bench.policy,
        hosts=hosts,
        screens=frozenset(screens),
        server=bench.server.name,
        is_open=bench.server.is_open,
    )
