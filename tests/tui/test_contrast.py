"""Every screen in Signoff's light and dark theme, and without colour: it can be read.

Text has a contrast of at least 4.5 to 1 against what it stands on (WCAG 2.1, 1.4.3), and says the
same without colour. Left out, as there: what is greyed because it would do nothing now, what lies
behind a dialog, and frames, bars and pictures, which are no text. The other themes of Textual are
as their authors made them. The bench is looked at here, and every other screen by `visits`.
"""

from __future__ import annotations

from typing import Any

import pytest
from textual.color import Color
from textual.filter import Monochrome
from textual.screen import Screen
from textual.theme import Theme

from signoff.app.tui.appearance import DARK_THEME, LIGHT_THEME
from signoff.app.tui.approving.form_dialog import FormQuestionDialog
from signoff.app.tui.approving.guarded_dialog import GuardedDialog
from signoff.widgets.buttons import GuardedButton
from signoff.widgets.key_footer import KeyFooter
from tests.tui.bench_stage import BenchStage
from tests.tui.clocks import arm
from tests.tui.looks import contrast, pieces
from tests.tui.ways import Step, is_same, opened

LEAST = 4.5
DECORATION = ("🔎",)
"""Signs that say nothing which is not beside them in words."""


async def the_bench(stage: BenchStage) -> None:
    await stage.choose("delete_file")


def answer_of(tool: str) -> Step:
    async def open_it(stage: BenchStage) -> None:
        await stage.call(tool)
        await stage.rests()

    return open_it


STEPS: dict[str, Step] = {
    "bench": the_bench,
    "answer in text": answer_of("show_markdown"),
    "answer that breaks its schema": answer_of("count_stock"),
    "answer for two": answer_of("speak_to_two"),
}


def hard_to_read(screen: Screen[Any]) -> list[str]:
    """Each text with too little contrast, with its colours."""
    places = [place for footer in screen.query(KeyFooter) for place in footer.places]
    inactive = [region for key, region in places if not key.is_enabled]
    inactive += [one.region for one in screen.query(GuardedButton) if not one.is_armed]
    found = []
    for piece in pieces(screen):
        is_greyed = any(one.contains(piece.x, piece.row) for one in inactive)
        if piece.contrast < LEAST and not is_greyed and piece.text not in DECORATION:
            colours = f"{piece.foreground} on {piece.background}, {piece.contrast:.2f}"
            found.append(f"{piece.text!r}: {colours}")
    return found


async def hears(stage: BenchStage) -> None:
    """A dialog that asks is greyed, and says so, until it hears."""
    await stage.rests()
    screen = stage.app.screen
    if isinstance(screen, GuardedDialog):
        await arm(stage, screen)
        if isinstance(screen, FormQuestionDialog):
            await stage.sees("f5 Done")
        await stage.rests()


async def wear(stage: BenchStage, theme: str) -> None:
    stage.app._begin_theme(theme)
    await stage.rests()


async def can_be_read(stage: BenchStage) -> None:
    """What is on the screen now; it is left in the dark theme."""
    await hears(stage)
    stage.app.clear_notifications()
    await stage.rests()
    said = stage.text
    for theme in (LIGHT_THEME.name, DARK_THEME.name):
        await wear(stage, theme)
        assert hard_to_read(stage.app.screen) == [], theme
        # The same as it is drawn, without the colours that it is drawn in.
        stage.app._filters.append(Monochrome())
        assert hard_to_read(stage.app.screen) == [], f"{theme} without colour"
        assert all(is_grey(one.foreground) for one in pieces(stage.app.screen))
        await hears(stage)
        assert is_same(stage.text, said)
        stage.app._filters.pop()


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
async def test_every_text_can_be_read_in_both_themes_and_without_colour(name: str) -> None:
    async with opened() as stage:
        await STEPS[name](stage)
        await can_be_read(stage)


def is_grey(colour: str) -> bool:
    found = Color.parse(colour)
    return found.r == found.g == found.b


def test_the_measure_is_that_of_the_guidelines() -> None:
    black, white = Color.parse("#000000"), Color.parse("#ffffff")
    assert contrast(black, white) == pytest.approx(21)
    assert contrast(white, white) == 1
    assert contrast(Color.parse("#777777"), white) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", [DARK_THEME, LIGHT_THEME], ids=lambda theme: theme.name)
def test_a_field_with_the_focus_stands_out_as_a_box(theme: Theme) -> None:
    colours = {**theme.to_color_system().generate(), **theme.variables}
    field = Color.parse(colours["surface-lighten-1"])
    for around in ("background", "surface"):
        assert contrast(field, Color.parse(colours[around])) > 1.15, around
