"""`signoff servers`: the servers in the configuration files of hosts, and the problems there.

Files are read and nothing is started. All texts of files are masked, and made safe to print.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ...configuration.auto_approved import auto_approved_here
from ...configuration.discovery import Machine
from ...configuration.servers import FileReport
from ...headless.exit_status import ExitStatus
from ...headless.live import print_json
from ...headless.printing import say
from ...presentation.auto_approved import auto_approved_json, auto_approved_lines
from ..command import without_server
from ..configured import read_files, this_machine
from ..options.parser import VERB, Parser, add_described, add_strict
from ..options.server import add_json
from .servers_export import add_export
from .servers_own import add_add, add_remove
from .servers_report import check_lines, server_lines, servers_json, status_of
from .servers_starts import add_consents, add_forget, add_recent, add_show


class ServersOptions(NamedTuple):
    """Options of `servers`."""

    json: bool = False
    check: bool = False
    """Whether problems are listed in place of servers."""
    auto_approved: bool = False
    """Whether the tools that run without asking are listed in place of servers."""
    config: tuple[str, ...] = ()
    """The files to read; those of the usual places if there are none."""
    host: str = ""
    strict: bool = False


def add(parser: Parser) -> None:
    """Add the options of `signoff servers`."""
    parser.usage = (
        f"{parser.prog} [--json] [--check | --auto-approved] [--strict] [--host NAME] "
        "[--config FILE]...\n"
        f"       {parser.prog} (add | remove | show | export | forget) NAME [OPTIONS]\n"
        f"       {parser.prog} (consents | recent) [--json]"
    )
    add_json(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--check",
        action="store_true",
        help="list every problem with its file, line and fix, notes included",
    )
    what.add_argument(
        "--auto-approved",
        action="store_true",
        help="list the tools that hosts run without asking here, with the line that decides "
        "(with --strict: exit with 1 if there are any)",
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        action="append",
        default=[],
        help="read this file; may be repeated (default: the usual places of every host)",
    )
    parser.add_argument(
        "--host",
        metavar="NAME",
        default="",
        help="read files as this host does, such as cursor (default: by path and content)",
    )
    add_strict(parser)
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
    "recent": ("list the servers that were opened last", add_recent),
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
    found = auto_approved_here(files)
    if wanted.json:
        print_json(auto_approved_json(found))
    else:
        for line in auto_approved_lines(found, machine.home, machine.folder):
            say(line)
    return ExitStatus.DOUBTFUL if found and wanted.strict else ExitStatus.OK


def _print(files: list[FileReport], wanted: ServersOptions, machine: Machine) -> None:
    if wanted.json:
        print_json(servers_json(files))
        return
    lines = check_lines if wanted.check else server_lines
    for line in lines(files, machine.home, machine.folder):
        say(line)
