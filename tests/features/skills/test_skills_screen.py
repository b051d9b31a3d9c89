"""The screen of skills: it reads what was approved, and shows what differs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from signoff.app.features.skills.dialog import SkillDialog
from signoff.app.features.skills.screen import SkillsScreen, can_show
from signoff.app.protocol.wire.frames import CLIENT
from signoff.app.protocol.wire.reading import read
from tests.engine.opened import Denies, opened
from tests.features.skills.skills_stage import on_skills
from tests.tui.clocks import arm, press_slowly
from tests.tui.screen_stage import ScreenStage


def reads(stage: ScreenStage) -> list[Any]:
    sent = [read(one) for one in stage.engine.link.wire.since(0) if one.sender == CLIENT]
    return [one for one in sent if one.method == "resources/read"]


async def test_it_opens_without_reading_a_file() -> None:
    async with on_skills() as stage:
        assert isinstance(stage.screen, SkillsScreen)
        assert reads(stage) == []
        assert can_show(stage.engine)


async def test_every_file_is_verified_after_its_approval() -> None:
    async with on_skills() as stage:
        await stage.press("v")
        await stage.until(lambda: len(reads(stage)) == 3, "three reads")
        await stage.sees("verified")
        approver: Any = stage.engine.approver
        assert len(approver.questions) == 3


async def test_a_file_that_lies_is_marked_and_its_text_is_safe() -> None:
    async with on_skills() as stage:
        await stage.press("down", "enter")
        await stage.sees("DIFFERS")
        sheet = stage.whole("SheetView")
        assert "skill-frontmatter-differs" in sheet
        assert "addresses-model" in sheet
        assert "\x1b" not in sheet
        assert "[b]x[/b]" in sheet
        assert len(reads(stage)) == 1


async def test_what_is_denied_is_not_read() -> None:
    async with on_skills(approver=Denies()) as stage:
        await stage.press("v")
        await stage.sees("not read")
        assert reads(stage) == []


async def test_the_filter_leaves_what_has_its_words() -> None:
    async with on_skills() as stage:
        await stage.press("slash")
        await stage.type("lyi")
        await stage.no_longer_sees("notes  ")
        await stage.press("escape", "escape")
        await stage.is_back()


@pytest.mark.parametrize("on", [(), ("skills",)])
async def test_without_the_extension_there_is_nothing_to_show(on: tuple[str, ...]) -> None:
    async with opened(experimental=on) as it:
        assert not can_show(it.engine)


async def test_a_skill_is_approved_after_all_of_it_was_seen(tmp_path: Path) -> None:
    async with on_skills(store=tmp_path / "store") as stage:
        await stage.press("a")
        await stage.is_told("v first")
        await stage.press("v")
        await stage.sees("› verified")
        await stage.press("a")
        await stage.until(lambda: isinstance(stage.screen, SkillDialog), "the dialog")
        dialog: Any = stage.screen
        sheet = dialog.sheet
        await arm(stage, dialog)
        await press_slowly(stage, "tab", "enter")
        assert isinstance(stage.screen, SkillDialog)
        await stage.press("end")
        await stage.until(lambda: sheet.end_seen)
        await press_slowly(stage, "tab", "enter")
        await stage.until(lambda: stage.screen is not dialog, "an answer")
        await stage.sees("approved")
        [grant] = stage.engine.memory.grants()
        assert grant.tool == "skill://notes/SKILL.md"
        assert len(reads(stage)) == 3


@pytest.mark.parametrize("key", ["escape", "enter"])
async def test_no_other_way_out_approves(tmp_path: Path, key: str) -> None:
    async with on_skills(store=tmp_path / "store") as stage:
        await stage.press("v")
        await stage.sees("› verified")
        await stage.press("a")
        await stage.until(lambda: isinstance(stage.screen, SkillDialog), "the dialog")
        dialog: Any = stage.screen
        await arm(stage, dialog)
        await press_slowly(stage, key)
        await stage.until(lambda: stage.screen is not dialog, "an answer")
        assert stage.engine.memory.grants() == ()
