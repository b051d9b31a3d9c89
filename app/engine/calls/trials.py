"""Runs the trials of policies in a worker and remembers their results.

A trial that was stopped is remembered like any other, so that judging the same call again does not
wait again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from ...approval.policies.patterns import Trial, Tried, carry_out_all, is_held_at_once

if TYPE_CHECKING:
    from ...sandbox.worker_side import WorkerLimits

ALONE_SECONDS: Final = 1.0
"""What one trial may take."""
ALTOGETHER_SECONDS: Final = 3.0
"""What trials may take one after the other, once they took too long together."""
REMEMBERED: Final = 2_000
_NO_TIME: Final = Tried(
    None, f"was not tried: others took more than {ALTOGETHER_SECONDS:g} s altogether"
)


def _limits() -> WorkerLimits:
    from ...sandbox.worker_side import WorkerLimits

    return WorkerLimits(wall_seconds=ALONE_SECONDS, cpu_seconds=ALONE_SECONDS)


class PatternCache:
    """Trials of one engine, with the known results by key, newest last."""

    def __init__(self) -> None:
        self._known: dict[str, Tried] = {}
        self._turn = asyncio.Lock()

    @property
    def known(self) -> Mapping[str, Tried]:
        return MappingProxyType(self._known)

    def are_known(self, trials: Iterable[Trial]) -> bool:
        return all(trial.key in self._known for trial in trials)

    async def carried_out(self, trials: Iterable[Trial]) -> dict[str, Tried]:
        """Return the result of each trial, by key. Cancelling it kills the running one."""
        wanted = {trial.key: trial for trial in trials}
        # Whoever wants the same meanwhile waits for it, and does not start it as well.
        async with self._turn:
            found = {key: self._known[key] for key in wanted if key in self._known}
            rest = []
            for key, trial in wanted.items():
                if key not in found and is_held_at_once(trial):
                    found[key] = self._remember(trial, Tried(True))
                elif key not in found:
                    rest.append(trial)
            if rest:
                found |= await self._carry_out(rest)
        return found

    async def _carry_out(self, trials: list[Trial]) -> dict[str, Tried]:
        """Run all at once; if that takes too long, one after the other, to find the slow one."""
        from ...sandbox.worker import WorkerMissing, WorkerStopped, run_limited

        try:
            together = await run_limited(carry_out_all, tuple(trials), limits=_limits())
        except WorkerMissing as missing:
            return dict.fromkeys(
                (trial.key for trial in trials), Tried(None, f"was not tried: {missing.reason}")
            )
        except WorkerStopped as stopped:
            if len(trials) > 1:
                return await self._one_by_one(trials)
            together = (Tried(None, stopped.reason),)
        return {
            trial.key: self._remember(trial, tried)
            for trial, tried in zip(trials, together, strict=True)
        }

    async def _one_by_one(self, trials: list[Trial]) -> dict[str, Tried]:
        found: dict[str, Tried] = {}
        end = time.monotonic() + ALTOGETHER_SECONDS
        for trial in trials:
            if time.monotonic() < end:
                found |= await self._carry_out([trial])
            else:
                found[trial.key] = _NO_TIME
        return found

    def _remember(self, trial: Trial, tried: Tried) -> Tried:
        while len(self._known) >= REMEMBERED:
            del self._known[next(iter(self._known))]
        self._known[trial.key] = tried
        return tried
