"""`signoff probe-server`: the probe server for a host that no program can start, with a checklist.

In a host it serves; on a terminal it explains how to enter it, and asks what the host did.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

from ... import __version__
from ...cli.command import without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import AS_JSON
from ...cli.output.printing import prompt, say, tell
from ...cli.output.readable import print_sheet
from ...cli.targets.live import print_json
from ...cli.targets.own_program import own_program
from ...cli.targets.targets import UsageError
from ...content.text import visible
from ...hosts.measured.values import Did, MeasuredCell, Measurement
from ...platforms.files import why
from ...presentation.exit_status import ExitStatus
from ...storage.policy_files import save_measurement
from .observing import read_server_log
from .probes.probe import SERVER_NAME, Probe
from .probes.probe_server import serve
from .probes.probes import hint_probes, shown_probes
from .words import measurement_lines

_ANSWERS: Final = {
    "r": Did.RAN,
    "a": Did.ASKED,
    "f": Did.REFUSED,
    "h": Did.HIDDEN,
    "s": Did.UNKNOWN,
}
_TRIED: Final = 8
"""The combinations of hints on the checklist: few enough to type by hand."""


@options
class ProbeServerOptions(NamedTuple):
    """Options of `probe-server`."""

    checklist: bool = opt(
        "--checklist", "on a terminal: show what to type into the host, and ask what the host did"
    )
    host: str = opt(
        "--host-version 'NAME VERSION'",
        "the host on the checklist, in quotes: 'cursor 3.23.12'",
        earlier="--host",
    )
    log: str = opt("--log FILE", "write every message to FILE, a line each")
    save: bool = opt("--save", "keep the measurement of the checklist")
    json: bool = AS_JSON


def add(serving: Parser) -> None:
    without_server(serving, ProbeServerOptions, run_probe_server)


def run_probe_server(wanted: ProbeServerOptions) -> int:
    """Serve, or go through the checklist; returns the exit status."""
    if wanted.checklist:
        return _checklist(wanted)
    if sys.stdin.isatty():
        raise UsageError(
            "it waits for a host on standard input; to measure by hand: "
            "signoff probe-server --checklist"
        )
    serve((*_listed(), *shown_probes()), wanted.log)
    return ExitStatus.OK


def _listed() -> tuple[Probe, ...]:
    return hint_probes()[:_TRIED]


def _checklist(wanted: ProbeServerOptions) -> int:
    """Ask a person what the host did with each tool; the log of the server has the last word."""
    if not sys.stdin.isatty():
        raise UsageError("--checklist needs a terminal")
    if wanted.json and wanted.save:
        raise UsageError("give only one of --json and --save")
    name, _, version = (part.strip() for part in wanted.host.partition(" "))
    if wanted.save and not (name and version):
        raise UsageError("--save needs --host-version 'NAME VERSION'")
    log = Path(wanted.log or "signoff-probes.log").resolve()
    command, *first = own_program()
    entry = {"command": command, "args": [*first, "probe-server", "--log", str(log)]}
    tell("1. Put this server into the host, and start the host:")
    for line in json.dumps({"mcpServers": {SERVER_NAME: entry}}, indent=2).splitlines():
        tell(line)
    tell("2. Type each sentence into the host, and answer here what it did:")
    tell("   r it ran at once   a it asked first   f it refused   h it has no such tool   s skip")
    cells = []
    for probe in _listed():
        tell("")
        tell(f"   Call the tool {probe.name} with the note “{probe.arguments['note']}”.")
        before = _calls(log, probe)
        answer = _answer()
        if answer is None:
            tell("signoff: the checklist ends here")
            break
        cells.append(_cell(probe, _ANSWERS[answer], came=_calls(log, probe) > before))
    found = _measurement(name, version, cells, log)
    if wanted.json:
        print_json(found.as_json())
    else:
        print_sheet(measurement_lines(found))
    if wanted.save:
        try:
            say(f"saved as {visible(str(save_measurement(found)))}")
        except OSError as problem:
            raise UsageError(f"--save: {why(problem)}") from None
    return ExitStatus.OK


def _answer() -> str | None:
    """The first letter of an answer; None at the end of the input."""
    while True:
        prompt("   r, a, f, h or s?")
        line = sys.stdin.readline()
        if not line:
            return None
        letter = line.strip().lower()[:1]
        if letter in _ANSWERS:
            return letter


def _calls(log: Path, probe: Probe) -> int:
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return sum(one.name == probe.name for one in read_server_log(text).arrivals)


def _cell(probe: Probe, said: Did, *, came: bool) -> MeasuredCell:
    """What the person saw, held against the log: a call that came was not refused."""
    did, why = said, "seen by a person"
    if said in (Did.REFUSED, Did.HIDDEN) and came:
        did, why = Did.UNKNOWN, f"a person saw “{said.value}”, but the call came to the server"
    elif said is Did.RAN and not came:
        did, why = Did.UNKNOWN, "a person saw “ran”, but no call came to the server"
    return MeasuredCell(probe.id, probe.hints, did, why)


def _measurement(name: str, version: str, cells: Sequence[MeasuredCell], log: Path) -> Measurement:
    try:
        seen = read_server_log(log.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        seen = read_server_log("")
    return Measurement(
        host=name or "host",
        title=name or "host",
        version=version,
        mode="default",
        surface="by-hand",
        system=sys.platform,
        date=date.fromtimestamp(time.time()).isoformat(),
        signoff=__version__,
        cells=tuple(cells),
        model=name,
        starts=1,
        declared=seen.initialize,
        variables=seen.variables,
    )
