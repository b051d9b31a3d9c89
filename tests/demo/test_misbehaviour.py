"""Broken promises must really reach the wire, and a crash must really be one."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.demo.peer import Closed, Era, Peer
from tests.tiers import first_quick


def test_noise_stands_before_the_answer(peer: Peer) -> None:
    reply = peer.call("print_noise", lines=3)
    assert [line.startswith(b"DEBUG demo: noise") for line in reply.noise] == [True] * 3
    assert "3 lines" in reply.text


def test_nothing_else_makes_noise(peer: Peer) -> None:
    for name in ("undeclared_tool", "contradictory_tool", "read_settings"):
        assert peer.call(name).noise == []


def test_a_crash_has_last_words_and_a_status(era: Era, tmp_path: Path) -> None:
    peer = Peer(era, {"TMPDIR": str(tmp_path)})
    peer.call("read_settings")
    assert len(list(tmp_path.glob("signoff-demo-*"))) == 1
    with pytest.raises(Closed):
        peer.call("crash_server", afterSeconds=0)
    assert peer.ended() == 42
    assert "crashing on request" in peer.stderr()
    assert list(tmp_path.iterdir()) == []


def test_the_end_of_input_ends_the_server_even_during_a_call(era: Era, tmp_path: Path) -> None:
    peer = Peer(era, {"TMPDIR": str(tmp_path)})
    peer.call("read_settings")
    assert list(tmp_path.iterdir())
    peer.wait(peer.start("wait_without_total", seconds=600), until_progress=1)
    assert peer.close() == 0
    assert peer.stderr() == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", first_quick([signal.SIGTERM, signal.SIGINT]))
def test_a_signal_ends_the_server_and_clears_up(number: signal.Signals, tmp_path: Path) -> None:
    peer = Peer("legacy", {"TMPDIR": str(tmp_path)})
    peer.call("read_settings")
    assert list(tmp_path.iterdir())
    peer.process.send_signal(number)
    assert peer.ended() == -number
    assert peer.stderr() == ""
    assert list(tmp_path.iterdir()) == []
