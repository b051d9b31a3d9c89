"""Answers of 1, 20 and 100 MB in the real program: seconds to see them, and memory.

Each call runs in a program of its own, in a pseudo-terminal. What it is held against is a client
that does nothing but read the line and parse it. Memory is the peak above that of a program whose
answer was empty.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.bench import large_server
from tests.bench.figures import Figure
from tests.bench.places import Place, private_place
from tests.bench.timed_tty import Tty

SIZES = (1, 20, 100)
"""In MB. The largest is more than is taken into memory at once."""
SHAPES = {"lines": "4711 of", "one_line": "0123456789abcdef", "json": "a record"}
"""Names of tools, and what the answer of each has in its first row."""
WHERE = "The whole answer"
MEMORY_TARGET = 3.0
PRESS_TARGET = 0.020
OPEN_TARGET = 0.150
PRESSES = 10
SETTLED = 1.0
GAP, REST = 0.06, 0.25
F5, F6, DOWN = b"\x1b[15~", b"\x1b[17~", b"\x1b[B"
TAB, ENTER, PAGE_UP, PAGE_DOWN = b"\t", b"\r", b"\x1b[5~", b"\x1b[6~"
TIMEOUT = 60.0
_SERVER = [sys.executable, "-S", str(Path(large_server.__file__))]


@dataclass(frozen=True, slots=True)
class Run:
    """Seconds from f5 to the painted answer, the same of computing, to open the reader, for each
    key in it; bytes at the peak. `opened` is None where there is nothing to open."""

    answered: float
    computed: float
    opened: float | None
    presses: list[float]
    memory: int


def measure(place: Place, runs: int) -> list[Figure]:
    """Every shape and size in turn with the bare client."""
    figures = []
    count = min(runs, 3)
    empty = median(_run(place, "lines", 0).memory for _ in range(count))
    for size in SIZES:
        for shape in SHAPES:
            bare, found = [], []
            for _ in range(count):
                bare.append(_bare(place, shape, size))
                found.append(_run(place, shape, size))
            figures += _figures(f"{size} MB, {shape}", size, bare, found, empty)
    return figures


def _figures(
    name: str, size: int, bare: list[float], runs: list[Run], empty: float
) -> list[Figure]:
    more = max(median(run.memory for run in runs) - empty, 0)
    times = median(run.answered for run in runs) / median(bare)
    figures = [
        Figure(f"{name}: a bare client", bare),
        Figure(f"{name}: f5 to the answer", [one.answered for one in runs], "", f"{times:.1f} x"),
        Figure(f"{name}: of it processor time", [one.computed for one in runs]),
        Figure(
            f"{name}: peak memory",
            [0.0],
            f"< {MEMORY_TARGET:g} x",
            f"+{more / 1e6:.0f} MB, {more / 1e6 / size:.1f} x the answer",
        ),
    ]
    opened = [one.opened for one in runs if one.opened is not None]
    if opened:
        target = f"< {OPEN_TARGET * 1000:g} ms"
        figures.append(Figure(f"{name}: the reader opens", opened, target))
        presses = [press for run in runs for press in run.presses]
        figures.append(Figure(f"{name}: page down", presses, f"< {PRESS_TARGET * 1000:g} ms"))
    return figures


def _run(place: Place, shape: str, size: int) -> Run:
    argv = [sys.executable, "-m", "signoff.app", "--trust", "--", *_SERVER]
    with Tty(argv, place.env, place.home) as signoff:
        signoff.seen(lambda text: "one_line" in text)
        signoff.quiet(1.5)
        for _ in range(list(SHAPES).index(shape)):
            signoff.press(DOWN, GAP, REST)
        signoff.press(ENTER, GAP, REST)
        signoff.press(str(size).encode(), GAP, REST)
        wanted = (SHAPES[shape], WHERE) if size else ("answered",)
        before = signoff.processor_seconds()
        signoff.write(F5)
        answered = signoff.wait_until(lambda text: any(one in text for one in wanted), TIMEOUT)
        computed = signoff.processor_seconds() - before
        # The cursor in the form blinks: it is never quiet for long.
        time.sleep(SETTLED)
        opened, presses = None, []
        if 0 < size < max(SIZES):
            for key in (F6, F6, TAB):
                signoff.press(key, GAP, REST)
            signoff.write(ENTER)
            opened = signoff.wait_until(lambda text: "esc Close" in text, TIMEOUT)
            signoff.quiet(1.5)
            keys = (PAGE_DOWN, PAGE_UP) * (PRESSES // 2)
            presses = [signoff.press(key, GAP, REST)[1] for key in keys]
        return Run(answered, computed, opened, presses, signoff.peak_memory())


def _bare(place: Place, shape: str, size: int) -> float:
    """Seconds from asking for an answer to having read and parsed it."""
    process = subprocess.Popen(
        _SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=place.env, cwd=place.home
    )
    try:
        _ask(process, "initialize", {"protocolVersion": "2025-11-25"})
        started = time.perf_counter()
        _ask(process, "tools/call", {"name": shape, "arguments": {"megabytes": size}})
        return time.perf_counter() - started
    finally:
        process.kill()
        process.communicate()


def _ask(process: subprocess.Popen[bytes], method: str, params: dict[str, object]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    json.loads(process.stdout.readline())


if __name__ == "__main__":
    with private_place() as home:
        for figure in measure(home, 3):
            print(figure.as_line())
