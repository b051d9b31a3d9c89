"""The first dialog of a session: for how long it holds up the keyboard, and the processor.

`python -m tests.bench.first_dialogs FILE ...` is what is measured: the program on the command line
that follows, which writes down how long each turn of its event loop took. A key that comes
meanwhile waits for so long. Nothing else in it differs.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from tests.bench.figures import Figure, Samples
from tests.bench.places import Place
from tests.bench.timed_tty import Tty
from tests.servers import raw

TARGET_SECONDS = 0.100
LEAST_SECONDS = 0.001
"""Shorter turns are not written down."""
REST = 5.0
"""Seconds without a key before the one that is measured: somebody reads the list of tools."""
BETWEEN = 1.0
"""Seconds between two keys, and from the last one to the end."""
RUNS = 3
F5, FORM, ROOTS, TRUST, WIRE, NEW = b"\x1b[15~", b"e", b"L", b"\x14", b"W", b"n"


@dataclass(frozen=True, slots=True)
class Opened:
    """A dialog: the tool that is there, and the keys that open it."""

    name: str
    tool: str
    keys: tuple[tuple[bytes, str], ...]
    """Each key with the words that are there once it has done what it does. The last counts."""
    is_trusted: bool = True


OPENED = (
    Opened("approval of a call", "echo", ((F5, "Deny"),), is_trusted=False),
    Opened("elicitation", "asks_elicitation", ((F5, "Decline"),)),
    Opened("its form", "asks_elicitation", ((F5, "Decline"), (FORM, "Review"))),
    Opened("visit", "asks_visit", ((F5, "Decline"),)),
    Opened("sampling", "asks_sampling", ((F5, "Decline"),)),
    Opened("roots", "echo", ((ROOTS, "Save"),)),
    Opened("trust", "echo", ((TRUST, "Leave"),)),
    Opened("raw message", "echo", ((WIRE, "Only this call"), (NEW, "Review"))),
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the event loop: when it began, and how long it took. Seconds."""

    began: float
    wall: float
    processor: float


def measure(place: Place, runs: int) -> list[Figure]:
    """For each dialog the longest turn of the loop, and until it stands there."""
    samples = Samples()
    for _ in range(min(runs, RUNS)):
        for one in OPENED:
            shown, turns = _open(place, one)
            samples.add(f"{one.name}: longest turn", max(turn.wall for turn in turns))
            samples.add(f"{one.name}: its processor", max(turn.processor for turn in turns))
            samples.add(f"{one.name}: in sight", shown)
    return [_judged(samples, name) for name in samples.values]


def _open(place: Place, one: Opened) -> tuple[float, list[Turn]]:
    with tempfile.NamedTemporaryFile(prefix="signoff-turns-") as written:
        policy = ["--policy", "allow-all"] if one.is_trusted else []
        argv = [written.name, *policy, "--", *raw("--era", "legacy", "--only", one.tool)]
        launch = [sys.executable, "-m", "tests.bench.first_dialogs", *argv]
        with Tty(launch, place.env, place.home) as signoff:
            signoff.seen(has_words(one.tool))
            time.sleep(REST)
            for key, words in one.keys:
                time.sleep(BETWEEN)
                pressed = time.perf_counter()
                signoff.write(key)
                shown = signoff.wait_until(has_words(words))
            time.sleep(BETWEEN)
            return shown, [turn for turn in turns_in(Path(written.name)) if turn.began >= pressed]


def has_words(words: str) -> Callable[[str], bool]:
    """Whether a text has these words."""
    return lambda text: words in text


def turns_in(path: Path) -> Iterator[Turn]:
    """What the measured program wrote down."""
    for line in path.read_text(encoding="ascii").splitlines():
        yield Turn(*map(float, line.split()))


def _judged(samples: Samples, name: str) -> Figure:
    if name.endswith("in sight"):
        return samples.figure(name)
    seconds = samples.median(name)
    return samples.figure(name, f"< {TARGET_SECONDS * 1000:g} ms", f"{seconds * 1000:.0f} ms")


# In the process that is measured


class _Watched(selectors.DefaultSelector):
    """Writes down what lies between two waits of the loop of the main thread."""

    file: TextIO

    def __init__(self) -> None:
        super().__init__()
        self._began = self._computed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        now = time.perf_counter()
        if self._began and now - self._began >= LEAST_SECONDS:
            spent = time.thread_time() - self._computed
            self.file.write(f"{self._began:.6f} {now - self._began:.6f} {spent:.6f}\n")
        found = super().select(timeout)
        self._began, self._computed = time.perf_counter(), time.thread_time()
        return found


class _Policy(asyncio.DefaultEventLoopPolicy):
    """Loops that are watched."""

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        return asyncio.SelectorEventLoop(_Watched())


def _main(name: str, argv: list[str]) -> None:
    from signoff.app.cli import main

    with open(name, "w", encoding="ascii", buffering=1) as file:
        _Watched.file = file
        asyncio.set_event_loop_policy(_Policy())
        sys.exit(main.main(argv))


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2:])
