"""From the launch to the first paint, and to the tools on the screen."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence

from tests.bench import empty_app
from tests.bench.figures import Figure, Samples
from tests.bench.places import Place
from tests.bench.probe import probe
from tests.bench.timed_tty import Tty

PAINT, TOOLS = "signoff: first paint", "signoff: tools on the screen"
EMPTY = "empty Textual app: first paint"
PROBE = "bare probe: Popen to the answer of tools/list"
COMPUTED = ": processor time"
IMPORTS = 'python -c "import textual, mcp"'
PAINT_TARGET, TOOLS_TARGET = 1.3, 1.5
NAMES_WANTED = 3


def measure_startup(place: Place, argv: Sequence[str], runs: int) -> list[Figure]:
    """All of it in turn, `runs` times; one round before that warms the caches."""
    samples = Samples()
    distinct = distinct_names(argv, probe(argv, place.env, place.home)[1])
    _round(Samples(), place, argv, distinct)
    for _ in range(runs):
        _round(samples, place, argv, distinct)
    paint = samples.median(PAINT) / samples.median(EMPTY)
    tools = samples.median(TOOLS) / samples.median(PROBE)

    def computed(what: str) -> float:
        # Where the system does not tell, everything is 0.
        return samples.median(f"{what}{COMPUTED}") or 1.0

    return [
        samples.figure(EMPTY),
        samples.figure(PAINT, f"<= {PAINT_TARGET} x empty app", f"{paint:.2f} x"),
        samples.figure(EMPTY + COMPUTED),
        *(
            samples.figure(f"{what}{COMPUTED}", "", f"{computed(what) / computed(EMPTY):.2f} x")
            for what in (PAINT, TOOLS)
        ),
        samples.figure(PROBE),
        samples.figure(TOOLS, f"<= {TOOLS_TARGET} x bare probe", f"{tools:.2f} x"),
        samples.figure(IMPORTS),
    ]


def _round(samples: Samples, place: Place, argv: Sequence[str], names: Sequence[str]) -> None:
    with Tty(place.signoff(list(argv)), place.env, place.home) as signoff:
        samples.add(PAINT, signoff.seen(lambda text: "Signoff" in text))
        samples.add(f"{PAINT}{COMPUTED}", signoff.processor_seconds())
        samples.add(TOOLS, signoff.seen(lambda text: has_tools(text, names)))
        samples.add(f"{TOOLS}{COMPUTED}", signoff.processor_seconds())
    samples.add(PROBE, probe(argv, place.env, place.home)[0])
    empty = [sys.executable, "-m", "tests.bench.empty_app"]
    with Tty(empty, place.env, place.home) as app:
        samples.add(EMPTY, app.seen(lambda text: empty_app.WORDS in text))
        samples.add(f"{EMPTY}{COMPUTED}", app.processor_seconds())
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", "import textual, mcp"], env=place.env, cwd=place.home, check=True
    )
    samples.add(IMPORTS, time.perf_counter() - started)


def distinct_names(argv: Sequence[str], names: Sequence[str]) -> list[str]:
    """The names of tools that the server bar, which has the command line, does not show."""
    command = " ".join(argv)
    return [name for name in names if name not in command and len(name) > 3]


def has_tools(text: str, names: Sequence[str]) -> bool:
    """Whether some of the tools are on the screen."""
    return sum(name in text for name in names) >= min(NAMES_WANTED, len(names))
