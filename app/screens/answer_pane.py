"""What came of the selected call: outcome, structured answer with its verdict, parts in order."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from app.core.calls import Call, Outcome, State
from app.core.content import Answer
from app.core.jsonio import JsonValue
from app.core.schema import Answer as SchemaAnswer
from app.core.schema import SchemaVerdict
from app.core.text import seconds, visible
from app.screens.answer_parts import PartView
from app.screens.failures import TellsFailures
from app.screens.pager import PagerScreen
from app.screens.sections import call_sections, raw_lines
from widgets.finding_list import FindingList
from widgets.json_tree import JsonTree, NodeError
from widgets.line_view import LineView

SCHEMA_STYLES = {
    SchemaAnswer.VALID: "bold $text-success",
    SchemaAnswer.INVALID: "bold $text-error",
    SchemaAnswer.MISSING: "bold $text-error",
    SchemaAnswer.NOT_VALIDATED: "bold $text-warning",
    SchemaAnswer.NO_SCHEMA: "$foreground-muted",
}


TOLD_IN_PLACE = ("schema-mismatch", "structured-missing", "text-copy-differs", "unknown-content")
"""Findings that stand where they were found; f8 lists all."""


class AnswerPane(VerticalScroll, TellsFailures, can_focus=True):
    """Draws one call. It is drawn anew only when its outcome or verdict changes."""

    DEFAULT_CSS = """
    AnswerPane > * { height: auto; }
    AnswerPane > .body > * { height: auto; }
    AnswerPane .headline { height: auto; }
    AnswerPane .label { margin-top: 1; }
    AnswerPane JsonTree { max-height: 16; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.call: Call | None = None
        self._advice = ""
        self._is_plain = False
        self._drawn: object = None
        self._wanted: Call | None = None
        self._is_drawing = False

    def compose(self) -> ComposeResult:
        yield Static("no call selected", classes="headline", markup=False)
        yield Vertical(classes="body")

    def show(self, call: Call | None, advice: str = "") -> None:
        """Show a call, running or ended. `advice`: whether it may be made once more, in words."""
        self.call = call
        self._advice = advice
        mark = None if call is None else (call.id, call.outcome, call.schema, call.late is None)
        if call is None:
            return
        self._update_headline(call)
        if mark != self._drawn:
            self._drawn = mark
            self._draw(call)

    def toggle_plain(self) -> None:
        """Text parts as they came, or as Markdown where they are Markdown."""
        self._is_plain = not self._is_plain
        if self.call is not None:
            self._draw(self.call)

    def show_raw(self) -> None:
        if self.call is not None:
            title = Content.assemble("call ", str(self.call.id), "  ", self.call.tool.name_shown)
            self.app.push_screen(PagerScreen(title, call_sections(self.call)))

    def _draw(self, call: Call) -> None:
        """Draw a call, after what is being drawn: mounting must never be cut off half-way."""
        self._wanted = call
        if not self._is_drawing:
            self._is_drawing = True
            self.run_worker(self._draw_wanted(), exit_on_error=False)

    async def _draw_wanted(self) -> None:
        body = self.query_one(".body", Vertical)
        try:
            while (call := self._wanted) is not None:
                self._wanted = None
                with self.app.batch_update():
                    await body.remove_children()
                    await body.mount_all(_body(call, self._is_plain))
                self.scroll_home(animate=False)
        finally:
            self._is_drawing = False

    def _update_headline(self, call: Call) -> None:
        self.query_one(".headline", Static).update(_headline(call, self._advice))


def _headline(call: Call, advice: str) -> Content:
    broken = (SchemaAnswer.INVALID, SchemaAnswer.MISSING)
    keeps_promise = call.schema is None or call.schema.answer not in broken
    is_fine = call.outcome is None or (call.outcome is Outcome.OK and keeps_promise)
    style = "bold" if is_fine else "bold $text-error"
    pieces: list[str | tuple[str, str]] = [
        (f"{call.id}  ", "$foreground-muted"),
        (call.tool.name_shown, "bold"),
        "  ",
        (call.status, style),
    ]
    if call.sent_at is not None and call.ended_at is not None:
        pieces.append((f"  {seconds(call.ended_at - call.sent_at)}", "$foreground-muted"))
    elif call.state is State.ENDED:
        pieces.append(("  nothing was sent", "$foreground-muted"))
    if call.decision is not None and call.outcome is not Outcome.DENIED:
        words = {"approve": "approved", "deny": "denied", "edit": "edited"}
        answer = words[call.decision.answer.value]
        pieces.append((f"  {answer} by {call.decision.by}", "$foreground-muted"))
    if call.result_decision is not None and not call.withheld:
        pieces.append((f"  answer used by {call.result_decision.by}", "$foreground-muted"))
    if call.retry_of is not None:
        pieces.append((f"  retry of call {call.retry_of}", "$foreground-muted"))
    if call.reason:
        pieces.append(f"\n{call.reason}")
    if advice:
        pieces += ["\n", (advice, "$text-warning")]
    if (found := call.comparison) is not None:
        style = "bold $text-success" if found.agrees else "bold $text-warning"
        pieces += ["\n", (found.headline, style), f": {'; '.join(found.words)}"]
    return Content.assemble(*pieces)


def _body(call: Call, is_plain: bool) -> list[Widget]:
    widgets: list[Widget] = []
    findings = [one for one in call.findings if one.code not in TOLD_IN_PLACE]
    if findings:
        widgets.append(FindingList(findings))
    answer = call.answer
    if answer is not None:
        if answer.has_structured:
            widgets += _structured(answer, call.schema, _differs_at(call))
        elif call.schema is not None and call.schema.answer is SchemaAnswer.MISSING:
            label = Content.assemble(
                ("structuredContent  ", "bold"),
                ("missing", SCHEMA_STYLES[SchemaAnswer.MISSING]),
                "  the tool has an output schema and sent none",
            )
            widgets.append(Static(label, classes="label", markup=False))
        widgets += [
            PartView(part, index + 1, len(answer.parts), is_plain=is_plain)
            for index, part in enumerate(answer.parts)
        ]
        if answer.more_parts:
            words = f"{answer.more_parts} more parts are not drawn; f8 shows the raw answer"
            widgets.append(Static(words, classes="label", markup=False))
    elif call.raw is not None:
        widgets += _raw("the raw answer", call.raw)
    if call.error is not None and call.error.data is not None:
        widgets += _raw("data of the error", call.error.data)
    if call.late is not None:
        widgets += _raw("late answer, arrived after the call had ended here", call.late)
    return widgets


def _raw(words: str, value: JsonValue) -> list[Widget]:
    view = LineView(gutter=True, max_rows=200)
    view.can_focus = False
    view.show_spans(raw_lines(value))
    return [Static(words, classes="label", markup=False), view]


def _differs_at(call: Call) -> str:
    paths = [one.path for one in call.findings if one.code == "text-copy-differs"]
    return visible(paths[0]) if paths else ""


def _structured(answer: Answer, verdict: SchemaVerdict | None, differs_at: str) -> list[Widget]:
    errors = verdict.errors if verdict is not None else ()
    nodes = [
        NodeError(
            error.path, error.message, "/" + "/".join(str(step) for step in error.schema_path)
        )
        for error in errors
    ]
    tree = JsonTree(answer.structured, nodes)
    label = _structured_label(answer, verdict, differs_at)
    return [Static(label, classes="label", markup=False), tree]


def _structured_label(answer: Answer, verdict: SchemaVerdict | None, differs_at: str) -> Content:
    pieces: list[str | tuple[str, str]] = [("structuredContent  ", "bold")]
    if verdict is None:
        pieces.append(("validating", "$foreground-muted"))
    else:
        words = verdict.answer.value.replace("-", " ")
        count = len(verdict.errors) + verdict.more
        if verdict.answer is SchemaAnswer.INVALID:
            words = f"invalid: {count} error{'' if count == 1 else 's'}"
        pieces.append((words, SCHEMA_STYLES[verdict.answer]))
        if verdict.reason:
            pieces.append(f"  {verdict.reason}")
    copies = {
        "none": "no text copy",
        "same": "text copy is the same",
        "differs": f"text copy DIFFERS at {differs_at}" if differs_at else "text copy DIFFERS",
    }
    pieces.append((f"   {copies[answer.text_copy]}", "$foreground-muted"))
    return Content.assemble(*pieces)
