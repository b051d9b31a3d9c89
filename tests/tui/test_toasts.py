"""What pops up covers nothing that is pressed, and no footer; `visits` looks at every screen."""

from __future__ import annotations

from typing import Any

import pytest
from textual.errors import NoWidget
from textual.geometry import Region
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button
from textual.widgets._toast import Toast

from signoff.app.tui.approving.guarded_dialog import GuardedDialog
from signoff.widgets.bars import PaneTabs, VerbBar
from signoff.widgets.buttons import GuardedButton
from signoff.widgets.key_footer import KeyFooter
from tests.tiers import first_quick
from tests.tui.bench_stage import BenchStage, bench_stage

PRESSED = (KeyFooter, Button, GuardedButton, VerbBar, PaneTabs)
LONG = "This is what went wrong, and it takes some more words to say why it did."


async def covered(stage: BenchStage) -> list[Widget]:
    """What is pressed and stands below a toast, once there are two."""
    for title in ("One", "Two"):
        stage.app.notify(LONG, title=title, timeout=60, markup=False)
    screen = stage.app.screen
    await stage.until(lambda: len(screen.query(Toast)) >= 2, "the toasts")
    await stage.rests()
    toasts = [place for toast in screen.query(Toast) if (place := drawn(screen, toast)).area]
    assert toasts or isinstance(screen, GuardedDialog)
    pressed = [one for kind in PRESSED for one in screen.query(kind) if one.region.area]
    return [one for one in pressed if any(toast.overlaps(one.region) for toast in toasts)]


def drawn(screen: Screen[Any], toast: Toast) -> Region:
    """Where it is drawn: not all of it, or none, where its place has no room for it."""
    try:
        return screen.find_widget(toast).visible_region
    except NoWidget:
        return Region()


@pytest.mark.slow
@pytest.mark.parametrize("size", first_quick([(80, 24), (60, 18)]))
async def test_beside_the_form(size: tuple[int, int]) -> None:
    async with bench_stage(size=size) as stage:
        await stage.call("echo")
        await stage.choose("echo")
        await stage.press("enter")
        await stage.rests()
        assert await covered(stage) == []


@pytest.mark.slow
@pytest.mark.parametrize("size", first_quick([(80, 24), (120, 36)]))
async def test_over_a_command_with_and_without_the_word_that_it_was_copied(
    size: tuple[int, int],
) -> None:
    async with bench_stage(is_demo=True, size=size) as stage:
        await stage.choose("delete_file")
        await stage.press("Y")
        await stage.sees("signoff call delete")
        assert await covered(stage) == []
        stage.app.clear_notifications()
        await stage.rests()
        assert await covered(stage) == []


@pytest.mark.slow
async def test_the_same_words_pop_up_once_at_a_time() -> None:
    async with bench_stage() as stage:
        for _ in range(3):
            stage.app.notify("Nothing to cancel.", timeout=60, markup=False)
            await stage.rests()
        stage.app.notify("Nothing to cancel.", timeout=60, markup=False, severity="warning")
        await stage.until(lambda: len(stage.app.screen.query(Toast)) == 2, "two of them")
        await stage.rests()
        assert len(stage.app.screen.query(Toast)) == 2
