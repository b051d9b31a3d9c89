"""Messages and pages of the gallery: tools whose repetition matters."""

from __future__ import annotations

from signoff.app.demo.network import NetworkTools
from tests.demo.peer import Peer


def test_a_repeated_key_replays_the_first_message(peer: Peer) -> None:
    message = {"to": "ada", "text": "once", "idempotencyKey": "k-1"}
    first = peer.call("send_message", **message).data
    again = peer.call("send_message", **message).data
    assert (first["isNew"], again["isNew"]) == (True, False)
    assert again["messageId"] == first["messageId"]
    assert "New" in first["note"]
    assert "Replayed" in again["note"]
    misused = peer.call("send_message", **{**message, "text": "another"})
    assert misused.result["isError"] is True
    without = {"to": "ada", "text": "once"}
    one, two = (peer.call("send_message", **without).data for _ in range(2))
    assert one["messageId"] != two["messageId"]
    assert one["isNew"] is two["isNew"] is True


async def test_a_key_is_forgotten_after_a_day() -> None:
    now = 0.0
    network = NetworkTools(clock=lambda: now)

    async def is_new() -> object:
        result = await network.send_message("ada", "hi", idempotencyKey="k")
        assert result.structured_content is not None
        return result.structured_content["isNew"]

    assert await is_new() is True
    now = 24 * 3600 - 1
    assert await is_new() is False
    now = 24 * 3600
    assert await is_new() is True


def test_pages_are_followed_to_the_end(peer: Peer) -> None:
    seen: list[str] = []
    cursor, pages = "", 0
    while True:
        page = peer.call("list_repositories", cursor=cursor, pageSize=6).data
        seen += [repository["name"] for repository in page["repositories"]]
        pages += 1
        if "nextCursor" not in page:
            break
        cursor = page["nextCursor"]
    assert (pages, len(seen), len(set(seen)), page["total"]) == (4, 23, 23, 23)


def test_unknown_cursors_are_an_error_of_the_tool(peer: Peer) -> None:
    for cursor in ("nope", "cmVwb3MtYWZ0ZXI6OTk5", "é", "cmVwb3MtYWZ0ZXI6NQ"):
        reply = peer.call("list_repositories", cursor=cursor)
        assert reply.result["isError"] is True
        assert "Unknown cursor" in reply.text
