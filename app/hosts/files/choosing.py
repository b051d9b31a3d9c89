"""One server out of the files of this machine, by its name or as `HOST/NAME`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ...content.files.tree import SourceLocation
from ...content.suggest import did_you_mean
from .problems import named
from .servers import ConfiguredServer, FileReport

Found: TypeAlias = tuple[ConfiguredServer, FileReport]


class NoSuchServer(Exception):
    """No server has the name, or several have; the message is safe to show."""


def servers_of(files: Sequence[FileReport]) -> list[Found]:
    """All servers, each with its file."""
    return [(server, file) for file in files for server in file.servers]


def choose_server(
    files: Sequence[FileReport],
    wanted: str,
    spot: SourceLocation | None = None,
    folder: str = "",
) -> Found:
    """The server of this name, or of `HOST/NAME`; empty if there is only one in the files.

    A server that its host would load goes before one that it would not; `spot` is the place of
    exactly one. Entries for other projects than `folder` do not count beside others. Raises
    NoSuchServer.
    """
    known = servers_of(files)
    if spot is not None:
        known = [one for one in known if one[0].spot == spot] or known
    if not wanted:
        return _only(known)
    host, _, name = wanted.partition("/")
    found = [
        one for one in known if one[0].name == wanted or (one[0].host, one[0].name) == (host, name)
    ]
    if not found and name:
        # The same file as another host reads it.
        further = [(each, one) for _, file in known for one in file.others for each in one.servers]
        found = [one for one in further if (one[0].host, one[0].name) == (host, name)]
        found = list({(one.file, one.spot): (one, file) for one, file in found}.values())
    if not found:
        names = [*dict.fromkeys(one.name for one, _ in known)]
        hint = did_you_mean(wanted, names) or "; signoff servers lists them"
        raise NoSuchServer(f"no server is called {named(wanted)}{hint}")
    found = _of_project(found, folder)
    effective = [one for one in found if one[0].is_effective] or found
    if len(effective) > 1:
        raise NoSuchServer(_ambiguous(wanted, effective))
    return effective[0]


def _of_project(found: list[Found], folder: str) -> list[Found]:
    """The entry for the project in this folder hides the person's; others are of no project."""
    own = [one for one in found if one[0].details.get("project") == folder]
    others = [one for one in found if not one[0].details.get("project")]
    hosts = {one.host for one, _ in own}
    return [*own, *(one for one in others if one[0].host not in hosts)] or found


def _only(known: Sequence[Found]) -> Found:
    if len(known) == 1:
        return known[0]
    if not known:
        raise NoSuchServer(
            "no servers were found to choose from (signoff servers lists the places)"
        )
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
    if len({file.file for _, file in found}) < len(found):
        shown.append("or choose on the start screen: signoff")
    return f"{len(found)} servers are called {named(wanted)}; give one of: {'; '.join(shown)}"
