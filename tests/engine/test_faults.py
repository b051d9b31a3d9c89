"""Faults of Signoff itself around a server: each ends in words, and nothing waits for ever."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signoff.app.calls.call import Outcome
from signoff.app.calls.retries import is_unknown
from signoff.app.cli.output.reports import exit_status
from signoff.app.engine import memory
from signoff.app.engine.calls.call_task import ResponseChecker
from signoff.app.engine.calls.decide import Decider
from signoff.app.engine.definitions import Definitions
from signoff.app.engine.events import CallChanged, EngineEvent
from signoff.app.engine.session_config import Target
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.protocol.server import Phase, Trust
from signoff.app.storage.audit_log import AuditLog
from signoff.app.transport import NoLink
from signoff.app.transport.peer import Peer
from signoff.app.transport.stdio.stdio import StdioLink
from tests.approved import approved
from tests.engine.opened import Approves, Opened, opened
from tests.servers import raw, recorded

PROSE = approved("engine")

INTERNAL = "internal error"


def trace_files() -> list[Path]:
    return [*(Path(os.environ["XDG_STATE_HOME"]) / "signoff" / "faults").glob("*.txt")]


def traces() -> str:
    return "\n".join(path.read_text() for path in trace_files())


async def lost(one: Opened) -> None:
    one.engine.link.kill()
    await one.watch.until(lambda: one.engine.server.phase is Phase.LOST)


class TestReconnecting:
    async def test_without_the_folder_it_says_so_and_can_be_tried_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = tmp_path / "work"
        folder.mkdir()
        monkeypatch.chdir(folder)
        async with opened(trust=Trust.TRUSTED) as one:
            one.engine._connection._relink = Target("the server", argv=tuple(raw())).link
            await lost(one)
            folder.rmdir()
            for _ in range(2):
                words = await one.engine.reconnect()
                PROSE.holds("reconnect: no folder", words)
                assert one.engine.server.phase is Phase.LOST
                assert one.engine.can_reconnect
            monkeypatch.chdir(tmp_path)
            assert await one.engine.reconnect() == ""
            await one.watch.until(lambda: one.engine.server.phase is Phase.CONNECTED)

    async def test_a_link_that_cannot_be_made_changes_nothing(
        self, breaks: Callable[..., Any]
    ) -> None:
        async with opened() as one:
            one.engine._connection._relink = breaks
            await lost(one)
            before = one.engine.server, one.engine.link
            words = await one.engine.reconnect()
            assert words.startswith(f"{INTERNAL} (LookupError)")
            assert (one.engine.server, one.engine.link) == before
            assert "argument, of" not in traces()

    @pytest.mark.parametrize("step", ["begin", "attach"])
    async def test_a_link_that_breaks_on_its_way_ends(
        self, step: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with opened() as one:
            await lost(one)

            def breaks(*given: Any) -> None:
                raise RuntimeError("can't start new thread")

            with monkeypatch.context() as patched:
                patched.setattr(StdioLink, step, breaks)
                words = await one.engine.reconnect()
            assert words.startswith(f"{INTERNAL} (RuntimeError)")
            # A quick server may have answered the greeting before the step after it breaks.
            ended = (Phase.FAILED,) if step == "begin" else (Phase.FAILED, Phase.LOST)
            assert one.engine.server.phase in ended
            assert one.engine.server.ended_words == words
            assert await one.engine.reconnect() == ""
            await one.watch.until(lambda: one.engine.server.phase is Phase.CONNECTED)

    async def test_a_program_that_was_removed_is_named(self, tmp_path: Path) -> None:
        program = tmp_path / "server"
        program.write_text(f"#!/bin/sh\nexec {shlex.join(raw())}\n")
        program.chmod(0o700)
        async with opened(argv=[str(program)]) as one:
            await lost(one)
            program.unlink()
            assert await one.engine.reconnect() == ""
            await one.watch.until(lambda: one.engine.server.phase is Phase.FAILED)
            words = one.engine.server.ended_words
            PROSE.holds("server: its program was removed", words, PROGRAM=program)
            assert one.engine.can_reconnect

    async def test_two_at_once_make_one_link(self) -> None:
        async with opened() as one:
            made = []
            relink = one.engine._connection._relink
            assert relink is not None

            def counted() -> Any:
                made.append(relink())
                return made[-1]

            one.engine._connection._relink = counted
            await lost(one)
            await asyncio.gather(one.engine.reconnect(), one.engine.reconnect())
            await one.engine.reconnect()
            await one.watch.until(lambda: one.engine.server.phase is Phase.CONNECTED)
            assert len(made) == 1


@pytest.fixture
def breaks() -> Callable[..., Any]:
    """Fails with a fault of Signoff itself."""

    def broken(*given: Any, **more: Any) -> Any:
        raise LookupError(", ".join(("argument", "of", "mine")))

    return broken


def test_a_link_in_a_folder_that_is_gone_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(NoLink, match="start Signoff in an existing folder"):
        Target("x", argv=("x",)).link()
    assert Target("x", url="http://127.0.0.1:1/mcp").link().command


class TestACall:
    async def test_a_fault_before_the_sending_is_no_denial(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, breaks: Callable[..., Any]
    ) -> None:
        monkeypatch.setattr(Decider, "_judge", breaks)
        record = tmp_path / "record"
        async with opened("--record", str(record)) as one:
            call = await one.call("read_thing")
        assert (call.outcome, call.sent, exit_status(call)) == (Outcome.FAULT, False, 70)
        assert call.status == "internal error"
        PROSE.holds("call: an error of Signoff", call.reason, FILE=trace_files()[0])
        assert recorded(record) == []

    async def test_a_fault_after_it_accuses_nobody_of_an_unreadable_answer(
        self, monkeypatch: pytest.MonkeyPatch, breaks: Callable[..., Any]
    ) -> None:
        monkeypatch.setattr(ResponseChecker, "_check_result", breaks)
        async with opened() as one:
            one.engine.approver = Approves()
            call = await one.call("delete_thing", name="x")
        assert (call.outcome, call.sent) == (Outcome.FAULT, True)
        PROSE.holds("status: an error after sending", call.status)
        assert is_unknown(call)

    async def test_whoever_listens_and_fails_stops_no_call(self) -> None:
        async with opened(trust=Trust.TRUSTED) as one:

            def breaks(event: EngineEvent) -> None:
                if isinstance(event, CallChanged):
                    raise LookupError

            one.engine.subscribe(breaks)
            call = await one.call("read_thing")
        assert call.outcome is Outcome.OK
        assert "LookupError" in traces()

    async def test_a_log_that_fails_in_an_unknown_way_cannot_be_logged_to(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, breaks: Callable[..., Any]
    ) -> None:
        async with opened(log=tmp_path / "log") as one:
            one.engine.approver = Approves()
            monkeypatch.setattr(AuditLog, "append", breaks)
            call = await one.call("delete_thing", name="x")
        assert (call.outcome, call.sent) == (Outcome.NOT_SENT, False)
        assert f"{INTERNAL} (LookupError)" in call.reason


class TestWhatNobodyAwaits:
    async def test_a_comparison_that_fails_is_told_and_nothing_counts_as_the_same(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, breaks: Callable[..., Any]
    ) -> None:
        async with opened(store=tmp_path / "store"):
            pass
        monkeypatch.setattr(memory, "compare_lists", breaks)
        async with opened(store=tmp_path / "store") as one:
            told = [finding.message for finding in one.engine.findings if finding.code == "fault"]
            assert told[0].startswith(f"{INTERNAL} (LookupError)")
            assert one.engine.memory.seen(one.tool("echo")) is DefinitionStatus.UNKNOWN

    async def test_a_list_that_cannot_be_taken_in_ends_the_connection(
        self, monkeypatch: pytest.MonkeyPatch, breaks: Callable[..., Any]
    ) -> None:
        monkeypatch.setattr(Definitions, "take", breaks)
        async with opened() as one:
            assert not one.engine.server.is_open
            assert one.engine.server.ended_words.startswith(f"{INTERNAL} (LookupError)")
            assert one.engine.can_reconnect

    async def test_a_reader_of_the_server_that_fails_ends_it(
        self, monkeypatch: pytest.MonkeyPatch, breaks: Callable[..., Any]
    ) -> None:
        async with opened(is_process=True) as one:
            monkeypatch.setattr(Peer, "take", breaks)
            one.engine.approver = Approves()
            call = await one.call("echo")
            await one.watch.until(lambda: not one.engine.server.is_open)
            assert not call.sent or call.outcome is Outcome.CONNECTION_LOST
            assert one.engine.server.ended_words.startswith(f"{INTERNAL} (LookupError)")
        assert "a server's stdout" in traces()
