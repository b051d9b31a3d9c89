"""The exact program that runs as a server; remembered approvals hold only for it.

A server's identity - transport, folder, command, names of variables - identifies the server. It
stays the same when a program is updated, so that the history of definitions goes on; the running
program is another then, and is approved again.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from enum import StrEnum
from typing import TYPE_CHECKING

from ..content.frozen import frozen
from ..content.json.jsonio import canonical

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue

DIGESTED_MAX = 50_000_000
"""Bytes up to which the content of a file counts; of a larger one its size and time."""
KEYED_DIGITS = 32


class Role(StrEnum):
    """Role of a file in the server."""

    PROGRAM = "program"
    INTERPRETER = "interpreter"
    """The program that a script names in its first line, `#!`."""
    SCRIPT = "script"
    """The file that was given to an interpreter to run."""


@frozen
class RunFile:
    """A file that runs: `path` as it was found, `real` without symbolic links.

    Either `sha256`, in 64 hexadecimal digits, or `modified_ns`, in nanoseconds since the epoch,
    where the file is too large or may not be read; the other is None.
    """

    role: Role
    path: str
    real: str
    size: int
    sha256: str | None = None
    modified_ns: int | None = None

    def as_json(self) -> dict[str, JsonValue]:
        shown: dict[str, JsonValue] = {"role": self.role.value, "path": self.path}
        shown |= {"real": self.real, "size": self.size}
        if self.sha256 is not None:
            shown["sha256"] = self.sha256
        if self.modified_ns is not None:
            shown["modified_ns"] = self.modified_ns
        return shown


@frozen
class ServerFingerprint:
    """Files, and keyed digests: of the exact command line or URL, and of the variables' values.

    `problem` is the reason why no approval can be bound to it, safe to show; empty if one can.
    """

    files: tuple[RunFile, ...] = ()
    target: str = ""
    values: tuple[tuple[str, str], ...] = ()
    """Name and keyed digest, by name."""
    problem: str = ""

    def as_json(self) -> dict[str, JsonValue]:
        """The shape that the audit log and the headless commands have."""
        shown: dict[str, JsonValue] = {
            "files": [file.as_json() for file in self.files],
            "target": self.target,
            "values": dict(self.values),
        }
        if self.problem:
            shown["problem"] = self.problem
        return shown

    @property
    def text(self) -> str:
        """The one way to write it: equal where, and only where, the same runs."""
        return canonical(self.as_json())

    @property
    def digest(self) -> str:
        """SHA-256 of all of it, 64 hexadecimal digits."""
        return hashlib.sha256(self.text.encode("ascii")).hexdigest()


def unknown_runs(problem: str, files: tuple[RunFile, ...] = ()) -> ServerFingerprint:
    """Return an unknown program, for a reason that is safe to show; never equal to another."""
    return ServerFingerprint(files, secrets.token_hex(KEYED_DIGITS // 2), problem=problem)


def read_fingerprint(text: str) -> ServerFingerprint:
    """Parse `ServerFingerprint.text`. Raises ValueError for anything else."""
    try:
        raw = json.loads(text)
        found = ServerFingerprint(
            tuple(RunFile(**{**file, "role": Role(file["role"])}) for file in raw["files"]),
            raw["target"],
            tuple(raw["values"].items()),
            raw.get("problem", ""),
        )
        is_same = found.text == text
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise ValueError(f"not a fingerprint: {type(problem).__name__}") from None
    if not is_same:
        raise ValueError("not a fingerprint as it is stored")
    return found


def keyed(key: bytes, *texts: str) -> str:
    """A digest that compares texts, and from which a short one cannot be found by trying without
    the key (HMAC, RFC 2104, with SHA-256; its first 128 bits).
    """
    return hmac.new(key, canonical(list(texts)).encode("ascii"), "sha256").hexdigest()[
        :KEYED_DIGITS
    ]
