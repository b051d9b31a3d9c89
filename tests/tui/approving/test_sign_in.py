"""Signing in at a server, from the start of the screen to its tools."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx2
import pytest

from signoff.app.approval.sign_in import AboutSignIn
from signoff.app.demo.authorization import AuthorizationServer
from signoff.app.tui.approving import visit_screen
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.visit_screen import VisitScreen
from tests.servers.signing_in import signing_in_with
from tests.transport.sign_in.test_client_sign_in import Behind
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


@pytest.mark.parametrize("size", [WIDE, NARROW, pytest.param(SMALL, marks=pytest.mark.slow)])
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
