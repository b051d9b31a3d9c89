"""The tool pane: hints, description, argument form, and the verdict on a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from ....widgets.bars import Verb, VerbBar
from ....widgets.forms.argument_form import ArgumentForm
from ....widgets.hint_table import HintTable, ToolBrief
from ....widgets.labels import AutoHeight, ClampedText, Paragraph, say
from ....widgets.lists.finding_list import FindingList, finding_lines
from ....widgets.text_view.line_view import LineView
from ...approval.policies.verdicts import Verdict
from ...approval.who_asks import Flip, HostGroup
from ...content.text import cut, visible
from ...content.texts.kinds import looks_like_markdown
from ...protocol.hints import Effect
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from ...schemas.form.form import build_form
from ...schemas.secrets.arguments import mask_arguments
from ..arguments.editing import carry_over
from ..arguments.pane import ArgumentsPane
from .hosts_line import HostsLine
from .tool_scroll import ToolScroll
from .tool_words import NOT_OPEN, NeededSteps, arguments_words, tool_title, verdict_words

LOW: Final = 30
"""With fewer rows an answer needs the row of the description."""
OPEN: Final = frozenset({Effect.DESTRUCTIVE, Effect.UNDECLARED, Effect.CONTRADICTORY})
"""Effects whose table of hints is open from the start, if it fits."""
DESCRIPTION_LIMIT = 500
LEAST_ROWS, LEAST_UNUSED = 5, 2
"""Rows of the scrolled part: a field, its problem, its help; and the number while idle."""
BESIDE_TITLE = 4
"""Cells of the border without a title."""
LENT = 6
"""Rows that the pane keeps after the help or the problem that took them is gone."""


class ToolPane(ArgumentsPane):
    """Draws one tool definition and edits the arguments of its next call."""

    HELP = """
# The tool and its form

First the tool's hints, as declared and as Signoff uses them. Then what each host does before it
runs the tool: the underlined ones are those of this machine, as their files have them; ° was
measured; `f2` has all of them with their reasons. `1` to `4` try a hint with another value, outside
text fields. Then the arguments of the next call: a field with * is required. Below them is
Signoff's own verdict. Nothing is sent before `f5`; then the arguments become one row, and `e` edits
them again.
"""

    DEFAULT_CSS = """
    ToolPane > VerticalScroll { height: 1fr; }
    ToolPane HintTable { margin-bottom: 1; }
    ToolPane FindingList { margin-bottom: 1; }
    ToolPane .description { margin-bottom: 1; }
    ToolPane .more { margin-bottom: 1; }
    ToolPane .notice { width: 1fr; color: $text-warning; }
    ToolPane .empty { color: $foreground; display: none; }
    ToolPane ArgumentForm { height: auto; overflow-y: hidden; }
    ToolPane .foot { height: auto; }
    ToolPane .verdict { width: 1fr; margin-right: 2; }
    ToolPane .call { width: auto; }
    ToolPane ToolBrief { display: none; }
    ToolPane .sent { height: 1; display: none; }
    ToolPane .arguments { width: 1fr; height: 1; margin-right: 2; text-overflow: ellipsis;
        text-wrap: nowrap; }
    """

    class DefinitionWanted(Message):
        """The user wants the whole definition, with the verdict on a call."""

        def __init__(self, tool: ToolDefinition, verdict: str) -> None:
            super().__init__()
            self.tool = tool
            self.verdict = verdict

    def __init__(self, frame: Widget | None = None, *, id: str | None = None) -> None:
        """`frame` gets the title; None for the border of the pane itself."""
        super().__init__(id=id)
        self._frame = frame or self
        self._has_fields = False
        self._is_away = False
        """Whether the form is one row, below which the answer is read."""
        self._room = 0
        self._is_cramped = False
        self._is_closed = False
        """Whether the hints are one line."""
        self._has_answer = False
        self._folded_for: tuple[int, int, bool, bool, bool] | None = None
        """Width and room of the last decision on folding, and more; None if it is due."""
        self._kept = 0
        """The most rows that were needed since that was decided."""
        self._lines_before = 0
        """Lines of what scrolls before the last decision, until it is laid out."""
        self._judged: ToolDefinition | None = None
        self._whole_at: tuple[int, int] | None = None
        """At which width, and how many lines findings and description take there."""

    def compose(self) -> ComposeResult:
        yield ClampedText(classes="notice")
        with AutoHeight(classes="notice empty"):
            yield Static(markup=False)
        with ToolScroll(), AutoHeight():
            yield ToolBrief()
            with AutoHeight(classes="whole"):
                yield HintTable()
                yield FindingList()
                yield Paragraph(classes="description")
                rendered = LineView(classes="description -rendered", gutter=True, max_rows=40)
                rendered.can_focus = False
                yield rendered
                yield VerbBar([Verb("definition", "Schemas, raw JSON", "f4")], classes="more")
            yield HostsLine()
            yield ArgumentForm(alerts_outside=True)
            with Horizontal(classes="sent"):
                yield Static(classes="arguments", markup=False)
                yield VerbBar([Verb("edit", "Edit", "e")], classes="call")
        with AutoHeight(classes="below"):
            yield ClampedText(classes="alert")
            with Horizontal(classes="foot"):
                yield ClampedText(more="f4", classes="verdict")
                yield VerbBar([Verb("call", "Call", "f5", is_main=True)], classes="call")

    def on_mount(self) -> None:
        self.show(None)

    def tell_empty(self, words: str) -> None:
        """Show these words while no tool is shown."""
        say(self.query_one(".empty > Static", Static), Content(words))
        self._show_empty()

    def _show_empty(self) -> None:
        words = self.query_one(".empty > Static", Static).content
        self.query_one(".empty").display = self.tool is None and bool(str(words))

    def on_resize(self, _event: events.Resize) -> None:
        self._draw_title()

    def _draw_title(self) -> None:
        """The name with its end, which distinguishes names with the same beginning."""
        self._frame.border_title = tool_title(self.tool, self._frame.size.width - BESIDE_TITLE)

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
        self._draw_title()
        for child in self.children:
            child.display = tool is not None and not child.has_class("notice")
        self._show_empty()
        if tool is None:
            return
        self.query_one(".alert").display = False
        form, draft, notice = build_form(tool.input_schema), self.kept_draft(tool), ""
        if is_relisted and before is not None and before.name == tool.name:
            old = self.form
            draft, notice = carry_over(old.draft, old.arguments, old.origins, form)
        self.notice(notice)
        self.query_one(HintTable).show(tool)
        self.query_one(ToolBrief).show(tool)
        findings = self.query_one(FindingList)
        findings.show(tool.findings)
        findings.display = bool(tool.findings)
        self._show_description(tool)
        had_focus = self.has_focus_within
        self._has_fields = bool(form.fields) or bool(form.raw_only)
        self._is_away = False
        self.form.load(form, draft)
        self._folded_for, self._has_answer = None, False
        self._settle()
        if had_focus:
            self.focus_form()
        else:
            self.query_one(ToolScroll).to_top()

    @property
    def is_deprecated(self) -> bool:
        """True if the tool declares it."""
        return self.tool is not None and self.tool.deprecation is not None

    def fold(self, room: int, *, has_answer: bool = False) -> None:
        """Fit the content into `room` rows, the frame included, until the next call.

        Hints fold into a line unless they warn. Fields show their help only with the focus, then
        the description folds into a line; beside an answer of the tool (`has_answer`) both do so
        in any case. Focusing them unfolds them: then the pane scrolls. It is decided once for a
        tool and a number of rows, so that typing and its errors move nothing else.
        """
        self._room, self._has_answer = room, has_answer
        width = self.query_one(ToolScroll).scrollable_content_region.width
        form = self.form
        at = (width, room, form.in_json, has_answer, self._is_away)
        if self.tool is None or width <= 0 or room <= 0 or at == self._folded_for:
            return
        self.give_rows_back()
        # The number of its lines is known only after the layout.
        self._folded_for = at if form.is_laid_out else None
        left = room - self.rows_around - self.query_one(HostsLine).rows
        roomy, dense = (form.lines_needed(width, is_roomy=one) for one in (True, False))
        with_table, without = left - self._whole_lines(width), left - self._closed_lines(width)
        self._is_closed = self.tool.effect not in OPEN or dense > with_table
        whole = without if self._is_closed else with_table
        self._is_cramped = has_answer or dense > whole
        form.set_roomy(roomy <= whole and not has_answer)
        self._show_folded()

    def give_rows_back(self) -> None:
        """Keep no more rows than are filled from now on."""
        self._kept = 0
        self._lines_before = self.query_one(ToolScroll).content.lines
        self.query_one(".verdict", ClampedText).let_go()

    def _settle(self, tries: int = 50) -> None:
        """Decide the folding before anything is typed, once the form is laid out."""
        self.fold(self._room, has_answer=self._has_answer)
        if self._folded_for is None and tries:
            self.call_after_refresh(self._settle, tries - 1)

    def _show_folded(self) -> None:
        hosts, is_low = self.query_one(HostsLine), self.app.size.height < LOW
        hosts.set_low(is_low)
        hosts.display = not (is_low and self._has_answer)
        self.form.display = not self._is_away
        self.query_one(".sent").display = self._is_away
        for line in self.query(ClampedText):
            line.show_whole(self._is_read)
        verdict = self.query_one(".verdict", ClampedText)
        verdict.keep_lines(self.has_focus_within and not self._is_read)
        is_folded = (self._is_cramped or self._is_away) and not self._is_read
        is_closed = self._is_closed and not is_folded and not self._is_read
        # On few rows the answer needs the one of the description more.
        is_only = is_closed or self._is_away or (self._has_answer and is_low)
        whole, table = self.query_one(".whole"), self.query_one(HintTable)
        if (is_folded, is_closed) != (not whole.display, not table.display):
            # A class of the pane would style every row of the form again.
            whole.display = not is_folded
            table.display = self.query_one(".more").display = not is_closed
            brief = self.query_one(ToolBrief)
            brief.display = is_folded or is_closed
            brief.show_hints_only(is_only)
            self.query_one(ToolScroll).begin_anew()

    @property
    def _is_read(self) -> bool:
        """True if the part above the form has the focus; f4 focuses it without a form."""
        return self._has_fields and self.query_one(ToolScroll).has_focus

    @property
    def rows_around(self) -> int:
        """Rows of the frame, the verdict, and the rest around the scrolling part."""
        said = self.query_one(".notice")
        if self.tool is None:
            return self.query_one(".empty", AutoHeight).lines
        return self.query_one(".below", AutoHeight).lines + said.display * said.size.height

    def keep_rows(self) -> int:
        """Return the rows that the pane takes as folded now, and keeps.

        A button must not move away from under the mouse because an error was fixed: while the form
        has the focus, rows taken by a help text or an error stay.
        """
        lines = self.query_one(ToolScroll).content.lines
        rows = self.rows_around + lines
        if lines == self._lines_before:
            # It may still be laid out again.
            return rows
        self._lines_before = 0
        if self._is_read or not self.has_focus_within:
            self._kept = rows
            return rows
        self._kept = max(rows, min(self._kept, rows + LENT))
        return self._kept

    @property
    def rows_least(self) -> int:
        """With fewer the field that is typed in would be out of sight, or the next one to be."""
        lines = self.query_one(ToolScroll).content.lines
        if self._is_away:
            return self.rows_around + lines
        least = LEAST_ROWS if self.has_focus_within else LEAST_UNUSED
        return self.rows_around + min(least, lines)

    def _closed_lines(self, width: int) -> int:
        """Rows of hints, findings and description, with the hints on one line."""
        table = self.query_one(HintTable).lines_at(width)
        brief = self.query_one(ToolBrief).hint_rows
        # The margin of the table, and the verb below it.
        return self._whole_lines(width) - table - 1 - 2 + brief

    def _whole_lines(self, width: int) -> int:
        """Rows of hints, findings and description, unfolded."""
        if self._whole_at is None or self._whole_at[0] != width:
            tool = self.tool
            assert tool is not None
            prose = self.query_one(Paragraph)
            lines = 1 + 2
            if tool.findings:
                lines += len(finding_lines(tool.findings, width)) + 1
            if prose.display:
                lines += prose.lines_at(width) + 1
            elif tool.description:
                lines += self.query_one(".-rendered", LineView).row_count + 1
            self._whole_at = (width, lines)
        return self._whole_at[1] + self.query_one(HintTable).lines_at(width)

    def on_descendant_focus(self) -> None:
        self._show_folded()

    def on_descendant_blur(self) -> None:
        self._show_folded()

    def show_verdict(
        self,
        verdict: Verdict,
        trust: Trust,
        *,
        is_open: bool,
        overrides: Mapping[str, bool | None],
    ) -> None:
        """Show the policy's verdict on a call with the arguments that were checked last.

        `overrides`: the hints that the user has set for a what-if.
        """
        self.query_one(HintTable).show(self.tool, overrides, trust)
        self.query_one(ToolBrief).show(self.tool, overrides)
        form = self.form
        steps = NeededSteps(*form.counts, form.missing_names, form.is_no_object)
        said = verdict_words(verdict, steps) if is_open else NOT_OPEN
        line = self.query_one(".verdict", ClampedText)
        if self.tool is not self._judged:
            self._judged = self.tool
            line.let_go()
        say(line, said)
        line.tooltip = said

    def show_hosts(self, groups: Sequence[HostGroup] | None, flips: Sequence[Flip] = ()) -> None:
        """Show what the hosts do before they run the tool; None while that is not known."""
        self.query_one(HostsLine).show(groups, flips)

    def say_judging(self) -> None:
        """Show that the verdict on these arguments is pending."""
        words = "Verdict pending: the policy's patterns are being tried on the arguments"
        say(self.query_one(".verdict", Static), Content(words))

    def focus_form(self) -> None:
        """Focus the first argument; or the text of a tool without arguments."""
        self.bring_back()
        if self._has_fields:
            self.form.focus_field()
        else:
            self.query_one(ToolScroll).focus()

    @property
    def is_away(self) -> bool:
        """True if the arguments are one row."""
        return self._is_away

    def put_away(self) -> None:
        """Draw the arguments in one row, for the answer; a form to be corrected stays."""
        if self._is_away or self.tool is None or self.form.problems:
            return
        self._is_away = True
        shown = mask_arguments(self.arguments, self.tool.input_schema).value
        words = arguments_words(shown if isinstance(shown, dict) else {})
        say(self.query_one(".arguments", Static), words)
        self._show_folded()
        self.post_message(AutoHeight.Grew())

    def bring_back(self) -> None:
        """Draw the whole form again."""
        if self._is_away:
            self._is_away = False
            self._show_folded()
            self.post_message(AutoHeight.Grew())

    def show_definition(self) -> None:
        """The whole evidence about the tool, over everything."""
        if self.tool is not None:
            said = self.query_one(".verdict", Static).content
            self.post_message(self.DefinitionWanted(self.tool, str(said)))

    @on(ArgumentForm.Alerted)
    def _alerted(self, message: ArgumentForm.Alerted) -> None:
        message.stop()
        said = self.query_one(".alert", Static)
        say(said, message.words)
        said.display = bool(message.words.plain)

    @on(VerbBar.Picked)
    def _verb_picked(self, message: VerbBar.Picked) -> None:
        message.stop()
        if message.name == "call":
            self.submit()
        elif message.name == "edit":
            self.focus_form()
        else:
            self.show_definition()

    def on_click(self) -> None:
        if self.tool is not None and not self.has_focus_within:
            self.focus_form()

    @on(ToolBrief.MoreWanted)
    def _more_wanted(self, message: ToolBrief.MoreWanted) -> None:
        message.stop()
        self.show_definition()

    def _show_description(self, tool: ToolDefinition) -> None:
        """Markdown rendered if it is Markdown, cut to a cheap length."""
        self._whole_at = None
        plain, rendered = self.query_one(Paragraph), self.query_one(".-rendered", LineView)
        shown = cut(tool.description.strip(), DESCRIPTION_LIMIT)
        notice = f"{shown.notice}, f4: show all" if shown.is_cut else ""
        is_rendered = False
        if looks_like_markdown(shown.text):
            # Imported for a text that needs it: the tools would wait for it on the first screen.
            from ...content.texts.markdown import MarkdownRefused, markdown_lines

            width = max(20, self.size.width - 6)
            lines = markdown_lines(visible(shown.text, multiline=True), width)
            if not isinstance(lines, MarkdownRefused):
                is_rendered = True
                rendered.show_lines([*lines, *([[(notice, "muted")]] if notice else [])])
        plain.show(shown.text, notice)
        rendered.display = is_rendered
        plain.display = bool(tool.description) and not is_rendered
