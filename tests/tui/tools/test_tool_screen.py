"""The chosen tool: its form in every shape, its definition, and rows that stay where they are."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import TextArea

from signoff.app.approval.approval import DecisionAnswer
from signoff.app.protocol.server import Trust
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.text.pager import PagerScreen
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.app.tui.tools.tool_scroll import ToolScroll
from signoff.widgets.bars import VerbBar
from signoff.widgets.forms.argument_form import ArgumentForm
from signoff.widgets.forms.field_list import FieldList
from signoff.widgets.forms.form_row import FormRow
from signoff.widgets.labels import MOST, ClampedText
from signoff.widgets.lists.tool_list import ToolList
from tests.tui.bench_stage import NARROW, WIDE, BenchStage, bench_stage

ODD = (sys.executable, str(Path(__file__).parents[1] / "odd_server.py"))


@pytest.mark.slow
async def test_forms_of_every_shape() -> None:
    async with bench_stage(argv=ODD) as stage:
        form = stage.app.screen.query_one(ArgumentForm)

        await stage.choose("change_silently")
        await stage.sees("takes no arguments")
        await stage.press("enter")
        await stage.until(lambda: stage.app.screen.query_one("#tool").has_focus_within)
        await stage.press("escape")

        await stage.edit("thirty")
        form.focus_field("argument_29")
        await stage.sees("argument_29")
        await stage.in_field()
        await stage.paste("last")
        await stage.until(lambda: form.arguments == {"argument_29": "last"})
        await stage.press("f5")
        assert (await stage.end()).snapshot.arguments() == {"argument_29": "last"}

        await stage.choose("only_json")
        await stage.sees("+ add key")
        form.focus_field()
        await stage.press("ctrl+j")
        await stage.in_field()
        await stage.press("end")
        await stage.paste("]")
        await stage.sees("not JSON")
        editor = stage.app.focused
        assert isinstance(editor, TextArea)
        editor.text = '{"a": 1}'
        await stage.sees("expected string")


@pytest.mark.slow
async def test_json_and_back_and_what_keeps_it_from_being_sent() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        form = stage.app.screen.query_one(ArgumentForm)
        await stage.choose("delete_file")
        await stage.press("f5")
        await stage.in_field()
        assert not stage.engine.calls
        await stage.sees("path *", "✗ required")
        await stage.paste("a.txt")
        await stage.press("ctrl+j")
        await stage.sees('"path": "a.txt"')
        await stage.press("ctrl+j")
        await stage.until(lambda: not form.in_json)
        assert form.arguments == {"path": "a.txt"}


@pytest.mark.slow
async def test_definition_from_anywhere() -> None:
    async with bench_stage(size=NARROW) as stage:
        await stage.choose("delete_thing")
        await stage.press("f4")
        await stage.sees("definition of delete", "input schema", "raw JSON", "declared")
        await stage.press("tab")
        await stage.sees('"properties"')
        await stage.press("tab", "end")
        await stage.sees('"destructiveHint": true')
        await stage.click_on("findings")
        await stage.sees("nothing to report")
        await stage.press("escape")
        assert not isinstance(stage.app.screen, PagerScreen)
        await stage.press("f6")
        await stage.click_on("f4 Hints, schemas")
        await stage.is_open(PagerScreen)
        await stage.sees("definition of delete")


@pytest.mark.slow
async def test_edit_returns_to_the_form_with_the_arguments() -> None:
    async with bench_stage(trust=Trust.UNTRUSTED) as stage:
        await stage.edit("delete_thing", "precious")
        await stage.press("f5")
        await stage.is_open(ApprovalDialog)
        await stage.sees('"precious"')
        await stage.no_longer_sees("moment")
        await stage.click_on("Edit")
        call = await stage.end()
        assert call.decision is not None
        assert call.decision.answer is DecisionAnswer.EDIT
        assert not call.sent
        await stage.sees("returned to")
        form = stage.app.screen.query_one(ArgumentForm)
        assert form.arguments == {"name": "precious"}
        await stage.in_field()
        await stage.until(lambda: "precious" in stage.text, "the field in sight")


@pytest.mark.slow
async def test_edit_brings_back_the_tool_it_was_about() -> None:
    async with bench_stage(trust=Trust.UNTRUSTED) as stage:
        tools = {tool.name: tool for tool in stage.engine.tools}
        await stage.choose("read_thing")
        stage.engine.call(tools["delete_thing"], {"name": "other", "note": "kept"})
        await stage.asks(ApprovalDialog)
        await stage.click_on("Edit")
        await stage.end()
        await stage.sees_tool("delete_thing")
        form = stage.app.screen.query_one(ArgumentForm)
        await stage.until(lambda: form.arguments == {"name": "other", "note": "kept"})
        assert stage.app.screen.query_one(ToolList).highlighted is tools["delete_thing"]


BAR = "Fields   ctrl+j JSON"


async def first_field(stage: BenchStage, tool: str) -> ToolPane:
    await stage.choose(tool)
    await stage.rests()
    await stage.press("enter")
    await stage.in_field()
    return stage.pane


def row_of(stage: BenchStage, words: str) -> int:
    return next(y for y, row in enumerate(stage.text.split("\n")) if words in row)


@pytest.mark.slow
@pytest.mark.parametrize("height", [28, 33])
async def test_nothing_above_the_form_moves_by_a_key(height: int) -> None:
    async with bench_stage(is_demo=True, size=(120, height)) as stage:
        await first_field(stage, "create_record")
        await stage.rests()
        before = row_of(stage, BAR), row_of(stage, "table *")
        keys = ("u", "f5", "x", "tab", "{", "enter", "enter", "enter", "}", "f5", "shift+tab")
        for key in (*keys, "backspace", "backspace", "backspace", "f5"):
            await stage.press(key)
            await stage.rests()
            pane = stage.pane
            scrolled = pane.query_one(ToolScroll).scroll_offset.y
            now = row_of(stage, BAR) + scrolled, row_of(stage, "table *") + scrolled
            assert now == before, f"after {key}:\n{stage.text}"


@pytest.mark.slow
async def test_the_hints_of_a_tool_without_arguments_fold_too() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.choose("contradictory_tool")
        await stage.press("enter")
        await stage.sees("≠ contradictory", "f4 Hints", "takes no arguments", "A call asks ")
        pane = stage.pane
        await stage.until(lambda: not pane.query_one(ToolScroll).show_vertical_scrollbar, "no bar")
        await stage.press("f4")
        await stage.sees("definition of contradictory")


@pytest.mark.slow
async def test_a_tool_without_arguments_is_whole_where_there_is_room() -> None:
    async with bench_stage(is_demo=True, size=WIDE) as stage:
        await stage.choose("contradictory_tool")
        await stage.press("enter")
        await stage.sees("hint          declared", "takes no arguments", "f4 Schemas, raw JSON")


@pytest.mark.slow
async def test_a_verdict_that_is_cut_says_so_and_is_whole_where_it_is_read() -> None:
    async with bench_stage(is_demo=True, size=(48, 36)) as stage:
        pane = await first_field(stage, "create_record")
        await stage.paste("u" * 101)
        await stage.press("tab")
        await stage.paste("5")
        verdict = pane.query_one(".verdict", ClampedText)
        await stage.until(lambda: "Correct 2 fields" in str(verdict.content), "a long verdict")
        await stage.until(lambda: verdict.size.height == 3, "three lines of it")
        await stage.sees("… f4")
        end = str(verdict.content).split()[-1]
        await stage.press("shift+tab", "shift+tab")
        await stage.until(lambda: isinstance(stage.app.focused, ToolScroll), "what is to be read")
        await stage.until(lambda: verdict.size.height > 3, "all of it")
        last = stage.text.split("\n")[verdict.region.bottom - 1]
        assert end in last
        assert "… f4" not in stage.text
        await stage.resize(*WIDE)
        await stage.press("tab", "f4")
        await stage.sees("definition of create")
        await stage.click_on("verdict")
        await stage.sees("Correct 2 fields")
        await stage.until(lambda: end in _joined(stage.text), "its last word")


def _joined(text: str) -> str:
    """The rows without frames as one line: its words may be broken at the end of a row."""
    return "".join(row.replace("│", "").strip() for row in text.split("\n"))


async def test_a_few_lines_are_cut_with_a_sign() -> None:
    line = ClampedText(more="f4")
    line.update("one two three four")
    assert [one.plain for one in line.lines_at(40)] == ["one two three four"]
    assert [one.plain for one in line.lines_at(5)] == ["one", "two", "t … f4"]
    assert [one.plain for one in line.lines_at(7)] == ["one two", "three", "four"]
    line.show_whole(True)
    assert [one.plain.rstrip() for one in line.lines_at(5)] == ["one", "two", "three", "four"]


@pytest.mark.slow
async def test_the_button_stays_where_it_is_when_a_mistake_is_mended() -> None:
    """Who goes for it with the mouse would miss it, and press what took its place."""
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.choose("show_database")
        await stage.press("f5")
        await stage.end()
        await stage.sees("1  show_database  answered")
        await stage.rests()
        await stage.press("f3", *"delete_file", "enter")
        await stage.in_field()
        pane = stage.pane
        await stage.press("f5")
        await stage.sees("✗ required", "f12: call")
        await stage.rests()
        call = pane.query_one(".call", VerbBar)
        place = call.region
        for key in ("a", "backspace", "f5", "b", "c", "backspace", "backspace"):
            await stage.press(key)
            await stage.rests()
            assert call.region == place, f"after {key}:\n{stage.text}"


async def test_lines_that_were_taken_are_kept() -> None:
    line = ClampedText()
    size = Size(40, 10)

    def lines(width: int) -> int:
        return line.get_content_height(size, size, width)

    line.update("one two")
    assert lines(4) == 2
    line.update("one")
    assert lines(4) == 1
    line.keep_lines(True)
    line.update("one two three")
    assert lines(8) == 2
    line.update("one")
    assert lines(8) == 2
    assert lines(9) == 1, "of another width nothing is known"
    line.update("one two three")
    assert lines(4) == MOST
    line.let_go()
    line.update("one")
    assert lines(4) == 1
    line.keep_lines(False)
    line.update("one two")
    assert lines(4) == 2


@pytest.mark.slow
async def test_what_stood_above_the_form_for_a_moment_leaves_no_trace() -> None:
    """On a busy machine a layout comes to rest in several steps."""
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        pane = await first_field(stage, "order_pizza")
        await stage.press("tab")
        await stage.rests()
        scroll = pane.query_one(ToolScroll)
        before, shown = scroll.scroll_offset, stage.text
        for lines in (9, 20, 15):
            scroll.content.styles.padding = (lines, 0, 0, 0)
            await stage.rests()
        assert scroll.scroll_offset != before
        scroll.content.styles.padding = 0
        await stage.rests()
        assert scroll.scroll_offset == before
        # Rows that were lent stay for a while, as blank ones.
        assert written(stage.text) == written(shown)


def written(text: str) -> list[str]:
    """The rows with words, without the names of processes."""
    return [row for row in text.split("\n") if row.strip("│ ")]


@pytest.mark.slow
async def test_the_rows_of_another_tool_are_laid_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out_again: list[Widget] = []
    really = Widget.refresh

    def refresh(self: Widget, *regions: Any, layout: bool = False, **more: Any) -> Widget:
        if layout and isinstance(self, FieldList | FormRow) and self.size.height:
            laid_out_again.append(self)
        return really(self, *regions, layout=layout, **more)

    async with bench_stage("--tools", "3") as stage:
        await stage.choose("generated_0001")
        await stage.rests()
        monkeypatch.setattr(Widget, "refresh", refresh)
        await stage.choose("generated_0002")
        await stage.sees("· not sent")
        await stage.rests()
        assert stage.app.screen.query_one(FieldList).size.height
        assert laid_out_again == []
