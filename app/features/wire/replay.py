"""`signoff replay CAPTURE`: a captured session as a stdio server, without the original."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from ...cli.command import without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.output.printing import print_error
from ...cli.targets.given_files import given_frames, given_path
from ...content.text import count, cut, visible
from ...presentation.exit_status import ExitStatus
from ...protocol.wire.capture import (
    CapturedScript,
    Key,
    Recorded,
    ServerMessage,
    key_for,
    script_of,
    token_of,
)
from ...protocol.wire.reading import Id, key_of
from ...storage.state_dir import shown

METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
_SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"


_MASKED: Final = (
    "the file was saved with masked values, so this cannot be replayed; --capture FILE writes a "
    "session that can"
)


@options
class ReplayOptions(NamedTuple):
    """Options of `replay`."""

    capture: str = opt("CAPTURE", "a file written by --capture")


def add(replay: Parser) -> None:
    without_server(replay, ReplayOptions, lambda wanted: run_replay(wanted.capture))


def run_replay(path: str) -> int:
    """Serve the capture on standard input and output until the client leaves."""
    place = given_path(path)
    script = script_of(given_frames(place))
    if masked := sum(one.is_masked for each in script.requests.values() for one in each):
        print_error(
            f"{shown(place)} was saved with masked values: {count(masked, 'request')} of it cannot "
            "be replayed and gets an error; --capture FILE writes a session that can"
        )
    if not script.requests:
        print_error(f"{shown(place)} has no request: there is nothing to answer")
        return ExitStatus.USAGE
    return Replayer(script, _write).play(sys.stdin.buffer)


def _write(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


class Replayer:
    """Answers as the captured server did, with the ids of now."""

    def __init__(self, script: CapturedScript, write: Callable[[bytes], None]) -> None:
        self._script = script
        self._write = write
        self._masked = {
            (method, _subject(json.loads(params)))
            for (method, params), found in script.requests.items()
            if params and any(one.is_masked for one in found)
        }
        """Method and subject of requests whose params may be masked."""
        self._used: dict[Key, int] = defaultdict(int)
        self._ids: dict[tuple[bool, Id], Id] = {}
        """Ids and tokens of requests in the capture -> those of now."""
        self._held: dict[tuple[bool, Id], list[ServerMessage | bytes | int]] = {}
        """What comes after the client has answered a request of the server."""

    def play(self, lines: Iterable[bytes]) -> int:
        """Read messages until the input ends; returns the exit status of the server."""
        self._say(list(self._script.opening))
        for line in lines:
            try:
                body = json.loads(line)
            except (ValueError, RecursionError):
                continue
            ends = self._act_on(body) if isinstance(body, dict) else None
            if ends is not None:
                return ends
        return ExitStatus.OK

    def _act_on(self, body: dict[str, Any]) -> int | None:
        """Carry out the effects of a message; returns the exit code if the server ended then."""
        identity, method = body.get("id"), body.get("method")
        if isinstance(identity, bool) or not isinstance(identity, str | int):
            return None
        if not isinstance(method, str):
            return self._say(self._held.pop(key_of(identity), []))
        params = body.get("params")
        one = self._next(key_for(method, params))
        if one is None:
            self._send(self._unknown(method, identity, params))
            return None
        if one.is_masked:
            self._send(_problem(identity, INVALID_PARAMS, _MASKED))
            return None
        self._ids[key_of(one.id)] = identity
        token = token_of(params)
        if one.token is not None and token is not None:
            self._ids[key_of(one.token)] = token
        answer = [] if one.answer is None else [_with_id(one.answer, identity)]
        ending = [] if one.ends is None else [one.ends]
        return self._say([*one.before, *answer, *ending, *one.after])

    def _next(self, key: Key) -> Recorded | None:
        """Return the next captured response for such a request; the last one repeats."""
        found = self._script.requests.get(key)
        if not found:
            return None
        at = min(self._used[key], len(found) - 1)
        self._used[key] += 1
        return found[at]

    def _say(self, what: Sequence[ServerMessage | bytes | int]) -> int | None:
        for at, one in enumerate(what):
            if isinstance(one, int):
                return one
            if isinstance(one, bytes):
                self._write(one)
                continue
            self._write(self._of_now(one.raw))
            if one.asks is not None:
                self._held[key_of(one.asks)] = list(what[at + 1 :])
                return None
        return None

    def _of_now(self, raw: bytes) -> bytes:
        """A message of the server with the ids that the requests have now; a line as it was."""
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            return raw
        params = body.get("params") if isinstance(body, dict) else None
        if not isinstance(params, dict):
            return raw
        changed = False
        for holder, name in (
            (params, "progressToken"),
            (params, "requestId"),
            (params.get("_meta"), _SUBSCRIPTION),
        ):
            if not isinstance(holder, dict):
                continue
            given = holder.get(name)
            if isinstance(given, str | int) and key_of(given) in self._ids:
                holder[name] = self._ids[key_of(given)]
                changed = True
        return _dump(body) if changed else raw

    def _unknown(self, method: str, identity: Id, params: Any) -> dict[str, Any]:
        name = visible(cut(method, 60).text)
        if method == "ping":
            return {"jsonrpc": "2.0", "id": identity, "result": {}}
        if method not in self._script.methods:
            return _problem(identity, METHOD_NOT_FOUND, f"the capture has no {name}")
        if (method, _subject(params)) in self._masked:
            return _problem(identity, INVALID_PARAMS, _MASKED)
        return _problem(identity, INVALID_PARAMS, f"the capture has no {name} with these params")

    def _send(self, body: dict[str, Any]) -> None:
        self._write(_dump(body))


def _subject(params: Any) -> str:
    """The tool, prompt or resource that a request is about; empty for none."""
    found = params.get("name", params.get("uri")) if isinstance(params, dict) else None
    return found if isinstance(found, str) else ""


def _problem(identity: Id, code: int, words: str) -> dict[str, Any]:
    problem = {"code": code, "message": f"signoff replay: {words}"}
    return {"jsonrpc": "2.0", "id": identity, "error": problem}


def _with_id(raw: bytes, identity: Id) -> bytes:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        words = "signoff replay: the captured response is not whole"
        body = {"jsonrpc": "2.0", "error": {"code": METHOD_NOT_FOUND, "message": words}}
    return _dump({**body, "id": identity})


def _dump(body: Any) -> bytes:
    return json.dumps(body, separators=(",", ":")).encode("ascii")
