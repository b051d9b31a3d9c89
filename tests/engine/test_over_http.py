"""What became of a call over HTTP that got no answer, and how it goes on."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.calls.call import Outcome
from signoff.app.calls.retries import is_unknown
from signoff.app.protocol.server import Phase, Trust
from tests.engine.opened import Approves, opened
from tests.tiers import first_quick
from tests.transport.failing import Failing
from tests.transport.webbed import Asked, answer, web

ALLOW: Policy = built_in("allow-all")


@pytest.mark.parametrize(
    ("name", "outcome", "unknown"),
    first_quick(
        [
            ("forbidden", Outcome.NOT_TAKEN, False),
            ("too_many", Outcome.NOT_TAKEN, False),
            ("broken", Outcome.SERVER_FAILED, True),
            ("reset", Outcome.CONNECTION_LOST, True),
            ("page", Outcome.UNREADABLE, True),
        ],
        2,
        several=True,
    ),
)
async def test_what_a_failure_means_for_the_call(
    name: str, outcome: Outcome, unknown: bool, tmp_path: Path
) -> None:
    log = tmp_path / "audit.jsonl"
    async with web(Failing([name])) as served, opened(url=served.url, policy=ALLOW, log=log) as one:
        call = await one.call(name)
        assert (call.outcome, call.sent, is_unknown(call)) == (outcome, True, unknown)
        assert ("not known" in call.reason) is (unknown and outcome is not Outcome.UNREADABLE)
        if outcome is Outcome.NOT_TAKEN:
            advice = one.engine.advice(call)
            assert not advice.is_offered
        assert (await one.call("fine")).outcome is Outcome.OK
    written = log.read_text()
    assert f'"outcome":"{outcome.value}"' in written.replace(" ", "")
    # What a server says of its refusal is an answer, and none of it is kept.
    assert "workspace" not in written
    assert "Traceback" not in written


async def test_after_a_forgotten_session_a_new_one_takes_the_same_calls() -> None:
    async with (
        web(Failing([])) as served,
        opened(url=served.url, policy=ALLOW, trust=Trust.TRUSTED) as one,
    ):
        for _ in range(2):
            waiting = one.begin("waits")
            await one.watch.call(waiting, lambda call: call.sent)
            async with asyncio.timeout(60):
                while served.asked[-1].method != "tools/call":
                    await asyncio.sleep(0.01)
            refused = await one.call("forgotten")
            lost = await one.ended(waiting)
            assert refused.outcome is Outcome.NOT_TAKEN
            assert lost.outcome is Outcome.CONNECTION_LOST
            assert lost.reason.startswith(f"{refused.reason}; ")
            await one.watch.until(lambda: one.engine.can_reconnect)
            assert one.engine.server.ended_words == refused.reason
            await one.engine.reconnect()
            await one.watch.until(lambda: one.engine.server.phase is Phase.CONNECTED)
            await one.watch.until(lambda: one.engine.is_listed)
            assert (await one.call("fine")).outcome is Outcome.OK


GONE = answer("404 Not Found", json.dumps({"error": "Unknown session"}).encode())
ENOUGH = answer("403 Forbidden", b"enough", "text/plain")
SESSION_GONE = "the server no longer knows the session (404 Not Found: “Unknown session”)"


@pytest.mark.parametrize(
    ("refusal", "words"), [(GONE, SESSION_GONE), (ENOUGH, "403 Forbidden: “enough”")]
)
async def test_a_list_that_is_refused_at_the_last_look_is_the_reason_for_not_sending(
    refusal: bytes, words: str
) -> None:
    class Refusing(Failing):
        has_listed = False

        async def __call__(self, asked: Asked) -> bytes:
            if asked.method == "tools/list" and self.has_listed:
                return refusal
            self.has_listed = self.has_listed or asked.method == "tools/list"
            return await super().__call__(asked)

    async with (
        web(Refusing([])) as served,
        opened(url=served.url, policy=built_in("ask-always")) as one,
    ):
        one.engine.approver = Approves()
        call = await one.call("fine")
        assert not call.sent
        assert "tools/call" not in served.methods()
        if refusal is GONE:
            assert "list" in call.reason
            assert words in call.reason
        else:
            (finding,) = one.engine.findings
            assert finding.code == "list-failed"
            assert finding.message.endswith(words)
