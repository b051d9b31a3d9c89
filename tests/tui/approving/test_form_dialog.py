"""A form that a server asks for is its dialog: filled in, and sent, on one screen."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from signoff.app.approval.approval import DecisionAnswer
from signoff.app.approval.server_questions import AboutElicitation
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.texts.sheet_line import GUTTER
from signoff.app.tui.approving.form_dialog import FormQuestionDialog
from tests.approved import approved
from tests.questions import of_server
from tests.tiers import first_quick
from tests.tui.approving.test_approval_random import KEYS
from tests.tui.clocks import MovedClock
from tests.tui.stage import Host, Stage

PROSE = approved("tui-approval")
APPROVE = DecisionAnswer.APPROVE
NAME: JsonValue = {
    "type": "object",
    "properties": {
        "who": {"type": "string", "title": "Your name", "description": "As on the badge"},
    },
    "required": ["who"],
}


class FormStage(Stage):
    dialog: FormQuestionDialog

    async def filling(self) -> None:
        await self.arm()
        await self.until(lambda: self.dialog.is_filling)
        await self.pilot.pause()

    async def done(self) -> None:
        """Press f5 and wait until the values are judged."""
        await self.press("f5")
        await self.until(lambda: not self.dialog.is_filling)


@asynccontextmanager
async def form_stage(
    schema: JsonValue = NAME, *, size: tuple[int, int] = (80, 24), message: str = "Who are you?"
) -> AsyncIterator[FormStage]:
    app, clock = Host(), MovedClock()
    async with app.run_test(size=size) as pilot:
        dialog = FormQuestionDialog(of_server(message, schema), clock=clock)
        scene = FormStage(app, pilot, dialog, clock)
        app.push_screen(dialog, scene.decisions.append)
        await pilot.pause()
        yield scene


async def test_one_required_text_takes_five_keys_at_most_on_one_screen() -> None:
    async with form_stage() as scene:
        await scene.filling()
        await scene.press(*"Ada")
        keys = ["f5", "ctrl+y", "ctrl+y"]
        await scene.done()
        await scene.arm()
        assert scene.app.screen is scene.dialog
        assert "Ada" in scene.text
        await scene.press(*keys[1:])
        await scene.rest()
        (decision,) = scene.decisions
        assert decision is not None
        assert decision.answer is APPROVE
        assert decision.answer_sent is not None
        assert decision.answer_sent.arguments() == {"who": "Ada"}
        assert len(keys) <= 5


async def test_the_title_is_the_label_and_a_field_has_two_rows() -> None:
    async with form_stage() as scene:
        rows = scene.text.splitlines()
        (at,) = [at for at, row in enumerate(rows) if "Your name *" in row]
        assert "who" in rows[at + 1]
        assert f"{GUTTER}As on the badge" in rows[at + 1]
        assert "who" not in rows[at]
        assert f"{GUTTER}Who are you?" in scene.text
        assert not scene.dialog.is_filling
        assert scene.app.focused is scene.dialog.query_one("#deny")


async def test_what_was_typed_under_the_fingers_is_not_in_the_form() -> None:
    async with form_stage() as scene:
        for char in "hello":
            await scene.strike(char, 0.3)
        await scene.filling()
        await scene.press(*"Ada")
        await scene.done()
        assert scene.dialog.question.snapshot.arguments() == {"who": "Ada"}


async def test_nothing_is_sent_while_the_keys_go_to_the_form() -> None:
    async with form_stage() as scene:
        await scene.filling()
        await scene.press(*"Ada")
        await scene.press("ctrl+y", "ctrl+y", "q", "v", "e", "space")
        await scene.rest(2)
        await scene.pilot.click("#approve")
        assert scene.decisions == []


async def test_after_f5_it_is_as_deaf_as_any_dialog() -> None:
    async with form_stage() as scene:
        await scene.filling()
        await scene.press(*"Ada")
        await scene.done()
        await scene.hold("ctrl+y", 30)
        await scene.press("enter", "space", "a", after=0.1)
        assert scene.decisions == []
        assert scene.app.focused is scene.dialog.query_one("#deny")
        await scene.arm()
        await scene.press("e")
        assert scene.dialog.is_filling


async def test_esc_cancels_at_any_moment() -> None:
    for is_filling in (False, True):
        async with form_stage() as scene:
            if is_filling:
                await scene.filling()
                await scene.press(*"Ad")
            await scene.press("escape", after=0)
            assert scene.answers == [DecisionAnswer.CANCEL]


async def test_a_missing_value_keeps_the_form() -> None:
    async with form_stage() as scene:
        await scene.filling()
        await scene.press("f5", "tab")
        await asyncio.sleep(0.2)
        assert scene.dialog.is_filling
        await scene.press("shift+tab")
        await scene.until(lambda: not scene.dialog.is_filling)
        await scene.arm()
        assert "ctrl+y" not in scene.keys_said
        await scene.press("enter")
        assert scene.answers == [DecisionAnswer.DENY]


async def test_v_shows_the_exact_json_and_leads_back() -> None:
    async with form_stage() as scene:
        await scene.filling()
        PROSE.holds("form: keys while filling", scene.keys_said)
        await scene.press(*"Ada")
        await scene.done()
        await scene.arm()
        await scene.press("v")
        assert '"who": "Ada"' in scene.sheet
        await scene.arm()
        await scene.press("v")
        assert '"who": "Ada"' not in scene.sheet
        assert "Your name" in scene.text


async def test_a_form_that_does_not_fit_is_read_as_json_to_its_end() -> None:
    fields: dict[str, JsonValue] = {
        f"f{at:02}": {"type": "string", "default": f"d{at}"} for at in range(40)
    }
    async with form_stage({"type": "object", "properties": fields}) as scene:
        await scene.filling()
        await scene.done()
        await scene.arm()
        assert not scene.dialog.can_approve
        await scene.press("ctrl+y", "ctrl+y")
        await scene.rest()
        assert scene.decisions == []
        assert '"f39": "d39"' in scene.sheet
        await scene.press("end")
        await scene.until(lambda: scene.dialog.can_approve)


@pytest.mark.parametrize("seed", first_quick(range(6)))
async def test_random_keys_send_nothing_without_a_pause(seed: int) -> None:
    dice = random.Random(seed)
    async with form_stage() as scene:
        await scene.filling()
        await scene.press(*"Ada")
        keys = (*KEYS, "f5", "e", "shift+tab", "n")
        for _ in range(120):
            await scene.strike(dice.choice(keys), dice.choice((0.0, 0.03, 0.1, 0.2)))
            if scene.decisions:
                break
        await scene.looks()
        assert APPROVE not in scene.answers


async def test_keys_of_a_choice_act_in_the_form() -> None:
    schema: JsonValue = {
        "type": "object",
        "properties": {"sure": {"type": "boolean"}, "why": {"type": "string"}},
    }
    async with form_stage(schema) as scene:
        await scene.filling()
        await scene.press("right", "tab", "q")
        await scene.done()
        answer = scene.dialog.question
        assert isinstance(answer, AboutElicitation)
        assert answer.snapshot.arguments() == {"sure": True, "why": "q"}
