"""A flow that is broken in ten ways: how each reads to somebody who did not write it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from signoff.app.approval.approval import Decision, approve
from signoff.app.cli.output.result_reports import flow_lines
from signoff.app.cli.output.results import FlowResult
from signoff.app.engine.calls.decide import Decider
from signoff.app.features.flows.reading import load_flow
from signoff.app.features.flows.run.run_flow import RunWishes, run_flow
from signoff.app.features.flows.run.session import prepare
from tests.approved import approved
from tests.tiers import first_quick

PROSE = approved("flow-breakages")

ALTERED = Path(__file__).resolve().parents[3] / "servers" / "altered.py"
FLOW = """\
flow: notes
command: {command}
trust: true
steps:
  - call: delete_note
    person: deny
    expect: {{verdict: ask, strong: true, dialog: declares it destructive, sent: false}}
  - call: add_note
    person: approve
    expect: {{verdict: ask, dialog: true, outcome: ok, content: {{equals: added a note}}}}
  - call: read_note
    expect: {{dialog: false, schema: valid, structured: {{at: /words, equals: 3}}}}
  - call: import_notes
    expect: {{progress: {{reports: 3, increasing: true}}}}
  - call: ask_owner
    answers: {{elicitation: [{{content: {{sure: true}}}}]}}
    expect: {{asked: [{{kind: elicitation}}]}}
"""
WAYS = {
    "hint": ["strong :7", "dialog :7"],
    "schema": ["schema :12", "structured :12"],
    "renamed": ["call :5"],
    "no dialog": ["verdict :10", "dialog :10"],
    "a dialog": ["dialog :12", "schema :12", "structured :12"],
    "backwards": ["progress :14"],
    "error": ["outcome :10", "content :10"],
    "content": ["content :10"],
    "unasked": ["asked :17"],
}
"""The checks that fail on a server that was altered so, with their lines."""


def written(folder: Path) -> Path:
    command = json.dumps([sys.executable, str(ALTERED), str(folder / "way")])
    path = folder / "notes.flow.yaml"
    path.write_text(FLOW.format(command=command))
    return path


async def run_altered(folder: Path, way: str) -> FlowResult:
    """What comes of the flow on the server that was altered so."""
    (folder / "way").write_text(way)
    return await run_flow(prepare(load_flow(written(folder)), {}, {}), RunWishes())


def failures(result: FlowResult) -> dict[str, str]:
    """The failed checks with their lines, and what was expected and seen."""
    return {
        f"{one.name} :{one.spot.line}": f"{one.expected} | {one.seen}"
        for step in result.steps
        for one in step.failures
    }


def lines_of(found: dict[str, str]) -> str:
    return "\n".join(f"{name}  {words}" for name, words in found.items())


async def test_the_server_as_it_was_passes(tmp_path: Path) -> None:
    assert failures(await run_altered(tmp_path, "")) == {}


@pytest.mark.parametrize("way", first_quick(WAYS, 3))
async def test_an_altered_server_is_told_in_words(tmp_path: Path, way: str) -> None:
    result = await run_altered(tmp_path, way)
    found = failures(result)
    assert list(found) == WAYS[way]
    PROSE.holds(way, lines_of(found))
    text = "\n".join(flow_lines(result, 160))
    assert text.startswith(f"{tmp_path}/notes.flow.yaml  ")
    assert text.count("  FAILED  ") == 1
    for name in WAYS[way]:
        assert name in text


async def test_a_call_that_is_sent_although_it_was_denied(tmp_path: Path) -> None:
    decide = Decider.decide

    async def careless(decider: Decider) -> Decision:
        decision = await decide(decider)
        return decision if decision.by == "policy" else approve("script")

    with patch.object(Decider, "decide", careless):
        result = await run_altered(tmp_path, "")
    found = failures(result)
    assert list(found) == ["sent :7", "wire :5"]
    PROSE.holds("sent although it was denied", lines_of(found))
