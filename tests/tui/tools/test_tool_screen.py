"""The chosen tool: its form in every shape, its definition, and the way back from the dialog."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from textual.widgets import TextArea

from signoff.app.approval.approval import DecisionAnswer
from signoff.app.protocol.server import Trust
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.text.pager import PagerScreen
from signoff.widgets.forms.argument_form import ArgumentForm
from signoff.widgets.lists.tool_list import ToolList
from tests.tui.bench_stage import NARROW, bench_stage

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
