"""Decisions on lists of tools that tests make up."""

from __future__ import annotations

from typing import Any

from signoff.app.approval.matrix import build_matrix
from signoff.app.approval.policies.modes import policy_named
from signoff.app.approval.policies.policy import Policy
from signoff.app.features.decide.decisions import DEFAULT_HOSTS, Decisions, LibraryReading
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tools

KEPT = (
    LibraryReading("ts1", "TypeScript SDK 1.32.2", True),
    LibraryReading("py2", "Python SDK 2.3.0", True),
)


def entry(name: str, description: str = "Does it", **hints: Any) -> Any:
    """An entry of `tools/list` with the given hints."""
    annotations = {f"{key}Hint": value for key, value in hints.items()}
    return {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object"},
        **({"annotations": annotations} if annotations else {}),
    }


def columns(names: tuple[str, ...] = DEFAULT_HOSTS) -> tuple[Policy, ...]:
    """Models of hosts by name."""
    known = [read_host(name) for name in host_names()]
    found = [policy_named(known, name) for name in names]
    assert None not in found
    return tuple(one for one in found if one is not None)


def decide(
    *entries: Any,
    hosts: tuple[str, ...] = DEFAULT_HOSTS,
    trust: Trust = Trust.UNTRUSTED,
    libraries: tuple[LibraryReading, ...] = KEPT,
) -> Decisions:
    """The decisions on these entries."""
    tools = read_tools(list(entries))
    return Decisions(build_matrix(tools, columns(hosts), server="files"), trust, libraries)
