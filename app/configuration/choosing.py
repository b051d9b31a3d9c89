"""One server out of the files of this machine, by its name or as `HOST/NAME`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ..content.suggest import did_you_mean
from .problems import named
from .servers import ConfiguredServer, FileReport

Found: TypeAlias = tuple[ConfiguredServer, FileReport]


class NoSuchServer(Exception):
    """No server has the name, or several have; the message is safe to show."""


def servers_of(files: Sequence[FileReport]) -> list[Found]:
    """All servers, each with its file."""
    return [(server, file) for file in files for server in file.servers]


def choose_server(files: Sequence[FileReport], wanted: str) -> Found:
    """The server of this name, or of `HOST/NAME`; empty if there is only one in the files.

    A server that its host would load goes before one that it would not. Raises NoSuchServer.
    """
    known = servers_of(files)
    if not wanted:
        return _only(known)
    found = [one for one in known if one[0].name == wanted]
    host, slash, name = wanted.partition("/")
    if not found and slash:
        found = [one for one in known if (one[0].host, one[0].name) == (host, name)]
    if not found:
        names = [*dict.fromkeys(one.name for one, _ in known)]
        hint = did_you_mean(wanted, names) or "; signoff servers lists them"
        raise NoSuchServer(f"no server is called {named(wanted)}{hint}")
    effective = [one for one in found if one[0].is_effective] or found
    if len(effective) > 1:
        raise NoSuchServer(_ambiguous(wanted, effective))
    return effective[0]


def _only(known: Sequence[Found]) -> Found:
    if len(known) == 1:
        return known[0]
    if not known:
        raise NoSuchServer("no servers were found to choose from")
    names = ", ".join(dict.fromkeys(named(one.name) for one, _ in known[:20]))
    raise NoSuchServer(f"which server? Give --server NAME: {names}")


def _ambiguous(wanted: str, found: Sequence[Found]) -> str:
    """Name all that were found, each by words that lead to no other."""
    hosts = [one.host for one, _ in found]
    shown = []
    for server, file in found[:10]:
        place = f"{named(file.file)}:{server.spot.line}"
        if hosts.count(server.host) == 1:
            shown.append(f"{server.host}/{named(server.name)} ({place})")
        else:
            shown.append(f"--config {named(file.file)} (line {server.spot.line})")
    return f"{len(found)} servers are called {named(wanted)}; give one of: {'; '.join(shown)}"
