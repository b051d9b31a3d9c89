"""Questions before a server answers: a sign-in, turns between servers, a form from a file."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.app.approval.sign_in import AboutSignIn
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.demo.authorization import AuthorizationServer
from signoff.app.tui.approving import visit_screen
from signoff.app.tui.approving.answer_form import AnswerFormScreen, canned_answer
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.asker import DialogTurns
from signoff.app.tui.approving.visit_screen import VisitScreen
from tests.servers.signing_in import signing_in_with
from tests.tiers import first_quick
from tests.transport.sign_in.test_client_sign_in import Behind
from tests.tui.approving.test_asked_by_server_screen import asked, said, send
from tests.tui.bench_stage import NARROW, SMALL, WIDE, BenchStage, bench_stage
from tests.tui.clocks import arm, press_slowly


@pytest.fixture(autouse=True)
def no_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    """No browser of whoever runs the tests opens."""
    monkeypatch.setattr(visit_screen, "find_program", lambda: "")


@pytest.fixture
def served() -> Iterator[tuple[str, AuthorizationServer, Behind]]:
    behind = Behind()
    with signing_in_with("", behind) as (url, server):
        yield url, server, behind


async def question(stage: BenchStage) -> ApprovalDialog:
    """The dialog about the sign-in, once it listens."""
    dialog = await stage.is_open(ApprovalDialog)
    assert isinstance(dialog.question, AboutSignIn)
    await arm(stage, dialog)
    return dialog


async def agree(stage: BenchStage) -> VisitScreen:
    """Agree in the dialog, and come to the screen of the page."""
    dialog = await question(stage)
    await stage.press("end")
    await stage.until(lambda: dialog.can_approve, "all of it to be seen")
    await press_slowly(stage, "ctrl+y", "ctrl+y")
    return await stage.is_open(VisitScreen)


async def answered_at(url: str) -> str:
    """The address to which the page leads, which no browser follows here."""
    async with httpx2.AsyncClient() as web:
        response = await web.get(url)
    return str(response.headers["location"])


@pytest.mark.parametrize("size", first_quick([WIDE, NARROW, SMALL]))
async def test_from_the_start_to_the_tools(
    size: tuple[int, int], served: tuple[str, AuthorizationServer, Behind]
) -> None:
    url, server, behind = served
    async with bench_stage(url=url, size=size, is_listed=False) as stage:
        dialog = await question(stage)
        if size != SMALL:
            await stage.sees("Sign in at this server?", server.issuer, "demo:read", "back to")
        assert not server._clients
        assert dialog.focused is dialog.first_stop
        screen = await agree(stage)
        await stage.sees("Sign in at 127.0.0.1", "waits 5:00")
        async with httpx2.AsyncClient(follow_redirects=True) as web:
            page = await web.get(screen.visit.url)
        assert "go back to the terminal" in page.text
        await stage.until(lambda: stage.engine.is_listed, "the tools")
        await stage.has_left(VisitScreen)
        assert not any(one in stage.text for one in behind.tokens)


async def test_the_address_of_another_machine_is_pasted(
    served: tuple[str, AuthorizationServer, Behind],
) -> None:
    async with bench_stage(url=served[0], is_listed=False) as stage:
        screen = await agree(stage)
        target = await answered_at(screen.visit.url)
        await stage.paste("http://127.0.0.1:9/elsewhere?code=x&state=y")
        await stage.press("enter")
        await stage.sees("that is another address: it begins with http://127.0.0.1:")
        await stage.press("ctrl+u")
        await stage.paste(target)
        await stage.press("enter")
        await stage.until(lambda: stage.engine.is_listed, "the tools")


async def test_a_refusal_and_a_page_that_is_given_up_are_the_end_until_a_restart(
    served: tuple[str, AuthorizationServer, Behind],
) -> None:
    url, server, _ = served
    async with bench_stage(url=url, is_listed=False, keeps=True) as stage:
        await question(stage)
        await stage.press("escape")
        await stage.sees("A sign-in is required.", "not signed in: refused by you")
        assert not server._clients
        await stage.press("shift+f5")
        await agree(stage)
        await stage.press("escape")
        await stage.sees("not signed in: the page was given up")
        assert not [one for one in asyncio.all_tasks() if one.get_name() == "sign-in"]
        await stage.press("shift+f5")
        screen = await agree(stage)
        async with httpx2.AsyncClient(follow_redirects=True) as web:
            await web.get(screen.visit.url)
        await stage.until(lambda: stage.engine.is_listed, "the tools")


@pytest.mark.slow
async def test_the_program_can_be_left_while_it_asks(
    served: tuple[str, AuthorizationServer, Behind],
) -> None:
    async with bench_stage(url=served[0], is_listed=False) as stage:
        await question(stage)
    async with bench_stage(url=served[0], is_listed=False) as stage:
        await agree(stage)


async def test_nothing_typed_ahead_agrees(
    served: tuple[str, AuthorizationServer, Behind],
) -> None:
    url, server, _ = served
    async with bench_stage(url=url, is_listed=False) as stage:
        await stage.is_open(ApprovalDialog)
        await stage.press("enter", "ctrl+y", "ctrl+y", "space", "y", "end", "tab", "tab", "enter")
        await stage.pilot.pause(0.3)
        assert isinstance(stage.app.screen, ApprovalDialog)
        assert not server._clients


@pytest.mark.slow
async def test_a_client_that_the_page_does_not_know_is_registered_again(
    served: tuple[str, AuthorizationServer, Behind],
) -> None:
    url, server, _ = served
    async with bench_stage(url=url, is_listed=False, keeps=True) as stage:
        await agree(stage)
        await stage.press("f8")
        assert isinstance(stage.app.screen, VisitScreen)
        await stage.press("escape")
        await stage.sees("the page was given up")
    first = {*server._clients}
    async with bench_stage(url=url, is_listed=False, keeps=True) as stage:
        screen = await agree(stage)
        async with httpx2.AsyncClient(follow_redirects=True) as web:
            await web.get(screen.visit.url)
        await stage.until(lambda: stage.engine.is_listed, "the tools")
    known = {*server._clients} - first
    # The authorization server starts again, and has forgotten everything.
    server._clients.clear()
    server._tokens.clear()
    server._refreshes.clear()
    async with bench_stage(url=url, is_listed=False, keeps=True) as stage:
        before = await agree(stage)
        await stage.sees("f8 registers Signoff again", "Register again")
        assert any(one in before.visit.url for one in known)
        await stage.press("f8")
        await stage.until(
            lambda: isinstance(stage.app.screen, VisitScreen) and stage.app.screen is not before,
            "another page",
        )
        page = stage.app.screen
        assert isinstance(page, VisitScreen)
        async with httpx2.AsyncClient(follow_redirects=True) as web:
            await web.get(page.visit.url)
        await stage.until(lambda: stage.engine.is_listed, "the tools")


class Owner:
    """An approver with a number of waiting questions."""

    def __init__(self, waiting: int = 0) -> None:
        self.own_waiting = waiting
        self.shown: list[int] = []

    def show_waiting(self, number: int) -> None:
        self.shown.append(number)


async def in_turns(arrivals: list[Owner]) -> list[Owner]:
    """The owners in the order of their turns, if all ask before the first turn ends."""
    turns, order = DialogTurns(), []
    first_may_end = asyncio.Event()

    async def ask(owner: Owner) -> None:
        await turns.take(owner)
        order.append(owner)
        await first_may_end.wait()
        turns.give()

    tasks = []
    for owner in arrivals:
        tasks.append(asyncio.create_task(ask(owner)))
        await asyncio.sleep(0)
    first_may_end.set()
    await asyncio.gather(*tasks)
    return order


async def test_questions_of_one_server_keep_their_order_and_only_one_has_its_turn() -> None:
    turns, owner, order, now = DialogTurns(), Owner(), [], 0

    async def ask(number: int) -> None:
        nonlocal now
        await turns.take(owner)
        now += 1
        assert now == 1
        order.append(number)
        await asyncio.sleep(0)
        now -= 1
        turns.give()

    await asyncio.gather(*(ask(number) for number in range(20)))
    assert order == list(range(20))


async def test_a_flood_of_one_server_holds_no_question_of_another_up() -> None:
    flood, other = Owner(), Owner()
    order = await in_turns([flood] * 100 + [other])
    assert order.index(other) == 1


async def test_servers_that_ask_alternately_are_asked_in_the_order_of_arrival() -> None:
    one, two, three = Owner(), Owner(), Owner()
    arrivals = [two, one, three, one, three, two]
    assert await in_turns(arrivals) == arrivals


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=40))
def test_each_question_has_one_turn_and_waits_for_its_share_alone(arrivals: list[int]) -> None:
    owners = [Owner() for _ in range(5)]
    order = asyncio.run(in_turns([owners[number] for number in arrivals]))
    assert Counter(order) == Counter(owners[number] for number in arrivals)
    # Before the n-th question of one server, each other one has had at most n turns.
    for at, owner in enumerate(order):
        before = Counter(order[:at])
        assert all(before[other] <= before[owner] + 1 for other in owners), order


async def test_a_question_that_is_taken_back_leaves_the_queue() -> None:
    turns, one, two = DialogTurns(), Owner(), Owner()
    await turns.take(one)
    waiting = asyncio.create_task(turns.take(two))
    last = asyncio.create_task(turns.take(one))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    turns.give()
    await asyncio.wait_for(last, 10)


async def test_a_turn_that_comes_as_its_question_is_taken_back_goes_to_the_next() -> None:
    turns, one, two = DialogTurns(), Owner(), Owner()
    await turns.take(one)
    waiting = asyncio.create_task(turns.take(two))
    last = asyncio.create_task(turns.take(one))
    await asyncio.sleep(0)
    turns.give()
    waiting.cancel()
    await asyncio.wait_for(last, 10)
    assert waiting.cancelled()


def test_waiting_questions_are_counted_over_all_servers() -> None:
    turns, one, two = DialogTurns(), Owner(2), Owner(3)
    turns.add(one)
    turns.add(two)
    turns.tell_waiting()
    assert (turns.waiting, one.shown, two.shown) == (5, [5], [5])


async def test_a_canned_answer_is_shown_before_it_is_sent(tmp_path: Path) -> None:
    file = tmp_path / "canned.json"
    file.write_text(json.dumps({"text": "by a file", "model": "mine"}), encoding="utf-8")
    async with bench_stage("--only", "asks_sampling", "--era", "legacy", size=NARROW) as stage:
        await asked(stage, "asks_sampling")
        await stage.press("e")
        await stage.is_open(AnswerFormScreen)
        await stage.sees("f11 File")
        await stage.press("f11")
        await stage.sees("a file with")
        await stage.press("escape")
        await stage.no_longer_sees("a file with")
        await stage.press("f11")
        await stage.paste(str(file) + "x")
        await stage.press("enter")
        await stage.sees("Not taken: ")
        await stage.press("backspace", "enter")
        await stage.sees("by a file", "mine", "endTurn")
        assert stage.app.focused is not None
        await stage.press("f5")
        await stage.is_open(ApprovalDialog)
        await stage.sees('"text": "by a file"', '"model": "mine"')
        await send(stage)
        assert "'text': 'by a file'" in said(await stage.end())


@pytest.mark.slow
async def test_a_question_that_is_over_takes_the_name_of_the_file_along(tmp_path: Path) -> None:
    async with bench_stage("--only", "asks_elicitation", "--era", "modern") as stage:
        await asked(stage, "asks_elicitation")
        await stage.press("f11")
        await stage.is_open(AnswerFormScreen)
        await stage.press("f11")
        await stage.sees("a file with")
        stage.engine.cancel(stage.newest)
        await stage.has_left(AnswerFormScreen)
        await stage.end()


MODEL: dict[str, JsonValue] = {
    "role": "assistant",
    "content": {"type": "text", "text": "no"},
    "model": "some-model",
    "stopReason": "endTurn",
}


@pytest.mark.parametrize(
    ("kind", "given", "fields"),
    [
        ("sampling", {"text": "no"}, {"text": "no"}),
        ("sampling", MODEL, {"text": "no", "model": "some-model", "stopReason": "endTurn"}),
        ("sampling", {"sampling": ["decline", "no"], "elicitation": []}, {"text": "no"}),
        ("sampling", {"sampling": [{"text": "no", "model": "m"}]}, {"text": "no", "model": "m"}),
        ("elicitation", {"sure": True}, {"sure": True}),
        ("elicitation", {"action": "accept", "content": {"sure": True}}, {"sure": True}),
        ("elicitation", {"action": "go", "sure": True}, {"action": "go", "sure": True}),
        (
            "elicitation",
            {"elicitation": ["cancel", {"action": "accept", "content": {"sure": True}}]},
            {"sure": True},
        ),
    ],
)
def test_a_file_has_the_fields_in_several_ways(
    kind: str, given: dict[str, JsonValue], fields: dict[str, JsonValue]
) -> None:
    assert canned_answer(kind, given) == fields


@pytest.mark.parametrize(
    "given",
    [
        {"sampling": ["decline"]},
        {"elicitation": []},
        {"action": "decline"},
        {"action": "accept"},
    ],
)
def test_a_file_that_accepts_nothing_fills_in_nothing(given: dict[str, JsonValue]) -> None:
    with pytest.raises(ValueError, match=r"accepts no|no content"):
        canned_answer("sampling", given)
