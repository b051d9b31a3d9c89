"""One file that several hosts read: what the others make of it, as notes at its servers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .hosts import hosts
from .problems import NOTE, ConfigProblem
from .servers import ConfiguredServer, FileReport


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
