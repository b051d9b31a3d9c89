"""Hosts that speak ACP, and the command that starts each as an agent: `agent.toml` of each."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Final

from .folders import FactError, host_fact, hosts_with, known_with, own_with

FACT: Final = "agent.toml"
HOST_NAMES: Final = known_with(FACT)
"""By the names of their rules among the hosts of the matrix."""


class AgentNames:
    """The names of agents, those of the person among them, as they are when one looks."""

    def __iter__(self) -> Iterator[str]:
        return iter(hosts_with(FACT))

    def __contains__(self, name: object) -> bool:
        return name in hosts_with(FACT)


def acp_command(name: str) -> tuple[str, ...]:
    """The command of a host. Raises OSError for one without, FactError for a broken file."""
    text = host_fact(name, FACT)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise FactError(f"{name}/{FACT}: {problem}") from None
    command = table.get("command")
    is_fit = isinstance(command, list) and all(isinstance(one, str) for one in command)
    if not is_fit or not command or table.keys() != {"command"}:
        raise FactError(f"{name}/{FACT}: it has one key, command, a list of texts")
    return tuple(command)


def problems_of_agents() -> list[str]:
    """The problems of the commands in folders of the person's."""
    problems = []
    for name in own_with(FACT):
        try:
            acp_command(name)
        except FactError as problem:
            problems.append(str(problem))
    return problems
