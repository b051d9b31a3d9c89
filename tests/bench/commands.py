"""What a command without a screen computes: `signoff call`, with its worker."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from tests.bench.figures import Figure, Samples
from tests.bench.places import Place
from tests.bench.probe import probe

CALL = "signoff call: processor time, without the server's"
IMPORT = 'python -c "import mcp": processor time'
TARGET = 0.8
_CALLED = {
    "everything": ("get-sum", "-a", "a=1", "-a", "b=2"),
    "demo": ("calculate_sum", "-a", "a=1", "-a", "b=2"),
    "raw": ("slow", "-a", "steps=1", "-a", "seconds=0"),
}
"""A quick call of each server that has something to validate."""


def measure_commands(place: Place, name: str, argv: Sequence[str], runs: int) -> list[Figure]:
    """Both in turn, `runs` times; one round before that warms the caches."""
    samples = Samples()
    _round(Samples(), place, name, argv)
    for _ in range(runs):
        _round(samples, place, name, argv)
    call, whole = samples.median(CALL), samples.median(IMPORT)
    return [
        samples.figure(IMPORT),
        samples.figure(CALL, f"<= {TARGET:g} s", f"{call:.2f} s, {call / whole:.2f} x"),
    ]


def _round(samples: Samples, place: Place, name: str, argv: Sequence[str]) -> None:
    before = _computed()
    probe(argv, place.env, place.home)
    server = _computed() - before
    words = ("-m", "signoff.app", "call", *_CALLED[name], "--approve", "always", "--", *argv)
    samples.add(CALL, max(0.0, _cost(place, words) - server))
    samples.add(IMPORT, _cost(place, ("-c", "import mcp")))


def _cost(place: Place, words: Sequence[str]) -> float:
    """Seconds that Python computes with these words, and all that it started and waited for."""
    before = _computed()
    subprocess.run(
        [sys.executable, *words],
        env=place.env,
        cwd=place.home,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return _computed() - before


def _computed() -> float:
    """What all children that have ended computed so far."""
    times = os.times()
    return times.children_user + times.children_system
