"""`signoff measure` with hosts that attack it: nothing is faked, held up, left behind or hurt."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.cli.running import ROOT, Command, Ended
from tests.features.measure.apart import did
from tests.tiers import first_quick

if sys.platform == "win32":
    pytest.skip("these attacks need POSIX", allow_module_level=True)

HOST = ROOT / "tests" / "servers" / "hostile_host.py"
PROBES = "hints/none,hints/readOnly=true"


def command(folder: Path, behaviour: str, attack: str, *more: str, only: str = PROBES) -> Command:
    words = ("measure", "--only", only, "--json", "--run-limit", "15", "--")
    temporary = folder / "temporary files"
    temporary.mkdir(exist_ok=True)
    host = (sys.executable, str(HOST), behaviour, attack, *more)
    return Command(folder, *words, *host, TMPDIR=str(temporary))


def attacked(folder: Path, behaviour: str, attack: str, *more: str, only: str = PROBES) -> Ended:
    ended = command(folder, behaviour, attack, *more, only=only).end()
    assert not list((folder / "temporary files").iterdir())
    assert "Traceback" not in ended.stderr
    return ended


@pytest.mark.parametrize(
    ("attack", "problem"),
    first_quick(
        [
            ("removes-log", "the log of the probe server was removed"),
            ("forges-log", "the log of the probe server has gaps, or entries of another program"),
            ("writes-control", "the file that controls the probe server was written by another"),
            ("replaces-log", "the log of the probe server was replaced"),
            ("empties-log", "the log of the probe server "),
            ("shortens-log", "the log of the probe server "),
        ],
        several=True,
    ),
)
def test_a_log_that_was_touched_proves_nothing(tmp_path: Path, attack: str, problem: str) -> None:
    report = attacked(tmp_path, "runs", attack).report
    assert set(did(report).values()) == {"unknown"}
    assert any(one.startswith(problem) for one in report["problems"]), report["problems"]


@pytest.mark.slow
def test_a_pipe_in_place_of_a_file_holds_nothing_up(tmp_path: Path) -> None:
    only = "remembered/changed-description"
    report = attacked(tmp_path, "runs", "pipe-for-control", only=only).report
    assert "the file that controls the probe server was replaced" in report["problems"]


@pytest.mark.parametrize(
    ("behaviour", "attack"),
    first_quick([("refuses", "early"), ("refuses", "late"), ("asks", "asks-twice")], several=True),
)
def test_a_call_that_the_model_did_not_make_or_a_no_did_not_stop_ran(
    tmp_path: Path, behaviour: str, attack: str
) -> None:
    assert did(attacked(tmp_path, behaviour, attack).report)["hints/none"] == "ran"


@pytest.mark.slow
@pytest.mark.parametrize("attack", ["floods", "connects", "deep"])
def test_a_noisy_host_is_measured_like_any_other(tmp_path: Path, attack: str) -> None:
    ended = attacked(tmp_path, "runs", attack)
    assert set(did(ended.report).values()) == {"ran"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has orphans adopted")
def test_no_process_escapes(tmp_path: Path) -> None:
    mark = f"escaped-{os.getpid()}"
    attacked(tmp_path, "runs", "escapes", mark)
    assert not _with(mark)


def _with(mark: str) -> list[int]:
    return [
        one.pid
        for one in psutil.process_iter(["cmdline"])
        if any(mark in word for word in one.info["cmdline"] or ())
    ]


def test_locked_folders_are_removed_and_links_are_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "precious").write_text("x")
    other.chmod(0o500)
    attacked(tmp_path, "runs", "locks-folders", str(other))
    assert (other / "precious").read_text() == "x"
    assert other.stat().st_mode & 0o777 == 0o500
    other.chmod(0o700)


@pytest.mark.parametrize("number", first_quick([signal.SIGTERM, signal.SIGINT, signal.SIGHUP]))
def test_a_signal_leaves_nothing_behind(tmp_path: Path, number: int) -> None:
    mark = f"lingers-{os.getpid()}-{number}"
    running = command(tmp_path, "runs", "lingers", mark)
    deadline = time.monotonic() + 30
    while len(_with(mark)) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    running.process.send_signal(number)
    ended = running.end()
    assert ended.status in (130, 128 + number)
    assert "Traceback" not in ended.stderr
    assert not _with(mark)
    assert not list((tmp_path / "temporary files").iterdir())


def test_an_unusable_folder_for_temporary_files_is_named(tmp_path: Path) -> None:
    words = ("measure", "--only", PROBES, "--", sys.executable, str(HOST), "runs", "none")
    ended = Command(tmp_path, *words, TMPDIR=f"{tmp_path}/{'x' * 240}/{'y' * 240}").end()
    assert "Traceback" not in ended.stderr
