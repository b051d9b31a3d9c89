"""Hosts that speak ACP, and the command that starts each as an agent: `agent.toml` of each."""

from __future__ import annotations

import tomllib
from typing import Final

from .folders import host_fact, hosts_with

HOST_NAMES: Final = hosts_with("agent.toml")
"""By the names of their rules among the hosts of the matrix."""


def acp_command(name: str) -> tuple[str, ...]:
    """The command of a host. Raises OSError for one without."""
    command: list[str] = tomllib.loads(host_fact(name, "agent.toml"))["command"]
    return tuple(command)
