"""`signoff servers export`: an entry as another host writes it."""

from __future__ import annotations

from typing import NamedTuple

from ...configuration.choosing import NoSuchServer, choose_server
from ...configuration.exporting import CannotExport, export_entry
from ...configuration.hosts import UnknownHost, host_named
from ...content.text import PRINTED_BLANKS, visible
from ...headless.exit_status import ExitStatus
from ...headless.live import print_json
from ...headless.printing import say, tell
from ...headless.targets import UsageError
from ..command import without_server
from ..configured import read_files, this_machine
from ..options.parser import Parser
from ..options.server import add_json
from .servers_starts import add_places


class ExportOptions(NamedTuple):
    """Options of `servers export`."""

    name: str
    target: str = ""
    """The host to write for."""
    json: bool = False
    config: tuple[str, ...] = ()
    host: str = ""
    show_secrets: bool = False


def add_export(parser: Parser) -> None:
    """Add the options of `signoff servers export`."""
    parser.add_argument("name", metavar="[HOST/]NAME")
    parser.add_argument(
        "--for",
        dest="target",
        metavar="HOST",
        default="",
        help="the host to write the entry for, such as cursor",
    )
    add_json(parser)
    add_places(parser)
    parser.add_argument(
        "--show-secrets",
        action="store_true",
        help="print values that may be secret (default: a variable in their place)",
    )
    without_server(parser, ExportOptions, run_export)


def run_export(wanted: ExportOptions) -> int:
    """Print the entry on standard output, and notes on standard error. Raises UsageError."""
    if not wanted.target:
        raise UsageError("for which host? Give --for HOST, such as --for cursor")
    files = read_files(wanted.config, wanted.host, this_machine())
    try:
        server, _ = choose_server(files, wanted.name)
        host = host_named(wanted.target)
        made = export_entry(server.entry, host, shows_secrets=wanted.show_secrets)
    except (NoSuchServer, UnknownHost, CannotExport) as problem:
        raise UsageError(str(problem)) from None
    if wanted.json:
        print_json(
            {
                "host": host.host,
                "file": made.path,
                "format": made.format,
                "text": _safe(made.text),
                "notes": list(made.notes),
            }
        )
        return ExitStatus.OK
    for line in _safe(made.text).split("\n"):
        say(line)
    tell(f"for {host.title}, {made.path}; it is not written there")
    for one in made.notes:
        tell(f"note: {one}")
    return ExitStatus.OK


def _safe(text: str) -> str:
    return visible(text, multiline=True, max_blanks=PRINTED_BLANKS)
