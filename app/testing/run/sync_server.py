"""A server under test for synchronous code: opened, called step by step, closed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from ...content.json.jsonio import JsonValue
from ..flow import Flow
from ..reading import load_flow, read_flow
from ..results import FlowResult, Status, StepResult
from .reports import flow_lines, step_lines
from .run_flow import RunWishes, run_flow
from .session import FlowSession, opened_flow, prepare
from .steps import run_step

_NAME = "the test"
_WIDTH = 100


class StepFailed(AssertionError):
    """A step failed; the text compares expected and observed values."""


class ServerUnderTest:
    """One opened server. Each step is what a flow file has under `steps`."""

    def __init__(self, portal: BlockingPortal, session: FlowSession, keys: dict[str, Any]) -> None:
        self._portal = portal
        self._session = session
        self._keys = keys

    @property
    def values(self) -> Mapping[str, JsonValue]:
        """Values captured by earlier steps."""
        return self._session.values

    def step(self, **step: Any) -> StepResult:
        """Do one step; `with_` is the key `with`. Raises StepFailed, and FlowError for mistakes."""
        if "with_" in step:
            step["with"] = step.pop("with_")
        known = self._session.values
        flow = _read({**self._keys, "variables": dict(known), "steps": [step]})
        result = self._portal.call(run_step, self._session, flow.steps[0])
        if result.status is Status.FAILED:
            raise StepFailed("\n".join(step_lines(result, _WIDTH)))
        return result

    def call(
        self, tool: str, arguments: Mapping[str, JsonValue] | None = None, **step: Any
    ) -> StepResult:
        """Call a tool: `person`, `expect`, `capture` and the rest as in a flow file."""
        return self.step(call=tool, **{"with": dict(arguments or {})}, **step)


@contextlib.contextmanager
def server_under_test(**keys: Any) -> Iterator[ServerUnderTest]:
    """Open the server that the keys of a flow file name: `command`, `policy`, `person`, ..."""
    placeholder = [{"wait": "message"}]
    prepared = prepare(_read({**keys, "steps": placeholder}), {}, os.environ)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(opened_flow(prepared, None)) as session,
    ):
        yield ServerUnderTest(portal, session, keys)


def run_file(path: Path) -> FlowResult:
    """Run a flow file to its end. Raises FlowError for mistakes."""
    prepared = prepare(load_flow(path), {}, os.environ)
    return asyncio.run(run_flow(prepared, RunWishes()))


def report_of(result: FlowResult) -> str:
    """Describe the result of a flow, for people."""
    return "\n".join(flow_lines(result, _WIDTH))


def _read(keys: dict[str, Any]) -> Flow:
    # JSON is YAML.
    return read_flow(json.dumps(keys).encode("utf-8"), _NAME)
