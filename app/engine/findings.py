"""Findings that belong to no single call, and how client libraries read the session."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..content.json.jsonio import JsonValue
from ..content.text import count
from ..protocol.clients.answer_defects import defects_by_schema
from ..protocol.clients.session import (
    CallSeen,
    ClientProblem,
    ClientReading,
    SessionSeen,
    answer_problems,
    pattern_problems,
    problems_of,
    reading_of,
    tool_words,
)
from ..protocol.clients.table import clients
from ..protocol.findings.findings import Finding, Severity
from ..protocol.findings.model_texts import addressing_findings
from ..protocol.server import Phase
from ..protocol.wire.frames import Frame, Sink
from ..sandbox.worker import WorkerStopped, judge_in_worker, run_limited
from ..schemas.schema import SchemaAnswer, SchemaVerdict

if TYPE_CHECKING:
    from ..protocol.conformance.watcher import Watcher
    from .connection import Connection

NOTICED_KEPT = 500


class Observations:
    """Findings that belong to no single call; `connection` returns the current connection."""

    def __init__(self, connection: Callable[[], Connection]) -> None:
        self.noticed: deque[Finding] = deque(maxlen=NOTICED_KEPT)
        """As it happened."""
        self._connection = connection
        self._greeted: tuple[dict[str, JsonValue] | None, tuple[Finding, ...]] | None = None
        """The last server's information about itself, and the findings on its texts."""
        self._watcher: Watcher | None = None
        """Reads along, once somebody asks for what was found."""

    def all(self) -> tuple[Finding, ...]:
        """Findings on the connection and on the list of tools."""
        listed = self._connection().definitions.findings
        return (*listed, *self._of_the_greeting(), *self._of_the_protocol(), *self.noticed)

    def complete(self) -> tuple[Finding, ...]:
        """The same once every message that came was read, for a report that is made once."""
        self.catch_up()
        return self.all()

    def doubts(self) -> tuple[Finding, ...]:
        """The errors and warnings of `complete`."""
        return tuple(one for one in self.complete() if one.severity is not Severity.NOTE)

    def count(self) -> int:
        """Number of problems to point at; notes are left to the findings screen."""
        return sum(one.severity is not Severity.NOTE for one in self.all())

    def catch_up(self) -> None:
        """Check all messages at once; a screen does it piece by piece."""
        self._of_the_protocol()
        if self._watcher is not None:
            self._watcher.catch_up()

    def _of_the_greeting(self) -> tuple[Finding, ...]:
        """Findings on the server's instructions, and on the texts about itself."""
        server = self._connection().server
        texts = (server.instructions, server.info)
        if self._greeted is None or self._greeted[0] is not texts[1]:
            told: dict[str, JsonValue] = {"instructions": texts[0], "serverInfo": texts[1]}
            self._greeted = (server.info, tuple(addressing_findings(told)))
        return self._greeted[1]

    def _of_the_protocol(self) -> tuple[Finding, ...]:
        """Findings on the messages themselves; none while the tool list is awaited."""
        at = self._connection()
        if not at.definitions.is_listed and at.server.phase not in (Phase.FAILED, Phase.LOST):
            return ()
        if self._watcher is None:
            from ..protocol.conformance.watcher import Watcher

            self._watcher = Watcher(at.link.wire)
        self._watcher.update()
        return self._watcher.findings


_SCHEMAS_AT_ONCE: Final = 50
FRAMES_MAX: Final = 100_000_000
"""Bytes of a session that are kept to be judged."""


async def readings_of(seen: SessionSeen, tell: Callable[[str], None]) -> list[ClientReading]:
    """Evaluate a session for each client; `tell` gets the checks that failed, in words."""
    problems = problems_of(seen)
    problems += await _pattern_problems(seen, tell)
    for call in seen.calls:
        problems += await _schema_problems(seen, call)
    return [reading_of(one, problems) for one in clients().values()]


async def _pattern_problems(seen: SessionSeen, tell: Callable[[str], None]) -> list[ClientProblem]:
    schemas = [
        (tool_words(tool, index), tool["outputSchema"])
        for index, tool in enumerate(seen.tools)
        if isinstance(tool, dict) and isinstance(tool.get("outputSchema"), dict)
    ]
    found = []
    for start in range(0, len(schemas), _SCHEMAS_AT_ONCE):
        some = schemas[start : start + _SCHEMAS_AT_ONCE]
        try:
            found += await run_limited(pattern_problems, some)
        except WorkerStopped as stopped:
            tell(f"patterns of {count(len(some), 'tool')} were not checked: {stopped.reason}")
    return found


async def _schema_problems(seen: SessionSeen, call: CallSeen) -> list[ClientProblem]:
    """Compare a result with the output schema."""
    schema, result = seen.output_schema(call.tool), call.result
    if not isinstance(schema, dict) or not isinstance(result, dict):
        return []
    is_error = result.get("isError") is True
    if "structuredContent" in result:
        verdict = await judge_in_worker(schema, result["structuredContent"])
    elif is_error:
        return []
    else:
        verdict = SchemaVerdict(SchemaAnswer.MISSING)
    return answer_problems(call, defects_by_schema(verdict, is_error))


class KeptFrames:
    """Every frame of a session, whole, up to FRAMES_MAX; hands each on to another sink."""

    def __init__(self, other: Sink | None = None) -> None:
        self._other = other
        self._frames: list[Frame] = []
        self._bytes = 0
        self._lock = threading.Lock()

    def clear(self) -> None:
        """Forget the frames so far."""
        with self._lock:
            self._frames.clear()
            self._bytes = 0

    @property
    def trouble(self) -> str:
        return self._other.trouble if self._other is not None else ""

    def take(self, frame: Frame) -> None:
        with self._lock:
            if self._bytes <= FRAMES_MAX:
                self._frames.append(frame)
                self._bytes += len(frame.raw)
        if self._other is not None:
            self._other.take(frame)

    def on_trouble(self, tell: Callable[[str], None]) -> None:
        if self._other is not None:
            self._other.on_trouble(tell)

    def close(self) -> None:
        if self._other is not None:
            self._other.close()

    @property
    def frames(self) -> list[Frame]:
        """Those that came so far, oldest first."""
        with self._lock:
            return list(self._frames)
