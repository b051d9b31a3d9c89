"""Servers of the same name in several files of one host: the one that counts, and the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from .problems import NOTE, ConfigProblem, named
from .servers import ConfiguredServer, FileReport

ORDER: Final = {
    "claude-code": ("local", "project", "user"),
    "gemini-cli": ("managed", "project", "user"),
    "cursor": ("project", "user"),
    "roo": ("project", "user"),
    "opencode": ("project", "user"),
}
"""The scopes of a host whose precedence is known, the strongest first."""
REPLACES: Final = ("claude-code",)
"""Hosts whose managed file replaces all others."""


def with_shadowed(files: Sequence[FileReport]) -> list[FileReport]:
    """The same files; servers that another file hides are marked as not effective."""
    return [
        replace(one, servers=tuple(_judged(server, files) for server in one.servers))
        for one in files
    ]


def _judged(server: ConfiguredServer, files: Sequence[FileReport]) -> ConfiguredServer:
    others = [
        one for file in files for one in file.servers if one.host == server.host and one != server
    ]
    if server.host in REPLACES and server.scope != "managed":
        managed = [one for one in others if one.scope == "managed"]
        if managed:
            return _hidden(server, managed[0], "a managed file replaces all others")
    order = ORDER.get(server.host, ())
    if server.scope not in order or not server.is_effective:
        return server
    stronger = order[: order.index(server.scope)]
    for one in others:
        if one.name == server.name and one.scope in stronger and not one.details.get("project"):
            return _hidden(server, one, f"the one of the {one.scope} hides it")
    return server


def _hidden(server: ConfiguredServer, other: ConfiguredServer, why: str) -> ConfiguredServer:
    words = f"not loaded: {why}, in {named(other.file)}"
    problem = ConfigProblem("shadowed", NOTE, words, server.spot, server=server.name)
    return replace(server, is_effective=False, problems=(*server.problems, problem))
