"""Servers in several files: one file that several hosts read, and one name in several files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ..table import hosts
from .problems import NOTE, ConfigProblem, named
from .servers import ConfiguredServer, FileReport, as_read_by_all


def with_others(file: FileReport, others: Sequence[FileReport]) -> FileReport:
    """The file with the same file as further hosts read it.

    An error or a warning of another host alone becomes a note at the server.
    """
    servers = tuple(
        replace(one, problems=(*one.problems, *_notes(one, others))) for one in file.servers
    )
    return replace(file, servers=servers, others=tuple(others))


def further_hosts(file: FileReport, *, is_confirmed: bool = True) -> list[str]:
    """The titles of the further hosts that read a file, confirmed or not."""
    return [_title(one) for one in file.others if one.is_confirmed is is_confirmed]


def also_read_by(file: FileReport) -> str:
    """The further hosts of a file in words; empty if there is none."""
    sure, unsure = further_hosts(file), further_hosts(file, is_confirmed=False)
    words = [", ".join(sure)] if sure else []
    if unsure:
        words.append(f"not confirmed: {', '.join(unsure)}")
    return "; ".join(words)


def _notes(server: ConfiguredServer, others: Sequence[FileReport]) -> Iterator[ConfigProblem]:
    known = {one.code for one in server.problems}
    for file in others:
        found = next((one for one in file.servers if one.spot == server.spot), None)
        if found is None or not file.is_confirmed:
            continue
        for one in found.problems:
            if one.level is not NOTE and one.code not in known:
                words = f"{_title(file)} reads the file, too: {one.message}"
                yield replace(one, level=NOTE, message=words)


def _title(file: FileReport) -> str:
    return hosts()[file.host].title


ORDER: Final = {
    "claude-code": ("local", "project", "user"),
    "gemini-cli": ("managed", "project", "user"),
    "cursor": ("project", "user"),
    "roo": ("project", "user"),
    "opencode": ("project", "user"),
}
"""The scopes of a host whose precedence is known, the strongest first."""
_COMPARED: Final = 50
"""Namesakes that are compared."""
REPLACES: Final = ("claude-code",)
"""Hosts whose managed file replaces all others."""


def with_shadowed(files: Sequence[FileReport]) -> list[FileReport]:
    """The same files; servers that another file hides are marked as not effective."""
    managed: dict[str, ConfiguredServer] = {}
    namesakes: dict[tuple[str, str], list[ConfiguredServer]] = {}
    for file in as_read_by_all(files):
        for one in file.servers:
            namesakes.setdefault((one.host, one.name), []).append(one)
            if one.scope == "managed":
                managed.setdefault(one.host, one)

    def judged(file: FileReport) -> FileReport:
        servers = (
            _judged(one, managed.get(one.host), namesakes[one.host, one.name][:_COMPARED])
            if (one.host, one.name) in namesakes
            else one
            for one in file.servers
        )
        return replace(file, servers=tuple(servers), others=tuple(map(judged, file.others)))

    return list(map(judged, files))


def _judged(
    server: ConfiguredServer,
    managed: ConfiguredServer | None,
    namesakes: Sequence[ConfiguredServer],
) -> ConfiguredServer:
    if server.host in REPLACES and server.scope != "managed" and managed is not None:
        return _hidden(server, managed, "a managed file replaces all others")
    order = ORDER.get(server.host, ())
    if server.scope not in order or not server.is_effective:
        return server
    stronger = order[: order.index(server.scope)]
    for one in namesakes:
        if one is not server and one.scope in stronger and not one.details.get("project"):
            return _hidden(server, one, f"the one of the {one.scope} hides it")
    return server


def _hidden(server: ConfiguredServer, other: ConfiguredServer, why: str) -> ConfiguredServer:
    words = f"not loaded: {why}, in {named(other.file)}"
    problem = ConfigProblem("shadowed", NOTE, words, server.spot, server=server.name)
    return replace(server, is_effective=False, problems=(*server.problems, problem))
