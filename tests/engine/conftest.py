from __future__ import annotations

from pathlib import Path

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.calls import call_task, decide
from signoff.app.sandbox import worker
from signoff.app.sandbox.worker import WorkerStopped, run_limited
from signoff.app.sandbox.worker_side import WorkerLimits
from signoff.app.schemas.schema import Answer, SchemaVerdict, judge
from signoff.app.transport.stdio import process


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No remembered eras of other tests, no long good-byes; workers stay for the next test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
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
            return SchemaVerdict(Answer.NOT_VALIDATED, reason=stopped.reason)

    monkeypatch.setattr(call_task, "judge_in_worker", judge_soon)
    monkeypatch.setattr(decide, "judge_arguments_in_worker", judge_soon)
