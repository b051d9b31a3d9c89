"""A flow that is broken in ten ways: how each reads to somebody who did not write it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from signoff.app.approval.approval import Decision, approve
from signoff.app.engine.calls.decide import Decider
from signoff.app.testing.reading import load_flow
from signoff.app.testing.results import FlowResult
from signoff.app.testing.run.reports import flow_lines
from signoff.app.testing.run.run_flow import RunWishes, run_flow
from signoff.app.testing.run.session import prepare

ALTERED = Path(__file__).resolve().parents[2] / "servers" / "altered.py"
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
READ_ONLY = "read-only tool, trusted server"
UNSAID = "effect not declared: treated as destructive (the default); trusted server"
ADDS = "not a read-only tool; trusted server; the server declares it not destructive"
NOBODY = "; the step names no person to answer it, so it was denied"
WAYS = {
    "hint": [
        ("strong :7", "asks with a warning", f"ask: {ADDS}"),
        ("dialog :7", "contains “declares it destructive”", "text of the dialog, below"),
    ],
    "schema": [
        ("schema :12", "valid", 'invalid: /words: expected integer, got "three"'),
        ("structured :12", "/words: 3", '/words: "three"'),
    ],
    "renamed": [
        (
            "call :5",
            "the tool “delete_note”",
            "the server has no tool “delete_note”; did you mean remove_note? "
            "(signoff tools lists them)",
        )
    ],
    "no dialog": [
        ("verdict :10", "ask", f"allow: {READ_ONLY}"),
        ("dialog :10", "a dialog", f"no dialog: {READ_ONLY}"),
    ],
    "a dialog": [
        ("dialog :12", "no dialog", f"a dialog: {UNSAID}{NOBODY}"),
        ("schema :12", "valid", "no answer was checked: denied by you"),
        ("structured :12", "/words: 3", "/words: nothing"),
    ],
    "backwards": [
        ("progress :14", "each above the one before", "2 comes after 3: 1/3, 3/3, 2/3"),
    ],
    "error": [
        ("outcome :10", "ok", "protocol-error: the disk is full (code -32603)"),
        ("content :10", "“added a note”", "nothing: protocol error"),
    ],
    "content": [("content :10", "“added a note”", "“added a note of 12 words”")],
    "unasked": [("asked :17", "1 question of the server: elicitation", "the server asked nothing")],
}


def written(folder: Path) -> Path:
    command = json.dumps([sys.executable, str(ALTERED), str(folder / "way")])
    path = folder / "notes.flow.yaml"
    path.write_text(FLOW.format(command=command))
    return path


async def run_altered(folder: Path, way: str) -> FlowResult:
    """What comes of the flow on the server that was altered so."""
    (folder / "way").write_text(way)
    return await run_flow(prepare(load_flow(written(folder)), {}, {}), RunWishes())


def failures(result: FlowResult) -> list[tuple[str, str, str]]:
    return [
        (f"{one.name} :{one.spot.line}", one.expected, one.seen)
        for step in result.steps
        for one in step.failures
    ]


async def test_the_server_as_it_was_passes(tmp_path: Path) -> None:
    assert failures(await run_altered(tmp_path, "")) == []


@pytest.mark.parametrize("way", WAYS)
async def test_an_altered_server_is_told_in_words(tmp_path: Path, way: str) -> None:
    result = await run_altered(tmp_path, way)
    assert failures(result) == WAYS[way]
    text = "\n".join(flow_lines(result, 160))
    assert text.startswith(f"{tmp_path}/notes.flow.yaml  notes  altered, cautious\n")
    assert text.count("  FAILED  ") == 1
    for name, _, _ in WAYS[way]:
        assert name in text


async def test_a_call_that_is_sent_although_it_was_denied(tmp_path: Path) -> None:
    decide = Decider.decide

    async def careless(decider: Decider) -> Decision:
        decision = await decide(decider)
        return decision if decision.by == "policy" else approve("script")

    with patch.object(Decider, "decide", careless):
        result = await run_altered(tmp_path, "")
    assert failures(result) == [
        ("sent :7", "not sent", "sent: answered"),
        (
            "wire :5",
            "0 tools/call frames",
            "1 tools/call frame sent without approval: an error of Signoff, not of the server",
        ),
    ]
