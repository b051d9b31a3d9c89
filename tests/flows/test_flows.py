"""The flow files of this folder, each on four surfaces: engine, headless, plain mode and screen.

Those of the bundled server also run on the engine with a handshake, unless they name a revision.

`server: demo` is the bundled server. `python raw.py SWITCHES` is the scripted server, which is in
memory here if its switches allow it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from signoff.app.cli.output.results import Status
from signoff.app.engine.session_config import Target
from signoff.app.features.flows.reading import load_flow
from signoff.app.features.flows.run.run_flow import RunWishes, report_of, run_flow
from signoff.app.features.flows.run.session import FlowSession, PreparedFlow, prepare
from signoff.app.protocol.server_requests.capabilities import ClientCapabilities
from signoff.app.transport import Link
from signoff.app.transport.negotiation import LEGACY
from tests.flows.surfaces import HeadlessSession, PlainSession, ScreenSession
from tests.memory_link import MemoryLink, needs_process
from tests.servers import raw
from tests.servers.options import parse

HERE = Path(__file__).parent
FILES = sorted(HERE.rglob("*.flow.yaml"))
SURFACES: dict[str, type[FlowSession]] = {
    "engine": FlowSession,
    "legacy": FlowSession,
    "headless": HeadlessSession,
    "plain": PlainSession,
    "screen": ScreenSession,
}
ON_SCREEN = ("approve", "cancel", "change", "hosts", "policies", "remember")
"""The topics that run on the real screen, too: those whose point is a dialog or its end."""
DEMONSTRATED = ("asking", "gallery", "hosts", "lessons", "prompts", "resources", "results", "tasks")
"""The topics that `tests/demo` or `tests/hosts` tests, too."""
QUICK_FLOWS = 2
"""How many flows of such a topic are quick."""
WAITING = ("approve/a-slow-person", "cancel/task", "progress/renews-the-limit")
"""The flows that wait for seconds to pass."""
SCRIPTED = ("python", "raw.py")


class MemoryTarget(Target):
    """The scripted server, without a process."""

    def link(self) -> Link:
        capabilities = ClientCapabilities(self.without, self.experimental)
        return MemoryLink(self.argv[2:], self.protocol, capabilities)


def in_memory(prepared: PreparedFlow) -> PreparedFlow:
    """The same flow, with this Python for `python`, and a server in memory if one can be."""
    target = prepared.config.target
    if target.argv[:2] == SCRIPTED:
        switches = target.argv[2:]
        if needs_process(parse(list(switches))):
            target = replace(target, argv=tuple(raw(*switches)))
        else:
            given = {one.name: getattr(target, one.name) for one in fields(target)}
            target = MemoryTarget(**given)
    elif target.argv[:1] == SCRIPTED[:1]:
        target = replace(target, argv=(sys.executable, *target.argv[1:]))
    return replace(prepared, config=replace(prepared.config, target=target))


def name_of(path: Path) -> str:
    return path.relative_to(HERE).as_posix().removesuffix(".flow.yaml")


def cases() -> Iterator[Any]:
    """Every flow on every surface: on the engine first, and the slow ones in the slow tier."""
    for path in FILES:
        flow = load_flow(path)
        is_demo, has_both = flow.server.is_bundled, not flow.server.options.protocol
        topic = path.parent.name
        for surface in SURFACES:
            if surface == "screen" and topic not in ON_SCREEN:
                continue
            if surface == "legacy" and not (is_demo and has_both):
                continue
            is_quick = surface == "engine" and name_of(path) not in WAITING
            is_quick = is_quick or (surface == "headless" and not is_demo)
            marks = [] if is_quick else [pytest.mark.slow]
            yield pytest.param(path, surface, marks=marks, id=f"{name_of(path)}-{surface}")


@pytest.mark.parametrize(("path", "surface"), list(cases()))
async def test_a_flow_passes(path: Path, surface: str) -> None:
    prepared = in_memory(prepare(load_flow(path), {}, os.environ))
    if surface == "legacy":
        target = replace(prepared.config.target, protocol=LEGACY)
        prepared = replace(prepared, config=replace(prepared.config, target=target))
    result = await run_flow(prepared, RunWishes(kind=SURFACES[surface]))
    assert result.status is Status.PASSED, f"{result.unreachable}\n{report_of(result)}"
