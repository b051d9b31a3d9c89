"""Progress of every manner, in both eras."""

from __future__ import annotations

from tests.demo.peer import Peer


def test_waiting_reports_no_total(peer: Peer) -> None:
    reply = peer.call("wait_without_total", seconds=0.25)
    assert len(reply.progress) >= 2
    assert all(update.get("total") is None for update in reply.progress)
    values = [update["progress"] for update in reply.progress]
    assert values == sorted(set(values))


def test_progress_can_be_made_to_go_backwards(peer: Peer) -> None:
    reply = peer.call("progress_backwards", stepSeconds=0)
    assert [update["progress"] for update in reply.progress] == [1, 2, 3, 2, 5]
