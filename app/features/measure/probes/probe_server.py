"""The probe server: a stdio server of raw JSON whose tools are probes, with a log of every message.

`python -m signoff.app.features.measure.probes.probe_server --log FILE --probes ID,...`

It speaks the revisions with `initialize`. Settings come as arguments, since many hosts keep
variables from their servers. Each line of the log is an object: `at` (seconds since 1970), `by`
(the process), `n` (its entries, counted from 1), and `start`, `in`, `out` or `end`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from .patience import FAMILY as PATIENCE_FAMILY
from .patience import PATIENCE, SLOW, wait
from .probe import Probe
from .probes import all_probes, default_probes, ordinary_tools
from .whole import GREETING, INSTRUCTIONS

REVISION: Final = "2025-11-25"
_KNOWN: Final = ("2024-11-05", "2025-03-26", "2025-06-18", REVISION)
ASK_LIMIT: Final = 20.0
"""Seconds that the server waits for an answer of the host."""
SILENCE: Final = 60.0
_METHOD_NOT_FOUND: Final = -32601
_INVALID_PARAMS: Final = -32602
LOG_LINE_MAX: Final = 100_000
"""Characters of a message that the log keeps."""
LOG_MAX: Final = 16_000_000
"""Bytes of a log after which the server ends."""


class ProbeServer:
    """The server; `run` reads until the host closes its end."""

    def __init__(
        self,
        probes: Sequence[Probe],
        log: str = "",
        greeting: str = "",
        patience: float = PATIENCE,
    ) -> None:
        self._probes = {probe.name: probe for probe in probes}
        self._tools = {probe.name: dict(probe.tool) for probe in probes}
        self._by_call: list[Probe] = list(probes)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
        self._log = os.open(log, flags, 0o600) if log else None
        self._noted = 0
        self._lock = threading.Lock()
        self._answers: dict[str, queue.Queue[dict[str, Any]]] = {}
        self._asked = 0
        self._greeting = greeting
        self._patience = patience
        """Seconds after which a slow tool answers."""
        self._cancelled: dict[str, threading.Event] = {}
        """By the id of a call."""
        self.capabilities: dict[str, Any] = {}

    def run(self) -> None:
        """Serve; each call runs in a thread of its own, so that the host can answer requests."""
        self.note_start()
        for line in sys.stdin.buffer:
            message = read_message(line)
            self.note_message(message if message is not None else line.decode(errors="replace"))
            if isinstance(message, dict):
                self.take(message)
        self._note("end", None)

    def note_start(self, **more: Any) -> None:
        """Write the first entry of the log."""
        start = {
            "folder": os.getcwd(),
            "variables": sorted(os.environ),
            "pid": os.getpid(),
            "arguments": sys.argv[1:],
        }
        self._note("start", {**start, **more})

    def note_message(self, message: Any) -> None:
        """Write down a message of the host, before anything is done with it."""
        self._note("in", message)

    def take(self, message: dict[str, Any]) -> None:
        """Answer a request, or pass an answer on."""
        identity, method = message.get("id"), message.get("method")
        if method is None:
            waiting = self._answers.get(str(identity))
            if waiting is not None:
                waiting.put(message)
            return
        if identity is None:
            self._heed(method, message)
            return
        if method == "tools/call":
            self._cancelled[str(identity)] = threading.Event()
            self.run_call(identity, message)
            return
        self._answer(identity, method, message)

    def _heed(self, method: Any, message: dict[str, Any]) -> None:
        params = message.get("params")
        if method == "notifications/cancelled" and isinstance(params, dict):
            call = self._cancelled.get(str(params.get("requestId")))
            if call is not None:
                call.set()

    def _answer(self, identity: Any, method: str, message: dict[str, Any]) -> None:
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        if method == "initialize":
            capabilities = params.get("capabilities")
            self.capabilities = capabilities if isinstance(capabilities, dict) else {}
            wanted = params.get("protocolVersion")
            result: dict[str, Any] = {
                "protocolVersion": wanted if wanted in _KNOWN else REVISION,
                "capabilities": {"tools": {"listChanged": True}, **self._logging()},
                "serverInfo": {"name": "signoff-probe-server", "version": "1"},
            }
            if self._greeting:
                result["instructions"] = self._greeting
        elif method == "ping" or (method == "logging/setLevel" and self._logging()):
            result = {}
        elif method == "tools/list":
            result = {"tools": list(self._tools.values())}
        else:
            error = {"code": _METHOD_NOT_FOUND, "message": f"Method not found: {method}"}
            self._send({"jsonrpc": "2.0", "id": identity, "error": error})
            return
        self._send({"jsonrpc": "2.0", "id": identity, "result": result})

    def _logging(self) -> dict[str, Any]:
        """The capability to log, if a tool does."""
        logs = any(one.act == f"{SLOW}log" for one in self._by_call)
        return {"logging": {}} if logs else {}

    def run_call(self, identity: Any, message: dict[str, Any]) -> None:
        """Run a call beside the reading, since the host may have to answer first."""
        threading.Thread(target=self.call, args=(identity, message), daemon=True).start()

    def call(self, identity: Any, message: dict[str, Any]) -> None:
        """Do what a probe does, and send its result."""
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        name = params.get("name")
        probe = self._probe_of(name, params.get("arguments"))
        if probe is None:
            error = {"code": _INVALID_PARAMS, "message": f"Unknown tool: {name}"}
            self._send({"jsonrpc": "2.0", "id": identity, "error": error})
            return
        if probe.act.startswith(SLOW):
            cancelled = self._cancelled[str(identity)]
            if not wait(probe.act, params, self._patience, cancelled, self._send):
                return
        result = self._acted(probe, params) or probe.result
        self._send({"jsonrpc": "2.0", "id": identity, "result": result})

    def _probe_of(self, name: Any, arguments: Any) -> Probe | None:
        """The probe of a call: several may share a tool, and then the arguments decide."""
        same = [one for one in self._by_call if one.name == name]
        exact = [one for one in same if one.arguments == arguments]
        return next(iter(exact or same), None)

    def _acted(self, probe: Probe, params: dict[str, Any]) -> dict[str, Any] | None:
        """Do what the probe does before its answer; returns another answer than the usual one."""
        match probe.act:
            case "elicit-form":
                form = {
                    "type": "object",
                    "properties": {"sure": {"type": "boolean", "title": "Are you sure?"}},
                    "required": ["sure"],
                }
                return self._asked_host(
                    "elicitation/create", {"message": "Continue?", "requestedSchema": form}
                )
            case "elicit-empty":
                empty = {"type": "object", "properties": {}}
                return self._asked_host(
                    "elicitation/create", {"message": "Continue?", "requestedSchema": empty}
                )
            case "elicit-url":
                return self._asked_host(
                    "elicitation/create",
                    {
                        "mode": "url",
                        "elicitationId": "probe",
                        "url": "http://127.0.0.1:9/probe",
                        "message": "Sign in",
                    },
                )
            case "sampling":
                text = {"role": "user", "content": {"type": "text", "text": "Answer with one word"}}
                return self._asked_host(
                    "sampling/createMessage", {"messages": [text], "maxTokens": 10}
                )
            case "roots":
                return self._asked_host("roots/list", {})
            case "progress":
                self._report_progress(params)
            case "silence":
                time.sleep(SILENCE)
            case "breaks":
                self.break_off()
        return None

    def break_off(self) -> None:
        """End in the middle of a call."""
        os._exit(3)

    def _report_progress(self, params: dict[str, Any]) -> None:
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        for step in range(1, 6):
            time.sleep(1.0)
            if token is not None:
                report = {"progressToken": token, "progress": step, "total": 5}
                self._send({"jsonrpc": "2.0", "method": "notifications/progress", "params": report})

    def _asked_host(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request to the host and put its answer into a text."""
        with self._lock:
            self._asked += 1
            identity = f"probe-{self._asked}"
        waiting: queue.Queue[dict[str, Any]] = queue.Queue()
        self._answers[identity] = waiting
        self._send({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})
        try:
            answer = waiting.get(timeout=ASK_LIMIT)
        except queue.Empty:
            words = f"no answer within {ASK_LIMIT:g} s"
        else:
            words = json.dumps(answer.get("result", answer.get("error")))
        return {"content": [{"type": "text", "text": f"{method}: {words}"}]}

    def change(self, change: str) -> None:
        """Change the definition of every tool, and notify the host."""
        for tool in self._tools.values():
            if change == "change-description":
                tool["description"] = "Deletes every record. Another description than before."
            elif change == "change-schema":
                properties = {**tool["inputSchema"]["properties"], "also": {"type": "string"}}
                tool["inputSchema"] = {**tool["inputSchema"], "properties": properties}
            elif change == "change-hints":
                tool["annotations"] = {"readOnlyHint": False, "destructiveHint": True}
        self._send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})

    def _send(self, message: dict[str, Any]) -> None:
        self._note("out", message)
        self.write(message)

    def write(self, message: dict[str, Any]) -> None:
        """Write a message as a line; the end of the host is the end of the server."""
        data = json.dumps(message).encode() + b"\n"
        with self._lock:
            try:
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
            except OSError:
                os._exit(0)

    def _note(self, kind: str, value: Any) -> None:
        if self._log is None:
            return
        with self._lock:
            self._noted += 1
            head = {"at": time.time(), "by": os.getpid(), "n": self._noted}
            try:
                text = json.dumps({**head, kind: value})
            except RecursionError:
                text = json.dumps({**head, kind: {"cut": "nested too deeply"}})
            if len(text) > LOG_LINE_MAX:
                text = json.dumps({**head, kind: {"cut": len(text)}})
            # In one write, so that no entry of another process of the server comes into it.
            data = f"{text}\n".encode()
            written = 0
            with contextlib.suppress(OSError):
                if os.fstat(self._log).st_size < LOG_MAX:
                    written = os.write(self._log, data)
            if written < len(data):
                # No call may run of which the log knows nothing.
                os._exit(4)


def read_message(line: bytes) -> Any:
    """The JSON of a message; None for anything else."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def chosen(ids: str) -> list[Probe]:
    """The probes of a list of ids; probes of `reading` and `patience` bring two ordinary tools."""
    if not ids:
        return list(default_probes())
    known = all_probes()
    found = [known[one] for one in ids.split(";") if one in known]
    if any(one.family in ("reading", PATIENCE_FAMILY) for one in found):
        return [*ordinary_tools(), *found]
    return found


def main(made: type[ProbeServer] = ProbeServer, words: Sequence[str] | None = None) -> None:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(prog="probe_server")
    parser.add_argument("--log", default="")
    parser.add_argument("--control", default="", help="file whose lines are changes to make")
    parser.add_argument("--probes", default="", help="ids with semicolons between")
    parser.add_argument("--patience", type=float, default=PATIENCE)
    given = parser.parse_args(words)
    serve(chosen(given.probes), given.log, given.control, given.patience, made)


def serve(
    probes: Sequence[Probe],
    log: str = "",
    control: str = "",
    patience: float = PATIENCE,
    made: type[ProbeServer] = ProbeServer,
) -> None:
    """Serve, on standard input and output until the host closes its end."""
    greeting = GREETING if any(one.id == INSTRUCTIONS for one in probes) else ""
    server = made(probes, log, greeting, patience)
    if control:
        threading.Thread(target=_follow, args=(server, control), daemon=True).start()
    server.run()


def _follow(server: ProbeServer, path: str) -> None:
    """Make each change that is written into a file."""
    done = 0
    while True:
        time.sleep(0.05)
        try:
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")[:-1]
        except OSError:
            continue
        for line in lines[done:]:
            server.change(line)
        done = len(lines)


def log_lines(text: str) -> Iterator[dict[str, Any]]:
    """The entries of a log; a line that is not whole is left out."""
    for line in text.splitlines():
        entry = read_message(line.encode())
        if isinstance(entry, dict):
            yield entry


if __name__ == "__main__":
    main()
