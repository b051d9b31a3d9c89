"""The chosen tool: its claims, its description, its arguments, and the verdict on a call."""

from __future__ import annotations

from collections.abc import Mapping

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from app.core.forms.form import build_form
from app.core.policies.verdicts import Verdict
from app.core.text import cut, visible
from app.core.texts.markdown import MarkdownRefused, markdown_lines
from app.core.texts.markdown_signs import looks_like_markdown
from app.core.tools import ToolDefinition
from app.core.trust import Trust
from app.screens.arguments.carry_over import carry_over
from app.screens.arguments.pane import ArgumentsPane
from widgets.finding_list import FindingList
from widgets.forms.argument_form import ArgumentForm
from widgets.hint_table import HintTable
from widgets.lines.line_view import LineView
from widgets.prose import Prose
from widgets.verb_bar import Verb, VerbBar

DESCRIPTION_LIMIT = 500


class ToolPane(ArgumentsPane):
    """Draws one tool definition and edits the arguments of its next call."""

    DEFAULT_CSS = """
    ToolPane > VerticalScroll { height: 1fr; }
    ToolPane HintTable { margin-bottom: 1; }
    ToolPane FindingList { margin-bottom: 1; }
    ToolPane .description { margin-bottom: 1; }
    ToolPane .notice { width: 1fr; height: auto; margin-bottom: 1; color: $text-warning; }
    ToolPane ArgumentForm { height: auto; overflow-y: hidden; }
    ToolPane > .alert { height: auto; max-height: 3; }
    ToolPane > .verdict { height: auto; max-height: 2; }
    """

    class DefinitionWanted(Message):
        """The whole definition is to be shown."""

        def __init__(self, tool: ToolDefinition) -> None:
            super().__init__()
            self.tool = tool

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._has_fields = False

    def compose(self) -> ComposeResult:
        yield Static(classes="notice", markup=False)
        with VerticalScroll():
            yield HintTable()
            yield FindingList()
            yield Prose(classes="description")
            rendered = LineView(classes="description -rendered", gutter=True, max_rows=40)
            rendered.can_focus = False
            yield rendered
            yield ArgumentForm(alerts_outside=True)
        yield Static(classes="alert", markup=False)
        yield Static(classes="verdict", markup=False)
        yield VerbBar(
            [
                Verb("call", "Call", "f5", is_main=True),
                Verb("definition", "schemas, raw JSON", "f4"),
            ]
        )

    def on_mount(self) -> None:
        self.show(None)

    def show(self, tool: ToolDefinition | None, *, is_relisted: bool = False) -> None:
        """Show a tool; the arguments that were entered for it before come back.

        After the server listed its tools again, the same name is the same tool, changed.
        """
        if tool is not None and self.tool is not None and tool.raw == self.tool.raw:
            self.tool = tool
            return
        self.keep_draft()
        self.forget_check()
        before, self.tool = self.tool, tool
        for child in self.children:
            child.display = tool is not None and not (child.classes & {"notice", "alert"})
        if tool is None:
            return
        form, draft, notice = build_form(tool.input_schema), self.kept_draft(tool), ""
        if is_relisted and before is not None and before.name == tool.name:
            old = self.form
            draft, notice = carry_over(old.draft, old.arguments, old.origins, form)
        self.notice(notice)
        self.query_one(HintTable).show(tool)
        findings = self.query_one(FindingList)
        findings.show(tool.findings)
        findings.display = bool(tool.findings)
        self._show_description(tool)
        had_focus = self.has_focus_within
        self._has_fields = bool(form.fields) or bool(form.raw_only)
        self.form.load(form, draft)
        if had_focus:
            self.focus_form()
        else:
            self.query_one(VerticalScroll).scroll_home(animate=False)

    def show_verdict(
        self,
        verdict: Verdict,
        trust: Trust,
        *,
        is_open: bool,
        overrides: Mapping[str, bool | None],
    ) -> None:
        """What the policy says of a call with the arguments that were checked last.

        `overrides`: the hints that the person has set for a what-if.
        """
        self.query_one(HintTable).show(self.tool, overrides, trust)
        if is_open:
            words = "; ".join(verdict.reasons)
            style = "bold $text-error" if verdict.strong else "bold"
            said = Content.assemble((verdict.words, style), f" - {words}")
        else:
            said = Content.assemble(
                ("none", "bold $text-error"), " - the server is gone, nothing can be sent"
            )
        label = ("verdict: ", "$foreground-muted")
        self.query_one(".verdict", Static).update(Content.assemble(label, said))

    def say_judging(self) -> None:
        """The verdict takes a while: what is shown is not about these arguments."""
        words = "not known yet - the policy's patterns are being tried on the arguments"
        line = Content.assemble(("verdict: ", "$foreground-muted"), words)
        self.query_one(".verdict", Static).update(line)

    def focus_form(self) -> None:
        """The first argument; what there is to read where a tool takes none."""
        if self._has_fields:
            self.form.focus_field()
        else:
            self.query_one(VerticalScroll).focus()

    def show_definition(self) -> None:
        """The whole evidence about the tool, over everything."""
        if self.tool is not None:
            self.post_message(self.DefinitionWanted(self.tool))

    @on(ArgumentForm.Alerted)
    def _alerted(self, message: ArgumentForm.Alerted) -> None:
        message.stop()
        said = self.query_one(".alert", Static)
        said.update(message.words)
        said.display = bool(message.words.plain)

    @on(VerbBar.Picked)
    def _verb_picked(self, message: VerbBar.Picked) -> None:
        message.stop()
        if message.name == "call":
            self.submit()
        else:
            self.show_definition()

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
