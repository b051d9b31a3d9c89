"""System calls as touches of paths, started programs and addresses. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from .deeds import SeenAddress, SeenProcess
from .strace_lines import Lines, Syscall, path_of, read_address, stands_for, unquoted, words_in
from .touches import Doers, Idle, ObservationWindow, PathAccess

PROCESSES_MAX = 10_000
LINEAGE_MAX = 50
SYSCALLS = (
    *("open", "openat", "openat2", "creat", "unlink", "unlinkat", "rmdir", "rename", "renameat"),
    *("renameat2", "mkdir", "mkdirat", "mknod", "mknodat", "link", "linkat", "symlink"),
    *("symlinkat", "truncate", "ftruncate", "fallocate", "chmod", "fchmod", "fchmodat"),
    *("fchmodat2", "chown", "lchown", "fchown", "fchownat", "utime", "utimes", "utimensat"),
    *("futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr"),
    *("fremovexattr", "write", "pwrite64", "writev", "pwritev", "pwritev2", "copy_file_range"),
    *("sendfile", "splice", "mmap", "chdir", "fchdir", "clone", "clone3", "fork", "vfork"),
    *("execve", "execveat", "connect", "sendto", "sendmsg", "sendmmsg", "io_uring_setup"),
    *("mount", "pivot_root", "chroot", "unshare", "setns"),
)
"""What has to be traced for this module to see all that it can."""


class _Folder:
    """The folder that a process works in; threads share it."""

    def __init__(self, path: str) -> None:
        self.path = path


class Trace:
    """Effects of a server and all its children, from its first system call on."""

    def __init__(self, folder: str) -> None:
        """`folder` is where the server starts, absolute."""
        self._lines = Lines()
        self._first = folder
        self._folders: dict[int, _Folder] = {}
        self._appending: set[str] = set()
        self._parents: dict[int, tuple[int, int]] = {}
        """Of each process and thread that was started: by which, and as which one in order."""
        self._windows: list[ObservationWindow | Idle] = []
        self._blind_spots: list[str] = []
        self.stirs = 0
        """How often anything but reading was done to a path."""

    def feed(self, line: str) -> None:
        """Take one line of strace."""
        call = self._lines.read(line)
        if call is None:
            return
        self._adopt(call.pid)
        reading = READINGS.get(call.name)
        if reading is not None and (not call.failed or call.name in TRIED):
            reading(self, call)

    def watch(self, window: ObservationWindow | Idle) -> None:
        """Record later calls in this window, too."""
        window.since = len(self._parents)
        if isinstance(window, ObservationWindow) and window.idle is not None:
            window.since = window.idle.since
        self._windows.append(window)

    def leave(self, window: ObservationWindow | Idle) -> None:
        """Stop recording in this window."""
        self._windows = [one for one in self._windows if one is not window]

    def _adopt(self, pid: int) -> None:
        """Of a child that does something before its start has come back to who started it."""
        if pid in self._parents or pid in self._folders:
            return
        if starting := self._lines.starting():
            self._born(pid, starting[-1])

    def _born(self, child: int, parent: int) -> None:
        if child not in self._parents and len(self._parents) < PROCESSES_MAX:
            self._parents[child] = (parent, len(self._parents))

    def _doers(self, pid: int, since: int) -> Doers:
        """A thread, and who started it, and so on, back to one that was there at `since`."""
        found = [pid]
        while len(found) < LINEAGE_MAX:
            parent, number = self._parents.get(found[-1], (0, -1))
            if number < since:
                break
            found.append(parent)
        return tuple(found)

    def _folder(self, pid: int) -> _Folder:
        if pid not in self._folders and len(self._folders) < PROCESSES_MAX:
            self._folders[pid] = _Folder(self._first)
        return self._folders.get(pid) or _Folder(self._first)

    def _path(self, call: Syscall, index: int, *, at: int | None = None) -> str:
        """The absolute path of an argument, from the descriptor `at` or the process's folder."""
        text = unquoted(call.arg(index))
        base = path_of(call.arg(at)) if at is not None else ""
        base = base or self._folder(call.pid).path
        if text is None or not text:
            # NULL or empty: the descriptor itself is meant.
            return base if at is not None else ""
        return posixpath.normpath(posixpath.join(base, text))

    def _touch(self, pid: int, path: str, touch: PathAccess) -> None:
        if path and not _PSEUDO.match(path):
            self.stirs += touch is not PathAccess.READ
            for window in self._windows:
                window.touch(path, touch, self._doers(pid, window.since))

    def _opened(self, call: Syscall, path: str, flags: str) -> None:
        path = path_of(call.result) or path
        if "O_DIRECTORY" in flags or "O_PATH" in flags or "O_TMPFILE" in flags:
            return
        writes = "O_WRONLY" in flags or "O_RDWR" in flags
        if not writes and "O_CREAT" not in flags and "O_TRUNC" not in flags:
            self._touch(call.pid, path, PathAccess.READ)
            return
        if "O_APPEND" in flags:
            self._appending.add(path)
        else:
            self._appending.discard(path)
        if "O_CREAT" in flags:
            self._touch(
                call.pid, path, PathAccess.MADE if "O_EXCL" in flags else PathAccess.OPENED_OR_MADE
            )
        else:
            self._touch(call.pid, path, PathAccess.OPENED)
        if "O_TRUNC" in flags:
            self._touch(call.pid, path, PathAccess.EMPTIED)

    def _open(self, call: Syscall) -> None:
        self._opened(call, self._path(call, 0), call.arg(1))

    def _openat(self, call: Syscall) -> None:
        self._opened(call, self._path(call, 1, at=0), call.arg(2))

    def _creat(self, call: Syscall) -> None:
        self._opened(call, self._path(call, 0), "O_CREAT|O_WRONLY|O_TRUNC")

    def _unlink(self, call: Syscall) -> None:
        self._touch(call.pid, self._path(call, 0), PathAccess.GONE)

    def _unlinkat(self, call: Syscall) -> None:
        self._touch(call.pid, self._path(call, 1, at=0), PathAccess.GONE)

    def _rename(self, call: Syscall) -> None:
        self._renamed(call.pid, self._path(call, 0), self._path(call, 1), "")

    def _renameat(self, call: Syscall) -> None:
        old, new = self._path(call, 1, at=0), self._path(call, 3, at=2)
        self._renamed(call.pid, old, new, call.arg(4))

    def _renamed(self, pid: int, old: str, new: str, flags: str) -> None:
        if "EXCHANGE" in flags:
            self._touch(pid, old, PathAccess.CAME)
        else:
            self._touch(pid, old, PathAccess.LEFT)
        self._touch(pid, new, PathAccess.MADE if "NOREPLACE" in flags else PathAccess.CAME)

    def _made(self, call: Syscall) -> None:
        self._touch(call.pid, self._path(call, 0), PathAccess.MADE)

    def _madeat(self, call: Syscall) -> None:
        self._touch(call.pid, self._path(call, 1, at=0), PathAccess.MADE)

    def _linked(self, call: Syscall) -> None:
        self._touch(call.pid, self._path(call, 1), PathAccess.MADE)

    def _linkedat(self, call: Syscall) -> None:
        self._touch(call.pid, self._path(call, 3, at=2), PathAccess.MADE)

    def _symlinkedat(self, call: Syscall) -> None:
        self._touch(call.pid, self._path(call, 2, at=1), PathAccess.MADE)

    def _truncated(self, call: Syscall) -> None:
        path = path_of(call.arg(0)) or self._path(call, 0)
        self._touch(
            call.pid, path, PathAccess.EMPTIED if call.arg(1).strip() == "0" else PathAccess.WROTE
        )

    def _wrote(self, call: Syscall) -> None:
        self._wrote_to(call.pid, call.arg(0))

    def _copied(self, call: Syscall) -> None:
        self._wrote_to(call.pid, call.arg(2))

    def _mapped(self, call: Syscall) -> None:
        # A mapping for reading only may be made writable later (mprotect).
        if "MAP_SHARED" in call.arg(3) and "PROT_WRITE" in call.arg(2):
            self._touch(call.pid, path_of(call.arg(4)), PathAccess.MAPPED)

    def _wrote_to(self, pid: int, descriptor: str) -> None:
        path = path_of(descriptor)
        if path:
            is_appended = path in self._appending
            self._touch(pid, path, PathAccess.APPENDED if is_appended else PathAccess.WROTE)
            return
        found = _UDP.match(stands_for(descriptor))
        if found is not None:
            self._reached(pid, SeenAddress(found[1].strip("[]"), int(found[2]), "udp"))

    def _attributes(self, call: Syscall) -> None:
        self._touch(call.pid, path_of(call.arg(0)) or self._path(call, 0), PathAccess.ATTRIBUTES)

    def _attributesat(self, call: Syscall) -> None:
        self._touch(call.pid, self._path(call, 1, at=0), PathAccess.ATTRIBUTES)

    def _chdir(self, call: Syscall) -> None:
        self._folder(call.pid).path = path_of(call.arg(0)) or self._path(call, 0)

    def _cloned(self, call: Syscall) -> None:
        child = call.result.split()[0] if call.result else ""
        if child.isdecimal() and len(self._folders) < PROCESSES_MAX:
            self._born(int(child), call.pid)
            own = self._folder(call.pid)
            is_shared = any("CLONE_FS" in arg for arg in call.args)
            self._folders[int(child)] = own if is_shared else _Folder(own.path)

    def _executed(self, call: Syscall) -> None:
        is_at = call.name == "execveat"
        path = self._path(call, 1, at=0) if is_at else self._path(call, 0)
        process = SeenProcess(path, tuple(words_in(call.arg(2 if is_at else 1))))
        for window in self._windows:
            window.start(process, self._doers(call.pid, window.since))

    def _connected(self, call: Syscall) -> None:
        is_udp = stands_for(call.arg(0)).startswith("UDP")
        # A datagram socket sends nothing by being connected; resolvers sort addresses that way.
        if not is_udp and (address := read_address(call.arg(1), "tcp")) is not None:
            self._reached(call.pid, address)

    def _sent(self, call: Syscall) -> None:
        """A datagram; on a connected stream nothing new is reached."""
        found = stands_for(call.arg(0))
        kind = "udp" if found.startswith("UDP") else "unix"
        address = next(
            (one for arg in call.args[1:] if (one := read_address(arg, kind)) is not None), None
        )
        if address is not None:
            self._reached(call.pid, address)
        elif kind == "udp":
            self._wrote_to(call.pid, call.arg(0))

    def _reached(self, pid: int, address: SeenAddress) -> None:
        for window in self._windows:
            window.reach(address, self._doers(pid, window.since))

    def _blind(self, call: Syscall) -> None:
        words = BLIND[call.name]
        if words not in self._blind_spots:
            self._blind_spots.append(words)

    @property
    def blind(self) -> tuple[str, ...]:
        """Ways by which the server may have escaped the trace, at any time: words."""
        return tuple(self._blind_spots)


_PSEUDO = re.compile(r"/proc/(self|thread-self|\d+)(/|$)|/dev/(?!shm/)|/memfd:|/\[|/anon_hugepage")
_UDP = re.compile(r"UDP(?:v6)?:\[.*->(.+):(\d+)\]$")
BLIND = {
    "io_uring_setup": "it uses io_uring: files and connections that it opens by that are not seen",
    "mount": "it mounted something: paths may mean other files",
    "pivot_root": "it changed its root: paths may mean other files",
    "chroot": "it changed its root: paths may mean other files",
    "unshare": "it went into a namespace of its own: paths may mean other files",
    "setns": "it went into another namespace: paths may mean other files",
}
TRIED = frozenset({"connect", "sendto", "sendmsg", "sendmmsg"})
"""Failed system calls that count too: an attempt to contact a machine is an effect."""

READINGS: dict[str, Callable[[Trace, Syscall], None]] = {
    "open": Trace._open,
    "openat": Trace._openat,
    "openat2": Trace._openat,
    "creat": Trace._creat,
    "unlink": Trace._unlink,
    "rmdir": Trace._unlink,
    "unlinkat": Trace._unlinkat,
    "rename": Trace._rename,
    "renameat": Trace._renameat,
    "renameat2": Trace._renameat,
    "mkdir": Trace._made,
    "mknod": Trace._made,
    "mkdirat": Trace._madeat,
    "mknodat": Trace._madeat,
    "link": Trace._linked,
    "symlink": Trace._linked,
    "linkat": Trace._linkedat,
    "symlinkat": Trace._symlinkedat,
    "truncate": Trace._truncated,
    "ftruncate": Trace._truncated,
    "copy_file_range": Trace._copied,
    "splice": Trace._copied,
    "mmap": Trace._mapped,
    "chdir": Trace._chdir,
    "fchdir": Trace._chdir,
    "execve": Trace._executed,
    "execveat": Trace._executed,
    "connect": Trace._connected,
    "utimensat": Trace._attributesat,
    "futimesat": Trace._attributesat,
    "fchmodat": Trace._attributesat,
    "fchmodat2": Trace._attributesat,
    "fchownat": Trace._attributesat,
    **dict.fromkeys(("sendto", "sendmsg", "sendmmsg"), Trace._sent),
    **dict.fromkeys(("clone", "clone3", "fork", "vfork"), Trace._cloned),
    **dict.fromkeys(
        ("write", "pwrite64", "writev", "pwritev", "pwritev2", "sendfile", "fallocate"),
        Trace._wrote,
    ),
    **dict.fromkeys(
        (
            *("chmod", "fchmod", "chown", "lchown", "fchown", "utime", "utimes", "setxattr"),
            *("lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
        ),
        Trace._attributes,
    ),
    **dict.fromkeys(BLIND, Trace._blind),
}
