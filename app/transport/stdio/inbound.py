"""Parses lines of a server's stdout to JSON-RPC messages: tolerant, bounded, nothing lost.

Spec, basic/transports "stdio": one message a line, UTF-8, and nothing else on stdout. Servers break
each of these, so lines without a message are kept as noise, and broken ones are still read.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Sequence

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, Limits
from ...content.json.parts import parse_answer
from ...content.text import cut, visible
from ...protocol.findings.findings import Finding, error, warning
from ...protocol.rpc import Oversized
from ...protocol.wire.reading import BATCH_MAX, CLIENT_METHODS, whole_messages
from ..messages import id_shown
from .lines import HEAD, LINE_LIMIT, Line, Overlong

BATCH = "batch"
"""The code of the finding that messages came as a batch."""
NOISE_SHOWN = 200
_SPREAD_LINES = 200_000
_SPREAD_BYTES = 4_000_000
_SPREAD_PARSED = 10 * _SPREAD_BYTES
"""Bytes of attempts to read one message over several lines, so that it stays cheap."""
_LIMITS = Limits(size=LINE_LIMIT)
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_ID_VALUE = re.compile(rb'\s*:\s*("(?:[^"\\]|\\.){1,100}"|-?\d{1,18})\s*[,}]')
_DECIDING = frozenset(("jsonrpc", "id", "method", "params", "result", "error"))
_INSIDE = ("params.", "result.", "error.")
_AN = {"result": "a result", "error": "an error"}
_UTF_16 = (b"{\0", b"\0{")
_ID_AT_END = re.compile(rb'"id"\s*:\s*("(?:[^"\\]|\\.){1,100}"|-?\d{1,18})\s*\}\s*\Z')


@frozen
class Message:
    """One JSON-RPC message as it came.

    One with a method is a request or a notification, and has neither a result nor an error. An
    answer has one of them, and an id that is a string or an integer; an error may have none.
    """

    body: dict[str, JsonValue]


@frozen
class Unreadable:
    """A line that is an answer but cannot be read; `id` if it could be made out."""

    id: str | int | None
    reason: str
    whole: Oversized | None = None
    """The whole answer as received, if it was too large to be parsed."""


Inbound = Message | Unreadable | Finding


class MessageReader:
    """Turns lines into messages, findings and unreadable answers, in their order."""

    def __init__(self) -> None:
        self._spread: list[bytes] = []
        self._spread_size = 0
        self._spread_parsed = 0
        self._open_braces = 0

    def read(self, line: Line) -> list[Inbound]:
        """Parse a line; a bytearray is emptied."""
        if isinstance(line, Overlong):
            reason = f"one line of {line.size:,} bytes, over the limit of {LINE_LIMIT:,}"
            return [
                *self._give_up(),
                error("line-too-long", reason),
                *_failed_answer(line.head, line.tail, reason, line.whole),
            ]
        if isinstance(line, bytearray):
            return [*self._give_up(), *_large(line)]
        text = line.strip()
        if self._spread:
            return self._continue(line)
        if not text:
            return []
        try:
            return _message(text)
        except JsonError as problem:
            if mixed := _mixed(text):
                return mixed
            is_open = text.startswith(b"{") and not text.endswith(b"}")
            if is_open and not any(mark in text[:8] for mark in _UTF_16):
                return self._continue(line)
            return _unparsable(text, problem.reason)

    def _continue(self, line: bytes) -> list[Inbound]:
        """Collect a message that is spread over several lines, as pretty printers do."""
        if self._spread and (messages := _alone(line.strip())):
            return [*self._give_up(), *messages]
        self._spread.append(line)
        self._spread_size += len(line)
        self._open_braces += line.count(b"{") - line.count(b"}")
        if line.rstrip().endswith(b"}") and (self._open_braces <= 0 or line[:1] == b"}"):
            self._spread_parsed += self._spread_size
            try:
                found = _message(b"\n".join(self._spread))
            except JsonError as problem:
                if self._open_braces <= 0 and line.rstrip() == b"}":
                    return self._give_up(problem.reason)
            else:
                self._clear()
                return [_over_lines(), *found]
        if (
            len(self._spread) > _SPREAD_LINES
            or self._spread_size > _SPREAD_BYTES
            or self._spread_parsed > _SPREAD_PARSED
        ):
            return self._give_up()
        return []

    def _give_up(self, reason: str = "not JSON") -> list[Inbound]:
        whole = b"\n".join(self._spread)
        self._clear()
        if not whole:
            return []
        try:
            found = _message(whole)
        except JsonError:
            return _unparsable(whole, reason)
        return [_over_lines(), *found]

    def _clear(self) -> None:
        self._spread = []
        self._spread_size = self._spread_parsed = self._open_braces = 0


def find_id(head: bytes, tail: bytes = b"") -> str | int | None:
    """Return the JSON-RPC id of a response from its beginning and its end, if it can be found.

    Only a key of the outermost object counts, so that an "id" in the payload never fails another
    call. None for messages with a method, which are not responses, and for two different ids.
    """
    found, depth = list[re.Match[bytes]](), 0
    for token in _TOKEN.finditer(head, max(0, head.find(b"{"))):
        match token.group():
            case b"{" | b"[":
                depth += 1
            case b"}" | b"]":
                depth -= 1
            case b'"method"' if depth == 1:
                return None
            case b'"id"' if depth == 1 and (value := _ID_VALUE.match(head, token.end())):
                found.append(value)
    # The end of a text that is not cut belongs to its head.
    if (at_end := _ID_AT_END.search(tail)) and (not found or len(head) >= HEAD):
        found.append(at_end)
    # Readers take a message with two ids for different ones: it has none.
    values = {one.group(1) for one in found}
    if len(values) != 1:
        return None
    try:
        value = json.loads(values.pop())
    except ValueError:
        return None
    return value if isinstance(value, str | int) else None


def _large(line: bytearray) -> list[Inbound]:
    """A line that is too large to be held twice, or to be a part of something larger."""
    head, tail = bytes(line[:HEAD]).lstrip(), bytes(line[-HEAD:]).rstrip()
    try:
        return _message(line, head)
    except JsonError as problem:
        return _unparsable(head, problem.reason, tail)


def _over_lines() -> Finding:
    words = "a message is spread over several lines: clients that read it line by line never see it"
    return error("message-over-lines", words)


def _alone(text: bytes) -> list[Inbound]:
    """Parse a line inside an unfinished message by itself: messages or a failed response."""
    try:
        found = _message(text)
    except JsonError as problem:
        if text.startswith(b"{") and text.endswith(b"}") and b'"jsonrpc"' in text[:200]:
            return _unparsable(text, problem.reason)
        return []
    return found if any(isinstance(item, Message | Unreadable) for item in found) else []


def _message(text: bytes | bytearray, head: bytes = b"") -> list[Inbound]:
    """Messages and findings of one JSON text. Raises JsonError if it is not JSON.

    `head` is its beginning, for a text that is emptied by being read.
    """
    head = head or bytes(text[:HEAD])
    findings: list[Inbound] = []
    try:
        parsed = parse_answer(text, _LIMITS)
    except JsonError:
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            parsed = parse_answer(text.decode("utf-8", "replace"), _LIMITS)
            findings.append(
                error("invalid-utf8", "a message is not valid UTF-8; the bad bytes show as �")
            )
        else:
            raise
    if head.startswith(b"\xef\xbb\xbf"):
        words = "a message starts with a byte order mark: most clients never see that message"
        findings.append(error("byte-order-mark", words))
    if parsed.duplicates:
        shown = ", ".join(visible(cut(key, 40).text) for key in parsed.duplicates[:4])
        findings.append(error("duplicate-key", f"JSON keys given twice: {shown}"))
    findings += [error("unreadable-part", flaw) for flaw in parsed.flaws]
    body = parsed.value
    if isinstance(body, list) and any(_is_rpc(one) for one in body):
        return [*findings, *_batch(body)]
    doubled = [one for one in sorted(parsed.doubled) if one in _DECIDING or one.startswith(_INSIDE)]
    if isinstance(body, dict) and doubled:
        return [*findings, *_ambiguous(body, doubled)]
    return [*findings, *_of_body(body, head)]


def _ambiguous(body: dict[str, JsonValue], doubled: Sequence[str]) -> list[Inbound]:
    """A message that readers take for different ones: none of them counts.

    Some count the first of two members, some the last.
    """
    names = " and ".join(visible(cut(one, 60).text) for one in doubled[:4])
    reason = f"a message has {names} twice, so that readers take it for different messages"
    found: list[Inbound] = [error("unreadable-message", reason)]
    if "method" not in body and "id" not in doubled:
        found.append(Unreadable(_identity(body), reason))
    return found


def _of_body(body: JsonValue, head: bytes) -> list[Inbound]:
    """Classify one JSON value; `head` is the beginning of its text."""
    if isinstance(body, dict) and body.get("jsonrpc") == "2.0":
        if isinstance(body.get("method"), str):
            return _asking(body)
        if "result" in body or isinstance(body.get("error"), dict):
            return _answering(body)
    findings: list[Inbound] = [_noise(head, "valid JSON, but not a JSON-RPC message")]
    if isinstance(body, dict) and _names_answer(body):
        reason = "the response has neither a result nor an error object"
        if "result" in body:
            reason = "the response is not JSON-RPC 2.0"
        findings.append(Unreadable(_identity(body), reason))
    return findings


def _is_rpc(body: JsonValue) -> bool:
    return isinstance(body, dict) and body.get("jsonrpc") == "2.0"


def _batch(bodies: list[JsonValue]) -> list[Inbound]:
    """The messages of a JSON-RPC batch, after a finding on the batch.

    Receiving batches is a MUST of 2025-03-26 (basic, "Batching"); no other revision has them.
    """
    words = f"{len(bodies)} messages came as one JSON-RPC batch, which only 2025-03-26 allows"
    found: list[Inbound] = [warning("batch", words)]
    for body in bodies[:BATCH_MAX]:
        head = json.dumps(body)[:HEAD].encode() if not isinstance(body, dict) else b"{...}"
        found += _of_body(body, head)
    if len(bodies) > BATCH_MAX:
        more = len(bodies) - BATCH_MAX
        found.append(error("unreadable-part", f"{more:,} more messages of a batch were not read"))
    return found


def _mixed(text: bytes) -> list[Inbound]:
    """Whole messages on a line that has more than one of them, or other text beside them.

    Empty without a whole message. A request that only clients send is not taken: a line with one is
    the server's log.
    """
    if len(text) > _SPREAD_BYTES:
        return []
    messages: list[Inbound] = []

    def take(part: bytes) -> bool:
        found: list[Inbound] = []
        with contextlib.suppress(JsonError):
            found = _message(part)
        if any(isinstance(item, Message) and not _is_ours(item) for item in found):
            messages.extend(found)
            return True
        return False

    places = whole_messages(text, take)
    if not places:
        return []
    ends = [0, *(end for _, end in places)]
    starts = [*(start for start, _ in places), len(text)]
    others = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    return [*_mixed_findings(others, len(places)), *messages]


def _mixed_findings(others: list[bytes], count: int) -> list[Inbound]:
    found: list[Inbound] = []
    read = "the message was read" if count == 1 else f"{count} messages were read"
    if any(b"\0" in other for other in others):
        found.append(error("nul-on-stdout", f"NUL bytes beside a message; {read}"))
    words = b" ... ".join(part for other in others if (part := other.strip(b"\0 \t\r\n")))
    if words:
        shown = visible(cut(words.decode("utf-8", "replace"), NOISE_SHOWN).text)
        said = f"other text on the line of a message: “{shown}”; {read}"
        found.append(error("text-beside-message", said))
    if count > 1 and not found:
        said = f"{count} messages on one line, without a line break between them"
        if any(b"\n" in other for other in others):
            said = f"{count} messages in one body, where a single one is allowed"
        found.append(error("messages-on-one-line", f"{said}; all were read"))
    return found


def _is_ours(message: Message) -> bool:
    """True if only a client sends such a request."""
    method = message.body.get("method")
    return isinstance(method, str) and method in CLIENT_METHODS


def _asking(body: dict[str, JsonValue]) -> list[Inbound]:
    """A request or a notification; who writes out all members has empty ones of an answer."""
    if "result" not in body and "error" not in body:
        return [Message(body)]
    answered = [key for key in ("result", "error") if body.get(key) is not None]
    if not answered:
        return [Message({k: v for k, v in body.items() if k not in ("result", "error")})]
    words = f"a message has both a method and {_AN[answered[0]]}, so it is neither"
    return [error("request-and-answer", words), Unreadable(_identity(body), words)]


def _answering(body: dict[str, JsonValue]) -> list[Inbound]:
    """An answer. Its id has to be one that a request can have: it is known by type and value."""
    found: list[Inbound] = []
    body = {key: value for key, value in body.items() if key != "method"}
    if isinstance(body.get("error"), dict) and "result" in body:
        if body.pop("result") is not None:
            words = "a response has both a result and an error; the error counts"
            found.append(error("result-and-error", words))
    elif "result" in body:
        body.pop("error", None)
    identity = body.get("id")
    if _identity(body) is not None or (identity is None and "error" in body):
        return [*found, Message(body)]
    if isinstance(identity, float) and identity.is_integer() and abs(identity) < 2**53:
        # The same number: JSON has one kind of them. Strict clients miss the answer.
        meant = int(identity)
        words = f"the response to the id {id_shown(meant)} has the id {id_shown(identity)}"
        found.append(error("malformed-id", f"{words}; some clients lose such a response"))
        return [*found, Message({**body, "id": meant})]
    words = "a response has no id"
    if "id" in body:
        words = f"a response has the invalid id {id_shown(identity)}"
    return [error("malformed-id", words), *found]


def _identity(body: dict[str, JsonValue]) -> str | int | None:
    identity = body.get("id")
    if isinstance(identity, bool) or not isinstance(identity, str | int):
        return None
    return identity


def _names_answer(body: dict[str, JsonValue]) -> bool:
    """True if something other than a JSON-RPC message was meant as a response."""
    marks = ("jsonrpc", "result", "error")
    return _identity(body) is not None and "method" not in body and any(k in body for k in marks)


def _unparsable(text: bytes, reason: str, tail: bytes = b"") -> list[Inbound]:
    """Classify unparsable text; `tail` is its end if only the beginning is given."""
    head, tail = text[:HEAD], tail or text[-HEAD:]
    if b'"jsonrpc"' not in head and b'"jsonrpc"' not in tail:
        return [_noise(text, reason)]
    if find_id(head, tail) is None and not text.startswith(b"{"):
        return [_noise(text, reason)]
    shown = f"a message cannot be read: {reason}"
    return [error("unreadable-message", shown), *_failed_answer(head, tail, reason)]


def _failed_answer(
    head: bytes, tail: bytes, reason: str, whole: Oversized | None = None
) -> list[Inbound]:
    """Return the call that an unreadable message ends; none if it has a method."""
    identity = find_id(head, tail)
    if identity is None and b'"method"' in head[:200]:
        return []
    return [Unreadable(identity, reason, whole)]


def _noise(text: bytes, reason: str) -> Finding:
    if any(mark in text[:HEAD] for mark in _UTF_16):
        reason = "it looks like UTF-16; messages are UTF-8"
    shown = visible(cut(text.decode("utf-8", "replace"), NOISE_SHOWN).text)
    return warning("noise-on-stdout", f"stdout carries an invalid message ({reason}): {shown}")
