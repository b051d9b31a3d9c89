"""What varies from run to run, held still: times, process ids, folders, and what is kept there."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from textual.widgets import Input, TextArea

from signoff.app.approval.fingerprint import Role, RunFile, ServerFingerprint
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine import memory
from signoff.app.engine.calls import call_state, call_task, dispatch
from signoff.app.engine.engine import Engine
from signoff.app.engine.session_config import SessionConfig, Target
from signoff.app.protocol.rpc import RpcError
from signoff.app.protocol.server import Trust
from signoff.app.storage import audit_log, store
from signoff.app.transport import Link
from signoff.app.transport.events import (
    Answered,
    Ended,
    LinkEvent,
    Listener,
    Listing,
    Reply,
    Requested,
    Started,
)
from signoff.app.transport.gate import Gate, without_approval
from signoff.app.transport.peer import PendingRequest
from signoff.app.tui.approving import asker
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.clock import Clock
from signoff.app.tui.main import calls_shown

ROOT = Path(__file__).resolve().parents[1]
PID = 4711
ANSWER_SECONDS = 0.1
"""How long every answer takes, by the still clock."""
BEGINNING = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
"""The date and the time at which every session begins."""

DEMO = Target("demo", argv=("python", "-m", "signoff.app.demo"), is_bundled=True)
"""The bundled server by a command line that says nothing of the machine it runs on."""
IDENTITY = json.dumps(["stdio", "/signoff", [], DEMO.argv])
"""What approvals are bound to, with a folder that is on no machine."""

RUNS = ServerFingerprint(
    (RunFile(Role.PROGRAM, "/usr/bin/python", "/usr/bin/python3.14", 14_000, sha256="5" * 64),)
)
"""What runs, on no machine."""


class StillClock:
    """Seconds that pass only when a scene says so."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._beginning = self.now

    def monotonic(self) -> float:
        return self.now

    def date(self) -> datetime:
        return BEGINNING + timedelta(seconds=self.now - self._beginning)

    def time(self) -> float:
        """Seconds since the epoch."""
        return self.date().timestamp()


class StillLink:
    """The link to the server, with the process id, the times and the progress of every run."""

    def __init__(self, link: Link, clock: StillClock) -> None:
        self._link = link
        self._clock = clock
        self.command = link.command
        self.identity = IDENTITY
        self.capabilities = link.capabilities
        self.lenient = link.lenient
        self.wire = link.wire
        self.watch = link.watch
        self.log_level = link.log_level
        self.last_progress: dict[str, float] = {}
        """By tool: the progress at which a call stands still, until it is cancelled."""

    def begin(self) -> None:
        self._link.begin()

    def tell_roots_changed(self) -> None:
        self._link.tell_roots_changed()

    def attach(self, listener: Listener) -> None:
        def tell(event: LinkEvent) -> None:
            listener(_still(event))

        self._link.attach(tell)

    def changed_files(self) -> tuple[str, ...]:
        return ()

    async def fingerprint(self, key: bytes) -> ServerFingerprint | None:
        return RUNS

    async def list_tools(self) -> Listing | None:
        return await self._link.list_tools()

    async def request(self, pending: PendingRequest, params: dict[str, JsonValue]) -> Reply:
        tell, last = pending.on_progress, self.last_progress.get(str(params.get("name")), math.inf)
        pending.on_progress = lambda told: tell(told) if _progress_of(told) <= last else None
        reply = await self._link.request(pending, params)
        if last < math.inf:
            await asyncio.Event().wait()
        self._clock.now += ANSWER_SECONDS
        return reply

    async def ask(
        self,
        method: str,
        params: dict[str, JsonValue],
        seconds: float | None = 30.0,
        gate: Gate = without_approval,
    ) -> Answered:
        return await self._link.ask(method, params, seconds, gate)

    async def send_raw(
        self,
        message: dict[str, JsonValue],
        seconds: float | None = 30.0,
        gate: Gate = without_approval,
    ) -> Answered | None:
        return await self._link.send_raw(message, seconds, gate)

    def request_meta(self) -> dict[str, JsonValue]:
        return self._link.request_meta()

    def answer(self, request: Requested, answer: dict[str, JsonValue] | RpcError) -> None:
        self._link.answer(request, answer)

    async def close(self) -> None:
        await self._link.close()

    def kill(self) -> None:
        self._link.kill()


def still_bench(link: Link, trust: Trust) -> Engine:
    """A bench that keeps an audit log in the current folder, which its title does not show."""
    return SessionConfig(DEMO, trust, audit=Path("audit.jsonl")).engine(link)


class StillDialogs(Clock):
    """Dialogs look as often as ever, at the still clock."""

    def __init__(self, clock: StillClock) -> None:
        self._clock = clock

    def now(self) -> float:
        return self._clock.monotonic()


@contextlib.contextmanager
def held_still(clock: StillClock) -> Iterator[None]:
    """Nothing that is drawn or kept looks at another clock, and nothing was kept before."""
    seconds = SimpleNamespace(monotonic=clock.monotonic)
    dialog = partial(ApprovalDialog, clock=StillDialogs(clock), today=clock.time)
    with (
        tempfile.TemporaryDirectory(prefix="signoff-pictures-") as folder,
        contextlib.chdir(folder),
        patch.dict(os.environ, {"HOME": folder, "XDG_STATE_HOME": f"{folder}/.local/state"}),
        patch.object(call_task, "time", seconds),
        patch.object(dispatch, "time", seconds),
        patch.object(call_task, "time", seconds),
        patch.object(call_state, "time", seconds),
        patch.object(calls_shown, "time", seconds),
        patch.object(asker, "ApprovalDialog", dialog),
        patch.object(memory, "Memory", partial(memory.Memory, clock=clock.time)),
        patch.object(store, "time", SimpleNamespace(time=clock.time)),
        patch.object(audit_log, "datetime", SimpleNamespace(now=clock.date)),
        patch.object(Input, "cursor_blink", False),
        patch.object(TextArea, "cursor_blink", False),
    ):
        yield


@contextlib.contextmanager
def quiet_surroundings() -> Iterator[None]:
    """An environment without anything of this machine: folders, colours, `python` on the path."""
    with tempfile.TemporaryDirectory(prefix="signoff-pictures-") as folder:
        settings = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
            "HOME": folder,
            "USERPROFILE": folder,
            "SIGNOFF_DEMO_DIR": f"{folder}/sandbox",
            "XDG_CACHE_HOME": f"{folder}/.cache",
            "XDG_CONFIG_HOME": f"{folder}/.config",
            "COLORTERM": "truecolor",
            "TERM": "xterm-256color",
            "TEXTUAL_ANIMATIONS": "none",
            "TZ": "UTC",
        }
        try:
            with patch.dict(os.environ, settings), contextlib.chdir(ROOT):
                for name in ("NO_COLOR", "FORCE_COLOR", "TEXTUAL_THEME", "TEXTUAL_COLOR_SYSTEM"):
                    os.environ.pop(name, None)
                _read_zone()
                yield
        finally:
            _read_zone()


def _progress_of(params: JsonValue) -> float:
    value = params.get("progress") if isinstance(params, dict) else None
    return value if isinstance(value, int | float) else 0.0


def _still(event: LinkEvent) -> LinkEvent:
    if isinstance(event, Started):
        return Started(PID)
    if isinstance(event, Ended) and event.pid is not None:
        return replace(event, pid=PID)
    return event


def _read_zone() -> None:
    """The time zone of the variables as they are now; Windows does not go by them."""
    if sys.platform != "win32":
        time.tzset()
