"""Takes the tour's `Scene` from the running program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...approval.policies.policy import Policy
from ...engine.engine import Engine
from .scene import Scene


def scene_of(
    engine: Engine, since: int, hosts: Mapping[str, Policy], screens: Iterable[str]
) -> Scene:
    """`since`: the last call from before the step; `screens`: those that were open in it."""
    return Scene(
        tools={tool.name: tool for tool in engine.tools},
        calls=tuple(call for at, call in engine.calls.items() if at > since),
        trust=engine.server.trust,
        policy=engine.policy,
        hosts=hosts,
        screens=frozenset(screens),
        server=engine.server.name,
        is_open=engine.server.is_open,
    )
