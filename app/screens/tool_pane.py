"""The chosen tool: its claims, its description, its arguments, and the verdict on a call."""

from __future__ import annotations

from collections.abc import Mapping

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from app.core.calls import Call
from app.core.checks import argument_problems
from app.core.drafts import Draft, draft_from_arguments
from app.core.entries import Origin
from app.core.forms import build_form
from app.core.idempotency import fresh_key, key_parameter
from app.core.jsonio import JsonValue
from app.core.markdown import MarkdownRefused, looks_like_markdown, markdown_lines
from app.core.text import cut, visible
from app.core.tools import ToolDefinition
from app.core.trust import Trust
from app.core.verdicts import Verdict
from app.link.worker import judge_in_worker
from app.screens.carry_over import carry_over
from app.screens.failures import TellsFailures
from widgets.argument_form import ArgumentForm
from widgets.finding_list import FindingList
from widgets.hint_table import HintTable
from widgets.line_view import LineView
from widgets.prose import Prose
from widgets.verb_bar import Verb, VerbBar

DESCRIPTION_LIMIT = 500
DRAFTS_KEPT = 200


class ToolPane(Vertical, TellsFailures):
    """Draws one tool definition and edits the arguments of its next call."""

    DEFAULT_CSS = """
    ToolPane > VerticalScroll { height: 1fr; }
    ToolPane HintTable { margin-bottom: 1; }
    ToolPane FindingList { margin-bottom: 1; }
    ToolPane .description { margin-bottom: 1; }
    ToolPane .notice { width: 1fr; height: auto; margin-bottom: 1; color: $text-warning; }
    ToolPane ArgumentForm { height: auto; overflow-y: hidden; }
    ToolPane > .verdict { height: auto; max-height: 2; }
    """

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

    class Checked(Message):
        """`checked` and `problems` are newer: what was typed has been checked."""

    class DefinitionWanted(Message):
        """The whole definition is to be shown."""

        def __init__(self, tool: ToolDefinition) -> None:
            super().__init__()
            self.tool = tool

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tool: ToolDefinition | None = None
        self.checked: dict[str, JsonValue] | None = None
        """Arguments as they were typed and checked last; None before."""
        self.problems: tuple[str, ...] = ()
        """How they break the input schema, in words."""
        self._has_fields = False
        self._drafts: dict[tuple[str, str], Draft] = {}
        self._fresh: tuple[str, str] | None = None
        """The tool for which Signoff made an idempotency key, and the key."""

    def compose(self) -> ComposeResult:
        yield Static(classes="notice", markup=False)
        with VerticalScroll():
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
        self.show(None)

    def show(self, tool: ToolDefinition | None, *, is_relisted: bool = False) -> None:
        """Show a tool; the arguments that were entered for it before come back.

        After the server listed its tools again, the same name is the same tool, changed.
        """
        if tool is not None and self.tool is not None and tool.raw == self.tool.raw:
            self.tool = tool
            return
        self._keep_draft()
        self.checked, self.problems = None, ()
        before, self.tool = self.tool, tool
        for child in self.children:
            child.display = tool is not None and not child.has_class("notice")
        if tool is None:
            return
        form, draft, notice = build_form(tool.input_schema), self._kept(tool), ""
        if is_relisted and before is not None and before.name == tool.name:
            old = self.query_one(ArgumentForm)
            draft, notice = carry_over(old.draft, old.arguments, old.origins, form)
        said = self.query_one(".notice", Static)
        said.update(Content(notice))
        said.display = bool(notice)
        self.query_one(HintTable).show(tool)
        findings = self.query_one(FindingList)
        findings.show(tool.findings)
        findings.display = bool(tool.findings)
        self._show_description(tool)
        had_focus = self.has_focus_within
        self._has_fields = bool(form.fields) or bool(form.raw_only)
        self.query_one(ArgumentForm).load(form, draft)
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

    def focus_form(self) -> None:
        """The first argument; what there is to read where a tool takes none."""
        if self._has_fields:
            self.query_one(ArgumentForm).focus_field()
        else:
            self.query_one(VerticalScroll).focus()

    def edit_again(self, arguments: dict[str, JsonValue]) -> None:
        """Put the arguments of an earlier question back into the form, if they are not there."""
        form = self.query_one(ArgumentForm)
        if self.tool is not None and form.arguments != arguments:
            fields = build_form(self.tool.input_schema)
            form.load(fields, draft_from_arguments(fields, arguments, before=form.draft))
        self.focus_form()

    @property
    def has_key_parameter(self) -> bool:
        """Whether one of the parameters is an idempotency key."""
        return self.tool is not None and key_parameter(self.tool) is not None

    def put_fresh_key(self) -> None:
        """Fill the idempotency key with a new UUID; what else was entered stays."""
        name = key_parameter(self.tool) if self.tool is not None else None
        if self.tool is None or name is None:
            return
        self._fresh = (self.tool.name, fresh_key())
        form, fields = self.query_one(ArgumentForm), build_form(self.tool.input_schema)
        arguments = {**form.arguments, name: self._fresh[1]}
        form.load(fields, draft_from_arguments(fields, arguments, before=form.draft))

    def renew_key(self, call: Call) -> None:
        """A call was sent: a key that Signoff made is renewed for the next one."""
        name = key_parameter(call.tool)
        used = call.snapshot.arguments().get(name) if name is not None else None
        if self.tool is not None and (call.tool.name, used) == self._fresh:
            self.put_fresh_key()

    @property
    def arguments(self) -> dict[str, JsonValue]:
        """What stands in the form, as far as it can be read."""
        return self.query_one(ArgumentForm).arguments

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._keep_focus_in_sight)

    def on_descendant_focus(self) -> None:
        # The field may just have been mounted, and have had no place when it got the focus.
        self.call_after_refresh(self._keep_focus_in_sight)

    def _keep_focus_in_sight(self) -> None:
        focused = self.screen.focused
        if focused is not None and self.query_one(ArgumentForm) in focused.ancestors:
            focused.scroll_visible(animate=False)

    def submit(self) -> None:
        if self.tool is not None:
            self.query_one(ArgumentForm).submit()

    def show_definition(self) -> None:
        """The whole evidence about the tool, over everything."""
        if self.tool is not None:
            self.post_message(self.DefinitionWanted(self.tool))

    @on(VerbBar.Picked)
    def _verb_picked(self, message: VerbBar.Picked) -> None:
        message.stop()
        if message.name == "call":
            self.submit()
        else:
            self.show_definition()

    @on(ArgumentForm.Changed)
    def _arguments_changed(self, message: ArgumentForm.Changed) -> None:
        message.stop()
        if "" in message.problems:
            # Arguments that are no JSON object cannot break a schema.
            self.workers.cancel_group(self, "validate")
            self.query_one(ArgumentForm).show_mismatches(())
        else:
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
            self.checked, self.problems = arguments, tuple(argument_problems(verdict))
            self.post_message(self.Checked())

    def _kept(self, tool: ToolDefinition) -> Draft | None:
        return self._drafts.get((tool.name, tool.digest))

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
