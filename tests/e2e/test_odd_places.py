"""The tests themselves in an odd place: none depends on a clock, a zone, a path or on signals."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import ROOT

assert sys.platform != "win32"

WHAT = ("app", "widgets", "tests", "screenshots", ".ci", ".github")
FILES = (
    *("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"),
    *(".pre-commit-config.yaml", ".pre-commit-hooks.yaml"),
)
DATED = ("engine/test_remembering.py", "engine/calls/test_last_gate.py")
ROOMS = ("approval", "calls", "storage", *DATED)
"""Where dates, folders and signals count, and what decides."""
AHEAD = 200 * 86_400
"""Seconds that the clock is ahead: over half a year, so that summer is winter."""

CLOCK = f"""
import time
real = time.time
time.time = lambda: real() + {AHEAD}
"""
CODE = f"""
import os, sys, time
real = os.stat(".").st_ctime
assert time.time() - real > {AHEAD}
import pytest, signoff.app
assert os.path.samefile(signoff.app.__path__[0], "app"), signoff.app.__path__
sys.exit(pytest.main(sys.argv[1:]))
"""


@pytest.mark.started_anew
@pytest.mark.timeout(900)
def test_the_tests_pass_at_an_odd_path_in_another_zone_on_another_day(tmp_path: Path) -> None:
    """And in the background of a shell, where SIGINT and SIGHUP are ignored."""
    place = tmp_path / "ein Örtchen mit Platz" / ("tief " * 8).strip()
    for name in WHAT:
        # What is compiled goes with it, and counts as long as its source has the same time.
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("names"))
    for name in FILES:
        shutil.copy(ROOT / name, place / name)
    subprocess.run([sys.executable, ".ci/names.py"], cwd=place, check=True)
    names, clock = place / ".ci" / "names", tmp_path / "clock"
    clock.mkdir()
    clock.joinpath("sitecustomize.py").write_text(CLOCK)
    ended = subprocess.run(
        [
            *(sys.executable, "-c", CODE, "-n", "0", "-p", "no:cacheprovider"),
            *(f"--basetemp={tmp_path / 'ihre Ordner'}", *(f"tests/{room}" for room in ROOMS)),
        ],
        cwd=place,
        env={
            **os.environ,
            "TZ": "Pacific/Chatham",
            "LC_ALL": "C.UTF-8",
            "PYTHONPATH": os.pathsep.join([str(clock), str(names)]),
        },
        preexec_fn=_ignore_signals,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-8_000:]
    assert "[100%]" in ended.stdout


def _ignore_signals() -> None:
    for one in (signal.SIGINT, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)
