"""Many calls begun at once on the screen of the real program, and progress that does not stop.

`python -m tests.bench.bursts COUNT TOOL SECONDS ...` is measured: the program on the command line
that follows, which begins so many calls of a tool when it gets SIGUSR1. Nothing else in it differs.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from functools import partial
from pathlib import Path

from tests.bench import ticking_server
from tests.bench.figures import Figure, Samples
from tests.bench.places import Place, private_place
from tests.bench.timed_tty import Tty

BURST, BURST_TARGET = 100, 0.004
BURST_SECONDS = 8.0
TICKING, SHARE_TARGET = 50, 0.15
KEY_TARGET = 0.100
TICK_SECONDS, FIRST_SECONDS = 9.0, 2.0
"""How long the calls report; how much of it counts as the beginning, when all of them come."""
SLASH = b"/"
LETTERS = "ЖЩЭЮЯФЦЧШБДИЛПУ"
"""Letters that stand nowhere else on the screen, each to be typed once."""
BETWEEN = 0.25
_SERVER = [sys.executable, "-S", str(Path(ticking_server.__file__))]
_LISTED = "quick"


def measure_bursts(place: Place, runs: int) -> list[Figure]:
    """Each call's share of processor time, and how long a key waits meanwhile."""
    samples = Samples()
    each = f"{BURST} calls at once: processor time each"
    key, worst = (f"{BURST} calls at once: {what}" for what in ("a key", "the slowest key"))
    for _ in range(min(runs, 3)):
        with _program(place, BURST, "quick", 0) as signoff:
            began, before = time.perf_counter(), _begin(signoff)
            delays = _type(signoff, 8)
            # It is never quiet: the cursor of the filter blinks.
            time.sleep(max(0.0, BURST_SECONDS - (time.perf_counter() - began)))
            samples.add(each, (signoff.processor_seconds() - before) / BURST)
            _add_keys(samples, key, worst, delays)
    return [
        _judged(samples, each, BURST_TARGET),
        _judged(samples, key, KEY_TARGET),
        _judged(samples, worst, KEY_TARGET),
    ]


def measure_progress(place: Place, runs: int) -> list[Figure]:
    """The same while 50 calls report 100 times a second each."""
    samples = Samples()
    name = f"{TICKING} x {ticking_server.REPORTS_A_SECOND} reports/s"
    share, key, worst = (f"{name}: {what}" for what in ("a second", "a key", "the slowest key"))
    for _ in range(min(runs, 3)):
        with _program(place, TICKING, "ticks", TICK_SECONDS) as signoff:
            began = time.perf_counter()
            _begin(signoff)
            delays = _type(signoff, 6)
            time.sleep(max(0.0, FIRST_SECONDS - (time.perf_counter() - began)))
            before, since = signoff.processor_seconds(), time.perf_counter()
            time.sleep(TICK_SECONDS - 2 * FIRST_SECONDS)
            spent = signoff.processor_seconds() - before
            samples.add(share, spent / (time.perf_counter() - since))
            _add_keys(samples, key, worst, delays)
    found = samples.median(share)
    words = f"{found:.0%} of a core"
    return [
        samples.figure(share, f"< {SHARE_TARGET:.0%}", words),
        _judged(samples, key, KEY_TARGET),
        _judged(samples, worst, KEY_TARGET),
    ]


def _program(place: Place, count: int, tool: str, seconds: float) -> Tty:
    what = [str(count), tool, str(seconds), "--policy", "allow-all", "--", *_SERVER]
    return Tty([sys.executable, "-m", "tests.bench.bursts", *what], place.env, place.home)


def _begin(signoff: Tty) -> float:
    """Stand in the filter and let the calls begin; returns the processor time until then."""
    if sys.platform == "win32":
        raise NotImplementedError
    signoff.seen(lambda text: _LISTED in text)
    signoff.quiet(1.5)
    signoff.press(SLASH, 0.06, 0.3)
    before = signoff.processor_seconds()
    signoff.signal(signal.SIGUSR1)
    return before


def _type(signoff: Tty, count: int) -> list[float]:
    """Letters typed into the filter, one after the other; seconds until each was there."""
    delays = []
    for letter in LETTERS[:count]:
        pressed = time.perf_counter()
        signoff.write(letter.encode())
        delays.append(signoff.wait_until(partial(_has, letter)))
        time.sleep(max(0.0, BETWEEN - (time.perf_counter() - pressed)))
    return delays


def _has(letter: str, text: str) -> bool:
    return letter in text


def _add_keys(samples: Samples, key: str, worst: str, delays: list[float]) -> None:
    for delay in delays:
        samples.add(key, delay)
    samples.add(worst, max(delays))


def _judged(samples: Samples, name: str, target: float) -> Figure:
    seconds = samples.median(name)
    return samples.figure(name, f"< {target * 1000:g} ms", f"{seconds * 1000:.1f} ms")


# In the process that is measured


def _main(count: int, tool: str, seconds: float, argv: list[str]) -> None:
    from signoff.app.cli import main
    from signoff.app.engine.engine import Engine

    opened = Engine.open

    def open_and_wait(engine: Engine) -> None:
        if sys.platform == "win32":
            raise NotImplementedError

        def begin() -> None:
            wanted = next(one for one in engine.tools if one.name == tool)
            for _ in range(count):
                engine.call(wanted, {"seconds": seconds})

        opened(engine)
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, begin)

    setattr(Engine, "open", open_and_wait)  # noqa: B010
    sys.exit(main.main(argv))


if __name__ == "__main__":
    if sys.argv[1:]:
        _main(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4:])
    else:
        with private_place() as home:
            for figure in (*measure_bursts(home, 3), *measure_progress(home, 3)):
                print(figure.as_line())
