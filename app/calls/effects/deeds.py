"""Observed effects of one call: files, processes, connections. Values; nothing is watched here."""

from __future__ import annotations

from enum import StrEnum

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import cut, visible

PATH_CELLS = 200


class Method(StrEnum):
    """Methods of watching a server."""

    STRACE = "strace"
    FOLDERS = "folders"

    @property
    def sees(self) -> str:
        """The effects that it sees, in words."""
        return SEES[self]

    @property
    def misses(self) -> str:
        """The effects that it misses, in words."""
        return MISSES[self]


SEES = {
    Method.STRACE: (
        "system calls of all server processes that open, change or delete a file, start a program "
        "or reach an address; processes left running"
    ),
    Method.FOLDERS: (
        "files of the watched folders before and after; processes and connections that lived long "
        "enough; processes left running"
    ),
}
MISSES = {
    Method.STRACE: (
        "other programs that work for the server (daemon, database, container), io_uring, memory "
        "not visible in a list, resource or read-only tool, actions that the same thread also "
        "does while idle"
    ),
    Method.FOLDERS: (
        "files elsewhere, files that were restored, files that the server also writes while idle, "
        "reads, short processes and connections, memory not visible in a list, resource or read- "
        "only tool"
    ),
}


class FileAccess(StrEnum):
    """Effect of one call on one path."""

    CREATED = "created"
    DELETED = "deleted"
    MOVED = "moved away"
    REPLACED = "deleted and rewrote"
    EMPTIED = "rewrote"
    """Opened so that its old content was gone, or cut."""
    APPENDED = "appended to"
    CHANGED = "changed"
    WRITTEN = "created or changed"
    """The file may have existed before."""
    ATTRIBUTES = "changed the attributes of"
    TRANSIENT = "created and deleted again"
    READ = "read"

    @property
    def changes(self) -> bool:
        """True if anything is another afterwards, or was lost on the way."""
        return self not in (FileAccess.TRANSIENT, FileAccess.READ)


class FileLoss(StrEnum):
    """States of the content of a file: gone, kept or unknown."""

    LOST = "lost"
    KEPT = "kept"
    UNKNOWN = "not known"


@frozen
class SeenFile:
    """One path, absolute, as the system names it; raw, since a server may have named it."""

    path: str
    deed: FileAccess
    loss: FileLoss = FileLoss.UNKNOWN
    is_same: bool | None = None
    """True if its content is the same as before the call; None if it was not compared."""
    is_own: bool = False
    """A file that a language keeps for itself, such as compiled modules."""
    is_temporary: bool = False
    """In the folder that the server was given for temporary files."""

    @property
    def matters(self) -> bool:
        """True if the call has changed something by it that is not its own affair."""
        return self.deed.changes and not self.is_own and not self.is_temporary

    def words(self, scratch: str = "") -> str:
        """`deleted notes/todo.txt`, safe to show; paths in `scratch` are relative to it."""
        rewrites = (FileAccess.REPLACED, FileAccess.EMPTIED, FileAccess.CHANGED)
        same = " with the same content" if self.is_same and self.deed in rewrites else ""
        return f"{self.deed.value} {path_words(self.path, scratch)}{same}"


@frozen
class SeenProcess:
    """A program that was started, with its arguments; raw."""

    path: str
    argv: tuple[str, ...]

    @property
    def words(self) -> str:
        """Safe to show."""
        return _short(" ".join(self.argv) or self.path)


@frozen
class SeenAddress:
    """An address that was contacted, with or without a reply."""

    host: str
    """An IP address, or the path of a local socket; raw."""
    port: int | None = None
    """None for a local socket."""
    kind: str = "tcp"
    """tcp, udp or unix."""

    @property
    def is_open_world(self) -> bool:
        """True if it is another machine."""
        return self.kind != "unix" and not is_loopback(self.host)

    @property
    def words(self) -> str:
        """Safe to show."""
        if self.port is None:
            return f"the local socket {_short(self.host)}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        asked = ", a name server" if self.port == DNS and self.kind == "udp" else ""
        return f"{visible(host)}:{self.port} ({self.kind}{asked})"


DNS = 53


def is_loopback(host: str) -> bool:
    """True if an IP address is this machine, or none at all."""
    return host.startswith(("127.", "::1", "::ffff:127.")) or host in ("0.0.0.0", "::")


class ProcessEnd(StrEnum):
    """End of a process that was running when the call had its response."""

    UNKNOWN = ""
    """It was not watched further."""
    APART = "in a session of its own"
    ENDED = "ended by itself"
    """Before the server did."""
    WITH_SERVER = "ended with the server"
    OUTLIVED = "outlived the server"


@frozen
class SeenLeft:
    """A process that the call started, and that was running after its answer; raw."""

    key: tuple[int, float]
    """Its number and when it was started."""
    argv: tuple[str, ...]
    seconds: float
    """How long it was watched after the answer, and had not ended."""
    fate: ProcessEnd = ProcessEnd.UNKNOWN

    @property
    def words(self) -> str:
        """Safe to show."""
        fate = f", {self.fate.value}" if self.fate is not ProcessEnd.UNKNOWN else ""
        running = f"running {self.seconds:.1f} s after the response{fate}"
        return f"left {_short(' '.join(self.argv))} {running}"

    @property
    def is_work_of_its_own(self) -> bool:
        """True if it is more than a helper of the server, which ends with it."""
        return self.fate in (ProcessEnd.APART, ProcessEnd.ENDED, ProcessEnd.OUTLIVED)


@frozen
class Observation:
    """All that was seen of one call."""

    method: Method
    files: tuple[SeenFile, ...] = ()
    processes: tuple[SeenProcess, ...] = ()
    addresses: tuple[SeenAddress, ...] = ()
    lists: tuple[str, ...] = ()
    """What the server lists otherwise than before the call: words, safe to show."""
    blind: tuple[str, ...] = ()
    """What could not be seen of this call in particular, in words."""
    more: int = 0
    """Deeds that were seen and are not kept."""
    scratch: str = ""
    """The folder that the server worked in."""
    left: tuple[SeenLeft, ...] = ()
    """What was running after the answer and had not been running before the call."""
    idle: tuple[str, ...] = ()
    """Paths that the server touched as it also does while idle; raw."""
    ending: Observation | None = None
    """Effects at the server's end that occur only after this call; None if not watched."""

    @property
    def changes(self) -> tuple[SeenFile, ...]:
        """The files that are not as they were."""
        return tuple(one for one in self.files if one.matters)

    @property
    def reached(self) -> tuple[SeenAddress, ...]:
        """The other machines that were reached for."""
        return tuple(one for one in self.addresses if one.is_open_world)

    def as_json(self) -> dict[str, JsonValue]:
        """The shape that reports and records have; the texts are raw."""
        return {
            "method": self.method.value,
            "files": [
                {
                    "path": one.path,
                    "deed": one.deed.value,
                    "lost": one.loss.value,
                    "same_content": one.is_same,
                    "own": one.is_own,
                    "temporary": one.is_temporary,
                }
                for one in self.files
            ],
            "processes": [{"path": one.path, "argv": list(one.argv)} for one in self.processes],
            "addresses": [
                {"host": one.host, "port": one.port, "kind": one.kind} for one in self.addresses
            ],
            "lists": list(self.lists),
            "left": [
                {
                    "argv": list(one.argv),
                    "seconds": round(one.seconds, 2),
                    "fate": one.fate.value or None,
                }
                for one in self.left
            ],
            "as_while_idle": list(self.idle),
            "not_seen": list(self.blind),
            "more": self.more,
        }


def path_words(path: str, scratch: str = "") -> str:
    """A path, safe to show; one in `scratch` without that."""
    inside = scratch and path.startswith(scratch.rstrip("/") + "/")
    return _short(path[len(scratch.rstrip("/")) + 1 :] if inside else path)


def _short(text: str) -> str:
    shown = cut(text, PATH_CELLS)
    return visible(shown.text) + ("…" if shown.is_cut else "")
