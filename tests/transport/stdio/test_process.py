"""A server process goes away, whatever it does, and its last words stay."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from signoff.app.transport.stdio import process as process_module
from signoff.app.transport.stdio.lines import Line
from signoff.app.transport.stdio.process import Exit, ServerProcess, server_environment
from tests.e2e.processes import is_alive, wait_gone
from tests.servers import pids, raw
from tests.tiers import first_quick

LIST = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'


class Watched:
    """A server process and what it told."""

    def __init__(self, argv: list[str]) -> None:
        self.lines: list[Line] = []
        self.stderr: list[str] = []
        self.exits: list[Exit] = []
        self.ended = threading.Event()
        self.spoke = threading.Event()
        self.process = ServerProcess(
            argv, on_line=self._line, on_stderr=self.stderr.extend, on_exit=self._exit
        )
        self.process.attend()

    def _line(self, line: Line) -> None:
        self.lines.append(line)
        self.spoke.set()

    def _exit(self, ended: Exit) -> None:
        self.exits.append(ended)
        self.ended.set()


@contextlib.contextmanager
def watched(argv: list[str]) -> Iterator[Watched]:
    one = Watched(argv)
    try:
        yield one
    finally:
        one.process.kill()
        assert one.ended.wait(60)


def python(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "STDIN_CLOSE_SECONDS", 0.3)
    monkeypatch.setattr(process_module, "TERMINATE_SECONDS", 0.3)


def test_a_polite_server_ends_at_the_end_of_its_input() -> None:
    with watched(raw("--exit-code", "4")) as server:
        server.process.stop()
        assert server.ended.wait(60)
        assert server.exits == [Exit(server.process.pid, 4)]
        assert server.process.exit is not None


@pytest.mark.parametrize(
    ("switches", "words"),
    first_quick(
        [
            (["--ignore-eof"], "killed by SIGTERM"),
            (["--ignore-eof", "--ignore-sigterm"], "killed by SIGKILL"),
            (["--start-never"], "killed by SIGTERM"),
        ],
        several=True,
    ),
)
def test_an_impolite_server_is_ended(switches: list[str], words: str, tmp_path: Path) -> None:
    noted = tmp_path / "pids"
    with watched(raw(*switches, "--pid-file", str(noted), "--noise-at-start")) as server:
        assert server.spoke.wait(60)
        server.process.stop()
        assert server.ended.wait(60)
        assert [ended.words for ended in server.exits] == [words]


def test_a_child_in_a_session_of_its_own_is_ended_too() -> None:
    code = (
        "import subprocess, sys;"
        "c = subprocess.Popen(['sleep', '600'], start_new_session=True);"
        "print(c.pid, flush=True); sys.stdin.read()"
    )
    with watched(python(code)) as server:
        assert server.spoke.wait(60)
        child = int(server.lines[0])  # type: ignore[arg-type]
        assert is_alive(child)
        server.process.stop()
        wait_gone(child, 30)


def test_an_exit_is_noticed_while_a_child_holds_stdout(tmp_path: Path) -> None:
    noted = tmp_path / "pids"
    argv = raw("--grandchild", "--leader-exits", "0", "--exit-code", "3", "--pid-file", str(noted))
    with watched(argv) as server:
        server.process.send(LIST)
        assert server.ended.wait(60)
        assert server.exits == [Exit(server.process.pid, 3)]
        wait_gone(pids(noted)["grandchild"][0], 30)


@pytest.mark.slow
def test_a_server_that_closes_its_stdout_is_ended() -> None:
    code = "import os, time; os.close(1); time.sleep(600)"
    with watched(python(code)) as server:
        assert server.ended.wait(60)
        assert server.process.fault == "the server closed its stdout, and Signoff ended it"


def test_sending_never_waits_for_a_server_that_does_not_read() -> None:
    with watched(raw("--start-never", "--noise-at-start")) as server:
        assert server.spoke.wait(60)
        for _ in range(10):
            server.process.send(b"x" * 1_000_000)
        server.process.stop()
        assert server.process.exit is not None


def test_a_flood_of_stderr_is_read_and_its_end_is_kept() -> None:
    code = (
        "import os, sys\n"
        "for n in range(5000): os.write(2, b'line %d\\r\\n' % n)\n"
        "os.write(2, b'x' * 100_000 + b'\\n' + b'bad \\xff byte')\n"
    )
    with watched(python(code)) as server:
        assert server.ended.wait(60)
        words = server.process.last_words
    assert len(words) == process_module.STDERR_LINES
    assert len(server.stderr) == 5_002
    assert words[-3] == "line 4999"
    assert words[-2].endswith("cut: 100,000 bytes")
    assert len(words[-2]) < 5_000
    assert words[-1] == "bad � byte"


def test_signals_have_names() -> None:
    assert Exit(1, -signal.SIGSEGV).words == "killed by SIGSEGV"
    assert Exit(1, -99).words.endswith("signal 99")


def test_secrets_of_the_shell_stay_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    monkeypatch.setenv("SIGNOFF_DEMO_DIR", "here")
    environment = server_environment({"EXTRA": "1"})
    assert "AWS_SECRET_ACCESS_KEY" not in environment
    assert environment["PATH"] == os.environ["PATH"]
    assert (environment["SIGNOFF_DEMO_DIR"], environment["EXTRA"]) == ("here", "1")
