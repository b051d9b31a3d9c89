"""A fork is, for whoever started it, what a start of Python is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from tests.forking import popen
from tests.forking.asked import NO_BYTECODE, pair
from tests.tiers import first_quick

assert sys.platform != "win32"

pytestmark = pytest.mark.skipif(not popen.is_wanted(), reason="no program is forked here")


@pytest.fixture(autouse=True, scope="module")
def _forks_are_had() -> None:
    """Tests before these may have ended so many fork servers that there are none any more."""
    popen._lost = 0
    popen.use()


TELLS = """
import json, os, sys
print(json.dumps({
    "words": sys.argv[1:], "name": __name__, "first": sys.path[0],
    "variables": dict(os.environ), "folder": os.getcwd(), "parent": os.getppid(),
    "leads": os.getsid(0) == os.getpid(), "group": os.getpgid(0), "heard": sys.stdin.read(),
    "open": sorted(int(one) for one in os.listdir("/proc/self/fd"))[:-1],
    "streams": [(one.encoding, one.isatty()) for one in (sys.stdin, sys.stdout, sys.stderr)],
    "is_main": sys.modules["__main__"].__dict__ is globals(),
}))
print("wrong", file=sys.stderr)
raise SystemExit(7)
"""
WAYS: dict[str, Callable[[], AbstractContextManager[None]]] = {
    "fork": nullcontext,
    "start": popen.rest,
}


def is_fork(pid: int) -> bool:
    return b"forkserver" in Path(f"/proc/{pid}/cmdline").read_bytes()


def told(
    way: AbstractContextManager[None], argv: list[str], folder: Path, **more: Any
) -> dict[str, Any]:
    with way:
        ended = subprocess.run(
            [sys.executable, *argv],
            input="Grüße",
            capture_output=True,
            text=True,
            cwd=folder,
            env={**os.environ, "LANG": "C.UTF-8", "ITS_OWN": "yes"},
            check=False,
            **more,
        )
    assert (ended.returncode, ended.stderr) == (7, "wrong\n")
    found: dict[str, Any] = json.loads(ended.stdout)
    if more:
        # A session of its own is another one each time.
        assert found.pop("group") not in (os.getpgid(0), None)
    return found


@pytest.mark.parametrize(
    "more", first_quick([{}, {"start_new_session": True}]), ids=["here", "apart"]
)
@pytest.mark.parametrize("kind", first_quick(["file", "module", "code", "safe"]))
def test_it_begins_as_a_start_does(tmp_path: Path, kind: str, more: Mapping[str, Any]) -> None:
    (tmp_path / "tells.py").write_text(TELLS, encoding="utf-8")
    argv = {
        "file": [str(tmp_path / "tells.py")],
        "module": ["-m", "tells"],
        "code": ["-c", TELLS],
        "safe": ["-P", "-u", str(tmp_path / "tells.py")],
    }[kind]
    forked, started = (told(way(), [*argv, "a", "b c"], tmp_path, **more) for way in WAYS.values())
    assert forked == started
    assert forked["parent"] == os.getpid()
    assert forked["heard"] == "Grüße"


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        ("pass", 0, ""),
        ("raise SystemExit", 0, ""),
        ("raise SystemExit('so')", 1, "so\n"),
        ("import os; os._exit(9)", 9, ""),
        ("import os; os.kill(os.getpid(), 15)", -15, ""),
        ("import signal, threading; signal.pthread_kill(threading.get_ident(), 15)", -15, ""),
        ("import atexit; atexit.register(print, 'end', file=__import__('sys').stderr)", 0, "end\n"),
    ],
)
def test_it_ends_as_a_start_does(code: str, status: int, said: str) -> None:
    for way in WAYS.values():
        with way():
            ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        assert (ended.returncode, ended.stderr.decode()) == (status, said)


@pytest.mark.parametrize("value", ["", "1"])
def test_whether_it_compiles_is_as_in_a_start(value: str) -> None:
    code = "import sys; sys.exit(sys.dont_write_bytecode)"
    for way in WAYS.values():
        with way():
            ended = subprocess.run(
                [sys.executable, "-c", code], env={**os.environ, NO_BYTECODE: value}, check=False
            )
        assert ended.returncode == bool(value)


@pytest.mark.parametrize(
    ("code", "status"), [("1 / 0", 1), ("import os; os.kill(os.getpid(), 2); input()", -2)]
)
def test_what_is_raised_is_told(code: str, status: int) -> None:
    for way in WAYS.values():
        with way():
            ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        assert ended.returncode == status
        assert ended.stderr.startswith(b"Traceback")


def running(*flags: str, **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *flags, "-c", "input()"], stdin=subprocess.PIPE, **more
    )


@pytest.mark.parametrize(
    ("flags", "more", "forks"),
    [
        ((), {}, True),
        (("-S", "-u"), {"start_new_session": True}, True),
        (("-B",), {}, False),
        ((), {"env": {NO_BYTECODE: "1"}}, True),
        ((), {"env": {"PYTHONUTF8": "0"}}, False),
        ((), {"env": {"LC_ALL": "de_DE.ISO-8859-1"}}, False),
        ((), {"process_group": 0}, False),
        ((), {"umask": 0o77}, False),
        ((), {"preexec_fn": os.getpid}, False),
    ],
)
def test_what_a_fork_cannot_be_is_started(
    flags: tuple[str, ...], more: dict[str, Any], forks: bool
) -> None:
    with running(*flags, **more) as process:
        assert is_fork(process.pid) is forks
        process.communicate(b"\n")
    assert process.returncode == 0


@pytest.mark.started_anew
def test_a_test_can_have_all_of_it_started() -> None:
    with running() as process:
        assert not is_fork(process.pid)
        process.communicate(b"\n")


def test_a_fork_is_killed_waited_for_and_gone() -> None:
    with running(start_new_session=True) as process:
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait(10) == -signal.SIGKILL
    assert not Path(f"/proc/{process.pid}").exists()


@pytest.mark.slow
def test_many_at_once() -> None:
    codes = [f"import time; time.sleep(0.2); raise SystemExit({at})" for at in range(20)]
    started = [subprocess.Popen([sys.executable, "-c", code]) for code in codes]
    assert [one.wait(30) for one in started] == list(range(20))


def test_signoff_forks_its_server_from_what_it_was(tmp_path: Path) -> None:
    """And nothing stays when it has ended."""
    file = tmp_path / "pids"
    server = tmp_path / "server.py"
    server.write_text(
        f"import os; open({str(file)!r}, 'w').write(str(os.getpid()))\nwhile 1: input()"
    )
    argv = [sys.executable, "-m", "signoff.app", "tools", "--", sys.executable, str(server)]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        end = time.monotonic() + 60
        while not file.exists() or not file.read_text():
            assert time.monotonic() < end
            time.sleep(0.01)
        assert is_fork(int(file.read_text()))
        parent = Path(f"/proc/{file.read_text()}/stat").read_text().rpartition(")")[2].split()[1]
        assert int(parent) == process.pid
        process.terminate()
    while Path(f"/proc/{file.read_text()}").exists():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> Iterator[popen.Forks]:
    """A fork server that has ended."""
    own, other = pair()
    other.close()
    monkeypatch.setattr(popen, "_own", None)
    monkeypatch.setattr(popen, "_lost", 0)
    yield popen.Forks(own, {**os.environ, "LANG": "C.UTF-8"})
    popen.use()
    own.close()


def begins_as_fork() -> bool:
    with running() as process:
        found = is_fork(process.pid)
        process.communicate(b"\n")
    assert process.returncode == 0
    return found


@pytest.mark.slow
def test_after_a_fork_server_has_ended_the_next_program_has_another(lost: popen.Forks) -> None:
    popen.use(lost)
    assert [begins_as_fork() for _ in range(2)] == [False, True]


@pytest.mark.slow
def test_where_no_fork_can_be_had_programs_are_started(lost: popen.Forks) -> None:
    for _ in range(popen.MOST_LOST):
        popen.use(lost)
        assert not begins_as_fork()
    assert [begins_as_fork() for _ in range(2)] == [False, False]


def test_a_program_under_test_begins_no_fork_server(lost: popen.Forks) -> None:
    lost.is_nested = True
    popen.use(lost)
    with running(start_new_session=True) as process:
        process.communicate(b"\n")
    assert not begins_as_fork()
