"""Lines of a server's stdout to JSON-RPC messages: tolerant, bounded, nothing lost.

Spec, basic/transports "stdio": one message a line, UTF-8, and nothing else on stdout. Servers
break each of these, so what is no message is kept as noise, and what can still be read is read.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from app.core.findings import Finding, error, warning
from app.core.jsonio import JsonError, JsonValue, parse
from app.core.text import cut, visible
from app.link.lines import LINE_LIMIT, Overlong

NOISE_SHOWN = 200
_SPREAD_LINES = 5_000
_SPREAD_BYTES = 4_000_000
_ID = re.compile(rb'"id"\s*:\s*("(?:[^"\\]|\\.){1,100}"|-?\d{1,18})\s*[,}]')


@dataclass(frozen=True, slots=True)
class Message:
    """One JSON-RPC message as it came."""

    body: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that is an answer but cannot be read; `id` where it could be made out."""

    id: str | int | None
    reason: str


Inbound = Message | Unreadable | Finding


class MessageReader:
    """Turns lines into messages, findings and unreadable answers, in their order."""

    def __init__(self) -> None:
        self._spread: list[bytes] = []
        self._spread_size = 0

    def read(self, line: bytes | Overlong) -> list[Inbound]:
        if isinstance(line, Overlong):
            reason = f"one line of {line.size:,} bytes, over the limit of {LINE_LIMIT:,}"
            return [
                *self._give_up(),
                error("line-too-long", reason),
                Unreadable(find_id(line.head) or find_id(line.tail), reason),
            ]
        text = line.strip()
        if self._spread:
            return self._continue(line)
        if not text:
            return []
        try:
            return _message(text)
        except JsonError as problem:
            if text.startswith(b"{") and not text.endswith(b"}"):
                return self._continue(line)
            return _unparsable(text, problem.reason)

    def _continue(self, line: bytes) -> list[Inbound]:
        """Collect a message that is spread over several lines, as pretty printers do."""
        if self._spread:
            try:
                messages = _message(line.strip())
            except JsonError:
                pass
            else:
                if any(isinstance(message, Message) for message in messages):
                    return [*self._give_up(), *messages]
        self._spread.append(line)
        self._spread_size += len(line)
        if line.rstrip().endswith(b"}"):
            try:
                found = _message(b"\n".join(self._spread))
            except JsonError:
                pass
            else:
                self._spread.clear()
                self._spread_size = 0
                return [
                    warning("message-over-lines", "a message is spread over several lines"),
                    *found,
                ]
        if len(self._spread) > _SPREAD_LINES or self._spread_size > _SPREAD_BYTES:
            return self._give_up()
        return []

    def _give_up(self) -> list[Inbound]:
        lines, self._spread, self._spread_size = self._spread, [], 0
        if not lines:
            return []
        whole = b"\n".join(lines)
        return _unparsable(whole, "it is no JSON")


def find_id(fragment: bytes) -> str | int | None:
    """The JSON-RPC id in a fragment of an unreadable answer, where one can be made out."""
    if b'"method"' in fragment[:200]:
        return None
    found = _ID.search(fragment)
    if found is None:
        return None
    try:
        value = json.loads(found.group(1))
    except ValueError:
        return None
    return value if isinstance(value, str | int) else None


def _message(text: bytes) -> list[Inbound]:
    """Messages and findings of one JSON text. Raises JsonError where it is no JSON."""
    findings: list[Inbound] = []
    try:
        parsed = parse(text)
    except JsonError:
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            parsed = parse(text.decode("utf-8", "replace"))
            findings.append(
                error("invalid-utf8", "a message is not valid UTF-8; the bad bytes show as �")
            )
        else:
            raise
    if text.startswith(b"\xef\xbb\xbf"):
        findings.append(warning("byte-order-mark", "a message starts with a byte order mark"))
    if parsed.duplicates:
        shown = ", ".join(visible(cut(key, 40).text) for key in parsed.duplicates[:4])
        findings.append(error("duplicate-key", f"JSON keys given twice: {shown}"))
    body = parsed.value
    if isinstance(body, dict) and _is_rpc(body):
        return [*findings, Message(body)]
    return [*findings, _noise(text, "valid JSON, but no JSON-RPC message")]


def _is_rpc(body: dict[str, JsonValue]) -> bool:
    if body.get("jsonrpc") != "2.0":
        return False
    if isinstance(body.get("method"), str):
        return True
    identity = body.get("id")
    has_id = isinstance(identity, str | int) and not isinstance(identity, bool)
    return (has_id and "result" in body) or isinstance(body.get("error"), dict)


def _unparsable(text: bytes, reason: str) -> list[Inbound]:
    if b'"jsonrpc"' in text[:2_000] or b'"result"' in text[:2_000]:
        identity = find_id(text[:4_096]) or find_id(text[-4_096:])
        shown = f"a message cannot be read: {reason}"
        return [error("unreadable-message", shown), Unreadable(identity, reason)]
    return [_noise(text, reason)]


def _noise(text: bytes, reason: str) -> Finding:
    shown = visible(cut(text.decode("utf-8", "replace"), NOISE_SHOWN).text)
    return warning("noise-on-stdout", f"stdout carries what is no message ({reason}): {shown}")
