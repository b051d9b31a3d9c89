"""Progress and cancellation, in both eras."""

from __future__ import annotations

from tests.demo.peer import Json, Peer


def settled(peer: Peer) -> Json:
    """The database once the cancellation has reached the tool, or as it is after 50 looks."""
    for _ in range(50):
        shown = peer.call("show_database").data
        if shown["state"] != "migrating":
            break
    return shown


def test_migration_reports_every_step(peer: Peer) -> None:
    reply = peer.call("migrate_database", stepSeconds=0)
    values = [update["progress"] for update in reply.progress]
    assert values == [float(n) for n in range(16)]
    assert {update["total"] for update in reply.progress} == {15}
    assert reply.progress[3]["message"] == "drop column users.name"
    assert "15 of 15" in reply.text
    assert peer.call("show_database").data["state"] == "new schema"


def test_a_dry_run_changes_nothing(peer: Peer) -> None:
    before = peer.call("show_database").data
    reply = peer.call("migrate_database", dryRun=True)
    assert "15. unlock the tables" in reply.text
    assert reply.progress == []
    assert peer.call("show_database").data == before


def test_cancelling_stops_the_migration_half_way(peer: Peer) -> None:
    request = peer.start("migrate_database", stepSeconds=0.1)
    peer.wait(request, until_progress=4)
    peer.cancel(request)
    left = settled(peer)
    assert left["state"] == "half migrated"
    assert 3 <= left["stepsApplied"] < 15
    assert left["nextStep"]
    # Were the work still going on, a wait of two steps would move it.
    peer.call("wait_without_total", seconds=0.21)
    assert peer.call("show_database").data == left


def test_waiting_reports_no_total(peer: Peer) -> None:
    reply = peer.call("wait_without_total", seconds=0.25)
    assert len(reply.progress) >= 2
    assert all(update.get("total") is None for update in reply.progress)
    values = [update["progress"] for update in reply.progress]
    assert values == sorted(set(values))


def test_progress_can_be_made_to_go_backwards(peer: Peer) -> None:
    reply = peer.call("progress_backwards", stepSeconds=0)
    assert [update["progress"] for update in reply.progress] == [1, 2, 3, 2, 5]
