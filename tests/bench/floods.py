"""What a server floods the screen with: for how long a key would wait, and the processor."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.bench.figures import Figure, Samples
from tests.bench.first_dialogs import F5, TARGET_SECONDS, has_words, turns_in
from tests.bench.flooding_server import TOOLS
from tests.bench.places import ROOT, Place
from tests.bench.timed_tty import Tty

RUNS = 3
REST = 5.0
"""Seconds from the tools to the call: all is brought in by then."""
LASTING = 6.0
"""Seconds in which the flood comes and goes."""
SERVER = ROOT / "tests" / "bench" / "flooding_server.py"


def measure(place: Place, runs: int) -> list[Figure]:
    """For each flood the longest turn of the event loop."""
    samples = Samples()
    for _ in range(min(runs, RUNS)):
        for at, tool in enumerate(TOOLS):
            with tempfile.NamedTemporaryFile(prefix="signoff-turns-") as written:
                server = ["--policy", "allow-all", "--", sys.executable, str(SERVER)]
                argv = [sys.executable, "-m", "tests.bench.first_dialogs", written.name, *server]
                with Tty(argv, place.env, place.home) as signoff:
                    signoff.seen(has_words(TOOLS[-1]))
                    time.sleep(REST)
                    signoff.write(b"j" * at)
                    time.sleep(1.0)
                    pressed = time.perf_counter()
                    signoff.write(F5)
                    time.sleep(LASTING)
                    turns = [one for one in turns_in(Path(written.name)) if one.began >= pressed]
            samples.add(f"{tool}: longest turn", max(turn.wall for turn in turns))
            samples.add(f"{tool}: its processor", max(turn.processor for turn in turns))
    target = f"< {TARGET_SECONDS * 1000:g} ms"
    return [
        samples.figure(name, target, f"{samples.median(name) * 1000:.0f} ms")
        for name in samples.values
    ]
