"""The wire proof is read from the tap: it fails where something left that nobody approved."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

from signoff.app.approval.approval import Decision
from signoff.app.approval.questions.questions import Question
from signoff.app.cli.approving.person import ScriptedPerson
from signoff.app.cli.output.results import Status
from signoff.app.features.flows.reading import load_flow
from signoff.app.features.flows.run.run_flow import RunWishes, run_flow
from signoff.app.features.flows.run.session import (
    FlowSession,
    PreparedFlow,
    opened_flow,
    prepare,
)
from signoff.app.features.flows.run.steps import run_step
from signoff.app.protocol.wire.frames import CLIENT
from tests.approved import approved

PROSE = approved("flows")

FLOW = "server: demo\nsteps:\n  - call: delete_file\n    with: {path: notes/todo.txt}\n"
LEAVES = b'{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"delete_file"}}'


@pytest.fixture
def prepared(tmp_path: Path) -> PreparedFlow:
    path = tmp_path / "a.flow.yaml"
    path.write_text(FLOW)
    return prepare(load_flow(path), {}, {})


async def test_a_request_that_leaves_although_it_was_denied_fails_the_step(
    prepared: PreparedFlow,
) -> None:
    ask = ScriptedPerson.ask
    async with opened_flow(prepared, None) as session:
        (step,) = prepared.flow.steps
        sound = await run_step(session, step)

        async def leaky(person: ScriptedPerson, question: Question) -> Decision:
            session.wire.add(CLIENT, LEAVES)
            return await ask(person, question)

        with patch.object(ScriptedPerson, "ask", leaky):
            broken = await run_step(session, step)
    assert sound.status is Status.PASSED
    assert sound.proof is not None
    assert sound.proof.words == "0 tools/call frames"
    assert broken.status is Status.FAILED
    [failure] = broken.failures
    assert failure.name == "wire"
    PROSE.holds("proof: a frame without approval", f"{failure.expected} | {failure.seen}")
    assert any("tools/call delete_file" in line.row for line in broken.wire)


async def test_what_cannot_be_counted_any_more_proves_nothing(prepared: PreparedFlow) -> None:
    proof = FlowSession.proof

    async with opened_flow(prepared, None) as session:

        def flooded(own: FlowSession, call: object, mark: int) -> object:
            for _ in range(20_001):
                session.wire.note("noise")
            return proof(own, call, mark)  # type: ignore[arg-type]

        with patch.object(FlowSession, "proof", flooded):
            result = await run_step(session, prepared.flow.steps[0])
    assert result.status is Status.FAILED
    PROSE.holds("proof: frames that cannot be counted", result.failures[0].seen)


async def test_what_leaves_late_is_found_at_the_end(
    prepared: PreparedFlow, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = FlowSession.late

    def leaky(session: FlowSession) -> int:
        session.wire.add(CLIENT, LEAVES, call=min(session.unsent))
        return late(session)

    monkeypatch.setattr(FlowSession, "late", leaky)
    result = await run_flow(prepared, RunWishes())
    assert [one.status for one in result.steps] == [Status.PASSED, Status.FAILED]
    PROSE.holds("proof: a late frame", result.steps[1].failures[0].seen)
