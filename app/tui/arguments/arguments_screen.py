"""Arguments to reuse: presets, earlier calls of a tool, and files.

Each row can be filtered and shown in full.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.widgets import Input, Static

from ....widgets.bindings import bindings_of
from ....widgets.key_bar import BarKey
from ....widgets.lists.argument_list import ArgumentList, InForm, Row, brief
from ....widgets.lists.row_list import RowList
from ....widgets.text_view.line_view import LineView
from ...calls.argument_history import TOO_LARGE, KeptArguments, places_words, secrets_words
from ...content.json.jsonio import JsonValue, pretty_spans
from ...content.text import Span, size, visible
from ...engine.past_arguments import PastArguments
from ...protocol.tool import ToolDefinition
from ...storage.arguments import FileProblem
from ...storage.state_dir import StoreError
from ..base.browser_screen import BrowserDialog
from .pane import ArgumentActions, PickedArguments

PREVIEW_MAX = 200_000
"""Characters of JSON that are laid out beside the list."""


def fits(row: Row, words: list[str]) -> bool:
    """True if all words of the filter are somewhere in a row."""
    facts = [brief(row)]
    if isinstance(row, KeptArguments):
        facts += [row.name, row.outcome_words, *row.marks, row.document.text or ""]
    else:
        facts.append(row.words)
    text = " ".join(facts).casefold()
    return all(word in text for word in words)


def lines_of(value: dict[str, JsonValue] | None) -> list[list[Span]]:
    """Its arguments in full, or why they are not shown."""
    if value is None:
        return [[Span("too large to be kept: only a digest is there", False)]]
    length = len(json.dumps(value))
    if length > PREVIEW_MAX:
        return [[Span(f"{length:,} characters, too many to be shown here", False)]]
    return pretty_spans(value)


def kept_words(row: Row | None, problem: str) -> str:
    """Describe which parts of a row were not kept, and whether it lasts; `problem`: of the disk."""
    words = []
    if isinstance(row, KeptArguments) and row.document.not_kept:
        places = row.document.not_kept
        words.append(f"{secrets_words(len(places))}: {places_words(places)}")
    elif isinstance(row, KeptArguments) and row.document.text is None:
        words.append(f"{size(row.document.size)}, sha256 {row.document.digest}")
    if problem:
        words.append(f"Kept for this session only: {problem}")
    elif isinstance(row, KeptArguments) and not row.is_on_disk:
        words.append("Kept for this session only")
    return ". ".join(words)


WIDE_COLUMNS = 100
KEYS: Final = (
    BarKey("arguments.close"),
    BarKey("enter", "Into the form"),
    BarKey("arguments.call", "", 1),
    BarKey("arguments.name", "", 2),
    BarKey("arguments.remove", "", 2),
    BarKey("arguments.load", "", 3),
    BarKey("arguments.save", "", 3),
)


class ArgumentsScreen(BrowserDialog[Row, PickedArguments]):
    """Lists presets first, then earlier arguments of the tool; shows each in full.

    `in_form` is the readable content of the form, `before` its content before it was replaced.
    """

    DEFAULT_CSS = """
    ArgumentsScreen #ask, ArgumentsScreen #ask:focus { background: $primary 20%; }
    ArgumentsScreen #both { height: 1fr; layout: vertical; }
    ArgumentsScreen #both.-wide { layout: horizontal; }
    ArgumentsScreen ArgumentList { height: 1fr; }
    ArgumentsScreen LineView { height: 1fr; border-top: solid $foreground 30%; }
    ArgumentsScreen LineView:focus { border-top: solid $primary; }
    ArgumentsScreen .-wide ArgumentList { width: 3fr; }
    ArgumentsScreen .-wide LineView {
        width: 2fr; border-top: none; border-left: solid $foreground 30%;
    }
    ArgumentsScreen .-wide LineView:focus { border-top: none; border-left: solid $primary; }
    ArgumentsScreen #told { color: $text-muted; }
    ArgumentsScreen #told.-wrong { color: $text-error; text-style: bold; }
    """

    ENTER_HELP = "Put these arguments into the form."
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("arguments")
    BOX_KEYS = KEYS

    def __init__(
        self,
        tool: ToolDefinition,
        past: PastArguments,
        in_form: Mapping[str, JsonValue] | None = None,
        before: Mapping[str, JsonValue] | None = None,
    ) -> None:
        super().__init__()
        self._tool = tool
        self._actions = ArgumentActions(tool.name, tool.input_schema, past, self._is_sure)
        given = (("in the form now", in_form), ("was in the form", before))
        self._in_form = [InForm(words, one) for words, one in given if one is not None]
        self._kept: tuple[KeptArguments, ...] = ()
        self._problem = ""
        self._purpose = ""
        """What the second input asks for: a name, or a file to load or to save to."""
        self._confirmed: set[str] = set()
        """What a second press of enter, delete or X would do."""

    def compose_list(self) -> ComposeResult:
        yield Input(placeholder="/ filter", id="filter", select_on_focus=False)
        with Container(id="both"):
            yield ArgumentList()
            yield LineView(gutter=True)

    def compose_detail(self) -> ComposeResult:
        yield Input(id="ask", select_on_focus=False)
        yield Static(id="told", markup=False)

    def on_mount(self) -> None:
        box = self.query_one("#box")
        box.border_title = Content.assemble("arguments of ", (self._tool.display_name, "bold"))
        self.query_one("#ask").display = False
        self.run_worker(self._load(), group="work", exit_on_error=False)

    def on_resize(self, event: events.Resize) -> None:
        self.query_one("#both").set_class(event.size.width >= WIDE_COLUMNS, "-wide")

    # Selection

    def choose(self, row: Row) -> None:
        self._pick()

    def action_call(self) -> None:
        self._pick(calls=True)

    def action_call_although_invalid(self) -> None:
        self._pick(calls=True, although_invalid=True)

    def _pick(self, *, calls: bool = False, although_invalid: bool = False) -> None:
        row = self.current
        if row is None or self._purpose:
            return
        if isinstance(row, InForm):
            self.dismiss(
                PickedArguments(self._tool.name, dict(row.arguments), calls, although_invalid)
            )
            return
        arguments = row.arguments()
        if not self._is_whole(row) or arguments is None:
            return
        missing = row.document.not_kept
        source = f"preset {visible(row.name)}" if row.is_preset else "an earlier call"
        # Incomplete arguments are not sent, but completed first.
        picked = PickedArguments(
            self._tool.name, arguments, calls and not missing, although_invalid, missing, source
        )
        self.dismiss(picked)

    def _is_whole(self, row: Row) -> bool:
        """True if the arguments exist; otherwise show a notice."""
        is_whole = isinstance(row, InForm) or row.document.text is not None
        if not is_whole:
            self._tell(TOO_LARGE, is_wrong=True)
        return is_whole

    def action_name(self) -> None:
        row = self.current
        if row is not None and self._is_whole(row):
            name = row.name if isinstance(row, KeptArguments) else ""
            self._ask("name", "a name for this preset", name)

    def action_load(self) -> None:
        self._ask("load", "load from a file: its path, ~ is your home folder")

    def action_save(self) -> None:
        row = self.current
        if row is not None and self._is_whole(row):
            folder = getattr(self.app, "files_folder", "").rstrip("/")
            value = f"{folder}/" if folder else ""
            self._ask("save", "save to a file: its path, ~ is your home folder", value)

    def action_remove(self) -> None:
        row = self.current
        if isinstance(row, KeptArguments):
            self._do_and_tell(lambda: self._actions.remove(row))

    def action_clear(self) -> None:
        self._do_and_tell(self._actions.clear)

    # Asking for a name or a path

    def _ask(self, purpose: str, placeholder: str, value: str = "") -> None:
        self._purpose = purpose
        self._confirmed.clear()
        field = self.query_one("#ask", Input)
        field.display = True
        field.placeholder = placeholder
        field.value = value
        field.focus()
        self._tell("enter does it, esc does not.")

    def _ask_nothing(self) -> None:
        self._purpose = ""
        self._confirmed.clear()
        self.query_one("#ask").display = False
        self.row_list.focus()
        self._tell_count()

    @on(Input.Submitted, "#ask")
    def _answered(self, message: Input.Submitted) -> None:
        message.stop()
        row, typed = self.current, message.value
        if self._purpose == "load":
            self._do_and_tell(lambda: self._take_file(typed))
        elif self._purpose == "save" and row is not None:
            self._do_and_tell(lambda: self._actions.save(row, typed))
        elif self._purpose == "name" and row is not None:
            names = [one.name for one in self._kept if one.is_preset]
            self._do_and_tell(lambda: self._actions.give_name(row, typed, names))

    async def _take_file(self, typed: str) -> str:
        self.dismiss(await self._actions.load(typed))
        return ""

    @on(Input.Changed, "#ask")
    def _asked_anew(self, message: Input.Changed) -> None:
        message.stop()
        self._confirmed.clear()

    def action_close(self) -> None:
        if self._purpose:
            self._ask_nothing()
        else:
            super().action_close()

    def action_filter(self) -> None:
        super().action_filter()
        self.query_one("#filter", Input).select_all()

    def filter_changed(self, words: str) -> None:
        self._show_rows()

    # Display

    async def _load(self) -> None:
        self._kept, self._problem = await self._actions.kept()
        self._show_rows()

    def _show_rows(self) -> None:
        words = self.filter_words.casefold().split()
        rows: list[Row] = [*(one for one in self._kept if one.is_preset), *self._in_form]
        rows += [one for one in self._kept if not one.is_preset]
        if words:
            rows = [row for row in rows if fits(row, words)]
        empty = (
            "none fits the filter" if words else "not called yet; n: name the arguments in the form"
        )
        self.row_list.empty = empty
        # Only a move by the person removes a question or a message.
        with self.row_list.prevent(RowList.Highlighted):
            self.row_list.show(rows)
        self.draw_detail()
        self._tell_count()

    def row_highlighted(self, row: Row | None) -> None:
        self.draw_detail()
        if not self._purpose:
            self._confirmed.clear()
            self._tell_count()

    def draw_detail(self) -> None:
        view, row = self.query_one(LineView), self.current
        if row is None:
            view.show_text("")
            return
        value = row.shown() if isinstance(row, KeptArguments) else dict(row.arguments)
        view.show_spans(lines_of(value))
        view.scroll_home(animate=False)

    def _tell_count(self) -> None:
        self._tell(kept_words(self.current, self._problem))

    def _tell(self, words: str, *, is_wrong: bool = False) -> None:
        told = self.query_one("#told", Static)
        told.set_class(is_wrong, "-wrong")
        told.display = bool(words)
        told.update(Content(words))

    def _is_sure(self, what: str, words: str) -> bool:
        """True at the second request in a row; the first one shows a warning."""
        if what in self._confirmed:
            return True
        self._confirmed = {*self._confirmed, what} if self._purpose else {what}
        self._tell(words, is_wrong=True)
        return False

    def _do_and_tell(self, action: Callable[[], Awaitable[str]]) -> None:
        """Run a slow action and show its effect, or its error."""

        async def work() -> None:
            try:
                done = await action()
            except (FileProblem, StoreError, ValueError) as problem:
                words = str(problem)
                self._tell(f"{words[:1].upper()}{words[1:]}.", is_wrong=True)
                return
            if done:
                self._ask_nothing()
                await self._load()
                self._tell(done)

        self.run_worker(work(), group="work", exit_on_error=False)
