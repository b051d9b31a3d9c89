"""Hosts that speak ACP, and the command that starts each as an agent."""

from __future__ import annotations

from typing import Final, NamedTuple


class AcpHost(NamedTuple):
    """A host by the name of its rules among the hosts of the matrix."""

    name: str
    command: tuple[str, ...]


ACP_HOSTS: Final = (
    AcpHost("gemini-cli", ("gemini", "--acp")),
    AcpHost("kimi-code", ("kimi", "acp")),
    AcpHost("qwen-code", ("qwen", "--acp")),
    AcpHost("opencode", ("opencode", "acp")),
    AcpHost("kilo", ("kilo", "acp")),
    AcpHost("cline", ("cline", "--acp")),
    AcpHost("goose", ("goose", "acp")),
)
HOST_NAMES: Final = tuple(one.name for one in ACP_HOSTS)


def acp_command(name: str) -> tuple[str, ...]:
    """The command of a host. Raises KeyError for an unknown one."""
    return {one.name: one.command for one in ACP_HOSTS}[name]
