"""The tests of a room on a copy of the checkout, with a mutant in it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutants.making import Mutant

SOURCES = ("app", "widgets")
LEFT_OUT = shutil.ignore_patterns(
    *(".git", ".venv", "build", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis", "names")
)
QUICK, SLOW, EVERY = "not slow and not thorough", "slow and not thorough", "not thorough"
NO_TESTS = 5
"""The exit status of pytest if no test is left."""
KILLED, SURVIVED, UNDECIDED = "killed", "survived", "undecided"


@dataclass(frozen=True)
class Outcome:
    """What the tests said of a mutant."""

    room: str
    mutant: Mutant
    verdict: str


@dataclass(frozen=True)
class Run:
    """A run of tests; `failed` names the tests that failed, if they did so in time."""

    passed: bool
    failed: list[str] = field(default_factory=list)


class Copy:
    """A copy of the checkout, in which tests run; nothing is changed outside of it."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(root, folder, ignore=LEFT_OUT, symlinks=True)
        self._names = folder / ".mutants"
        (self._names / "signoff").mkdir(parents=True)
        for source in SOURCES:
            if (folder / source).is_dir():
                (self._names / "signoff" / source).symlink_to(folder / source, True)

    def check(self) -> None:
        """Make sure that the copy is what its tests import."""
        ask = "import signoff.app as found; print(found.__file__)"
        done = subprocess.run(
            [sys.executable, "-c", ask], env=self._env(), capture_output=True, text=True, check=True
        )
        if not done.stdout.startswith(str(self._names)):
            raise RuntimeError(f"the copy is not imported, but {done.stdout.strip()}")

    def verdict(self, mutant: Mutant, tests: list[str], seconds: float) -> str:
        """What the tests say of the mutant; undecided if they say the same without it.

        The quick tests run first. Slow tests that would not end in time without a fault, either,
        count as those that have seen nothing.
        """
        file = self.folder / mutant.path
        before = file.read_text(encoding="utf-8")
        try:
            self._write(file, mutant.source(before))
            quick = self.run(tests, seconds, QUICK)
            slow = self.run(tests, seconds, SLOW) if quick.passed else quick
        finally:
            self._write(file, before)
        if slow.passed:
            return SURVIVED
        tier = SLOW if quick.passed else QUICK
        if self.run(slow.failed or tests, seconds, EVERY if slow.failed else tier).passed:
            return KILLED
        return SURVIVED if quick.passed and not slow.failed else UNDECIDED

    def run(self, tests: list[str], seconds: float, tier: str) -> Run:
        """Run tests of a tier, at most so long."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-m", tier]
        said = self._names / "said.txt"
        with (
            said.open("wb") as out,
            subprocess.Popen(
                [*command, "-rfE", "-p", "no:cacheprovider", *tests],
                cwd=self.folder,
                env=self._env(),
                stdout=out,
                stderr=out,
                start_new_session=True,
            ) as process,
        ):
            try:
                passed = process.wait(seconds) in (0, NO_TESTS)
            except subprocess.TimeoutExpired:
                return Run(passed=False)
            finally:
                _end(process)
        lines = said.read_text(encoding="utf-8", errors="replace").split("\n")
        failed = [line.split(" ")[1] for line in lines if line.startswith(("FAILED ", "ERROR "))]
        return Run(passed, failed)

    def _env(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": os.pathsep.join([str(self._names), str(self.folder)])}

    def _write(self, file: Path, source: str) -> None:
        file.write_text(source, encoding="utf-8")
        # Bytecode of the same second and size would be taken for that of the file.
        for stale in (file.parent / "__pycache__").glob(f"{file.stem}.*"):
            stale.unlink()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the tests with all that they have started."""
    if sys.platform == "win32":
        process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def room_tests(root: Path, path: Path) -> list[str]:
    """The tests that import a module, then those of its room; the nearest folder that there is."""
    below = Path("tests", *path.parts[1 if path.parts[0] == "app" else 0 : -1])
    while not any((root / below).rglob("test_*.py")):
        below = below.parent
    module = "signoff." + ".".join(path.with_suffix("").parts)
    importing = [
        file.relative_to(root).as_posix()
        for file in sorted((root / "tests").rglob("test_*.py"))
        if f"from {module} import" in file.read_text(encoding="utf-8")
    ]
    return [*importing, below.as_posix()]
