"""A session of a proxy: what the server gets, what the host is answered, what the log has."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import Decision, DecisionAnswer, deny
from signoff.app.approval.questions.questions import AboutCall, Question
from signoff.app.features.proxy import session
from signoff.app.features.proxy.session import PROTOCOL_ERROR, hold_limit
from tests.features.proxy.stage import (
    DELETE,
    READ,
    Person,
    Stage,
    approved,
    asked,
    events,
    proxied,
    until,
    watching,
)
from tests.tiers import first_quick

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be waited for")
UNSENT = "Signoff did not send this call: "


def words_of(answer: dict[str, Any]) -> str:
    assert answer["result"]["isError"] is True
    return str(answer["result"]["content"][0]["text"])


@contextlib.asynccontextmanager
async def holding(
    tmp_path: Path, person: Person | None = None, *switches: str, **options: Any
) -> AsyncIterator[Stage]:
    """A proxy that has begun and asks a person about what is not read-only."""
    async with proxied(tmp_path, *switches, **{"policy": "cautious", **options}) as stage:
        if person is None:
            await stage.begin()
            yield stage
            return
        async with watching(person):
            await stage.begin()
            yield stage


async def test_a_watched_call_runs_at_once_and_is_logged_as_the_hosts(tmp_path: Path) -> None:
    async with proxied(tmp_path) as stage, watching(Person()) as found:
        await stage.begin()
        stage.call(1, DELETE)
        answer = await stage.line()
        assert (answer["id"], "result" in answer) == (1, True)
        (proxy,) = found.proxies
        await until(lambda: proxy.calls and proxy.calls[1]["is_over"])
        call = proxy.calls[1]
        assert (call["decision"], call["was_sent"]) == ("host", True)
        assert (call["arguments"], proxy.text("host")) == ("name=a", "test-host")
        stage.host.end()
        await stage.ended()
    assert [one["params"] for one in stage.got] == [DELETE]
    named = [one["event"] for one in events(tmp_path)]
    assert [named.count(one) for one in ("decided", "sent", "ended")] == [1, 1, 1]


async def test_what_a_policy_allows_runs_without_a_question(tmp_path: Path) -> None:
    person, pages = Person(), ("--page-size", "1")
    async with holding(tmp_path, person, *pages, policy="allow-all") as stage:
        # The host has not read the page with its tool.
        stage.call(1, READ)
        assert "result" in await stage.line()
        assert person.asked == []
        assert [one["params"] for one in stage.got] == [READ]


@pytest.mark.parametrize("identity", first_quick([7, "seven", "", 2**53]))
async def test_an_approved_call_is_sent_once_as_the_host_wrote_it(
    tmp_path: Path, identity: int | str
) -> None:
    async with holding(tmp_path, person := Person(approved())) as stage:
        given = {**DELETE, "_meta": {"progressToken": "p", "x": [1.0, None]}}
        stage.call(identity, given)
        answer = await stage.line()
        assert (answer["id"], "result" in answer) == (identity, True)
        assert [one["params"] for one in stage.got] == [given]
        question = asked(person)
        assert isinstance(question, AboutCall)
        assert question.snapshot.arguments() == DELETE["arguments"]
        assert question.tool.name == "delete_thing"
        await until(lambda: any(one["event"] == "ended" for one in events(tmp_path)))
    decided = [one for one in events(tmp_path) if one["event"] == "decided"]
    assert [one["decision"]["by"] for one in decided] == ["you"]


async def test_a_denied_call_never_leaves_and_the_host_is_told_who_denied_it(
    tmp_path: Path,
) -> None:
    for_session = Decision(DecisionAnswer.DENY, "you", for_session=True)
    person = Person(deny("you"), deny("you", "not today"), for_session)
    async with holding(tmp_path, person) as stage:
        stage.call(1, DELETE)
        words = words_of(await stage.line())
        assert words == f"{UNSENT}denied by a person. The server got nothing."
        stage.call(2, DELETE)
        assert "denied by a person: not today" in words_of(await stage.line())
        for identity in (3, 4):
            stage.call(identity, DELETE)
            assert UNSENT in words_of(await stage.line())
        assert len(person.asked) == 3
        assert (stage.got, stage.link.waiting) == ([], 0)


async def test_other_arguments_are_judged_and_sent_in_the_place_of_the_hosts(
    tmp_path: Path,
) -> None:
    person = Person(Decision(DecisionAnswer.EDIT, "you"), approved())
    person.edited = {"name": "other", "n": 2**53}
    async with holding(tmp_path, person) as stage:
        stage.call(5, {**DELETE, "_meta": {"progressToken": 1}})
        answer = await stage.line()
        assert answer["id"] == 5
        first = answer["result"]["content"][0]["text"]
        assert first.startswith("Signoff: a person changed the arguments of this call to ")
        assert '"other"' in first
        (got,) = stage.got
        assert got["params"]["arguments"] == person.edited
        assert got["params"]["_meta"] == {"progressToken": 1}
        assert len(person.asked) == 2
        assert asked(person).snapshot.arguments() == person.edited


@pytest.mark.parametrize("has_watcher", [True, False])
async def test_without_an_answer_it_is_denied_in_time(tmp_path: Path, has_watcher: bool) -> None:
    person = Person()
    async with holding(tmp_path, person if has_watcher else None, hold=0.3) as stage:
        stage.call(1, DELETE)
        who = "no answer came" if has_watcher else "no signoff watch runs"
        words = f"denied by the time limit: {who}, and after 0.3 s it is denied"
        assert words in words_of(await stage.line())
        await until(lambda: person.voided or not has_watcher)
        assert stage.got == []


async def test_a_protocol_error_if_that_is_wanted(tmp_path: Path) -> None:
    async with holding(tmp_path, Person(deny("you")), denial=PROTOCOL_ERROR) as stage:
        stage.call(1, DELETE)
        error = (await stage.line())["error"]
        assert (error["code"], error["message"].startswith(UNSENT)) == (-32000, True)


async def test_an_unlisted_tool_and_arguments_that_are_no_object_are_refused(
    tmp_path: Path,
) -> None:
    async with proxied(tmp_path, policy="allow-all") as stage, watching(Person()) as found:
        stage.call("early", READ)
        assert "agreed on no revision" in words_of(await stage.line())
        await stage.begin()
        for name in ("no_such_tool", "Delete_Thing", "", "\x1b[31m"):
            stage.call(name, {"name": name, "arguments": {}})
            words = words_of(await stage.line())
            assert "the server does not list a tool" in words
            assert "\x1b" not in words
        for arguments in ([1], "a", 3, True):
            stage.call(repr(arguments), {"name": "echo", "arguments": arguments})
            assert "its arguments are not an object" in words_of(await stage.line())
        assert stage.got == []
        await until(lambda: found.proxies[0].notes)
        await until(lambda: any(one["event"] == "send-blocked" for one in events(tmp_path)))


async def test_a_call_before_any_list_is_judged_by_the_definition(tmp_path: Path) -> None:
    """Written in one go, as a script does that waits for nothing."""
    person = Person(approved())
    async with proxied(tmp_path, policy="cautious") as stage, watching(person):
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x"}}
        stage.host.send(id=1, method="initialize", params=params)
        stage.host.send(method="notifications/initialized")
        stage.call(2, DELETE)
        assert [(await stage.line())["id"] for _ in range(2)] == [1, 2]
        question = asked(person)
        assert isinstance(question, AboutCall)
        assert question.tool.raw is not None
        assert len(stage.got) == 1


async def test_a_host_of_2026_that_begins_with_a_call(tmp_path: Path) -> None:
    person = Person(approved(), deny("you"))
    about = "io.modelcontextprotocol"
    meta = {
        f"{about}/protocolVersion": "2026-07-28",
        f"{about}/clientInfo": {"name": "new-host", "version": "1"},
        f"{about}/clientCapabilities": {},
    }
    async with proxied(tmp_path, "--era", "modern", policy="cautious") as stage, watching(person):
        for identity in (1, 2):
            stage.call(identity, {**DELETE, "_meta": meta})
            assert (await stage.line())["result"]["resultType"] == "complete"
        assert len(stage.got) == 1


async def test_reads_and_prompts_are_asked_about_too(tmp_path: Path) -> None:
    person = Person(*[deny("you"), approved()] * 2)
    async with holding(tmp_path, person, policy="ask-always") as stage:
        for method, params in (
            ("resources/read", {"uri": "file:///secret"}),
            ("prompts/get", {"name": "review", "arguments": {"a": "1"}}),
        ):
            sent = len(stage.got)
            stage.call(f"1 {method}", params, method)
            assert (await stage.line())["error"]["message"].startswith(UNSENT)
            assert len(stage.got) == sent
            stage.call(f"2 {method}", params, method)
            assert (await stage.line())["id"] == f"2 {method}"
            assert [one["params"] for one in stage.got[sent:]] == [params]
            assert asked(person).snapshot.method == method


class Lets(Person):
    """Approves the call that changes the tools, and leaves every other question open."""

    async def ask(self, question: Question) -> Decision:
        if isinstance(question, AboutCall) and question.tool.name == "change_tools":
            return approved()
        return await super().ask(question)


async def test_a_definition_that_changed_while_it_was_asked_about_is_not_sent(
    tmp_path: Path,
) -> None:
    async with holding(tmp_path, person := Lets(), policy="ask-always") as stage:
        stage.call(1, DELETE)
        await until(lambda: person.asked)
        stage.call(2, {"name": "change_tools", "arguments": {}})
        while (answer := await stage.line()).get("id") != 1:
            pass
        assert UNSENT in words_of(answer)
        assert [one["params"]["name"] for one in stage.got] == ["change_tools"]
        await until(lambda: person.voided)


async def test_a_host_that_takes_a_call_back_closes_the_question(tmp_path: Path) -> None:
    person = Person()
    async with proxied(tmp_path, policy="cautious") as stage, watching(person) as found:
        await stage.begin()
        stage.call(1, DELETE)
        await until(lambda: person.asked)
        stage.host.send(method="notifications/cancelled", params={"requestId": 1})
        await until(lambda: person.voided)
        await until(lambda: found.proxies[0].calls[1]["is_over"])
        stage.host.send(id=2, method="ping")
        assert (await stage.line())["id"] == 2
        assert stage.got == []


async def test_progress_keeps_a_host_waiting_and_ends_with_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_PROGRESS_SECONDS", 0.02)
    async with holding(tmp_path) as stage:
        stage.call(1, {**DELETE, "_meta": {"progressToken": "p"}})
        steps = [(await stage.line())["params"] for _ in range(3)]
        assert [(one["progress"], one["progressToken"]) for one in steps] == [
            *((1, "p"), (2, "p"), (3, "p")),
        ]
        async with watching(Person(deny("you"))):
            while "id" not in (line := await stage.line()):
                assert line["method"] == "notifications/progress"
        stage.host.send(id=2, method="ping")
        assert (await stage.line())["id"] == 2


async def test_two_hosts_at_once_are_asked_about_by_one_person(tmp_path: Path) -> None:
    person = Person(approved(), approved())
    async with (
        proxied(tmp_path, policy="cautious") as one,
        proxied(tmp_path, policy="cautious") as other,
        watching(person) as found,
    ):
        await until(lambda: len(found.proxies) == 2)
        for stage, path in ((one, "1"), (other, "2")):
            await stage.begin()
            stage.call(1, {**DELETE, "arguments": {"name": path}})
        for stage, path in ((one, "1"), (other, "2")):
            assert (await stage.line())["id"] == 1
            assert [got["params"]["arguments"] for got in stage.got] == [{"name": path}]
        assert len({question.call for question in person.asked}) == 2


@pytest.mark.parametrize("holds", [True, False])
async def test_a_host_that_ends_gets_its_answers_first(tmp_path: Path, holds: bool) -> None:
    async with proxied(tmp_path, policy="allow-all" if holds else "") as stage:
        await stage.begin()
        for identity in range(20):
            stage.call(identity, READ)
        stage.host.end()
        assert sorted([(await stage.line())["id"] for _ in range(20)]) == list(range(20))
        await stage.ended()


async def test_a_host_that_is_killed_while_it_is_asked_about_sends_nothing(tmp_path: Path) -> None:
    async with holding(tmp_path, person := Person(), hold=1_000) as stage:
        stage.call(1, DELETE)
        await until(lambda: person.asked)
        stage.host.vanish()
        await stage.ended()
        assert stage.got == []


async def test_a_call_that_cannot_be_followed_does_not_keep_the_proxy(tmp_path: Path) -> None:
    async with proxied(tmp_path) as stage:
        await stage.begin()
        stage.call(1, {"name": "echo", "arguments": [1]})
        stage.call(2, {"name": "never", "arguments": {}})
        stage.call(2, {"name": "echo", "arguments": {}})
        stage.host.end()
        await stage.ended()


def test_a_host_that_was_measured_is_held_for_less_than_it_waits() -> None:
    for client in ("codex-mcp-client", "claude-code", "opencode"):
        limit = hold_limit(client)
        assert 5 <= limit.seconds <= limit.with_progress <= 600
        assert limit != hold_limit("a host that was not measured")
    for name in ("", "x", "my-agent", "\x1b", "cod"):
        assert hold_limit(name).seconds == 45


async def test_changed_definitions_are_noted_without_a_policy(tmp_path: Path) -> None:
    async with proxied(tmp_path) as stage, watching() as found:

        async def answered(identity: object) -> None:
            while (await stage.line()).get("id") != identity:
                pass

        await stage.begin()
        stage.call(1, {"name": "change_tools", "arguments": {}})
        await answered(1)
        stage.host.send(id="again", method="tools/list", params={})
        await answered("again")
        (proxy,) = found.proxies
        await until(lambda: any("the tools are others than before" in one for one in proxy.notes))
