"""What a server has beside its tools: listed late, followed, asked for like a call."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.policies.policy_text import built_in
from signoff.app.calls.call import Outcome
from signoff.app.engine.events import OffersChanged, ResourceChanged
from signoff.app.protocol.answers.content import (
    ImagePart,
    LinkPart,
    TextPart,
    TextResourcePart,
    UnknownPart,
)
from signoff.app.protocol.requests import PromptGet
from signoff.app.protocol.resources.offers import (
    Completion,
    OfferKind,
    Prompt,
    ResourceTemplate,
    read_completion,
)
from signoff.app.protocol.server import Trust
from signoff.app.storage.auditing.chain import read_record
from signoff.app.transport import listing
from tests.approved import approved
from tests.engine.opened import Approves, Asked, Denies, opened
from tests.servers import offering, raw

PROSE = approved("engine")

ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


def server(record: Path | str, *words: str) -> list[str]:
    return [sys.executable, "-S", offering.__file__, str(record), *words]


def asked(record: Path, method: str) -> list[dict[str, Any]]:
    if not record.exists():
        return []
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    return [line["params"] for line in lines if line["method"] == method]


def uris(at: Any) -> list[str]:
    return [one.uri for one in at.engine.offers.of(OfferKind.RESOURCE)]


@ERAS
async def test_the_lists_come_whole_once_they_are_wanted_and_not_before(
    tmp_path: Path, era: str
) -> None:
    record = tmp_path / "record"
    async with opened(argv=server(record, era)) as at, asyncio.timeout(60):
        await at.engine.compared()
        assert not at.engine.offers.has_any
        assert not asked(record, "resources/list")
        await at.engine.offers.listed()
        assert at.engine.offers.kinds == tuple(OfferKind)
        assert [len(at.engine.offers.of(kind)) for kind in OfferKind] == [3, 2, 3]
        await at.engine.offers.listed()
    assert len(asked(record, "resources/list")) == 2
    assert len(at.watch.of(OffersChanged)) == 3


async def test_a_server_without_any_is_not_asked(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with opened(argv=server(record, "bare")) as at:
        await at.engine.offers.listed()
        assert not at.engine.offers.kinds
        assert not at.engine.offers.findings
    assert not asked(record, "resources/list")
    async with opened(argv=raw()) as at:
        await at.engine.offers.listed()
        assert not at.engine.offers.has_any


@ERAS
async def test_a_changed_list_is_fetched_again(era: str) -> None:
    async with opened(argv=server("", era), trust=Trust.TRUSTED) as at:
        await at.engine.offers.listed()
        before = uris(at)
        await at.call("add")
        await at.watch.until(lambda: uris(at) == ["shelf://new/3", *before])


@ERAS
async def test_subscriptions_hold_and_end(era: str) -> None:
    async with opened(argv=server("", era), trust=Trust.TRUSTED) as at:
        offers = at.engine.offers
        await offers.listed()
        assert await offers.subscribe(offering.NOTE) == ""
        assert offers.is_subscribed(offering.NOTE)
        await at.call("update")
        await at.watch.until(lambda: at.watch.of(ResourceChanged))
        assert offers.updated == {offering.NOTE}
        at.engine.approver = Approves()
        assert (await at.ended(at.engine.read(offering.NOTE))).outcome is Outcome.OK
        assert not offers.updated
        assert await offers.unsubscribe(offering.NOTE) == ""
        assert not offers.is_subscribed(offering.NOTE)
        await at.call("update")
        assert not offers.updated


@ERAS
async def test_a_refused_subscription_says_why(era: str) -> None:
    async with opened(argv=server("", era, "refuses")) as at:
        assert await at.engine.offers.subscribe(offering.NOTE)
        assert not at.engine.offers.is_subscribed(offering.NOTE)


async def test_a_new_connection_lists_anew_and_is_subscribed_to_nothing() -> None:
    async with opened(argv=server("")) as at:
        offers = at.engine.offers
        await offers.listed()
        await offers.subscribe(offering.NOTE)
        at.engine.link.kill()
        await at.watch.until(lambda: at.engine.can_reconnect)
        assert not offers.is_subscribed(offering.NOTE)
        assert offers.has_any
        PROSE.holds("offers: the connection was lost", await offers.subscribe(offering.NOTE))
        assert await at.engine.reconnect() == ""
        await at.watch.until(lambda: at.engine.server.is_open and at.engine.is_listed)
        await offers.listed()
        assert await offers.subscribe(offering.NOTE) == ""


@ERAS
async def test_a_prompt_is_asked_about_and_sent_once_as_it_was_approved(
    tmp_path: Path, era: str
) -> None:
    record, log = tmp_path / "record", tmp_path / "audit.log"
    async with opened(argv=server(record, era), log=log) as at:
        at.engine.approver = approver = Approves()
        call = await at.ended(at.engine.get_prompt("greet", {"name": "Ä\u200b"}))
    assert call.outcome is Outcome.OK
    assert call.answer is not None
    assert call.answer.roles == ("user", "assistant")
    assert call.answer.parts[1] == TextPart("gladly")
    assert asked(record, "prompts/get") == [{"name": "greet", "arguments": {"name": "Ä\u200b"}}]
    [question] = approver.questions
    assert question.request == PromptGet("greet")
    assert question.snapshot.arguments() == {"name": "greet", "arguments": {"name": "Ä\u200b"}}
    records = [read_record(line) or {} for line in log.read_bytes().splitlines()]
    told = [one for one in records if one["event"] in ("asked", "decided", "sent", "ended")]
    assert [one["event"] for one in told] == ["asked", "decided", "sent", "ended"]
    assert {one["method"] for one in told} == {"prompts/get"}


async def test_a_denied_prompt_sends_nothing_and_denies_no_read(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with opened(argv=server(record)) as at:
        at.engine.approver = Denies()
        denied = await at.ended(at.engine.get_prompt("plain", {}))
        again = await at.ended(at.engine.get_prompt("greet", {"name": "x"}))
        at.engine.approver = Approves()
        read = await at.ended(at.engine.read(offering.NOTE))
    assert denied.outcome is again.outcome is Outcome.DENIED
    assert again.decision is not None
    PROSE.holds("offers: prompts denied", again.decision.reason)
    assert read.outcome is Outcome.OK
    assert not asked(record, "prompts/get")


@pytest.mark.parametrize("trust", list(Trust))
async def test_policies_judge_a_prompt_like_a_read(trust: Trust) -> None:
    async with opened(argv=server(""), trust=trust) as at:
        for policy in ("cautious", "ask-always", "read-only-loop", "allow-all"):
            at.engine.consent.set_policy(built_in(policy))
            at.engine.approver = Asked() if policy == "allow-all" else Denies()
            read = await at.ended(at.engine.read(offering.NOTE))
            prompt = await at.ended(at.engine.get_prompt("plain", {}))
            at.engine.memory.allow_again("resources/read")
            at.engine.memory.allow_again("prompts/get")
            assert prompt.verdict.answer is read.verdict.answer, policy
            assert prompt.verdict.strong is read.verdict.strong, policy
            words = " ".join(prompt.verdict.reasons)
            assert "read from" not in words, policy
            assert "a read should" not in words, policy


async def test_every_kind_of_message_is_shown_and_what_is_odd_is_said() -> None:
    async with opened(argv=server(""), policy=built_in("allow-all")) as at:
        call = await at.ended(at.engine.get_prompt("every kind", {}))
        missing = await at.ended(at.engine.get_prompt("nothing", {}))
    assert call.answer is not None
    kinds = (ImagePart, TextResourcePart, LinkPart, TextPart, UnknownPart, UnknownPart)
    assert tuple(type(part) for part in call.answer.parts) == kinds
    assert call.answer.roles == (*("user", "assistant", "user", "“system”", "user", "no role"),)
    assert [(finding.code, finding.path) for finding in call.findings] == [
        ("unknown-content", "$.messages[4].content"),
        ("unknown-content", "$.messages[5].content"),
        ("malformed-role", "$.messages[3].role"),
        ("malformed-role", "$.messages[5].role"),
    ]
    assert missing.outcome is Outcome.PROTOCOL_ERROR


@ERAS
async def test_values_are_completed_with_what_is_filled_in_already(
    tmp_path: Path, era: str
) -> None:
    record = tmp_path / "record"
    async with opened(argv=server(record, era)) as at, asyncio.timeout(60):
        offers = at.engine.offers
        await offers.listed()
        prompt, template = offers.of(OfferKind.PROMPT)[1], offers.of(OfferKind.TEMPLATE)[0]
        assert isinstance(prompt, Prompt)
        assert isinstance(template, ResourceTemplate)
        many = await offers.complete(prompt, "name", "", {})
        named = await offers.complete(template, "title", "fi", {"author": "anna", "title": "fi"})
        at.engine.link.kill()
        await at.watch.until(lambda: not at.engine.server.is_open)
        assert await offers.complete(prompt, "name", "", {}) is None
    assert many is not None
    assert (len(many.values), many.total, many.has_more) == (10, 33, True)
    PROSE.holds("offers: more values", many.rest_words)
    assert named == Completion(("first of anna",), 1, has_more=False)
    given = asked(record, "completion/complete")[1]
    assert given == {
        "ref": {"type": "ref/resource", "uri": offering.TEMPLATES[0]["uriTemplate"]},
        "argument": {"name": "title", "value": "fi"},
        "context": {"arguments": {"author": "anna"}},
    }


@pytest.mark.parametrize(
    "raw",
    [
        *(None, {}, {"completion": 1}, {"completion": {"values": "a"}}),
        {"completion": {"values": [1, "a", None], "total": "x", "hasMore": 1}},
    ],
)
def test_odd_completions_never_raise(raw: Any) -> None:
    found = read_completion(raw)
    assert found.is_odd
    assert found.values in ((), ("a",))
    assert not found.rest_words


@ERAS
async def test_a_sign_of_life_takes_a_time(era: str) -> None:
    async with opened(argv=server("", era)) as at, asyncio.timeout(60):
        took, problem = await at.engine.offers.ping()
        assert took > 0
        assert not problem
        at.engine.link.kill()
        await at.watch.until(lambda: not at.engine.server.is_open)
        PROSE.holds("offers: the connection was lost", (await at.engine.offers.ping())[1])


async def test_a_list_that_a_lost_connection_owes_is_asked_of_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where what asks for it has not yet heard of the end when the server is there again."""
    real, may_end, asked_for = listing.list_offers, asyncio.Event(), list[OfferKind]()

    async def slow(ask: Any, kind: OfferKind) -> Any:
        asked_for.append(kind)
        found = await real(ask, kind)
        await may_end.wait()
        return found if asked_for.count(kind) > 1 else None

    monkeypatch.setattr(listing, "list_offers", slow)
    async with opened(argv=server(tmp_path / "record", "legacy")) as at, asyncio.timeout(30):
        at.engine.offers.begin()
        while set(asked_for) != set(OfferKind):
            await asyncio.sleep(0.01)
        at.engine.link.kill()
        await at.watch.until(lambda: at.engine.can_reconnect)
        await at.engine.reconnect()
        await at.engine.compared()
        may_end.set()
        await at.engine.offers.listed()
        assert [len(at.engine.offers.of(kind)) for kind in OfferKind] == [3, 2, 3]
