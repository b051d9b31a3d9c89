"""The commands without a screen: what they leave behind when something goes wrong."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.processes import is_alive, wait_gone
from tests.e2e.program import signoff
from tests.servers import pids, raw, recorded

assert sys.platform != "win32"

_ROOT = Path(__file__).resolve().parents[2]


def _run(*arguments: str, **more: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        signoff(*arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=more.get("timeout", 45),
        check=False,
        cwd=_ROOT,
    )


def _wait(condition: Callable[[], object], timeout: float = 30.0) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"{timeout} s passed"
        time.sleep(0.02)


def test_a_server_that_dies_is_a_lost_one_with_last_words() -> None:
    done = _run("tools", "--", *raw("--die-at-start", "9", "--stderr-flood"))
    assert done.returncode == 5
    assert done.stdout == ""
    assert "exit code 9" in done.stderr
    assert "the flux capacitor is empty" in done.stderr
    assert "\x1b" not in done.stderr


def test_a_server_that_never_starts_is_given_up_and_ended(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    switches = raw("--start-never", "--pid-file", str(file))
    done = _run("tools", "--connect-timeout", "0.5", "--", *switches)
    assert done.returncode == 5
    wait_gone(pids(file)["server"][-1])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_cancels_the_call_and_ends_the_server(
    tmp_path: Path, number: signal.Signals
) -> None:
    record, received, file = (tmp_path / name for name in ("calls", "received", "pids"))
    logs = ("--record", str(record), "--received", str(received), "--pid-file", str(file))
    argv = signoff("call", "never", "--approve", "always", "--", *raw("--only", "never", *logs))
    with (
        tempfile.TemporaryFile() as sink,
        subprocess.Popen(argv, stdout=sink, stderr=sink, cwd=_ROOT) as process,
    ):
        try:
            _wait(lambda: recorded(record))
            process.send_signal(number)
            assert process.wait(30) in (130, 128 + number)
        finally:
            process.kill()
    wait_gone(pids(file)["server"][-1])
    assert len(recorded(record)) == 1
    assert "notifications/cancelled" in _methods(received)


def test_a_call_under_nohup_outlives_a_hang_up(tmp_path: Path) -> None:
    record = tmp_path / "calls"
    call = ("call", "never", "--approve", "always", "--timeout", "3")
    argv = signoff(*call, "--", *raw("--only", "never", "--record", str(record)))
    with (
        tempfile.TemporaryFile() as sink,
        subprocess.Popen(
            ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *argv],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            cwd=_ROOT,
        ) as process,
    ):
        try:
            _wait(lambda: recorded(record))
            process.send_signal(signal.SIGHUP)
            assert process.wait(30) == 6
        finally:
            process.kill()


def test_a_signal_ends_a_stubborn_server_and_its_child(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    switches = ("--ignore-eof", "--ignore-sigterm", "--grandchild", "--list-never")
    argv = signoff("tools", "--", *raw(*switches, "--pid-file", str(file)))
    with (
        tempfile.TemporaryFile() as sink,
        subprocess.Popen(argv, stdout=sink, stderr=sink, cwd=_ROOT) as process,
    ):
        try:
            _wait(lambda: pids(file)["grandchild"])
            process.send_signal(signal.SIGTERM)
            process.wait(30)
        finally:
            process.kill()
    left = [pid for kind in pids(file).values() for pid in kind]
    assert len(left) >= 2
    _wait(lambda: not any(is_alive(pid) for pid in left))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_server_is_ended_leaves_nothing_undone(
    tmp_path: Path, number: signal.Signals
) -> None:
    log, file = tmp_path / "log", tmp_path / "pids"
    options = ("--approve", "always", "--audit", str(log))
    switches = ("--ignore-eof", "--ignore-sigterm", "--pid-file", str(file))
    argv = signoff("call", "echo", *options, "--", *raw(*switches))
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            while b"outcome" not in process.stdout.readline():
                pass
            # The call is told, so that it is about to close: the server takes its time.
            time.sleep(0.3)
            process.send_signal(number)
            assert process.wait(30) in (130, 128 + number)
        finally:
            process.kill()
    wait_gone(pids(file)["server"][-1])
    assert json.loads(log.read_text().splitlines()[-1])["event"] == "closed"


def _methods(received: Path) -> list[str]:
    lines = received.read_text(encoding="utf-8").splitlines()
    return [json.loads(line).get("method", "") for line in lines]
