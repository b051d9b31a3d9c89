from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.calls import call_task, decide
from signoff.app.sandbox import worker
from signoff.app.sandbox.worker import WorkerStopped, run_limited
from signoff.app.sandbox.worker_side import WorkerLimits
from signoff.app.schemas.schema import SchemaAnswer, SchemaVerdict, judge
from signoff.app.transport.stdio import process


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No long good-byes; workers stay for the next test."""
    monkeypatch.setattr(process, "STDIN_CLOSE_SECONDS", 0.3)
    monkeypatch.setattr(process, "TERMINATE_SECONDS", 0.3)
    monkeypatch.setattr(worker, "shut_down", lambda: None)


@pytest.fixture
def _short_judging(monkeypatch: pytest.MonkeyPatch) -> None:
    """A schema that never ends is given up soon."""

    async def judge_soon(schema: JsonValue, value: JsonValue) -> SchemaVerdict:
        try:
            return await run_limited(judge, schema, value, limits=WorkerLimits(wall_seconds=0.5))
        except WorkerStopped as stopped:
            return SchemaVerdict(SchemaAnswer.NOT_VALIDATED, reason=stopped.reason)

    monkeypatch.setattr(call_task, "judge_in_worker", judge_soon)
    monkeypatch.setattr(decide, "judge_arguments_in_worker", judge_soon)
