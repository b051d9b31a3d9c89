"""The form for an answer to a server is filled in from a file; nothing is sent by that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signoff.app.tui.approving.answer_form import AnswerFormScreen
from signoff.app.tui.approving.approval import ApprovalDialog
from tests.tiers import first_quick
from tests.tui.approving.test_asked_by_server_screen import asked, said, send
from tests.tui.bench_stage import NARROW, WIDE, bench_stage


@pytest.mark.parametrize("size", first_quick([WIDE, NARROW]))
async def test_a_canned_answer_is_shown_before_it_is_sent(
    size: tuple[int, int], tmp_path: Path
) -> None:
    file = tmp_path / "canned.json"
    file.write_text(json.dumps({"text": "by a file", "model": "mine"}), encoding="utf-8")
    async with bench_stage("--only", "asks_sampling", "--era", "legacy", size=size) as stage:
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
