"""From ctrl+q to the end of the program."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.bench import empty_app
from tests.bench.figures import Figure, Samples
from tests.bench.places import Place
from tests.bench.probe import probe
from tests.bench.startup import distinct_names, has_tools
from tests.bench.timed_tty import Tty

LEFT = "signoff: ctrl+q to the end of the process"
EMPTY = "empty Textual app: ctrl+q to the end of the process"
TARGET = 0.2
QUIET = 0.6
"""Seconds without an output after which nothing is being prepared any more."""


def measure_leaving(place: Place, argv: Sequence[str], runs: int) -> list[Figure]:
    """Both in turn, `runs` times; one round before that warms the caches."""
    samples = Samples()
    names = distinct_names(argv, probe(argv, place.env, place.home)[1])
    _round(Samples(), place, argv, names)
    for _ in range(runs):
        _round(samples, place, argv, names)
    left, empty = samples.median(LEFT), samples.median(EMPTY)
    return [
        samples.figure(EMPTY),
        samples.figure(LEFT, f"<= {TARGET:g} s", f"{left:.2f} s, {left / empty:.2f} x"),
    ]


def _round(samples: Samples, place: Place, argv: Sequence[str], names: Sequence[str]) -> None:
    with Tty(place.signoff(list(argv)), place.env, place.home) as signoff:
        signoff.seen(lambda text: has_tools(text, names))
        signoff.quiet(QUIET)
        samples.add(LEFT, signoff.left())
    empty = [sys.executable, "-m", "tests.bench.empty_app"]
    with Tty(empty, place.env, place.home) as app:
        app.seen(lambda text: empty_app.WORDS in text)
        app.quiet(QUIET)
        samples.add(EMPTY, app.left())
