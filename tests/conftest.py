from __future__ import annotations

import atexit
import compileall
import gc
import itertools
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
import textual.app
import textual.pilot
from hypothesis import HealthCheck, settings

from signoff.app.storage import fault_log as faults
from tests import sheets
from tests.forking import popen
from tests.settled import wait_for_idle

FOLDERS = ("STATE", "CONFIG", "CACHE", "DATA")

# What needs a pseudo-terminal or another thing of POSIX from its first line on.
collect_ignore = (
    ["e2e", "forking", "widgets/test_terminal_keys.py"] if sys.platform == "win32" else []
)

# How long an example takes says how busy the machine is. The same examples each time: what others
# would find is for who looks for it, with --hypothesis-profile=thorough.
_shared_settings = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", _shared_settings, max_examples=12, derandomize=True)
settings.register_profile("full", _shared_settings, max_examples=50, derandomize=True)
settings.register_profile("thorough", _shared_settings, max_examples=500)
settings.load_profile("full")

# In the background of a shell SIGINT is ignored, under nohup SIGHUP, and others by other programs.
# What the tests start would inherit that.
for _name in ("SIGINT", "SIGHUP", "SIGTERM", "SIGQUIT"):
    _number = getattr(signal, _name, None)
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        is_interrupt = _number == signal.SIGINT
        signal.signal(_number, signal.default_int_handler if is_interrupt else signal.SIG_DFL)
if sys.platform != "win32":
    signal.pthread_sigmask(signal.SIG_SETMASK, [])

# The tests and what they start are compiled once, and not at every start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

_shared = tempfile.mkdtemp(prefix="signoff-tests-")
atexit.register(shutil.rmtree, _shared, ignore_errors=True)
# For what runs outside of any one test, such as a program that several of them share.
os.environ.update({f"XDG_{name}_HOME": os.path.join(_shared, name.lower()) for name in FOLDERS})
# Nor does anything get into the keyring of the person who runs the tests.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"


SLOW_SECONDS = 600.0
"""The least limit of a slow test."""

QUICK_ONLY, SLOW_ONLY = "not slow", "slow"
"""The values of `-m` for the two tiers."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Take fewer examples for the quick tests; `tests/tiers.py` reads the number."""
    if config.option.markexpr == QUICK_ONLY and not config.getoption("--hypothesis-profile"):
        settings.load_profile("quick")


def pytest_sessionstart(session: pytest.Session) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        for package in ("app", "widgets"):
            compileall.compile_dir(session.config.rootpath / package, quiet=2, workers=0)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """More than there are processors: half of the time a slow test waits for a program it started.

    With more than these a test waits longer for its turn than for anything else.
    """
    return max(4, os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)  # before pytest looks at `-m`
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is `thorough` unless `-m` names it, and begin with files that may take long.

    So none of these runs alone at the end. Property tests are in both tiers: with few examples
    in the quick one, with all of them in the slow one.
    """
    if config.option.markexpr == SLOW_ONLY:
        for item in items:
            if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
                item.add_marker(pytest.mark.slow)
    if "thorough" not in config.option.markexpr:
        left_out = [item for item in items if item.get_closest_marker("thorough")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]
    longest: dict[Path, float] = {}
    for item in items:
        for mark in item.iter_markers("timeout"):
            longest[item.path] = max(longest.get(item.path, 0.0), float(mark.args[0]))
    for item in items:
        if item.get_closest_marker("slow"):
            # What hangs is ended; what is slow on a busy machine is not.
            limits = [float(mark.args[0]) for mark in item.iter_markers("timeout")]
            longer = pytest.mark.timeout(max([SLOW_SECONDS, *limits]))
            item.add_marker(longer, append=False)
    items.sort(key=lambda item: -longest.get(item.path, 60.0 if "e2e" in item.path.parts else 0.0))


def pytest_collection_finish() -> None:
    # A screen is thousands of objects that live for one test: looking for rings among them, and
    # among all that was imported, takes a third of the time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    # Not before: the processes that run the tests are no programs under test.
    if popen.is_wanted():
        popen.use()


@pytest.fixture(scope="session")
def _folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that nobody has made yet, one for each test that has none of its own."""
    top = tmp_path_factory.mktemp("folders")
    return (top / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _own_folders(
    request: pytest.FixtureRequest, _folders: Iterator[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the person who runs the tests is read or written, nor of another test."""
    # Making a folder for each of thousands of tests that write nothing takes half a minute.
    has_own = "tmp_path" in request.fixturenames
    folder = request.getfixturevalue("tmp_path") if has_own else next(_folders)
    for name in FOLDERS:
        monkeypatch.setenv(f"XDG_{name}_HOME", str(folder / name.lower()))
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(folder / "state"))
    monkeypatch.setattr(faults, "_written", {})


@pytest.fixture(autouse=True)
def _started_anew(request: pytest.FixtureRequest) -> Iterator[None]:
    """Programs that this test starts are no forks, where it is marked so."""
    with popen.rest() if request.node.get_closest_marker("started_anew") else nullcontext():
        yield


for _module in (textual.app, textual.pilot):
    if hasattr(_module, "wait_for_idle"):
        vars(_module)["wait_for_idle"] = wait_for_idle

sheets.keep()
