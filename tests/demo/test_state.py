"""Records, messages, branches and pages: tools whose repetition matters."""

from __future__ import annotations

from app.demo.network import NetworkTools
from tests.demo.peer import Peer


def test_records_are_numbered_and_defaults_filled_in(peer: Peer) -> None:
    first = peer.call("create_record", kind="note", fields={"title": "One"}).data
    second = peer.call("create_record", kind="note", fields={"title": "One"}).data
    assert first["id"] != second["id"]
    assert first["fields"] == {"title": "One", "priority": "normal", "done": False, "tags": []}
    assert peer.call("create_record", kind="note", fields={"name": "x"}).result["isError"] is True


def test_updating_twice_changes_nothing_the_second_time(peer: Peer) -> None:
    wish = {"userId": "twice", "name": "Twice", "role": "editor"}
    assert peer.call("update_user", **wish).data["changed"] == ["name", "role", "active"]
    assert peer.call("update_user", **wish).data["changed"] == []


def test_counting_twice_counts_twice(peer: Peer) -> None:
    assert peer.call("increment_counter", counter="mine").data["value"] == 1
    assert peer.call("increment_counter", counter="mine", by=4).data["value"] == 5


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


def test_a_branch_is_deleted_once_and_main_never(peer: Peer) -> None:
    def delete(**arguments: object) -> tuple[bool, str]:
        reply = peer.call("github_delete_branch", **arguments)
        return reply.result.get("isError", False), reply.text

    assert delete(branch="feature/confetti")[0] is True
    failed, text = delete(branch="feature/confetti", force=True)
    assert not failed
    assert "Simulated" in text
    assert delete(branch="feature/confetti", force=True)[0] is True
    assert delete(branch="main", force=True)[0] is True


def test_web_search_says_that_it_is_simulated(peer: Peer) -> None:
    text = peer.call("web_search", query="otters", maxResults=2).text
    assert text.startswith("Simulated")
    assert text.count("otters") == 2


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


def test_db_search_understands_its_three_modes(peer: Peer) -> None:
    def rows(**query: object) -> list[str]:
        return [hit["row"] for hit in peer.call("db_search", query=query).data["rows"]]

    assert rows(mode="text", text="HOPPER") == ["Grace Hopper found a moth in a relay"]
    assert rows(mode="text", text="HOPPER", caseSensitive=True) == []
    assert rows(mode="regex", pattern=r"^Donald") == ["Donald Knuth counts every comma"]
    assert rows(mode="semantic", meaning="insect") == ["Grace Hopper found a moth in a relay"]
    assert rows(mode="semantic", meaning="teapot") == []
    assert peer.call("db_search", query={"mode": "regex", "pattern": "("}).result["isError"] is True
    assert peer.call("db_search", query={"mode": "guess"}).result["isError"] is True


def test_sums_and_fibonacci_numbers(peer: Peer) -> None:
    assert peer.call("calculate_sum", numbers=[1, 2, 3.5]).data == {"sum": 6.5, "count": 3}
    assert peer.call("calculate_fibonacci", count=1).data == {"numbers": [0], "last": 0}
    assert peer.call("calculate_fibonacci", count=8).data["numbers"] == [0, 1, 1, 2, 3, 5, 8, 13]
