"""`signoff servers`: the servers in the configuration files of hosts, and the problems there.

Files are read and nothing is started. All texts of files are masked, and made safe to print.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ...configuration.discovery import Machine
from ...configuration.servers import FileReport
from ...headless.live import print_json
from ...headless.printing import say
from ..command import without_server
from ..configured import read_files, this_machine
from ..options.parser import VERB, Parser, add_described, add_strict
from ..options.server import add_json
from .servers_report import check_lines, server_lines, servers_json, status_of
from .servers_starts import add_consents, add_forget, add_recent, add_show


class ServersOptions(NamedTuple):
    """Options of `servers`."""

    json: bool = False
    check: bool = False
    """Whether problems are listed in place of servers."""
    config: tuple[str, ...] = ()
    """The files to read; those of the usual places if there are none."""
    host: str = ""
    strict: bool = False


def add(parser: Parser) -> None:
    """Add the options of `signoff servers`."""
    parser.usage = (
        f"{parser.prog} [--json] [--check] [--strict] [--host NAME] [--config FILE]...\n"
        f"       {parser.prog} (show NAME | consents | recent | forget NAME)"
    )
    add_json(parser)
    parser.add_argument(
        "--check",
        action="store_true",
        help="list every problem with its file, line and fix, notes included",
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
    "show": ("show what would be started for a server, and its digest", add_show),
    "consents": ("list the starts that you have agreed to", add_consents),
    "recent": ("list the servers that were opened last", add_recent),
    "forget": ("forget consents and recent servers", add_forget),
}


def run_servers(wanted: ServersOptions) -> int:
    """Read the files and print the servers in them; returns the exit status."""
    machine = this_machine()
    files = read_files(wanted.config, wanted.host, machine)
    _print(files, wanted, machine)
    return status_of(files, is_strict=wanted.strict)


def _print(files: list[FileReport], wanted: ServersOptions, machine: Machine) -> None:
    if wanted.json:
        print_json(servers_json(files))
        return
    lines = check_lines if wanted.check else server_lines
    for line in lines(files, machine.home, machine.folder):
        say(line)
