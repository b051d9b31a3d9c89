"""What the start screen offers: servers of before, servers of hosts, and what was typed.

Pure: nothing is started, read or looked up on a network; every text is masked and safe to show.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..content.files.tree import SourceLocation
from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, parse
from ..content.labels import ago
from ..content.text import count, shortened, visible
from ..hosts.files.problems import ERROR
from ..hosts.files.reading import read_file
from ..hosts.files.servers import ConfiguredServer, FileReport, through_words
from ..hosts.files.sharing import further_hosts
from ..protocol.server import URL_BEGINNINGS
from ..schemas.secrets.commands import mask_command
from ..schemas.secrets.masks import mask_text
from ..storage.starts import RecentServer

NOT_FOUND: Final = "not installed, or not on the PATH"
PASTED: Final = "the pasted text"
"""The place of an entry that was pasted."""
LONGEST: Final = 200_000
"""Characters of a pasted text that is read as JSON."""
RECENT_SHOWN: Final = 8
DETAIL: Final = 300


@frozen
class Opening:
    """One row: a server, and the words of a command line that open it."""

    key: str
    """What the row is known by while others come and go."""
    name: str
    detail: str
    """The command or the address, masked."""
    note: str = ""
    words: tuple[str, ...] = ()
    """For the command line; with `pasted`, what goes beside it."""
    folder: str = ""
    """Where a server of before was started."""
    spot: SourceLocation | None = None
    """The place of an entry in its file."""
    pasted: str = ""
    """JSON with entries, in the place of a file."""
    problem: str = ""
    """Why it cannot be opened; empty if it can be tried."""


@frozen
class Section:
    """A heading, and the rows below it."""

    title: str
    rows: tuple[Opening, ...]


BUILT_IN: Final = Section(
    "Learn",
    (
        Opening("tour", "tour", "seventeen short steps on approval", words=("tour",)),
        Opening("demo", "demo", "the bundled server, with tools of every kind", words=("demo",)),
    ),
)


def recent_section(recents: Sequence[RecentServer], now: float) -> Section:
    """The servers that were opened last, with how that ended; `now` in seconds of the epoch."""
    rows = tuple(
        Opening(
            f"recent {one.key.hex()}",
            visible(one.name),
            shortened(one.shown, DETAIL),
            f"{ago(one.at, now)}, {shortened(one.outcome, 60)}",
            words=one.words,
            folder=one.folder,
            problem="" if one.words else "it was pasted, or had a secret: neither is kept",
        )
        for one in recents[:RECENT_SHOWN]
    )
    return Section("Recent", rows)


def file_sections(files: Sequence[FileReport], home: str, folder: str) -> Iterator[Section]:
    """A section for each file with servers, or with an error."""
    for file in files:
        path = shown_path(file.file, home, folder)
        others = further_hosts(file)
        title = f"{', '.join([file.kind, *others])}  {path}"
        broken = sum(one.level is ERROR for one in file.problems)
        if broken:
            title = f"{title}  ({count(broken, 'error')}: signoff servers --check)"
        rows = tuple(_configured(one, file, at) for at, one in enumerate(file.servers))
        if rows or broken:
            yield Section(title, rows)


def place_lines(places: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The places that were looked at, a row for each host."""
    if places:
        yield "Looked at these places (~ is the home folder, others without / are of the project):"
    for title, paths in places:
        yield f"  {title}: {paths}"


def places_section(places: Sequence[tuple[str, str]]) -> Section:
    """The places that were looked at in vain, a row for each host."""
    rows = (
        Opening(f"place {title}", title, paths, problem=f"no file there has a server: {paths}")
        for title, paths in places
    )
    return Section("No server was found in these places", tuple(rows))


def _configured(server: ConfiguredServer, file: FileReport, at: int) -> Opening:
    problem = ""
    if server.transport not in ("stdio", "http", "sse"):
        problem = visible(server.reason) or f"its transport is {server.transport}"
    return Opening(
        f"{file.file} {at}",
        shortened(mask_text(server.name), 60) or "(no name)",
        _target(server),
        problem or _state(server),
        words=("--config", file.file, f"--server={server.name}"),
        spot=server.spot,
        problem=problem,
    )


def _state(server: ConfiguredServer) -> str:
    """A fact to know before it is opened, in a few words; often none."""
    if not server.is_enabled:
        return "disabled there"
    if not server.is_effective:
        return "not loaded there"
    serious = [one.message for one in server.problems if one.code in _TOLD]
    return shortened(serious[0], 80) if serious else through_words(server).strip(" ()")


_TOLD: Final = frozenset(("variable-unset", "input-needed", "command-is-shell-line"))


def _target(server: ConfiguredServer) -> str:
    if server.command is not None:
        words = [server.command, *server.args]
        shown = " ".join(one if "[masked: " in one else shlex.quote(one) for one in words)
        return shortened(shown, DETAIL)
    return shortened(server.url or "", DETAIL)


def typed_openings(text: str, environ: Mapping[str, str], platform: str) -> tuple[Opening, ...]:
    """What a typed or pasted text opens: a URL, JSON with entries, or a command; often nothing."""
    text = text.strip().removeprefix("$ ")
    if not text:
        return ()
    if text.startswith(URL_BEGINNINGS) and " " not in text:
        shown = shortened(mask_command(text), DETAIL)
        return (Opening("typed", "open", shown, words=("--url", text)),)
    if text[0] in '{["':
        return _of_json(text, environ, platform)
    return _of_command(text)


def _of_command(text: str) -> tuple[Opening, ...]:
    try:
        words = shlex.split(text)
    except ValueError:
        return ()
    if words[:1] == ["signoff"]:
        words = words[2:] if words[1:2] == ["--"] else words[1:]
    if not words:
        return ()
    program = words[0]
    is_there = shutil.which(program) is not None or os.path.isfile(program)
    if not is_there and len(words) == 1:
        return ()
    note = "" if is_there else NOT_FOUND
    shown = shortened(mask_command(shlex.join(words)), DETAIL)
    return (Opening("typed", "run", shown, note, words=("--", *words)),)


def _of_json(text: str, environ: Mapping[str, str], platform: str) -> tuple[Opening, ...]:
    if len(text) > LONGEST:
        return ()
    whole = _whole(text)
    if whole is None:
        return ()
    report = read_file(whole.encode(), PASTED, None, environ=environ, platform=platform)
    return tuple(
        Opening(
            f"typed {one.name}",
            "open",
            f"{shortened(mask_text(one.name), 40)}  {_target(one)}",
            visible(one.reason) if one.transport not in ("stdio", "http", "sse") else "",
            words=(f"--server={one.name}",),
            spot=one.spot,
            pasted=whole,
            problem=visible(one.reason) if one.transport not in ("stdio", "http", "sse") else "",
        )
        for one in report.servers
    )


def _whole(text: str) -> str | None:
    """The text as a file with a container: documents show an entry alone, or with its name."""
    if text.startswith('"'):
        text = "{" + text.rstrip().rstrip(",") + "}"
    try:
        value = parse(text).value
    except JsonError:
        # Comments and trailing commas: the reader of files takes them.
        return text
    if isinstance(value, dict) and {"command", "url", "serverUrl"} & value.keys():
        return json.dumps({"mcpServers": {"pasted": value}})
    return text


def matching(sections: Sequence[Section], text: str) -> list[Section]:
    """The sections with the rows that have every word of the text; without words, all."""
    words = text.casefold().split()
    if not words:
        return list(sections)
    found = []
    for section in sections:
        rows = tuple(
            one
            for one in section.rows
            if all(word in f"{one.name} {one.detail} {section.title}".casefold() for word in words)
        )
        if rows:
            found.append(Section(section.title, rows))
    return found


def shown_path(path: str, home: str, folder: str) -> str:
    """A path as short as it is clear: relative to the working folder, or with ~ for the home."""
    # The nearer one first: the working folder may be above the home, and is then of no help.
    for start, sign in sorted(((folder, ""), (home, "~")), key=lambda one: -len(one[0])):
        prefix = start.rstrip(os.sep) + os.sep
        if prefix != os.sep and path.startswith(prefix):
            path = os.path.join(sign, path[len(prefix) :])
            break
    return shortened(path, DETAIL)
