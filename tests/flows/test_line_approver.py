"""The question on a plain terminal: only the word approves, and only when it was typed after."""

from __future__ import annotations

import os
import pty
import time
from pathlib import Path

import pytest

from app.core.calls import Outcome
from app.flows.approvers import LineApprover
from tests.bench_story.opened import opened
from tests.e2e.program import signoff
from tests.e2e.terminal import Terminal
from tests.servers import raw, recorded

PROMPT = r"denies by itself after 120 s\)"


def asked(record: Path) -> list[str]:
    words = ("call", "delete_thing", "-a", "name=the \u202eone", "--json", "--")
    return signoff(*words, *raw("--record", str(record)))


@pytest.mark.parametrize(
    ("typed", "status"),
    [("approve\r", 0), ("APPROVE\r", 3), ("approve it\r", 3), ("y\r", 3), ("\r", 3), ("\x04", 3)],
)
def test_only_the_word_approves(typed: str, status: int, tmp_path: Path) -> None:
    record = tmp_path / "record"
    with Terminal(asked(record)) as terminal:
        terminal.wait_for(PROMPT)
        shown = terminal.text
        terminal.send(typed)
        assert terminal.wait_exit() == status
    assert len(recorded(record)) == (status == 0)
    assert "delete_thing" in shown
    assert "the " in shown
    assert "\u202e" not in shown
    assert "1 key" in shown


def test_what_was_typed_ahead_does_not_approve(tmp_path: Path) -> None:
    record = tmp_path / "record"
    with Terminal(asked(record)) as terminal:
        terminal.send("approve\rapprove\rapprove\r")
        terminal.wait_for(PROMPT)
        time.sleep(0.3)
        assert terminal.running
        assert recorded(record) == []
        terminal.send("no\r")
        assert terminal.wait_exit() == 3
    assert recorded(record) == []


def test_ctrl_c_at_the_question_ends_at_once_and_sends_nothing(tmp_path: Path) -> None:
    record = tmp_path / "record"
    with Terminal(asked(record)) as terminal:
        terminal.wait_for(PROMPT)
        start = time.monotonic()
        terminal.press("ctrl+c")
        assert terminal.wait_exit() == 130
        assert time.monotonic() - start < 4
    assert recorded(record) == []


def test_colours_are_for_terminals() -> None:
    with Terminal(signoff("tools", "--", *raw("--hostile"))) as terminal:
        assert terminal.wait_exit() == 0
        painted = terminal.raw
    assert b"\x1b[1;31m" in painted
    assert b"\x1b[2J" not in painted
    assert b"\x1b]" not in painted


async def test_the_time_limit_denies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = tmp_path / "record"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    master, slave = pty.openpty()
    with os.fdopen(slave, "r") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        async with opened("--record", str(record)) as one:
            one.bench.approver = LineApprover(seconds=0.2)
            call = await one.call("delete_thing")
    os.close(master)
    assert (call.outcome, call.status) == (Outcome.DENIED, "denied by time limit")
    assert call.reason == "no answer within 0.2 s"
    assert recorded(record) == []
