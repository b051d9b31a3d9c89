"""The chosen tool: its claims, its description, its arguments, and the verdict on a call."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from app.core.approval import Question
from app.core.drafts import Draft
from app.core.entries import Origin
from app.core.forms import build_form
from app.core.jsonio import JsonValue
from app.core.markdown import MarkdownRefused, looks_like_markdown, markdown_lines
from app.core.policy import Verdict
from app.core.text import cut, visible
from app.core.tools import ToolDefinition
from app.link.worker import judge_in_worker
from app.screens.failures import TellsFailures
from app.screens.pager import PagerScreen
from app.screens.sections import tool_sections
from widgets.argument_form import ArgumentForm
from widgets.finding_list import FindingList
from widgets.hint_table import HintTable
from widgets.line_view import LineView
from widgets.prose import Prose
from widgets.verb_bar import Verb, VerbBar

DESCRIPTION_LIMIT = 500
DRAFTS_KEPT = 200


class ToolPane(TellsFailures, Vertical):
    """Draws one tool definition and edits the arguments of its next call."""

    DEFAULT_CSS = """
    ToolPane > VerticalScroll { height: 1fr; }
    ToolPane HintTable { margin-bottom: 1; }
    ToolPane FindingList { margin-bottom: 1; }
    ToolPane .description { margin-bottom: 1; }
    ToolPane ArgumentForm { height: auto; overflow-y: hidden; }
    ToolPane > .verdict { height: auto; max-height: 2; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "f4",
            "definition",
            "Definition",
            id="tool.definition",
            tooltip="Schemas, raw JSON and the whole description of this tool.",
        ),
    ]

    class CallWanted(Message):
        """The form was submitted."""

        def __init__(
            self,
            tool: ToolDefinition,
            arguments: dict[str, JsonValue],
            origins: dict[str, Origin],
        ) -> None:
            super().__init__()
            self.tool = tool
            self.arguments = arguments
            self.origins = origins

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tool: ToolDefinition | None = None
        self._drafts: dict[tuple[str, str], Draft] = {}

    def compose(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield HintTable()
            yield FindingList()
            yield Prose(classes="description")
            rendered = LineView(classes="description -rendered", gutter=True, max_rows=40)
            rendered.can_focus = False
            yield rendered
            yield ArgumentForm()
        yield Static(classes="verdict", markup=False)
        yield VerbBar(
            [
                Verb("call", "Call", "f5", is_main=True),
                Verb("definition", "schemas, raw JSON", "f4"),
            ]
        )

    def on_mount(self) -> None:
        self.show(None, None)

    def show(self, tool: ToolDefinition | None, verdict: Verdict | None) -> None:
        """Show a tool; the arguments that were entered for it before come back."""
        if tool is not None and self.tool is not None and tool.raw == self.tool.raw:
            self.tool = tool
            self.show_verdict(verdict)
            return
        self._keep_draft()
        self.tool = tool
        for child in self.children:
            child.display = tool is not None
        if tool is None:
            return
        self.query_one(HintTable).show(tool)
        findings = self.query_one(FindingList)
        findings.show(tool.findings)
        findings.display = bool(tool.findings)
        self._show_description(tool)
        form = build_form(tool.input_schema)
        had_focus = self.has_focus_within
        self.query_one(ArgumentForm).load(form, self._drafts.get((tool.name, tool.digest)))
        if had_focus:
            self.focus_form()
        self.query_one(VerticalScroll).scroll_home(animate=False)
        self.show_verdict(verdict)

    def show_verdict(self, verdict: Verdict | None) -> None:
        """What the policy says of a call with arguments that obey the schema."""
        if verdict is not None:
            words = "; ".join(verdict.reasons)
            style = "bold $text-error" if verdict.strong else "bold"
            self.query_one(".verdict", Static).update(
                Content.assemble(
                    ("verdict: ", "$foreground-muted"), (verdict.words, style), f" - {words}"
                )
            )

    def focus_form(self) -> None:
        form = self.query_one(ArgumentForm)
        form.focus_field()

    def return_to(self, question: Question) -> None:
        """Back from the dialog by `edit`: the arguments still stand in the form."""
        if self.tool is not None and self.tool.name == question.tool.name:
            self.focus_form()

    def submit(self) -> None:
        if self.tool is not None:
            self.query_one(ArgumentForm).submit()

    def action_definition(self, start: int = 0) -> None:
        if self.tool is not None:
            title = Content.assemble("definition of ", (self.tool.name_shown, "bold"))
            self.app.push_screen(PagerScreen(title, tool_sections(self.tool), start))

    @on(VerbBar.Picked)
    def _verb_picked(self, message: VerbBar.Picked) -> None:
        message.stop()
        if message.name == "call":
            self.submit()
        else:
            self.action_definition()

    @on(ArgumentForm.Changed)
    def _arguments_changed(self, message: ArgumentForm.Changed) -> None:
        message.stop()
        self._validate(message.arguments)

    @on(ArgumentForm.Submitted)
    def _submitted(self, message: ArgumentForm.Submitted) -> None:
        message.stop()
        if self.tool is not None:
            self.post_message(self.CallWanted(self.tool, message.arguments, message.origins))

    @work(exclusive=True, group="validate", exit_on_error=False)
    async def _validate(self, arguments: dict[str, JsonValue]) -> None:
        """Check what was typed against the whole schema, in the worker, and mark the fields."""
        tool = self.tool
        if tool is None:
            return
        verdict = await judge_in_worker(tool.input_schema, arguments)
        if tool is self.tool:
            self.query_one(ArgumentForm).show_mismatches(verdict.errors)

    def _keep_draft(self) -> None:
        if self.tool is None:
            return
        self._drafts[self.tool.name, self.tool.digest] = self.query_one(ArgumentForm).draft
        while len(self._drafts) > DRAFTS_KEPT:
            del self._drafts[next(iter(self._drafts))]

    def _show_description(self, tool: ToolDefinition) -> None:
        """Markdown where it is Markdown, cut to a length that cannot be expensive."""
        plain, rendered = self.query_one(Prose), self.query_one(".-rendered", LineView)
        shown = cut(tool.description.strip(), DESCRIPTION_LIMIT)
        notice = f"{shown.notice}, f4 shows all" if shown.is_cut else ""
        lines: list[list[tuple[str, str]]] | MarkdownRefused = MarkdownRefused("not Markdown")
        if looks_like_markdown(shown.text):
            width = max(20, self.size.width - 6)
            lines = markdown_lines(visible(shown.text, multiline=True), width)
        is_rendered = not isinstance(lines, MarkdownRefused)
        if not isinstance(lines, MarkdownRefused):
            rendered.show_lines([*lines, *([[(notice, "muted")]] if notice else [])])
        plain.show(shown.text, notice)
        rendered.display = is_rendered
        plain.display = bool(tool.description) and not is_rendered
