"""Whatever was called before: the field that is typed in, its problem, the verdict and the Call
button are on the screen."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from textual.widget import Widget
from textual.widgets import Static, TextArea

from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.tools.tool_scroll import ToolScroll
from signoff.widgets.bars import VerbBar
from signoff.widgets.forms.form_row import FormRow
from tests.tui.bench_stage import BenchStage, bench_stage

SERVER = (sys.executable, str(Path(__file__).parents[1] / "tall_server.py"))
ONLY = ("--only", "short,long,grouped,structured", "--with", "structured")
BAR = " │▁▂▃▄▅▆▇█"
"""The edge of a pane, with its scrollbar."""
SIZES = ((80, 24), (100, 30), (120, 36), (160, 50))


def is_whole(stage: BenchStage, widget: Widget) -> bool:
    """Whether all of a widget is on the screen, and it is there at all."""
    place = stage.app.screen.find_widget(widget)
    return bool(place.region.area) and place.visible_region == place.region


def row_with_focus(stage: BenchStage) -> FormRow | None:
    focused = stage.app.focused
    if focused is None:
        return None
    return next((one for one in focused.ancestors_with_self if isinstance(one, FormRow)), None)


async def is_in_sight(stage: BenchStage, what: str) -> None:
    """The field with the focus, the verdict and the button, without a key."""
    pane = stage.pane
    await stage.until(lambda: row_with_focus(stage) is not None, f"a field of {what}")

    def is_so() -> bool:
        focused = stage.app.focused
        assert focused is not None
        verdict, call = pane.query_one(".verdict", Static), pane.query_one(".call", VerbBar)
        is_drawn = re.search("Then it |A call ", stage.text) and "[ f5 Call ]" in stage.text
        row = row_with_focus(stage)
        assert row is not None
        fits = row.region.height <= pane.query_one(ToolScroll).size.height
        is_drawn = bool(is_drawn) and (is_whole(stage, row) or not fits)
        return is_drawn and all(is_whole(stage, one) for one in (focused, verdict, call))

    await stage.until(is_so, f"the field, the verdict and the button of {what}")


async def call_once(stage: BenchStage) -> None:
    last = stage.newest
    await stage.press("f5")
    await stage.end(after=last)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "size"),
    [
        ("long", SIZES[0]),
        ("grouped", SIZES[0]),
        ("long", SIZES[3]),
        pytest.param("short", SIZES[0], marks=pytest.mark.thorough),
    ],
)
async def test_typing_calling_and_typing_again(tool: str, size: tuple[int, int]) -> None:
    async with bench_stage(argv=(*SERVER, *ONLY), size=size) as stage:
        await stage.choose(tool)
        await stage.press("enter")
        await is_in_sight(stage, f"{tool}, no call")
        pane = stage.pane
        for calls in (1, 2, 4):
            while stage.newest < calls:
                # What stands in the field is replaced, not added to: it takes one digit.
                if pane.is_away:
                    await stage.press("e")
                await stage.press("home", "shift+end", "3")
                await is_in_sight(stage, f"{tool}, {stage.newest} calls")
                await call_once(stage)
                await stage.until(lambda: pane.is_away, "the row of arguments")
            await stage.sees("answered", "─Response─", "e Edit", "[ f5 Call ]")
            assert is_whole(stage, stage.app.screen.query_one("#answer .headline"))
        # Down through the form and up again.
        await stage.press("e")
        for step in ["tab"] * 4 + ["shift+tab"] * 2:
            await stage.press(step)
            if row_with_focus(stage) is None:
                break
            await is_in_sight(stage, f"{tool} after {step}")
        pane.form.focus_field("count")
        await stage.pilot.pause()
        await stage.press("home", "shift+end", "0", "f5")
        await stage.sees("✗")
        await is_in_sight(stage, f"{tool} with a problem")
        await stage.sees("f12: call anyway")


@pytest.mark.slow
@pytest.mark.parametrize(
    "size",
    [*SIZES[:2], *(pytest.param(size, marks=pytest.mark.thorough) for size in SIZES[2:])],
    ids=lambda size: f"{size[0]}x{size[1]}",
)
async def test_the_form_takes_the_rows_that_it_fills_and_the_answer_all_others(
    size: tuple[int, int],
) -> None:
    async with bench_stage(argv=(*SERVER, *ONLY), size=size) as stage:
        await stage.choose("short")
        await stage.press("enter", "5")
        await call_once(stage)
        answer = stage.app.screen.query_one(AnswerPane)
        pane = stage.pane
        filled = pane.query_one(ToolScroll).content
        await stage.until(
            lambda: pane.outer_size.height == pane.rows_around + filled.lines, "a form as filled"
        )
        assert answer.max_scroll_y == 0
        column = pane.outer_size.height + answer.outer_size.height
        rows = stage.app.screen.query_one("#work").size.height
        assert column == rows
        assert answer.outer_size.height >= rows // 2

        # The form takes rows of the answer while it is edited, and gives them back for the next.
        await stage.choose("long")
        await call_once(stage)
        await stage.rests()
        before = answer.outer_size.height
        assert before >= rows // 2
        await stage.press("e")
        await stage.until(lambda: answer.outer_size.height < before, "a smaller answer")
        answer.focus()
        await stage.until(lambda: answer.outer_size.height >= rows // 2, "a larger answer")
        assert is_whole(stage, pane.query_one(".call", VerbBar))
        assert is_whole(stage, pane.query_one(".verdict", Static))


@pytest.mark.slow
async def test_hints_and_description_unfold_where_there_is_room_and_where_they_are_read() -> None:
    async with bench_stage(argv=(*SERVER, *ONLY), size=(120, 36)) as stage:
        pane = stage.pane
        table = pane.query_one("HintTable")
        await stage.choose("short")
        await stage.sees("f4 Hints", "How many of")
        assert not table.display or not table.region.area
        await stage.choose("long")
        await stage.sees("f4 Hints, schemas", "┃ Line 0 of the description.")
        assert "hint          declared" not in stage.text
        await stage.press("enter")
        await stage.until(lambda: row_with_focus(stage) is not None, "the form")
        await stage.press("shift+tab")
        await stage.until(lambda: isinstance(stage.app.focused, ToolScroll), "what is to be read")
        await stage.until(lambda: bool(table.region.area), "the table")
        await stage.press("home")
        await stage.sees("hint          declared", "Line 3 of", "[ f5 Call ]")
        await stage.press("tab")
        await stage.no_longer_sees("hint          declared")
        await is_in_sight(stage, "long")
        # What folds away may take the rows above the field out of sight with it.

        def is_at_home() -> bool:
            # The field may be brought into sight once more.
            pane.query_one(ToolScroll).scroll_home(animate=False, immediate=True)
            return "f4 Hints, schemas" in stage.text

        await stage.until(is_at_home, "the row above the form")
        await stage.click_on("f4 Hints, schemas")
        await stage.sees("definition of long")


@pytest.mark.slow
async def test_a_field_takes_one_line_until_it_has_the_focus() -> None:
    async with bench_stage(argv=(*SERVER, *ONLY), size=(100, 30)) as stage:
        await stage.choose("long")
        await stage.press("enter", "x")
        await stage.sees("● you typed it", "string")
        await stage.no_longer_sees("more fields below")
        rows = [row for row in stage.text.split("\n") if "argument_0" in row]
        assert len(rows) >= 9
        assert "●" in rows[0]
        assert all(row.rstrip(BAR).endswith("·") for row in rows[1:])
        await stage.press("tab")
        await stage.sees("· not sent")
        assert "● you typed it" not in stage.text
        first = next(row for row in stage.text.split("\n") if "argument_00" in row)
        assert first.rstrip(BAR).endswith("●")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "sizes"),
    [
        ("long", (SIZES[0], SIZES[3], (80, 21), SIZES[2])),
        ("grouped", (SIZES[1], (60, 36), SIZES[0])),
    ],
    ids=["long", "grouped"],
)
async def test_after_any_resize_the_field_is_in_sight_with_what_helps(
    tool: str, sizes: tuple[tuple[int, int], ...]
) -> None:
    async with bench_stage(argv=(*SERVER, *ONLY), size=SIZES[2]) as stage:
        await stage.choose(tool)
        await stage.press("enter")
        await is_in_sight(stage, tool)
        await call_once(stage)
        for size in sizes:
            await stage.press("tab", "tab")
            if row_with_focus(stage) is None:
                stage.pane.focus_form()
            await is_in_sight(stage, f"{tool} before {size}")
            scroll = stage.app.screen.query_one(ToolScroll)
            # Somebody has looked elsewhere meanwhile.
            scroll.scroll_end(animate=False)
            await stage.pilot.pause()
            await stage.resize(*size)
            await stage.rests()
            await is_in_sight(stage, f"{tool} at {size}")


@pytest.mark.slow
@pytest.mark.parametrize("size", [SIZES[0], pytest.param(SIZES[3], marks=pytest.mark.thorough)])
async def test_the_line_of_the_json_that_is_typed_in_is_in_sight(size: tuple[int, int]) -> None:
    async with bench_stage(argv=(*SERVER, *ONLY), size=size) as stage:
        await stage.call("structured")
        await stage.choose("long")
        stage.pane.focus_form()
        await stage.press("ctrl+j")
        await stage.in_field()
        area = stage.app.focused
        assert isinstance(area, TextArea)
        area.load_text("{\n" + "\n".join(f'  "argument_{at:02}": "",' for at in range(30)))
        scroll = stage.app.screen.query_one(ToolScroll)
        for key in ("ctrl+end", "x", "ctrl+home", "delete", *["down"] * 4, "ctrl+end", "up"):
            # Somebody has looked elsewhere meanwhile.
            scroll.scroll_to(y=0 if key == "ctrl+end" else 99, animate=False, immediate=True)
            await stage.press(key)
            await stage.rests()
            assert scroll.scrollable_content_region.contains_point(area.cursor_screen_offset), key
