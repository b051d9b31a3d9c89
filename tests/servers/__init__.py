"""Servers to test against, well- and ill-behaved, on the standard library alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parent


def raw(*switches: str) -> list[str]:
    """The command line of the scripted stdio server; `raw("--help")` lists the switches."""
    return [sys.executable, str(_FOLDER / "raw.py"), *switches]


def named(*tools: str) -> list[str]:
    """The command line of the server that lists tools of these names: `delete_all=r`."""
    return [sys.executable, str(_FOLDER / "named.py"), *tools]


def http(*switches: str) -> list[str]:
    """The command line of the HTTP server, which prints its URL as the first line of its stdout."""
    return [sys.executable, str(_FOLDER / "http_server.py"), *switches]


def recorded(file: Path) -> list[dict[str, Any]]:
    """The calls that a server really received, from its `--record` file, the oldest first.

    Each is {"tool": name, "arguments": as received, "line": the whole line as received}.
    """
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def pids(file: Path) -> dict[str, list[int]]:
    """The process ids in a `--pid-file`, the oldest first: {"server": [...], "grandchild": [...]}.

    A server that was started twice is there twice.
    """
    found: dict[str, list[int]] = {"server": [], "grandchild": []}
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            kind, pid = line.split()
            found[kind].append(int(pid))
    return found


def reported(habit: str) -> list[str]:
    """The command line of a plain server with one habit from a public report."""
    return [sys.executable, "-S", str(_FOLDER / "reported.py"), habit]


def acp_agent(*behaviours: str) -> list[str]:
    """The command line of the scripted ACP agent; its docstring lists the behaviours."""
    return [sys.executable, "-S", str(_FOLDER / "acp_agent.py"), *behaviours]
