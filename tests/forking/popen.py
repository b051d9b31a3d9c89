"""`subprocess.Popen` asks the fork server for Python programs, where a fork is the same thing.

All else is started as ever: other programs, and Python in another locale, with limits, with
descriptors passed on, or by another name.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.forking.asked import NO_BYTECODE, Kind, Run, TooLong, answered, pair, send
from tests.forking.sibling import is_possible

ROOT = Path(__file__).resolve().parents[2]

TAKE_TERMINAL = (
    "import os,signal,sys;"
    "signal.signal(signal.SIGHUP,signal.SIG_DFL);"
    "fd=os.open(os.ttyname(0),os.O_RDWR);"
    "os.close(fd);"
    "os.execvpe(sys.argv[1],sys.argv[1:],os.environ)"
)
"""Opening the terminal as a session leader makes it the controlling one, so that cutting the line
sends SIGHUP - which is ignored by all that nohup runs, if nobody says otherwise. Done in the
child's own interpreter: a fork of a process with threads is not safe."""

_READ_AT_START = ("PYTHON", "LANG", "LC_", "TEXTUAL", "ESCDELAY")
"""How the variables begin that count only where a process starts."""
_KINDS: dict[str, Kind] = {"-m": "module", "-c": "code"}
_FLAGS = frozenset({"-P", "-S", "-u", "-I"})
_execute = subprocess.Popen._execute_child  # type: ignore[attr-defined]
_PYTHON = sys.executable
_own: Forks | None = None
_is_resting = False
_lost = 0
"""How many fork servers have ended although this process goes on."""
MOST_LOST = 3
"""After so many it is taken that no process can be forked here, as in some sandboxes."""


class Forks:
    """Programs that begin as forks of one process; safe to use from any thread.

    `environment` is that which the process was started in.
    """

    def __init__(
        self, channel: socket.socket, environment: Mapping[str, str], *, is_nested: bool = False
    ) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._environment = dict(environment)
        self.is_nested = is_nested

    @classmethod
    def begin(cls) -> Forks:
        """Start the process that forks; it ends with this one."""
        own, other = pair()
        with other:
            path = os.pathsep.join([str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
            environment = {**os.environ, "PYTHONPATH": path, "TEXTUAL_ANIMATIONS": "none"}
            subprocess.Popen(
                [sys.executable, "-m", f"{__package__}.forkserver", str(other.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[other.fileno()],
                cwd=ROOT,
                env=environment,
            )
        return cls(own, environment)

    def suit(self, run: Run) -> bool:
        """Whether a fork would be what a start is."""
        if self.is_nested and not run.session:
            return False
        return all(
            self._is_same(name, value)
            for name, value in run.environment.items()
            if name.startswith(_READ_AT_START)
        )

    def _is_same(self, name: str, value: str) -> bool:
        if name.startswith(("LANG", "LC_")) and value.lower().endswith(("utf-8", "utf8")):
            return True
        if name == NO_BYTECODE:
            return True
        its = self._environment.get(name, "")
        if name == "PYTHONPATH":
            return set(value.split(os.pathsep)) <= set(its.split(os.pathsep))
        return its == value

    def start(self, run: Run, descriptors: tuple[int, ...]) -> int:
        """The process id. Raises TooLong, OSError or EOFError where it could not be started."""
        with self._lock:
            send(self._channel, run, descriptors)
            return answered(self._channel)


def use(forks: Forks | None = None) -> None:
    """From now on programs are forked where that is the same; by `forks`, if given."""
    global _own
    _own = forks
    subprocess.Popen._execute_child = _execute_or_fork  # type: ignore[attr-defined]


@contextmanager
def rest() -> Iterator[None]:
    """Every program is started anew meanwhile."""
    global _is_resting
    before, _is_resting = _is_resting, True
    try:
        yield
    finally:
        _is_resting = before


def read(
    argv: Sequence[str], environment: Mapping[str, str], folder: str, session: bool
) -> Run | None:
    """What a command line of Python runs; None where that is not simple."""
    words = list(argv[1:])
    flags = set()
    while words and words[0] in _FLAGS:
        flags.add(words.pop(0))
    if not words:
        return None
    kind, name = _KINDS.get(words[0], "file"), words.pop(0)
    if kind != "file":
        name = words.pop(0)
    elif name.startswith("-") or not os.path.isfile(name := os.path.join(folder, name)):
        return None
    if name == TAKE_TERMINAL:
        run = read(words, environment, folder, session) if words[0] == _PYTHON else None
        return run and replace(run, terminal=True)
    return Run(
        kind=kind,
        name=name,
        words=tuple(words),
        is_safe=bool(flags & {"-P", "-I"}),
        is_isolated="-I" in flags,
        is_unbuffered="-u" in flags,
        environment=dict(environment),
        folder=folder,
        session=session,
    )


_NAMES = _execute.__code__.co_varnames[1 : _execute.__code__.co_argcount]
"""What `Popen` calls what it hands over; the end of it differs by version."""
_USUAL = {
    **dict.fromkeys(("preexec_fn", "startupinfo"), None),
    **dict.fromkeys(("gid", "gids", "uid"), None),
    "pass_fds": (),
    "close_fds": True,
    "shell": False,
    "umask": -1,
    "process_group": -1,
    "restore_signals": True,
}


def _execute_or_fork(self: subprocess.Popen[Any], *given: Any) -> None:
    found = dict(zip(_NAMES, given, strict=True))
    run = _asked(found)
    if run is None or not _start(self, run, found):
        _execute(self, *given)


def _asked(found: Mapping[str, Any]) -> Run | None:
    argv, folder = found["args"], os.fspath(found["cwd"] or os.getcwd())
    if _is_resting or not isinstance(argv, list | tuple) or not argv:
        return None
    if not all(isinstance(word, str) for word in (*argv, folder)) or not os.path.isdir(folder):
        return None
    if {argv[0], found["executable"] or argv[0]} != {_PYTHON}:
        return None
    if any(found.get(name, usual) != usual for name, usual in _USUAL.items()):
        return None
    environment = os.environ if found["env"] is None else found["env"]
    return read(argv, environment, folder, found["start_new_session"])


def _start(process: subprocess.Popen[Any], run: Run, found: Mapping[str, Any]) -> bool:
    global _own, _lost
    if _own is None:
        _own = Forks.begin()
    if not _own.suit(run):
        return False
    pipes = [found[name] for name in ("p2cread", "c2pwrite", "errwrite")]
    descriptors = tuple(at if pipe == -1 else pipe for at, pipe in enumerate(pipes))
    try:
        process.pid = _own.start(run, descriptors)
    except TooLong:
        return False
    except (EOFError, OSError):
        # A test may have ended the fork server together with others: the next start begins
        # another one. A program under test begins none.
        _lost += MOST_LOST if _own.is_nested else 1
        _own = None
        if _lost >= MOST_LOST:
            subprocess.Popen._execute_child = _execute  # type: ignore[attr-defined]
        return False
    process._child_created = True  # type: ignore[attr-defined]
    ends = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
    process._close_pipe_fds(*(found[name] for name in ends))  # type: ignore[attr-defined]
    return True


def is_wanted() -> bool:
    """Whether forks are possible here; SIGNOFF_NO_FORKS=1 starts every program anew."""
    return is_possible() and not os.environ.get("SIGNOFF_NO_FORKS")
