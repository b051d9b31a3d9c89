"""`signoff servers`: the servers in the configuration files of hosts, and the problems there.

Files are read and nothing is started. All texts of files are masked, and made safe to print.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

from ...configuration.discovery import Machine, find_files, read_found, read_given
from ...configuration.hosts import Host, UnknownHost, family, host_named
from ...configuration.servers import FileReport
from ...configuration.shadowing import with_shadowed
from ...content.text import visible
from ...headless.live import print_json
from ...headless.printing import say
from ...headless.targets import UsageError
from ..command import without_server
from ..options.parser import Parser, add_strict
from ..options.server import add_json
from .servers_report import check_lines, server_lines, servers_json, status_of


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
    parser.usage = f"{parser.prog} [--json] [--check] [--strict] [--host NAME] [--config FILE]..."
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


def run_servers(wanted: ServersOptions) -> int:
    """Read the files and print the servers in them; returns the exit status."""
    host = _host(wanted.host)
    machine = Machine(_home(), os.getcwd(), os.environ, sys.platform)
    if wanted.config:
        missing = next((one for one in wanted.config if not os.path.lexists(one)), None)
        if missing is not None:
            raise UsageError(f"{visible(missing)}: no such file")
        files = [read_given(one, host, machine) for one in wanted.config]
    else:
        only = () if host is None else family(host)
        found = find_files(machine, only)
        files = [read_found(one, machine) for one in found]
        files = with_shadowed(files)
    _print(files, wanted, machine)
    return status_of(files, is_strict=wanted.strict)


def _host(name: str) -> Host | None:
    if not name:
        return None
    try:
        return host_named(name)
    except UnknownHost as problem:
        raise UsageError(str(problem)) from None


def _home() -> str:
    try:
        return str(Path.home())
    except RuntimeError:
        return ""


def _print(files: list[FileReport], wanted: ServersOptions, machine: Machine) -> None:
    if wanted.json:
        print_json(servers_json(files))
        return
    lines = check_lines if wanted.check else server_lines
    for line in lines(files, machine.home, machine.folder):
        say(line)
