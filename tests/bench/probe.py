"""The least that a client can do: start a server, greet it, read its list of tools."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "probe", "version": "0"},
}


def probe(argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> tuple[float, list[str]]:
    """Seconds from the launch to the answer of tools/list, and the names of the tools."""
    started = time.perf_counter()
    process = subprocess.Popen(
        list(argv),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(env),
        cwd=cwd,
    )
    try:
        _ask(process, "initialize", _HELLO)
        _send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        result = _ask(process, "tools/list", {})
        seconds = time.perf_counter() - started
    finally:
        _end(process)
    return seconds, [tool["name"] for tool in result["tools"]]


def _send(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def _ask(process: subprocess.Popen[bytes], method: str, params: dict[str, Any]) -> dict[str, Any]:
    assert process.stdout is not None
    _send(process, {"jsonrpc": "2.0", "id": method, "method": method, "params": params})
    for line in process.stdout:
        message = json.loads(line)
        if message.get("id") == method and "method" not in message:
            result: dict[str, Any] = message["result"]
            return result
    raise AssertionError(f"the server ended at {method}")


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(3)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
