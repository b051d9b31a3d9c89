"""A list that changes under the person's hands."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Static, TextArea

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import arguments_of, initial_draft
from signoff.app.schemas.form.edits import set_value
from signoff.app.schemas.form.entries import Origin
from signoff.app.schemas.form.form import build_form
from signoff.app.tui.arguments.editing import carry_over
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.widgets.forms.argument_form import ArgumentForm
from signoff.widgets.lists.tool_list import ToolList
from tests.approved import approved
from tests.tui import regions
from tests.tui.bench_stage import NARROW, BenchStage, bench_stage

PROSE = approved("tui-browse")
CHANGING = (
    sys.executable,
    str(Path(__file__).resolve().parents[2] / "e2e" / "changing_server.py"),
)


async def gone(stage: BenchStage) -> str:
    """Wait for the words on the tool that is gone."""
    await stage.until(lambda: "no longer" in regions.notices(stage.app), "the words")
    return next(one for one in regions.notices(stage.app).split("\n") if "no longer" in one)


@pytest.mark.slow
async def test_a_changed_definition_keeps_what_was_typed_and_says_so() -> None:
    async with bench_stage("--only", "add_thing,delete_thing,change_tools") as stage:
        await stage.choose("delete_thing")
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.focused, TextArea))
        await stage.paste("precious")
        change = next(tool for tool in stage.engine.tools if tool.name == "change_tools")
        stage.engine.call(change, {})
        await stage.sees("new_thing", "precious")
        notice = stage.app.screen.query_one("ToolPane .notice", Static)
        words = " ".join(regions.whole(notice).split())
        PROSE.holds("changes: a changed definition", words)
        form = stage.app.screen.query_one(ArgumentForm)
        assert form.arguments == {"name": "precious", "all": True}
        assert form.origins == {"name": Origin.TYPED, "all": Origin.DEFAULT}
        tools = stage.app.screen.query_one(ToolList)
        assert tools.highlighted is not None
        assert tools.highlighted.name == "delete_thing"
        await stage.until(lambda: isinstance(stage.app.focused, TextArea), "the focus")


@pytest.mark.slow
async def test_a_tool_that_is_gone_takes_no_more_keys() -> None:
    only = "read_thing,add_thing,delete_thing,change_tools"
    async with bench_stage("--only", only, size=NARROW) as stage:
        await stage.choose("add_thing")
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.focused, TextArea))
        change = next(tool for tool in stage.engine.tools if tool.name == "change_tools")
        stage.engine.call(change, {})
        PROSE.holds("changes: a tool is gone", await gone(stage))
        await stage.until(lambda: isinstance(stage.app.focused, ToolList), "the focus")


@pytest.mark.slow
async def test_a_key_for_a_tool_that_is_gone_calls_no_other() -> None:
    async with bench_stage("--only", "add_thing,delete_thing,change_tools") as stage:
        await stage.choose("add_thing")
        change = next(tool for tool in stage.engine.tools if tool.name == "change_tools")
        await stage.engine.ended(stage.engine.call(change, {}))
        await gone(stage)
        before, pane = stage.newest, stage.app.screen.query_one(ToolPane)
        tool = pane.tool
        assert tool is not None
        assert tool.name != "add_thing"
        await stage.press("f5")
        await stage.is_told("add_thing is")
        *_, last = regions.notices(stage.app).split("\n")
        PROSE.holds("changes: a key for a tool that is gone", last, OTHER=tool.name)
        assert stage.newest == before
        await stage.press("f5")
        await stage.until(lambda: stage.newest > before, "a call")
        assert stage.engine.calls[stage.newest].is_of(tool)


@pytest.mark.slow
async def test_typing_on_for_a_tool_that_is_gone_presses_no_key_of_the_bench() -> None:
    async with bench_stage("--only", "read_thing,add_thing,delete_thing,change_tools") as stage:
        await stage.choose("add_thing")
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.focused, TextArea))
        change = next(tool for tool in stage.engine.tools if tool.name == "change_tools")
        await stage.engine.ended(stage.engine.call(change, {}))
        await stage.until(lambda: isinstance(stage.app.focused, ToolList), "the focus")
        newest, there = stage.newest, stage.app.screen.query_one(ToolList).highlighted
        # Each of them is a key of the bench, and one makes the last call once more. They come in
        # one breath, and the program may take its time for each.
        for character in "Cogq":
            name = f"upper_{character.lower()}" if character.isupper() else character
            stage.app.post_message(events.Key(name, character))
        await stage.rests()
        await stage.rests()
        assert stage.newest == newest
        assert stage.app.screen.query_one(ToolList).highlighted is there
        await stage.no_longer_sees("by world")


@pytest.mark.slow
async def test_the_cursor_goes_to_no_worse_tool_where_its_own_is_gone() -> None:
    async with bench_stage("--only", "read_thing,add_thing,delete_thing,change_tools") as stage:
        await stage.choose("add_thing")
        change = next(tool for tool in stage.engine.tools if tool.name == "change_tools")
        await stage.engine.ended(stage.engine.call(change, {}))
        await gone(stage)
        there = stage.app.screen.query_one(ToolList).highlighted
        assert there is not None
        assert not there.effect.may_destroy


@pytest.mark.slow
async def test_after_a_tool_is_gone_another_that_is_gone_to_is_called_at_once() -> None:
    async with bench_stage("--only", "add_thing,delete_thing,change_tools") as stage:
        await stage.choose("add_thing")
        change = next(tool for tool in stage.engine.tools if tool.name == "change_tools")
        await stage.engine.ended(stage.engine.call(change, {}))
        await gone(stage)
        tools = stage.app.screen.query_one(ToolList)
        there = tools.highlighted
        assert there is not None
        other = next(one.name for one in stage.engine.tools if one.name != there.name)
        before = stage.newest
        await stage.choose(other)
        await stage.press("f5")
        await stage.until(lambda: stage.newest > before, "a call")


@pytest.mark.slow
async def test_a_list_that_changes_elsewhere_moves_nothing() -> None:
    if sys.platform == "win32":
        raise NotImplementedError
    async with bench_stage(argv=(*CHANGING, "--tools", "200")) as stage:
        await stage.choose("generated_0150")
        tools = stage.app.screen.query_one(ToolList)
        row = next(
            index for index, line in enumerate(stage.text.split("\n")) if "› generated_0150" in line
        )
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.focused, TextArea))
        await stage.paste("half a sent")
        focused = stage.app.focused
        assert stage.engine.server.pid is not None
        os.kill(stage.engine.server.pid, signal.SIGUSR1)
        await stage.until(
            lambda: any(tool.name == "new_thing" for tool in stage.engine.tools), "the change"
        )
        await stage.sees("Tools 208")
        await stage.is_told("(and 2 other changes)", "shows what")
        stage.app.clear_notifications()
        await stage.until(lambda: not stage.toasts, "the row below it")
        assert "› generated_0150" in stage.text.split("\n")[row]
        assert tools.highlighted is not None
        assert stage.app.focused is focused
        assert stage.app.screen.query_one(ArgumentForm).arguments == {"value": "half a sent"}
        notice = stage.app.screen.query_one("ToolPane .notice", Static)
        assert not regions.whole(notice)


def schema(**properties: JsonValue) -> JsonValue:
    return {"type": "object", "properties": dict(properties)}


def carried(
    old: JsonValue, typed: dict[str, JsonValue], new: JsonValue
) -> tuple[dict[str, JsonValue], str]:
    before = build_form(old)
    draft = initial_draft(before)
    for name, value in typed.items():
        draft = set_value(before, draft, (name,), value)
    built = arguments_of(before, draft)
    form = build_form(new)
    after, words = carry_over(draft, built.arguments, built.origins, form)
    return arguments_of(form, after).arguments, words


TEXT: JsonValue = {"type": "string"}
NUMBER: JsonValue = {"type": "integer"}


def test_values_that_no_longer_fit_are_named() -> None:
    arguments, words = carried(
        schema(a=TEXT, b=TEXT, c=TEXT), {"a": "x", "b": "y", "c": "z"}, schema(a=TEXT, b=NUMBER)
    )
    assert arguments == {"a": "x"}
    PROSE.holds("changes: values that no longer fit", words)


def test_suggestions_are_the_new_ones() -> None:
    old = schema(a={"type": "string", "default": "old"}, b=TEXT)
    new = schema(a={"type": "string", "default": "new"}, b=TEXT)
    assert carried(old, {"b": "mine"}, new)[0] == {"a": "new", "b": "mine"}


def test_json_is_kept_as_it_is() -> None:
    form = build_form(schema(a=TEXT))
    draft = initial_draft(build_form({"type": "object", "additionalProperties": True}))
    after, words = carry_over(draft, {}, {}, form)
    assert after.document == "{}"
    PROSE.holds("changes: a document", words)


def test_names_of_a_server_are_shown_harmless() -> None:
    _, words = carried(schema(**{"a\x1b[2J": TEXT}), {"a\x1b[2J": "x"}, schema())
    assert "\x1b" not in words
    assert "␛" in words
