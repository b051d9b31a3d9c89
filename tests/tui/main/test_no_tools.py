"""A server without tools: the page beside the list has what there is instead, and the keys."""

from __future__ import annotations

import sys

import pytest

from tests.servers import offering
from tests.tiers import first_quick
from tests.tui.bench_stage import NARROW, WIDE, bench_stage


@pytest.mark.parametrize("size", first_quick([WIDE, NARROW]))
async def test_nothing_at_all(size: tuple[int, int]) -> None:
    async with bench_stage("--only", "", size=size, is_listed=False) as stage:
        await stage.sees("Tools 0")
        if size == NARROW:
            await stage.press("f6")
        await stage.sees("no resources and no prompts either", "f9: show")


@pytest.mark.parametrize("size", first_quick([WIDE, NARROW]))
async def test_what_it_has_instead(size: tuple[int, int]) -> None:
    argv = (sys.executable, "-S", offering.__file__, "", "toolless")
    async with bench_stage(argv=argv, size=size, is_listed=False) as stage:
        await stage.sees("Resources and prompts")
        await stage.press("escape")
        await stage.sees("no tools; P: ")
        if size == NARROW:
            await stage.press("f6")
        await stage.sees("This server lists no tools.", "P: show them.")
        assert "no resources" not in stage.text
