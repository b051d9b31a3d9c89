"""Ends a watched server, and runs it without calls for comparison."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ...calls.call import Call
from ...calls.effects.claims import is_contradicted, without
from ...calls.effects.deeds import Observation
from ...calls.effects.watch import Watch
from ...protocol.wire.frames import WireLog
from ..output.printing import tell
from .live import NotConnected, Options, started_again

if TYPE_CHECKING:
    from ...engine.engine import Engine

CONTROL_SECONDS: Final = 5.0
"""How long a server is watched at most in a run without calls."""


async def end_server(engine: Engine, watch: Watch) -> Observation:
    """End the server, and watch its end."""
    watching = await watch.begin_end()
    await engine.link.close()
    return await watch.ended(watching)


@dataclass(frozen=True)
class Control:
    """Deeds of the server in a run without calls."""

    idle: Observation
    ending: Observation
    seconds: float


async def control_of(options: Options, first: Watch, seconds: float) -> Control:
    """Watch the server without a call for so long, and at its end. Raises NotConnected."""
    seconds = min(seconds, CONTROL_SECONDS)
    async with started_again(options, first, WireLog()) as (engine, watch):
        watching = await watch.begin(is_idle_first=False)
        await asyncio.sleep(seconds)
        idle = await watch.end(watching)
        return Control(idle, await end_server(engine, watch), seconds)


async def with_ending(options: Options, engine: Engine, call: Call) -> Call:
    """Return a call with its server's effects at the end, and the fates of its processes.

    Effects that also occur in a run without calls are left out, as by `signoff evidence`.
    """
    watch, seen = options.config.target.watch, call.evidence
    if watch is None or seen is None or not engine.server.is_open:
        return call
    seconds = max(0.0, (call.ended_at or 0.0) - (call.sent_at or 0.0))
    ending = await end_server(engine, watch)
    ended = call.later(evidence=replace(watch.with_fates(seen), ending=ending))
    if not is_contradicted(ended):
        return ended
    try:
        control = await control_of(options, watch, seconds)
    except NotConnected as problem:
        tell_not_run(problem)
        return ended
    own = without(watch.with_fates(seen), control.idle)
    return call.later(evidence=replace(own, ending=without(ending, control.ending)))


def tell_not_run(problem: NotConnected) -> None:
    """A further run came to nothing."""
    tell(f"signoff: no further run to find out more: {problem}")
