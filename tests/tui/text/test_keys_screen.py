"""The help begins with what is looked at, and tells the keys of that before all others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from signoff.app.content.key_tables import Mark, key_rows
from signoff.app.tui.text.keys_screen import JOBS, MORE, KeysScreen
from signoff.widgets.sheets import SheetView
from tests.tui.bench_stage import NARROW, BenchStage, bench_stage


async def lines(stage: BenchStage) -> Sequence[str]:
    await stage.press("f1")
    await stage.is_open(KeysScreen)
    await stage.press("slash")
    told = [one.plain for one in stage.app.screen.query_one(SheetView)._lines]
    await stage.press("f1")
    await stage.has_left(KeysScreen)
    return told


@pytest.mark.slow
async def test_what_is_looked_at_comes_first_and_typing_last() -> None:
    async with bench_stage(size=NARROW) as stage:
        await stage.choose("echo")
        heads = ("Here", "On this screen", "Everywhere", "Moving about, and typing")
        for key, said in (("f3", "The server's tools"), ("escape", "Fold or unfold this group.")):
            await stage.press(key)
            told = await lines(stage)
            places = [told.index(head) for head in heads if head in told]
            assert places == sorted(places)
            assert "grouped by their declared hints" in told[0]
            assert told.index("On this screen") < told.index("Moving about, and typing")
            assert said in told or key == "f3"
        await stage.press("enter")
        told = await lines(stage)
        assert "as declared" in told[0]
        typing = told.index("Moving about, and typing")
        assert told.index("Ask for the call with these arguments.") < told.index("On this screen")
        assert not any("Cursor word" in one or "Page Left" in one for one in told[typing:])


@pytest.mark.slow
async def test_no_key_is_told_twice() -> None:
    async with bench_stage() as stage:
        await stage.choose("echo")
        told = [one for one in await lines(stage) if one.endswith(".")]
        assert len(told) == len(set(told))


async def test_the_first_page_is_five_jobs_and_fits() -> None:
    async with bench_stage(size=NARROW) as stage:
        await stage.choose("echo")
        await stage.press("f1")
        await stage.sees("ask the hosts", "f2 All hosts", "shift+f5 Restart", "/ All keys")
        sheet = stage.app.screen.query_one(SheetView)
        jobs = [line.label for line in sheet._lines if line.label in JOBS.values()]
        assert jobs == list(JOBS.values())
        assert sheet.max_scroll_y <= 6
        await stage.press("slash")
        await stage.until(lambda: sheet.max_scroll_y > 20, "every key")
        await stage.press("slash", "escape")
        await stage.has_left(KeysScreen)


def test_every_job_has_keys_of_the_tables() -> None:
    jobs = {row.marks[Mark.JOB] for row in key_rows() if Mark.JOB in row.marks}
    assert jobs == set(JOBS)


async def test_the_last_line_names_the_manual() -> None:
    async with bench_stage(size=NARROW) as stage:
        assert (await lines(stage))[-1] == MORE
        assert "signoff manual" in MORE
