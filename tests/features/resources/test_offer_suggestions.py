"""Suggestions of a server in the form of a prompt or a template: taken, narrowed, never a wait."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from signoff.app.features.resources.form import OfferFormScreen, SuggestionList
from signoff.app.protocol.resources.offers import Completion
from tests.approved import approved
from tests.engine.opened import Asked
from tests.features.resources.test_offers_screen import asked, on_offers
from tests.tui.bench_stage import NARROW
from tests.tui.screen_stage import ScreenStage

PROSE = approved("tui-browse")


async def at_form(stage: ScreenStage, *keys: str) -> SuggestionList:
    """Open the form of the offer that these keys lead to."""
    await stage.press(*keys, "enter")
    await stage.is_open(OfferFormScreen)
    return stage.screen.query_one(SuggestionList)


@pytest.mark.slow
async def test_suggestions_come_for_the_field_narrow_and_are_taken_by_a_key(
    tmp_path: Path,
) -> None:
    record = tmp_path / "record"
    approver = Asked()
    async with on_offers(record, size=NARROW, approver=approver) as stage:
        listed = await at_form(stage, "tab", "tab", "down")
        await stage.until(lambda: len(listed.rows) == 10, "suggestions")
        PROSE.holds("offer form: suggestions", stage.whole(".suggested"))
        await stage.type("c")
        await stage.until(lambda: listed.rows == ("cnna", "crno", "clex"), "those with c")
        await stage.press("f8")
        await stage.sees("› cnna", "server's example")
        await stage.press("f8")
        await stage.sees("› crno")
        await stage.press("shift+f8", "shift+f8")
        await stage.sees("› clex")
        # Taking one asks for no others.
        assert listed.rows == ("cnna", "crno", "clex")
        assert asked(record, "completion/complete")[-1]["argument"] == {
            "name": "name",
            "value": "c",
        }
        await stage.pilot.click(SuggestionList, offset=(3, listed.rows.index("crno")))
        await stage.press("f5")
        question = await approver.question()
        assert question.snapshot.arguments()["arguments"] == {"name": "crno"}
        assert not asked(record, "prompts/get")


@pytest.mark.slow
async def test_what_is_filled_in_already_goes_along(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with on_offers(record) as stage:
        listed = await at_form(stage, "tab")
        await stage.type("anna")
        await stage.press("tab")
        await stage.until(lambda: listed.rows == ("first of anna", "second of anna"), "titles")
        await stage.type("s")
        await stage.until(lambda: listed.rows == ("second of anna",), "one title")
        await stage.press("f8")
        await stage.sees("shelf://books/anna/second%20of%20anna")
        await stage.type("!")
        await stage.sees("nothing is suggested")
        assert not listed.rows
        PROSE.holds("offer form: no suggestion", stage.whole(".suggested"))
    assert asked(record, "completion/complete")[-1] == {
        "ref": {"type": "ref/resource", "uri": "shelf://books/{author}/{title}{?page}"},
        "argument": {"name": "title", "value": "second of anna!"},
        "context": {"arguments": {"author": "anna"}},
    }


async def test_a_server_that_never_answers_holds_up_nothing() -> None:
    approver = Asked()
    async with on_offers("", "mute", approver=approver) as stage:
        listed = await at_form(stage, "tab", "tab", "down")
        await stage.type("Anna")
        assert not listed.rows
        await stage.press("f8", "f5")
        question = await approver.question()
        assert question.snapshot.arguments()["arguments"] == {"name": "Anna"}


@pytest.mark.slow
async def test_an_answer_that_comes_too_late_is_dropped() -> None:
    async with on_offers() as stage:
        offers, may_answer = stage.engine.offers, asyncio.Event()
        told: list[str] = []

        async def complete(offer: object, name: str, begun: str, others: object) -> Completion:
            told.append(begun)
            if not begun:
                # It goes on although it was cancelled, as a slow answer would.
                try:
                    await may_answer.wait()
                except asyncio.CancelledError:
                    await may_answer.wait()
            return Completion((f"for {begun or 'nothing'}",))

        offers.complete = complete  # type: ignore[method-assign, assignment]
        listed = await at_form(stage, "tab", "tab", "down")
        await stage.until(lambda: told == [""], "the first request")
        await stage.type("x")
        await stage.until(lambda: listed.rows == ("for x",), "the newer one")
        may_answer.set()
        await stage.pilot.pause(0.2)
        assert listed.rows == ("for x",)
