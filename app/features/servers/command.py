"""`signoff servers`: the servers in the configuration files of hosts, and the problems there.

Files are read and nothing is started. All texts of files are masked, and made safe to print.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from ...cli.command import without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import VERB, Parser, add_described
from ...cli.options.server import AS_JSON, STRICT
from ...cli.output.printing import say
from ...cli.targets.configured import read_files, this_machine
from ...cli.targets.live import print_json
from ...cli.targets.own_file import add_add, add_remove
from ...content.text import PRINTED_BLANKS, count, shortened, visible
from ...hosts.approvals.auto_approved import approvals_here
from ...hosts.files.discovery import place_words
from ...hosts.files.problems import ConfigProblem
from ...hosts.files.servers import ConfiguredServer, FileReport, Machine, through_words
from ...hosts.files.sharing import also_read_by
from ...hosts.table import family, host_named
from ...presentation.exit_status import ExitStatus
from ...presentation.openings import place_lines, shown_path
from ...presentation.starts import read_as
from ...protocol.findings.findings import Severity, rank
from ...schemas.secrets.masks import mask_text
from ...storage.policy_files import find_hosts
from .auto_approved import auto_approved_json, auto_approved_lines
from .starts import add_consents, add_export, add_forget, add_recent, add_show
from .wrap import add_unwrap, add_wrap

NAME_SHOWN: Final = 40
TARGET_SHOWN: Final = 300
_LEVEL: Final = 9


def status_of(files: Sequence[FileReport], *, is_strict: bool) -> ExitStatus:
    """4 for an error; with `is_strict` 1 for a warning; else 0."""
    levels = {one.level for one, _, _ in all_problems(files)}
    if Severity.ERROR in levels:
        return ExitStatus.BROKEN
    has_warnings = is_strict and Severity.WARNING in levels
    return ExitStatus.DOUBTFUL if has_warnings else ExitStatus.OK


def all_problems(
    files: Sequence[FileReport],
) -> Iterator[tuple[ConfigProblem, FileReport, ConfiguredServer | None]]:
    """All problems, in the order of the files; those of a whole file first."""
    for file in files:
        for one in file.problems:
            yield one, file, None
        for server in file.servers:
            for one in server.problems:
                yield one, file, server


def server_lines(
    files: Sequence[FileReport], home: str, folder: str, places: Sequence[tuple[str, str]] = ()
) -> Iterator[str]:
    """Each file, its servers, and the errors and warnings of each below it; `places` if none."""
    shown = [one for one in files if one.servers or _serious(one.problems)]
    if not shown:
        yield "no servers were found"
        yield from place_lines(places)
    for file in shown:
        path = shown_path(file.file, home, folder)
        yield f"{path}: {_read_as(file)}"
        yield from _problem_lines(_serious(file.problems), "  ")
        for server in file.servers:
            yield "  ".join(_row(server, path))
            yield from _problem_lines(_serious(server.problems), "    ")
        if file.switches:
            yield f"  switches of the file: {_switches(file.switches)}"
        yield ""
    notes = sum(one.level is Severity.NOTE for one, _, _ in all_problems(files))
    yield from _total(files)
    if notes:
        yield f"{count(notes, 'note')} not shown; signoff servers --check lists all"


def check_lines(files: Sequence[FileReport], home: str, folder: str) -> Iterator[str]:
    """Each problem with its file and line, the worst first in a file."""
    for file in files:
        found = [(one, server) for one, _, server in all_problems([file])]
        if not found:
            continue
        path = shown_path(file.file, home, folder)
        yield f"{path}: {_read_as(file)}"
        for one, server in sorted(found, key=lambda pair: (-rank(pair[0].level), pair[0].spot)):
            name = server.name if server is not None else one.server
            about = f"{_name(name)}: " if name is not None else ""
            yield f"  {one.level.value:<{_LEVEL}}{one.code}  {_place(one)}"
            yield f"    {about}{one.message}"
            if one.suggestion:
                yield f"    fix: {one.suggestion}"
        yield ""
    yield from _total(files)


def _read_as(file: FileReport) -> str:
    others = also_read_by(file)
    return f"{read_as(file.kind, file.scope)}{f' (also by {others})' if others else ''}"


def _total(files: Sequence[FileReport]) -> Iterator[str]:
    levels = [one.level for one, _, _ in all_problems(files)]
    errors, warnings = levels.count(Severity.ERROR), levels.count(Severity.WARNING)
    servers = sum(len(one.servers) for one in files)
    yield (
        f"{count(len(files), 'file')}, {count(servers, 'server')}, "
        f"{count(errors, 'error')}, {count(warnings, 'warning')}; nothing was started"
    )


def _serious(problems: Sequence[ConfigProblem]) -> list[ConfigProblem]:
    found = [one for one in problems if one.level is not Severity.NOTE]
    return sorted(found, key=lambda one: -rank(one.level))


def _problem_lines(problems: Sequence[ConfigProblem], margin: str) -> Iterator[str]:
    for one in problems:
        name = f"{_name(one.server)}: " if margin == "  " and one.server is not None else ""
        fix = f"; {one.suggestion}" if one.suggestion else ""
        yield f"{margin}{one.level.value:<{_LEVEL}}{name}{one.message}{fix} ({_place(one)})"


def _row(server: ConfiguredServer, path: str) -> Iterator[str]:
    """NAME  HOST  transport  command or url  file:line."""
    yield _name(server.name)
    yield server.host
    yield server.transport
    yield _target(server)
    state = "" if server.is_enabled else " (disabled)"
    state += "" if server.is_effective else " (not loaded)"
    state += through_words(server)
    yield f"{path}:{server.spot.line}{state}"
    if server.switches:
        yield _switches(server.switches)


def _target(server: ConfiguredServer) -> str:
    if server.command is not None:
        words = [server.command, *server.args]
        return shortened(" ".join(map(_quoted, words)), TARGET_SHOWN)
    if server.url is not None:
        return shortened(server.url, TARGET_SHOWN)
    return f"({server.reason})"


def _quoted(word: str) -> str:
    """A word as a shell needs it; a mask stays readable."""
    return word if "[masked: " in word else shlex.quote(word)


def _switches(switches: Any) -> str:
    """Switches in a few words."""
    found = []
    for name, value in switches.items():
        if isinstance(value, list):
            found.append(f"{name} {', '.join(map(str, value)) or 'none'}")
        elif isinstance(value, bool):
            found.append(f"{name} {'true' if value else 'false'}")
        elif isinstance(value, str):
            found.append(f"{name} {value}")
        else:
            found.append(name)
    return shortened(mask_text("; ".join(found)), TARGET_SHOWN)


def _name(name: str) -> str:
    return shortened(mask_text(name), NAME_SHOWN) or "(no name)"


def _place(problem: ConfigProblem) -> str:
    column = f", column {problem.spot.column}" if problem.spot.column else ""
    return f"line {problem.line}{column}" if problem.line else "whole file"


def servers_json(files: Sequence[FileReport]) -> dict[str, Any]:
    """`signoff servers --json`."""
    return {
        "servers": [
            {**_server(one), "also_read_by": _others(one, file)}
            for file in files
            for one in file.servers
        ],
        "problems": [
            {"file": _safe(file.file), "host": file.host, "server": _safe(one.server)}
            | _problem(one)
            for file in files
            for one in file.problems
        ],
        "files": [
            {
                "file": _safe(file.file),
                "host": file.host,
                "read_as": file.kind,
                "scope": file.scope,
                "servers": len(file.servers),
                "switches": _safe(file.switches),
            }
            for file in files
        ],
    }


def _server(server: ConfiguredServer) -> dict[str, Any]:
    is_local = server.command is not None
    target = {"command": server.command} if is_local else {"url": server.url}
    return {
        "name": _safe(mask_text(server.name)),
        "host": server.host,
        "scope": server.scope,
        "file": _safe(server.file),
        "line": server.spot.line,
        "column": server.spot.column or None,
        "transport": server.transport,
        **({"reason": _safe(server.reason)} if server.reason else {}),
        **_visible(target),
        "args": _visible(server.args),
        "env": _safe(server.env),
        "headers": _safe(server.headers),
        "variables": _safe(server.variables),
        "enabled": server.is_enabled,
        "effective": server.is_effective,
        **_visible(server.details),
        "problems": [_problem(one) for one in server.problems],
        "switches": _safe(server.switches),
    }


def _others(server: ConfiguredServer, file: FileReport) -> list[dict[str, Any]]:
    """The entry as further hosts read it."""
    return [
        {
            "host": other.host,
            "confirmed": other.is_confirmed,
            "effective": one.is_effective,
            "transport": one.transport,
            "problems": [_problem(each) for each in one.problems],
        }
        for other in file.others
        for one in other.servers
        if one.spot == server.spot
    ]


def _problem(problem: ConfigProblem) -> dict[str, Any]:
    return {
        "code": problem.code,
        "group": problem.group,
        "level": problem.level.value,
        "message": problem.message,
        "line": problem.line or None,
        "column": problem.spot.column or None,
        "suggestion": problem.suggestion or None,
    }


def _safe(value: Any) -> Any:
    """A value with all of its texts masked and made safe."""
    return _each(value, lambda text: visible(mask_text(text), max_blanks=PRINTED_BLANKS))


def _visible(value: Any) -> Any:
    """The same for a value that is masked already."""
    return _each(value, lambda text: visible(text, max_blanks=PRINTED_BLANKS))


def _each(value: Any, shown: Callable[[str], str]) -> Any:
    match value:
        case str():
            return shown(value)
        case dict():
            return {shown(name): _each(one, shown) for name, one in value.items()}
        case list() | tuple():
            return [_each(one, shown) for one in value]
    return value


@options
class ServersOptions(NamedTuple):
    """Options of `servers`."""

    json: bool = AS_JSON
    check: bool = opt(
        "--check", "list every problem with its file, line and fix, notes included", rivals="what"
    )
    """Whether problems are listed in place of servers."""
    auto_approved: bool = opt(
        "--auto-approved",
        "list the tools that hosts run without asking here, with the line that decides "
        "(with --strict: exit with 1 if there are any)",
        rivals="what",
    )
    """Whether the tools that run without asking are listed in place of servers."""
    config: tuple[str, ...] = opt(
        "--config FILE", "read this file; may be repeated (default: the usual places of every host)"
    )
    """The files to read; those of the usual places if there are none."""
    host: str = opt(
        "--host NAME", "read files as this host does, such as cursor (default: by path and content)"
    )
    strict: bool = STRICT


def add(parser: Parser) -> None:
    """Add the options of `signoff servers`."""
    parser.usage = (
        f"{parser.prog} [--json] [--check | --auto-approved] [--strict] [--host NAME] "
        "[--config FILE]...\n"
        f"       {parser.prog} (add | remove | show | export | forget) NAME [OPTIONS]\n"
        f"       {parser.prog} (wrap | unwrap) HOST NAME [OPTIONS]\n"
        f"       {parser.prog} (consents | recent) [--json]"
    )
    without_server(parser, ServersOptions, run_servers)
    kinds = parser.add_subparsers(dest="verb", metavar=VERB, prog=parser.prog)
    for name, (words, add_verb) in _VERBS.items():
        add_described(kinds, name, words, add_verb)


_VERBS: Final = {
    "add": ("add a server to Signoff's own file", add_add),
    "remove": ("remove a server from Signoff's own file", add_remove),
    "show": ("show what would be started for a server, and its digest", add_show),
    "export": ("print a server's entry as another host writes it", add_export),
    "consents": ("list the starts that you have agreed to", add_consents),
    "recent": ("list the servers that were opened last on the screen or in plain mode", add_recent),
    "wrap": ("put signoff proxy before a server in the file of a host", add_wrap),
    "unwrap": ("take signoff proxy out of the file of a host again", add_unwrap),
    "forget": ("forget consents and recent servers", add_forget),
}


def run_servers(wanted: ServersOptions) -> int:
    """Read the files and print the servers in them; returns the exit status."""
    machine = this_machine()
    files = read_files(wanted.config, wanted.host, machine)
    if wanted.auto_approved:
        return _print_auto_approved(files, wanted, machine)
    _print(files, wanted, machine)
    return status_of(files, is_strict=wanted.strict)


def _print_auto_approved(files: list[FileReport], wanted: ServersOptions, machine: Machine) -> int:
    rules = find_hosts().hosts
    found = approvals_here(files, rules, platform=machine.platform, folder=machine.folder)
    if wanted.json:
        print_json(auto_approved_json(found))
    else:
        for line in auto_approved_lines(found, machine.home, machine.folder):
            say(line)
    return ExitStatus.DOUBTFUL if found.found and wanted.strict else ExitStatus.OK


def _print(files: list[FileReport], wanted: ServersOptions, machine: Machine) -> None:
    if wanted.json:
        print_json(servers_json(files))
        return
    if wanted.check:
        lines = check_lines(files, machine.home, machine.folder)
    else:
        only = family(host_named(wanted.host)) if wanted.host else ()
        places = [] if wanted.config else place_words(machine, only)
        lines = server_lines(files, machine.home, machine.folder, places)
    for line in lines:
        say(line)
