"""The tracer of system calls on this system, if any, and the pipe for its output."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

TRIAL_SECONDS = 5.0

if sys.platform == "linux":

    def find_tracer() -> tuple[str, str]:
        """The path of strace if it works here; else the reason why it does not, in words."""
        found = shutil.which("strace")
        if found is None:
            return "", "strace is not installed"
        try:
            trial = subprocess.run(
                [found, "-f", "-qq", "-o", "/dev/null", "true"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TRIAL_SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return "", "strace cannot be started"
        if trial.returncode:
            return "", "strace may not watch processes here"
        return found, ""

    def make_pipe(path: str) -> int:
        """A named pipe, and the descriptor to read it by, which does not wait. Raises OSError."""
        os.mkfifo(path, 0o600)
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def birth_times(paths: Sequence[str]) -> dict[str, float]:
        """Return creation times of files, in seconds since the epoch, if known to the file
        system.
        """
        if not paths:
            return {}
        births = {}
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            told = subprocess.run(
                ["stat", "--format=%.9W %n", "--", *paths],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TRIAL_SECONDS,
                check=False,
            )
            for line in told.stdout.split(b"\n"):
                time, _, path = line.partition(b" ")
                with contextlib.suppress(ValueError):
                    if (birth := float(time)) > 0:
                        births[os.fsdecode(path)] = birth
        return births

    def traced_by(pid: int) -> list[int]:
        """The processes that another one traces."""
        found = []
        for name in os.listdir("/proc"):
            if name.isdecimal():
                with contextlib.suppress(OSError), open(f"/proc/{name}/status", "rb") as status:
                    if b"TracerPid:\t%d\n" % pid in status.read():
                        found.append(int(name))
        return found

else:

    def find_tracer() -> tuple[str, str]:
        """There is none that needs no rights of its own."""
        return "", "strace does not exist for this system"

    def make_pipe(path: str) -> int:
        """Fail: no tracer exists to write into a pipe. Raises OSError."""
        raise OSError("no tracer writes here")

    def birth_times(paths: Sequence[str]) -> dict[str, float]:
        """Return nothing: no caller needs them here."""
        return {}

    def traced_by(pid: int) -> list[int]:
        """Return nothing: no tracer runs here."""
        return []
