"""Parses output of `strace -f -yy`, line by line, as system calls. Pure.

One line is `PID NAME(ARGUMENTS) = RESULT`. A call that another process interrupts is written in two
parts, `<unfinished ...>` and `<... NAME resumed>`. With `-yy` every descriptor has its file or
socket behind it, in `<>`; there, and in texts, unprintable characters are escaped as in C
(strace(1)).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...content.frozen import frozen
from .deeds import SeenAddress

_BEGIN = re.compile(r"(\d+) +(?:([a-z_0-9]+)\(|<\.\.\. ([a-z_0-9]+) resumed>)")
_UNFINISHED = re.compile(r" *<unfinished \.\.\.>$")
_RESULT = re.compile(r"\) += (.*)$")
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_PLAIN = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"f": b"\f", b"v": b"\v", b"a": b"\a", b"b": b"\b"}
_STARTS = ("clone(", "clone3(", "fork(", "vfork(")
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
OPEN_MAX = 10_000
"""Calls that may be unfinished at once; a process that is killed never finishes its own."""


@frozen
class Syscall:
    """One call of the system. `args` and `result` are as strace writes them."""

    pid: int
    name: str
    args: tuple[str, ...]
    result: str

    @property
    def failed(self) -> bool:
        return self.result.startswith(("-1", "?"))

    @property
    def errno(self) -> str:
        """`ENOENT`; empty if it did not fail."""
        parts = self.result.split()
        return parts[1] if self.failed and len(parts) > 1 else ""

    def arg(self, index: int) -> str:
        return self.args[index] if index < len(self.args) else ""


class Lines:
    """Joins calls written in two parts, and parses complete ones."""

    def __init__(self) -> None:
        self._open: dict[int, str] = {}

    def read(self, line: str) -> Syscall | None:
        """The call that this line ends; None for any other line."""
        found = _BEGIN.match(line)
        if found is None:
            return None
        pid = int(found[1])
        body = line[found.end() :]
        if found[3] is not None:
            before = self._open.pop(pid, None)
            if before is None:
                return None
            name, _, start = before.partition("(")
            return _syscall(pid, name, start + body)
        if _UNFINISHED.search(body):
            if len(self._open) < OPEN_MAX:
                self._open[pid] = f"{found[2]}({_UNFINISHED.sub('', body)}"
            return None
        return _syscall(pid, found[2], body)

    def starting(self) -> list[int]:
        """Pids about to start a process or thread: the call has not returned yet."""
        return [pid for pid, body in self._open.items() if body.startswith(_STARTS)]


def _syscall(pid: int, name: str, body: str) -> Syscall | None:
    args, end = _split(body)
    result = _RESULT.match(body[end:])
    return Syscall(pid, name, tuple(args), result[1]) if result else None


def _split(text: str) -> tuple[list[str], int]:
    """The arguments, and the index of the closing parenthesis."""
    args: list[str] = []
    start, at, stack = 0, 0, ""
    while at < len(text):
        char = text[at]
        if char == '"':
            at = _end_of_text(text, at)
            continue
        if char == "<" and at and (text[at - 1].isalnum() or text[at - 1] == "_"):
            at = _end_of_descriptor(text, at)
            continue
        if char in _CLOSERS:
            stack += _CLOSERS[char]
        elif stack and char == stack[-1]:
            stack = stack[:-1]
        elif not stack and char in ",)":
            args.append(text[start:at].strip())
            start = at + 1
            if char == ")":
                return args, at
        at += 1
    return args, len(text)


def _end_of_text(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


def _end_of_descriptor(text: str, at: int) -> int:
    """Behind the `>` that ends a descriptor's object: `</b<char 1:3>>`, `<TCP:[a->b]>`."""
    depth, brackets = 0, 0
    is_path = text[at + 1 : at + 2] == "/"
    while at < len(text):
        char = text[at]
        if char == '"' and not is_path:
            at = _end_of_text(text, at)
            continue
        if not is_path and char in "[]":
            brackets += 1 if char == "[" else -1
        elif char == "<":
            depth += 1
        elif char == ">" and brackets <= 0:
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return at


def unquoted(arg: str) -> str | None:
    """The text of an argument in quotation marks; None for any other, and for one that was cut."""
    if len(arg) < 2 or arg[0] != '"' or not arg.endswith('"'):
        return None
    return unescaped(arg[1:-1])


def unescaped(text: str) -> str:
    """A text without the escapes of C; invalid UTF-8 is decoded like `os.fsdecode`."""

    def plain(found: re.Match[bytes]) -> bytes:
        code = found[1]
        if code[:1] == b"x" and len(code) == 3:
            return bytes([int(code[1:], 16)])
        if code[:1].isdigit():
            return bytes([int(code, 8) & 0xFF])
        return _PLAIN.get(code, code)

    raw = text.encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(plain, raw).decode("utf-8", "surrogateescape")


def stands_for(arg: str) -> str:
    """Return the object of a descriptor, raw: a path, `TCP:[...]`, `pipe:[...]`; empty for none."""
    begin = arg.find("<")
    if begin < 0:
        return ""
    inside = arg[begin + 1 : _end_of_descriptor(arg, begin) - 1]
    if inside.startswith("/"):
        # Behind the path of a device: `<char 1:3>`.
        inside = inside.partition("<")[0]
        return unescaped(inside)
    return inside


def path_of(arg: str) -> str:
    """The path of the file behind a descriptor; empty for a socket or the like."""
    found = stands_for(arg)
    return found if found.startswith("/") else ""


def words_in(text: str) -> Iterator[str]:
    """The texts of a list, `["sh", "-c", ...]`, as far as they are there."""
    at = 0
    while (at := text.find('"', at)) >= 0:
        end = _end_of_text(text, at)
        found = unquoted(text[at:end])
        if found is not None:
            yield found
        at = end


QUIET_SOCKETS = frozenset({"/var/run/nscd/socket", "/run/nscd/socket"})
"""What libraries ask for names of users and hosts."""
_INET = re.compile(
    r"sin6?_port=htons\((\d+)\).*?(?:inet_addr\(\"([^\"]+)\"\)|inet_pton\(AF_INET6, \"([^\"]+)\")"
)
_UNIX = re.compile(r"sun_path=(@?)(\"(?:[^\"\\]|\\.)*\")")


def read_address(arg: str, kind: str) -> SeenAddress | None:
    """The address in a `sockaddr`; None if there is none of a kind that leads anywhere."""
    if (found := _INET.search(arg)) is not None:
        host = found[2] or found[3]
        return SeenAddress(host, int(found[1]), kind if kind != "unix" else "tcp")
    if (found := _UNIX.search(arg)) is not None:
        path = (unquoted(found[2]) or "").rstrip("\0")
        if path and path not in QUIET_SOCKETS:
            return SeenAddress(found[1] + path, None, "unix")
    return None
