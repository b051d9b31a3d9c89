"""A program that makes a network of its own, or starts a command in one. Linux alone.

`isolated_program.py hold SOCKET FILE KEPT...` makes namespaces whose network has only the loopback,
passes two sockets of it through the inherited socket, and holds them until that one is closed: then
every process in there is ended.
`isolated_program.py enter PID COMMAND...` becomes the command, in the namespaces of a holder.

It runs by itself, with nothing but the standard library: making a user namespace needs a process
without threads, see user_namespaces(7).
"""

import contextlib
import ctypes
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Sequence
from typing import Final

_NEW_MOUNTS: Final = 0x00020000
_NEW_USER: Final = 0x10000000
_NEW_NETWORK: Final = 0x40000000
_BIND, _PRIVATE, _ALL_BELOW = 0x1000, 1 << 18, 0x4000
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_ORDINARY_USER: Final = 1000
"""The number of the root user inside, since some hosts refuse modes to root."""
_NETWORK: Final = "/proc/{}/ns/net"
_ROUNDS, _ROUND_SECONDS = 50, 0.1
RUN: Final = "/run"
SERVICES: Final = (
    *("/run/systemd/resolve", "/run/nscd", "/var/run/nscd", "/run/dbus", "/run/avahi-daemon"),
    *("/run/docker.sock", "/run/podman", "/run/containerd", "/run/snapd.socket"),
)
"""Sockets in the file system that lead out of a network namespace."""
if sys.platform == "linux":
    import fcntl

    LIBC: Final = ctypes.CDLL(None, use_errno=True)

    def _checked(status: int, words: str) -> None:
        if status:
            number = ctypes.get_errno()
            raise OSError(number, f"{words}: {os.strerror(number)}")

    def _mount(source: str, target: str, kind: str, flags: int) -> None:
        found = LIBC.mount(source.encode(), target.encode(), kind.encode(), flags, None)
        _checked(found, f"mount {target}")

    def make_namespaces() -> None:
        """Make a user, a network and a mount namespace; root does without the first if it must.

        Raises OSError.
        """
        user, group = os.geteuid(), os.getegid()
        kinds = _NEW_NETWORK | _NEW_MOUNTS
        if LIBC.unshare(_NEW_USER | kinds) == 0:
            inside = user or _ORDINARY_USER
            with open("/proc/self/setgroups", "w") as file:
                file.write("deny")
            for name, own, outside in (
                ("uid_map", inside, user),
                ("gid_map", group or inside, group),
            ):
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(f"{own} {outside} 1")
            return
        first = ctypes.get_errno()
        if user:
            raise OSError(first, f"unshare: {os.strerror(first)}")
        _checked(LIBC.unshare(kinds), "unshare")

    def bring_up_loopback() -> None:
        """Switch the loopback on. Raises OSError."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            asked = struct.pack("16sH14x", b"lo", 0)
            flags = struct.unpack("16sH14x", fcntl.ioctl(one, _GET_FLAGS, asked))[1]
            fcntl.ioctl(one, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))

    def hide_services(resolver: str, kept: Sequence[str]) -> None:
        """Hide what leads out by the file system, and name the loopback as the only name server.

        Args:
            resolver: a file in the form of resolv.conf(5).
            kept: paths of programs and folders that have to stay there.
        """
        _mount("none", "/", "", _PRIVATE | _ALL_BELOW)
        needs_run = any(os.path.realpath(one).startswith(f"{RUN}/") for one in kept)
        settings = os.path.realpath("/etc/resolv.conf")
        for path in SERVICES if needs_run else (RUN, "/tmp/.X11-unix"):
            if os.path.isdir(path):
                _mount("tmpfs", path, "tmpfs", 0)
            elif os.path.exists(path):
                _mount("/dev/null", path, "", _BIND)
        if not os.path.exists(settings):
            # It was in a folder that is hidden.
            with contextlib.suppress(FileExistsError):
                os.makedirs(os.path.dirname(settings))
            with open(settings, "w"):
                pass
        _mount(resolver, settings, "", _BIND)

    def hold(channel: int, resolver: str, kept: Sequence[str]) -> int:
        """Make the network, pass its sockets, and wait for the end of the channel."""
        with socket.socket(fileno=channel) as told:
            try:
                make_namespaces()
                bring_up_loopback()
                hide_services(resolver, kept)
                listening = socket.socket()
                listening.bind(("127.0.0.1", 0))
                listening.listen(100)
                names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                names.bind(("127.0.0.1", 53))
            except OSError as problem:
                told.sendall((problem.strerror or str(problem)).encode())
                return 1
            socket.send_fds(told, [b"."], [listening.fileno(), names.fileno()])
            told.recv(1)
            end_all()
        return 0

    def end_all() -> None:
        """End every other process of the network, also if its maker has ended."""
        own = os.readlink(_NETWORK.format("self"))
        for _ in range(_ROUNDS):
            found = [one for one in os.listdir("/proc") if one.isdecimal() and _is_in(one, own)]
            if not found:
                return
            for one in found:
                with contextlib.suppress(OSError):
                    os.kill(int(one), signal.SIGKILL)
            time.sleep(_ROUND_SECONDS)

    def _is_in(process: str, network: str) -> bool:
        try:
            found = os.readlink(_NETWORK.format(process))
            # A process that has ended stays in the list until its parent reads its status.
            with open(f"/proc/{process}/stat", "rb") as file:
                state = file.read().rpartition(b")")[2].split()[0]
        except (OSError, IndexError):
            return False
        return found == network and state != b"Z" and int(process) != os.getpid()

    def enter(holder: int, command: Sequence[str]) -> None:
        """Become a command in the namespaces of a holder. Raises OSError."""
        folder = os.getcwd()
        kinds = [("user", _NEW_USER), ("net", _NEW_NETWORK), ("mnt", _NEW_MOUNTS)]
        opened = [
            (os.open(path, os.O_RDONLY), kind)
            for name, kind in kinds
            if os.readlink(path := f"/proc/{holder}/ns/{name}")
            != os.readlink(f"/proc/self/ns/{name}")
        ]
        for descriptor, kind in opened:
            _checked(LIBC.setns(descriptor, kind), "setns")
            os.close(descriptor)
        # Another mount namespace begins at its root.
        os.chdir(folder)
        os.execvp(command[0], list(command))

    def main(words: Sequence[str]) -> int:
        """Run; returns the exit status."""
        if words[0] == "hold":
            return hold(int(words[1]), words[2], words[3:])
        try:
            enter(int(words[1]), words[2:])
        except OSError as problem:
            print(f"{words[2]}: {problem.strerror}", file=sys.stderr)
        return 127

else:

    def main(words: Sequence[str]) -> int:
        """Fail: only Linux has such namespaces."""
        print(f"{words[0]}: only on Linux", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
