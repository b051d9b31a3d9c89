"""The switches of the scripted server."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tests.servers import resolving

PROBES = ("silent", "dies", "fatal", "late", "anonymous")
"""fatal: it is silent and dies of the next message; late: it answers after the next one has been
answered; anonymous: its error has no id."""


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The switches as attributes; dashes become underscores."""
    parser = argparse.ArgumentParser(description="A scripted MCP server.")
    add = parser.add_argument

    eras = ("legacy", "modern", "both", "until-initialize")
    add("--era", choices=eras, default="legacy", help="until-initialize: modern, then legacy")
    add("--initialize", choices=("silent", "dies"), help="what initialize does to it")
    add("--probe", choices=PROBES, help="what server/discover does to it")
    add("--probe-error", type=int, metavar="CODE", help="answer server/discover with this error")
    add("--supports", metavar="VERSION", help="the only one that server/discover says")
    add("--protocol-version", help="what initialize answers, whatever was asked")
    add("--instructions", help="text for the client")
    add("--server-name", default="raw", help="what it its own name:")

    add("--start-delay", type=float, default=0.0, metavar="S")
    add("--start-never", action="store_true", help="read nothing, answer nothing")
    add("--die-at-start", type=int, metavar="CODE", help="end with a traceback on stderr")
    add("--stderr-flood", action="store_true", help="20 KB of coloured stderr at the start")
    add("--noise-at-start", action="store_true", help="stdout that is no JSON-RPC, first thing")
    add("--die-after-init", type=int, metavar="CODE", help="die once initialize was answered")
    add("--init-error", action="store_true", help="answer initialize with an error")

    add("--resolution", choices=resolving.MODES, help="list a tool whose hints are resolved so")
    add("--only", metavar="NAMES", help="list just these tools, comma between")
    add("--with", dest="extra", metavar="NAMES", help="list these tools too; 'all' for every one")
    add("--tools", type=int, default=0, metavar="N", help="list N generated tools too")
    add("--page-size", type=int, metavar="N")
    add("--loop-cursor", action="store_true", help="page on for ever, in a circle")
    add("--endless-cursor", action="store_true", help="page on for ever, a new cursor each time")
    add("--malformed-tool", action="store_true", help="list entries that are no proper tools too")
    add("--monstrous", metavar="NAMES", help="list these entries that break JSON's limits too")
    add("--hostile", action="store_true", help="list tools whose texts attack the terminal too")
    add("--list-error", action="store_true", help="answer tools/list with an error")
    add("--list-never", action="store_true", help="never answer tools/list")

    add("--burst", action="store_true", help="seven list_changed right after connecting")
    add("--change-after", type=float, metavar="S", help="change the tools S seconds after a list")
    add("--change-every", type=float, metavar="S", help="notify of a change every S seconds")

    add("--record", metavar="FILE", help="append each tools/call as one JSON line")
    add("--received", metavar="FILE", help="append each line that the client sends")
    add("--pid-file", metavar="FILE", help="append 'server PID' and 'grandchild PID'")

    add("--crash-after", type=float, metavar="S", help="die with status 7, S seconds after a list")
    add("--crash-on-signal", action="store_true", help="die with status 7 on SIGUSR1")
    add("--exit-on-signal", action="store_true", help="end politely on SIGUSR1")
    add("--leader-exits", type=float, metavar="S", help="end politely, S seconds after a list")
    add("--ignore-eof", action="store_true")
    add("--ignore-sigterm", action="store_true")
    add("--sigterm-file", metavar="FILE", help="ignore SIGTERM, but append a line for each")
    add("--grandchild", action="store_true", help="a child that holds stdout and ignores SIGTERM")
    add("--stop-reading", action="store_true", help="read no stdin after the first list")
    add("--exit-code", type=int, default=0, help="status at a normal end")

    add("--session", action="store_true", help="HTTP: hand out a session id and insist on it")
    add("--token", help="HTTP: insist on this bearer token")
    add("--json", action="store_true", help="HTTP: answer calls in JSON, not in an event stream")
    add("--old-sse", action="store_true", help="HTTP: the transport of 2024-11-05, one stream")
    return parser.parse_args(argv)
