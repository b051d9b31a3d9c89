"""The fate of a process that a watched server left running, when the server ends."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator

import psutil
import pytest

from signoff.app.calls.effects.deeds import ProcessEnd, SeenLeft
from signoff.app.calls.effects.left_running import LeftRunning, is_alive
from tests.forking import popen

if sys.platform == "win32":
    pytest.skip("a session of its own is made as on POSIX", allow_module_level=True)

SERVER = (
    "import subprocess, sys;"
    "c = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(600)'],"
    " stdout=subprocess.DEVNULL, start_new_session=True);"
    "print(c.pid, flush=True); sys.stdin.read()"
)


class Started:
    """A server with a detached process, which was noted as left running."""

    def __init__(self) -> None:
        mark = ("LEFT_MARK", uuid.uuid4().hex)
        self.server = subprocess.Popen(
            [sys.executable, "-S", "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, mark[0]: mark[1]},
            start_new_session=True,
        )
        assert self.server.stdout is not None
        self.child = int(self.server.stdout.readline())
        self.left = LeftRunning(self.server.pid, mark, is_traced=False)
        ((key, running),) = self.left.running().items()
        assert key[0] == self.child
        self.seen: SeenLeft = self.left.note_left(key, running, 1.0)

    def end(self) -> None:
        with self.server:
            self.server.kill()
        if psutil.pid_exists(self.child):
            psutil.Process(self.child).kill()


@pytest.fixture
def started() -> Iterator[Started]:
    with popen.rest():
        one = Started()
        try:
            yield one
        finally:
            one.end()


@pytest.mark.slow
def test_a_detached_process_outlives_a_server_that_took_its_time_to_end(started: Started) -> None:
    left = started.left
    left.begin_to_close()
    started.server.communicate()
    judging = threading.Thread(target=left.note_ended)
    judging.start()
    while not left.has_ended:
        pass
    left.before_signals()
    assert left.fate(started.seen) is ProcessEnd.OUTLIVED
    judging.join()
    left.end_all()
    assert not is_alive(started.seen.key)


def test_no_fate_is_known_of_what_was_signalled_with_its_server(started: Started) -> None:
    left = started.left
    left.begin_to_close()
    left.before_signals()
    started.end()
    left.note_ended()
    assert left.fate(started.seen) is ProcessEnd.APART


def test_a_process_that_ends_with_its_server_is_no_process_left(started: Started) -> None:
    left = started.left
    left.begin_to_close()
    started.end()
    left.note_ended()
    assert left.fate(started.seen) is ProcessEnd.WITH_SERVER
