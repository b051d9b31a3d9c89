from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from signoff.app.platforms import limits
from signoff.app.platforms.limits import limit_reached, watching
from tests.tiers import first_quick

ON_WINDOWS = "import sys; sys.platform = 'win32'\n"
STUCK = "import re; re.match('(a|a)*b', 'a' * 64)"


def run_within(limit: str, program: str, *, windows: bool = False) -> int:
    """The exit status of a program that runs within limits of its own."""
    code = (
        f"{ON_WINDOWS if windows else ''}from signoff.app.platforms.limits import limited\n"
        f"with limited({limit}):\n    {program}"
    )
    return subprocess.run([sys.executable, "-c", code], check=False).returncode


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows tells no reason")
def test_a_stuck_interpreter_is_ended_by_the_kernel_and_says_why() -> None:
    status = run_within("0.2, 50, 1 << 30", STUCK)
    assert limit_reached(status) == "time"
    status = run_within("50, 0.2, 1 << 30", STUCK)
    assert limit_reached(status) == "processor"
    assert limit_reached(0) is None
    assert limit_reached(-signal.SIGTERM) is None


def test_a_stuck_interpreter_is_ended_on_windows() -> None:
    assert run_within("0.2, 50, 1 << 30", STUCK, windows=True) == 1
    # A limit that is over does not end anything.
    assert run_within("0.2, 50, 1 << 30", "pass\nimport time; time.sleep(0.5)", windows=True) == 0


@pytest.mark.parametrize(
    ("program", "limit"),
    first_quick(
        [
            ("while True: pass", "processor"),
            ("import time; kept = b'x' * (200 << 20); time.sleep(60)", "memory"),
        ],
        several=True,
    ),
)
def test_a_watched_process_is_ended_for_what_it_uses(program: str, limit: str) -> None:
    with (
        subprocess.Popen([sys.executable, "-c", program]) as process,
        watching(process.pid, 0.3, 100 << 20, process.kill, is_wanted=True) as watch,
    ):
        process.wait()
    assert watch.reached == limit


def test_who_stays_within_the_limits_is_left_alone() -> None:
    ended: list[int] = []
    with (
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.4)"]) as process,
        watching(process.pid, 5, 1 << 30, lambda: ended.append(1), is_wanted=True) as watch,
    ):
        assert process.wait() == 0
        time.sleep(3 * limits.LOOK_SECONDS)
    assert (watch.reached, ended) == (None, [])
