"""What `why` derives from the files of a host is what the host was seen to do with these files.

The files are those that a driver writes before a measurement; the truth is the record. Where nobody
can be asked, a call that asks does not run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import pytest

from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.features.measure.drivers import (
    Driver,
    HostMode,
    PlaceholderValues,
    driver_names,
    read_driver,
)
from signoff.app.features.measure.probes.probe import SERVER_NAME
from signoff.app.features.measure.probes.probes import all_probes
from signoff.app.hosts.approvals.as_configured import (
    ConfiguredColumn,
    Wanted,
    columns_here,
    entries_of,
)
from signoff.app.hosts.approvals.tracing import trace_of
from signoff.app.hosts.files.servers import Machine
from signoff.app.hosts.measured.records import NAMED, newest, packaged_measurements
from signoff.app.hosts.measured.values import VERDICTS, Did, MeasuredCell, Measurement
from signoff.app.protocol.tool_reading import read_tools
from tests.hosts.files.given import HOME
from tests.hosts.files.machine import CLAUDE, MODELS, SETTINGS, WORDS, reports
from tests.tiers import first_quick

FOLDER = f"{HOME}/project"
CLAUDE_CODE = "claude-code"
STOPS = (VerdictAnswer.ASK, VerdictAnswer.REFUSE, VerdictAnswer.HIDE)


def cells_of(found: Measurement) -> list[MeasuredCell]:
    return [
        one
        for one in found.cells
        if one.probe.startswith("hints/")
        and not one.probe.startswith(NAMED)
        and one.did is not Did.UNKNOWN
    ]


def column_of(found: Measurement, driver: Driver, mode: HostMode) -> ConfiguredColumn | None:
    """The column that the files of a driver make in a mode; None if no server is in them."""
    places = PlaceholderValues(
        home=HOME,
        folder=FOLDER,
        model_url="http://127.0.0.1:1",
        token="x",
        prompt="x",
        server=WORDS,
        server_name=SERVER_NAME,
        mcp_config="",
        program=driver.program,
        more=mode.values,
    )
    named = ((places.fill(one.path), places.fill(one.text)) for one in driver.files)
    files = {path if path.startswith("/") else f"{HOME}/{path}": text for path, text in named}
    if found.host == CLAUDE_CODE:
        files |= in_files_of_claude(files, mode.commands[found.surface])
    read = reports(files)
    machine = Machine(HOME, FOLDER, {"HOME": HOME}, "linux")
    tools = read_tools([all_probes()[one.probe].tool for one in cells_of(found)])
    rules = None if found.host == CLAUDE_CODE else rules_named(found.model)
    made = columns_here(tools, entries_of(read, Wanted(WORDS)), read, MODELS, machine, mode=rules)
    return next((one for one in made if one.server.host == found.host), None)


def rules_named(name: str) -> Policy | None:
    return next((one for host in MODELS for one in host.variants if one.name == name), None)


def in_files_of_claude(files: Mapping[str, str], command: Sequence[str]) -> dict[str, str]:
    """The words of a command as the settings that mean the same, and its servers as the user's."""
    words = dict(pairwise(command))
    settings = json.loads(files[SETTINGS])
    permissions = settings.setdefault("permissions", {})
    if "--permission-mode" in words:
        permissions["defaultMode"] = words["--permission-mode"]
    if "--allowedTools" in words:
        permissions["allow"] = [words["--allowedTools"].replace("{server}", SERVER_NAME)]
    servers = words["--mcp-config"].replace("{home}", HOME)
    return {SETTINGS: json.dumps(settings), CLAUDE: files[servers]}


def is_by_files(found: Measurement, driver: Driver, mode: HostMode) -> bool:
    """Whether the files, or rules with a name, say all about a mode; words of a command may not."""
    if found.host == CLAUDE_CODE:
        return mode.transport == "stdio"
    first = next(one for one in driver.modes if found.surface in one.commands)
    return bool(found.model) or mode.commands[found.surface] == first.commands[found.surface]


def cases() -> Iterator[tuple[Measurement, ConfiguredColumn]]:
    for found in newest(packaged_measurements()):
        # In an ACP session the server is in no file.
        if found.host not in driver_names() or found.surface == "acp" or not cells_of(found):
            continue
        driver = read_driver(found.host)
        mode = next((one for one in driver.modes if one.name == found.mode), None)
        if mode is not None and is_by_files(found, driver, mode):
            column = column_of(found, driver, mode)
            if column is not None:
                yield found, column


CASES = {str(found.key): (found, column) for found, column in cases()}


@pytest.mark.parametrize("name", first_quick(CASES, 10))
def test_why_has_what_was_measured(name: str) -> None:
    found, column = CASES[name]
    cells = cells_of(found)
    for cell in cells:
        (tool,) = read_tools([all_probes()[cell.probe].tool])
        verdict = trace_of(column, tool).verdict
        seen = VERDICTS[cell.did]
        if found.surface == "headless" and verdict.answer is VerdictAnswer.ASK:
            assert seen in STOPS, (cell.probe, verdict.reasons)
        else:
            assert verdict.answer is seen, (cell.probe, verdict.reasons)


def test_combinations_of_modes_and_rules_are_many() -> None:
    assert sum(len(cells_of(found)) for found, _ in CASES.values()) > 500
    assert len({found.host for found, _ in CASES.values()}) >= 3
