"""What of the lessons only shows on the wire: tokens, and an answer after its cancellation."""

from __future__ import annotations

from signoff.app.demo.lessons.outside import KEY_SECONDS, OutsideTools
from signoff.app.demo.sandbox import Sandbox
from tests.approved import approved
from tests.demo.peer import Json, Peer

PROSE = approved("demo")


def test_a_cancelled_migration_answers_and_leaves_the_database_half_way(peer: Peer) -> None:
    request = peer.start("migrate_database")
    peer.wait(request, until_progress=4)
    peer.cancel(request)
    reply = peer.wait(request)
    assert reply.result["isError"] is True
    PROSE.holds("migrate: cancelled", reply.content[0]["text"])
    assert (reply.result.get("resultType") == "complete") == (peer.era == "modern")
    assert peer.call("show_database").data["state"] == "half migrated"
    # An answer that was given is not given again.
    peer.cancel(request)
    assert peer.call("calculate_sum", a=1, b=1).text == "2"


def test_other_cancelled_calls_are_not_answered(peer: Peer) -> None:
    request = peer.start("wait_without_total", seconds=600)
    peer.wait(request, until_progress=1)
    peer.cancel(request)
    other = peer.send("tools/list", {}, progress=False)
    assert "tools" in peer.wait(other).result


def called_with(peer: Peer, meta: Json) -> list[Json]:
    """The messages that come until the answer of a bulk call with this `_meta`."""
    identity = f"bulk-{peer.era}-{meta}"
    params: Json = {"name": "bulk_process_files", "arguments": {"directory": "src"}}
    messages: list[Json] = peer.raw(identity, "tools/call", params, meta)
    return [message for message in messages if message.get("method")]


def test_progress_comes_only_when_it_is_asked_for_and_nought_asks(peer: Peer) -> None:
    assert called_with(peer, {}) == []
    for token in (0, "", "a"):
        told = [message["params"] for message in called_with(peer, {"progressToken": token})]
        assert [one["progressToken"] for one in told] == [token] * 3
        assert told[0]["message"] == "Processing src/app.ts (1/3)"


async def test_a_key_is_forgotten_after_a_day(tmp_path: object) -> None:
    now = 0.0
    tools = OutsideTools(Sandbox(str(tmp_path)), clock=lambda: now, now=lambda: 1_000.0)

    async def said() -> str:
        result = await tools.slack_send_message("#general", "hi", idempotencyKey="k")
        return str(getattr(result.content[0], "text", ""))

    PROSE.holds("message: sent", await said())
    now = KEY_SECONDS - 1
    PROSE.holds("message: sent twice", await said())
    now = KEY_SECONDS
    assert (await said()).endswith(" 1000.000002)")
