"""A scratch home for one run of a host, its files and variables, and the end of its processes.

The home has a file that Signoff shares with the probe server. Its path is in the command of the
server, so a hostile host can write into it, shorten it, remove it or put a pipe in its place. It is
read and written by a descriptor from before the host was started, which waits for nothing, and what
a host did to it is noted: the measurement then proves nothing. A host that writes entries exactly
as the server would, numbers included, is not found out.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ....platforms.files import open_file, read_at, why
from ....platforms.isolation import Isolation, IsolationError, isolate
from ....platforms.processes import KILL, NEEDED, signal_family, wait_gone
from ....storage.state_dir import shown
from ..drivers import Driver, DriverError, HostMode, PlaceholderValues
from ..probes.patience import PATIENCE
from ..probes.probe import SERVER_NAME
from ..probes.probe_server import LOG_LINE_MAX, LOG_MAX
from .name_server import serving_names

READ_MAX: Final = LOG_MAX - LOG_LINE_MAX
"""Bytes that are read; the server ends soon after them."""
_PART: Final = 1_000_000


class SharedFile:
    """An empty file that is made and kept open. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = open_file(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        self._largest = 0
        self._written = b""
        self.doubt = ""
        """What was done to it, in words; empty as long as nothing was noticed."""

    def close(self) -> None:
        os.close(self._descriptor)

    def look(self) -> None:
        """Notice a file that became shorter, is too long, or is no longer at its path."""
        found = os.fstat(self._descriptor)
        try:
            there = self._path.lstat()
        except OSError:
            self._note("was removed")
        else:
            if (there.st_dev, there.st_ino) != (found.st_dev, found.st_ino):
                self._note("was replaced")
        if found.st_size < self._largest:
            self._note("became shorter")
        if found.st_size > READ_MAX:
            self._note(f"has more than {READ_MAX:,} bytes")
        self._largest = max(self._largest, found.st_size)

    def read(self) -> str:
        """Its text so far, at most `READ_MAX` bytes of it."""
        self.look()
        return self._bytes().decode(errors="replace")

    def append(self, text: str) -> None:
        """Write at its end; no other program is to write into this file."""
        self.compare()
        self._written += text.encode()
        os.write(self._descriptor, text.encode())

    def compare(self) -> None:
        """Notice what somebody else wrote into it."""
        self.look()
        if self._bytes() != self._written:
            self._note("was written by another program")

    def _bytes(self) -> bytes:
        parts = bytearray()
        while len(parts) < READ_MAX and (part := read_at(self._descriptor, _PART, len(parts))):
            parts += part
        return bytes(parts)

    def _note(self, words: str) -> None:
        self.doubt = self.doubt or words


_MARK: Final = "SIGNOFF_MEASURED_RUN"
"""A variable by which every process of a run is found again."""
_END_SECONDS: Final = 5.0
CANARY: Final = "SIGNOFF_CANARY_TOKEN"
"""A variable with the name of a secret: is it passed on to the server?"""
_ROOM: Final = 2 * LOG_LINE_MAX
PROBES: Final = "signoff.app.features.measure.probes"
NO_PROCESS: Final = -1
"""No process has this number, nor leads a group of it."""
_PASSED: Final = ("PATH", "LANG", "LC_ALL")
"""Variables of the person that a host is given."""


class Scratch(NamedTuple):
    """Folders and names of one run."""

    root: Path
    home: Path
    folder: Path
    log: SharedFile
    control: SharedFile
    mark: str
    server: tuple[str, ...]
    """The command that starts the probe server."""
    isolation: Isolation | None = None
    """The network of the run; None if it is that of this machine."""
    names: set[str] | None = None
    """The names that were looked up, raw; None if that was not watched."""
    not_isolated: str = ""
    """Why it is not isolated; empty if it is, or was not to be."""

    @property
    def entry(self) -> tuple[str, ...]:
        """The words before every command of the run."""
        return () if self.isolation is None else self.isolation.entry

    @property
    def listening(self) -> socket.socket | None:
        """The socket at which a host can reach this process; None for any of this machine."""
        return None if self.isolation is None else self.isolation.listening

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """The variables of the host: nothing of the person's but where programs are."""
        kept = {key: os.environ[key] for key in (*_PASSED, *NEEDED) if key in os.environ}
        home = str(self.home)
        own = {
            "HOME": home,
            "USERPROFILE": home,
            "TERM": "xterm-256color",
            "TMPDIR": str(self.root / "tmp"),
            "XDG_CONFIG_HOME": f"{home}/.config",
            "XDG_DATA_HOME": f"{home}/.local/share",
            "XDG_STATE_HOME": f"{home}/.local/state",
            "XDG_CACHE_HOME": f"{home}/.cache",
            "DO_NOT_TRACK": "1",
            "NO_COLOR": "1",
            CANARY: "canary",
            _MARK: self.mark,
        }
        return {**kept, **own, **more}

    def places(
        self,
        driver: Driver | None,
        mode: HostMode | None,
        url: str,
        token: str,
        prompt: str,
        server_url: str = "",
    ) -> PlaceholderValues:
        """The values of placeholders."""
        return PlaceholderValues(
            home=str(self.home),
            folder=str(self.folder),
            model_url=url,
            token=token,
            prompt=prompt,
            server=self.server,
            server_name=SERVER_NAME,
            mcp_config=str(self.root / "mcp.json"),
            program=driver.program if driver is not None else "",
            more=mode.values if mode is not None else {},
            server_url=server_url,
        )

    def write_config(self, server_url: str = "") -> None:
        """Write `{mcp_config}`: the form that most hosts read."""
        command, *args = self.server
        entry: dict[str, object] = {"command": command, "args": args}
        if server_url:
            entry = {"type": "http", "url": server_url}
        text = json.dumps({"mcpServers": {SERVER_NAME: entry}}, indent=2)
        (self.root / "mcp.json").write_text(text, encoding="utf-8")

    def write_files(self, driver: Driver, places: PlaceholderValues) -> None:
        """Write the files of a driver. Raises OSError."""
        for one in driver.files:
            path = Path(places.fill(one.path))
            target = path if path.is_absolute() else self.home / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(target) and not stat.S_ISREG(target.lstat().st_mode):
                # A command of `setup` left a link or a pipe there, which would be followed.
                target.unlink()
            target.write_text(places.fill(one.text), encoding="utf-8")

    def has_room(self) -> bool:
        """True if the disk has room for more of the log."""
        path = self.root / "room"
        try:
            path.write_bytes(bytes(_ROOM))
            path.unlink()
        except OSError:
            return False
        return True

    def end_processes(self, pid: int = NO_PROCESS) -> bool:
        """End the group of a process, and every other process of the run; True if all are gone."""
        gone = True
        for number in (signal.SIGTERM, KILL):
            left = signal_family(pid, (_MARK, self.mark), number)
            gone = wait_gone(left, _END_SECONDS)
            if gone:
                break
        return gone


@contextlib.contextmanager
def scratch(
    probe_ids: Sequence[str],
    left: list[str] | None = None,
    patience: float = PATIENCE,
    *,
    isolates: bool = False,
    through: Sequence[str] = (),
) -> Iterator[Scratch]:
    """A new home and folder, removed at the end; `left` gets what could not be removed, in words.

    A slow tool answers after `patience` seconds. `through` are words before the probe server.
    With `isolates` it has a network of its own, if the system allows it. Raises DriverError if it
    cannot be made.
    """
    try:
        root = Path(tempfile.mkdtemp(prefix="signoff-measure-")).resolve()
    except OSError as problem:
        raise DriverError(f"no folder for temporary files: {why(problem)}") from None
    with contextlib.ExitStack() as ending:
        ending.callback(_removed, root, left)
        try:
            made = _made(root, probe_ids, patience, ending)
            if through:
                made = made._replace(server=(*through, *made.server))
                made.write_config()
            if isolates:
                made = _isolated(made, ending)
        except OSError as problem:
            raise DriverError(f"{shown(root)} cannot be filled: {why(problem)}") from None
        ending.callback(made.end_processes)
        yield made


def _made(
    root: Path, probe_ids: Sequence[str], patience: float, ending: contextlib.ExitStack
) -> Scratch:
    home, folder = root / "home", root / "work"
    for one in (home, folder, root / "tmp"):
        one.mkdir()
    log, control = SharedFile(root / "server.log"), SharedFile(root / "control")
    ending.callback(log.close)
    ending.callback(control.close)
    server = (
        sys.executable,
        *("-m", f"{PROBES}.probe_server"),
        *("--log", str(root / "server.log"), "--control", str(root / "control")),
        *("--probes", ";".join(probe_ids)),
        *(() if patience == PATIENCE else ("--patience", f"{patience:g}")),
    )
    made = Scratch(root, home, folder, log, control, secrets.token_hex(8), server)
    made.write_config()
    return made


def _isolated(made: Scratch, ending: contextlib.ExitStack) -> Scratch:
    try:
        isolation = isolate(made.root, [str(made.root)])
    except IsolationError as problem:
        return made._replace(not_isolated=problem.strerror or "no reason")
    ending.callback(isolation.close)
    names = ending.enter_context(serving_names(isolation.names))
    return made._replace(isolation=isolation, names=names)


def not_isolated_here() -> str:
    """Why programs cannot be isolated here; empty if they can. Raises DriverError."""
    with scratch((), isolates=True) as place:
        return place.not_isolated


def _removed(root: Path, left: list[str] | None) -> None:
    """Remove the folder, also if a process that is about to end still writes into it."""
    for _ in range(3):
        shutil.rmtree(root, ignore_errors=True)
        if not os.path.lexists(root):
            return
        _open_up(root)
    if left is not None:
        left.append(f"its folder {shown(root)} could not be removed")


def _open_up(root: Path) -> None:
    """Let folders below it be removed that were made read-only; symbolic links are not followed."""
    if root.is_symlink():
        return
    with contextlib.suppress(OSError):
        root.chmod(0o700)
    for folder, names, _ in os.walk(root):
        for name in names:
            path = Path(folder, name)
            if not path.is_symlink():
                with contextlib.suppress(OSError):
                    path.chmod(0o700)
