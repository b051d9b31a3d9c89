"""What is in the form is checked before it is sent; it comes from an editor, or from before."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from textual.app import App
from textual.widgets import Static, TextArea

from signoff.app.calls.call import Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.features.wire.screen import WireScreen
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.sandbox.worker import judge_in_worker
from signoff.app.schemas.schema import SchemaAnswer, SchemaVerdict
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.arguments import checking as checking_pane
from signoff.app.tui.arguments.arguments_screen import ArgumentsScreen
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.widgets.forms import argument_form
from signoff.widgets.forms.argument_form import ArgumentForm
from signoff.widgets.lists.argument_list import ArgumentList
from tests.approved import approved
from tests.engine.opened import Approves
from tests.showing import Stage, showing
from tests.tui.bench_stage import NARROW, WIDE, BenchStage, bench_stage
from tests.tui.hand import Hand
from tests.tui.regions import notices, whole

PROSE = approved("tui-arguments")
STRICT = (sys.executable, str(Path(__file__).parents[1] / "strict_server.py"))


NARROW_TOOL, OTHER_TOOL = read_tools(
    [
        {
            "name": "narrow",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "count": {"type": "integer", "minimum": 10},
                    "note": {"type": "string"},
                },
            },
        },
        {"name": "other", "inputSchema": {"type": "object"}},
    ]
)


@dataclass
class PaneStage(Hand):
    stage: Stage[ToolPane]

    @property
    def pane(self) -> ToolPane:
        return self.stage.widget

    @property
    def form(self) -> ArgumentForm:
        return self.app.query_one(ArgumentForm)

    @property
    def wanted(self) -> list[dict[str, JsonValue]]:
        """The arguments of the calls that were asked for."""
        return [one.arguments for one in self.stage.posted(ToolPane.CallWanted)]

    @property
    def told(self) -> str:
        return notices(self.app)

    @property
    def verdict(self) -> str:
        return whole(self.pane.query_one(".verdict", Static))


@asynccontextmanager
async def pane_stage(text: str) -> AsyncIterator[PaneStage]:
    """The form of a tool whose count is at least 10, with this text in its first field."""
    async with showing(ToolPane(), size=WIDE) as shown:
        stage = PaneStage(shown.app, shown.pilot, shown)
        stage.pane.show(NARROW_TOOL)
        stage.pane.focus_form()
        await stage.in_field()
        await stage.paste(text)
        yield stage


def form_of(stage: BenchStage) -> ArgumentForm:
    return stage.app.screen.query_one(ArgumentForm)


def notice_of(stage: BenchStage) -> str:
    """What is said over the form."""
    pane = stage.app.screen_stack[0].query_one(ToolPane)
    return str(pane.query_one(".notice", Static).content)


class TestSending:
    async def test_what_breaks_the_schema_is_not_sent_by_f5(self) -> None:
        async with bench_stage(argv=STRICT, size=NARROW) as stage:
            await stage.edit("narrow", "5")
            # At once: nothing has been checked yet.
            await stage.press("f5")
            await stage.sees("f12: call", "at least 10")
            await stage.in_field()
            await stage.press("f5")
            await stage.pilot.pause(0.3)
            assert not stage.engine.calls
            stage.engine.approver = Approves()
            await stage.press("f12")
            call = await stage.end()
            assert call.although_invalid
            assert call.snapshot.arguments() == {"count": 5}
            assert call.outcome is Outcome.OK

    async def test_what_was_typed_since_the_last_check_is_not_sent_by_its_verdict(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with pane_stage("50") as stage:
            await stage.until(lambda: stage.pane.checked == {"count": 50}, "the check")
            # As if it were sent before what follows is checked.
            monkeypatch.setattr(argument_form, "QUIET", 60.0)
            await stage.press("backspace", "f5")
            await stage.until(lambda: stage.pane.checked == {"count": 5}, "the other check")
            await stage.pilot.pause(0.1)
            assert not stage.wanted

    @pytest.mark.slow
    async def test_the_question_says_that_it_was_chosen(self) -> None:
        async with bench_stage(argv=STRICT, trust=Trust.UNTRUSTED) as stage:
            await stage.edit("narrow", "5")
            await stage.press("f12")
            await stage.is_open(ApprovalDialog)
            await stage.sees("send it although")

    async def test_what_keeps_to_it_is_sent_by_f5(self) -> None:
        async with pane_stage("50") as stage:
            await stage.press("f5")
            await stage.until(lambda: stage.wanted, "the call")
            (wanted,) = stage.stage.posted(ToolPane.CallWanted)
            assert wanted.arguments == {"count": 50}
            assert not wanted.although_invalid

    async def test_a_check_that_takes_long_is_said_and_waited_for_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        may_end = asyncio.Event()

        async def slow(schema: JsonValue, value: JsonValue) -> SchemaVerdict:
            await may_end.wait()
            return SchemaVerdict(SchemaAnswer.NOT_VALIDATED, reason="it took too long")

        async with pane_stage("50") as stage:
            monkeypatch.setattr(checking_pane, "judge_arguments_in_worker", slow)
            before = stage.verdict
            await stage.press("f5", "f5")
            await stage.until(lambda: stage.verdict != before, "words on the check")
            PROSE.holds("form: a check that takes long", stage.verdict)
            await stage.press("f5")
            # The form goes on meanwhile.
            await stage.press("tab")
            await stage.paste("later")
            assert stage.form.arguments == {"count": 50, "note": "later"}
            assert not stage.wanted
            may_end.set()
            await stage.until(lambda: stage.wanted, "the call")
            await stage.pilot.pause(0.1)
            assert stage.wanted == [{"count": 50}]

    async def test_of_a_tool_that_is_left_it_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        began, may_end, judged = asyncio.Event(), asyncio.Event(), judge_in_worker

        async def slow(schema: JsonValue, value: JsonValue) -> SchemaVerdict:
            began.set()
            await may_end.wait()
            return await judged(schema, value)

        async with pane_stage("5") as stage:
            monkeypatch.setattr(checking_pane, "judge_arguments_in_worker", slow)
            await stage.press("f5")
            await stage.until(began.is_set, "the check")
            stage.pane.show(OTHER_TOOL)
            may_end.set()
            await stage.until(lambda: stage.told, "the words on it")
            PROSE.holds("form: another tool is shown by now", stage.told)
            assert not stage.wanted

    @pytest.mark.slow
    async def test_a_late_verdict_on_what_was_typed_before_keeps_no_call_back(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        may_end, judged = asyncio.Event(), judge_in_worker
        checked: list[JsonValue] = []

        async def slow(schema: JsonValue, value: JsonValue) -> SchemaVerdict:
            checked.append(value)
            await may_end.wait()
            return await judged(schema, value)

        async with pane_stage("") as stage:
            monkeypatch.setattr(checking_pane, "judge_arguments_in_worker", slow)
            await stage.paste("5")
            await stage.until(lambda: {"count": 5} in checked, "the check of the first figure")
            # As if the answer came before what follows is checked.
            monkeypatch.setattr(argument_form, "QUIET", 60.0)
            await stage.press("0")
            may_end.set()
            await stage.pilot.pause(0.5)
            assert not stage.pane.problems
            await stage.press("f5")
            await stage.until(lambda: stage.wanted, "the call")
            assert stage.wanted == [{"count": 50}]


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes an editor; its code has the file's Path as `path`, and the app lends its screen."""
    monkeypatch.setattr(App, "suspend", lambda self: contextlib.nullcontext())

    def make(code: str) -> None:
        file = tmp_path / "editor.py"
        start = "import pathlib, sys\npath = pathlib.Path(sys.argv[-1])\n"
        file.write_text(start + code, encoding="utf-8")
        monkeypatch.setenv("VISUAL", f"'{sys.executable}' -S '{file}'")

    return make


class TestEditor:
    async def test_a_whole_document_and_a_broken_one(self, editor: Callable[[str], None]) -> None:
        async with pane_stage("50") as stage:
            form = stage.form
            editor("path.write_text(path.read_text().replace('50', '70, \"more\": null'))")
            await stage.press("ctrl+e")
            await stage.until(lambda: form.in_json, "the JSON view")
            assert form.arguments == {"count": 70, "more": None}
            editor("path.write_text('{\\n  \"count\": }')")
            await stage.press("ctrl+e")
            await stage.until(lambda: form.is_no_object, "what cannot be read")
            assert "line 2, column 12" in "".join(form.problems.values())
            focused = stage.app.focused
            assert isinstance(focused, TextArea)
            assert focused.text == '{\n  "count": }'

    @pytest.mark.slow
    async def test_what_changes_nothing(self, editor: Callable[[str], None]) -> None:
        async with pane_stage("50") as stage:
            editor("pass")
            await stage.press("ctrl+e")
            await stage.app.workers.wait_for_complete()
            assert not stage.form.in_json
            assert not stage.told
            editor("sys.exit(1)")
            await stage.press("ctrl+e")
            await stage.until(lambda: stage.told, "the words on it")
            PROSE.holds("editor: it failed", stage.told, EDITOR=sys.executable)
            assert not stage.form.in_json
            assert stage.form.arguments == {"count": 50}

    @pytest.mark.slow
    async def test_a_large_document_goes_into_the_fields_or_is_gone_on_with(
        self, editor: Callable[[str], None]
    ) -> None:
        async with pane_stage("50") as stage:
            editor("path.write_text('{\"note\": \"' + 'x' * 300_000)")
            await stage.press("ctrl+e")
            await stage.until(lambda: stage.told, "the words on it")
            PROSE.holds("editor: too long, and not JSON", stage.told)
            assert stage.form.arguments == {"count": 50}
            editor("path.write_text(path.read_text().strip() + '\"}')")
            await stage.press("ctrl+e")
            await stage.until(
                lambda: stage.form.arguments == {"note": "x" * 300_000}, "the whole text"
            )

    async def test_no_editor_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("VISUAL", "no-such-editor --wait")
        async with pane_stage("50") as stage:
            await stage.press("ctrl+e")
            await stage.until(lambda: stage.told, "the words on it")
            PROSE.holds("editor: none", stage.told)


class TestPast:
    @pytest.mark.slow
    async def test_from_the_history_into_the_form_and_called_again(self) -> None:
        async with bench_stage(argv=STRICT) as stage:
            await stage.edit("narrow", "50")
            await stage.press("f5")
            first = await stage.end()
            await stage.press("e", "end")
            await stage.paste("1")
            form = form_of(stage)
            assert form.arguments == {"count": 501}
            await stage.press("f11")
            await stage.sees("arguments of narrow", "form now", "answered")
            await stage.press("down", "enter")
            await stage.until(lambda: form.arguments == {"count": 50})
            await stage.until(lambda: notice_of(stage), "where they come from")
            PROSE.holds("form: from an earlier call", notice_of(stage))
            await stage.press("f11")
            await stage.sees("was in the")
            await stage.press("end", "f5")
            await stage.until(lambda: len(stage.engine.calls) == 2)
            again = await stage.end()
            assert again.snapshot.arguments() == first.snapshot.arguments()

    @pytest.mark.slow
    async def test_what_is_not_kept_is_to_be_filled_in(self) -> None:
        async with bench_stage(argv=STRICT, keeps=True) as stage:
            tool = stage.tool("secretive")
            stage.engine.call(tool, {"path": "a", "password": "hunter2"})
            await stage.end()
            await stage.edit("secretive")
            await stage.press("f11")
            await stage.sees("1 secret")
            await stage.press("end", "f5")
            await stage.until(lambda: notice_of(stage), "where they come from")
            PROSE.holds("form: a secret is not kept", notice_of(stage))
            assert form_of(stage).arguments == {"path": "a"}
            assert len(stage.engine.calls) == 1
            await stage.paste("again")
            await stage.until(lambda: form_of(stage).arguments.get("password") == "again")

    @pytest.mark.slow
    async def test_although_invalid_from_the_history(self) -> None:
        async with bench_stage(argv=STRICT) as stage:
            stage.engine.approver = Approves()
            await stage.edit("narrow", "5")
            await stage.press("f12")
            await stage.end()
            await stage.press("f11")
            await stage.sees("although invalid")
            await stage.press("end", "f5")
            await stage.sees("f12: call")
            assert len(stage.engine.calls) == 1
            await stage.press("f11")
            await stage.sees("although invalid", "arguments of narrow")
            await stage.press("end", "f12")
            await stage.until(lambda: len(stage.engine.calls) == 2)
            assert (await stage.end()).although_invalid

    @pytest.mark.slow
    async def test_a_file_into_the_form(self, tmp_path: Path) -> None:
        file = tmp_path / "a.json"
        file.write_text('{"count": 77, "else": true}', encoding="utf-8")
        async with bench_stage(argv=STRICT) as stage:
            await stage.edit("narrow", "5")
            await stage.press("f11")
            await stage.until(lambda: isinstance(stage.app.focused, ArgumentList))
            screen = stage.app.screen
            assert isinstance(screen, ArgumentsScreen)
            await stage.press("l")
            await stage.paste(str(file))
            await stage.press("enter")
            form = stage.app.screen_stack[0].query_one(ArgumentForm)
            await stage.until(lambda: form.arguments == {"count": 77, "else": True})
            assert notice_of(stage) == f"From {file}."


@pytest.mark.slow
async def test_a_letter_that_no_field_takes_says_how_to_get_to_what_it_does() -> None:
    async with bench_stage("--only", "delete_thing", size=NARROW) as stage:
        await stage.choose("delete_thing")
        await stage.press("enter", "W", "tab")
        assert stage.toasts == ""
        await stage.press("t")
        assert stage.app.screen.query_one(ArgumentForm).arguments == {"name": "W", "really": True}
        await stage.press("W")
        await stage.is_told("Wire")
        PROSE.holds("form: a letter of the main screen", notices(stage.app))
        await stage.press("escape", "W")
        await stage.is_open(WireScreen)
