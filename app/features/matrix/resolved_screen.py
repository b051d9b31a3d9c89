"""Decisions on one tool with its static hints and with resolved ones, side by side (a draft)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import ClassVar, Final, TypeAlias

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.cells import left
from ....widgets.forms.field_editors import TextEditor
from ....widgets.key_footer import KeyFooter
from ....widgets.text_view.line_view import LineView
from ...approval.if_resolved import NO_HOST_RESOLVES, SENT_BEFORE, both_decisions
from ...approval.matrix import column_title, is_host
from ...approval.policies.policy import Policy
from ...content.json.jsonio import JsonError, JsonValue, read_arguments
from ...content.text import Span, count, sentence, shortened, visible
from ...protocol.extensions.tool_resolution import Resolution
from ...protocol.tool import ToolDefinition
from ...schemas.samples import sample_arguments
from ...schemas.secrets.masks import mask_text
from ...tui.base.failures import NOT_DONE, TellsFailures
from ...tui.base.screen_mixin import ScreenMixin
from .if_resolved import NOTHING_CHANGES, TITLE

Resolve: TypeAlias = Callable[[ToolDefinition, dict[str, JsonValue]], Awaitable[Resolution]]
_MOST_NAME: Final = 24
_WORD: Final = 20
_REASON: Final = 400


class ResolvedScreen(ScreenMixin, ModalScreen[None], TellsFailures):
    """Takes arguments, has the server resolve the hints for them, and compares all decisions.

    Args:
        tool: A tool that its server marks as resolvable.
        columns: Policies and hosts, as the matrix shows them.
        server: The configured name; rules may match it.
        resolve: Sends `tools/resolve`, unless a rule is against it.
    """

    FAILED = NOT_DONE
    HELP = """
# If hosts resolved hints

Write the arguments of a call. Signoff sends them to the server with `tools/resolve`, under the same
rules as before a call, and calls nothing. Below are the decisions of each policy and host: by the
hints of the list, and by the resolved ones.

On the command line: `signoff matrix --inputs FILE` and `signoff why TOOL -a NAME=VALUE`.
"""
    DEFAULT_CSS = """
    ResolvedScreen { align: center middle; background: $background 70%; }
    ResolvedScreen > Vertical {
        width: 95%; max-width: 100; height: 95%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    ResolvedScreen .about, ResolvedScreen #told { height: auto; color: $text-muted; }
    ResolvedScreen #told.-wrong { color: $text-error; text-style: bold; }
    ResolvedScreen LineView { height: 1fr; }
    """
    AUTO_FOCUS = "TextEditor"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("matrix_resolved")

    def __init__(
        self, tool: ToolDefinition, columns: Sequence[Policy], server: str, resolve: Resolve
    ) -> None:
        super().__init__()
        self._tool = tool
        self._columns = columns
        self._server = server
        self._resolve = resolve

    def compose(self) -> ComposeResult:
        sample = sample_arguments(self._tool.input_schema)
        with Vertical() as box:
            box.border_title = Content.assemble(f"{TITLE}: ", (self._tool.display_name, "bold"))
            yield Static(Content(SENT_BEFORE), classes="about")
            yield TextEditor(json.dumps(sample, ensure_ascii=False), json=True, is_whole=True)
            yield Static(id="told", markup=False)
            yield LineView(words=True)
            yield KeyFooter()

    def on_mount(self) -> None:
        self._tell(f"{NO_HOST_RESOLVES}. F5: resolve the hints for these arguments")

    def action_back(self) -> None:
        self.dismiss(None)

    def action_scroll(self, pages: int) -> None:
        lines = self.query_one(LineView)
        lines.scroll_relative(y=pages * max(1, lines.size.height - 1), animate=False)

    def action_resolve(self) -> None:
        """Send the arguments, if they are a JSON object."""
        try:
            value = read_arguments(self.query_one(TextEditor).text)
        except JsonError as problem:
            self._tell(problem.reason, is_wrong=True)
            return
        self._tell("the hints are being resolved")
        self.query_one(LineView).show_lines([])
        self.run_worker(self._show(value), group="resolve", exclusive=True, exit_on_error=False)

    async def _show(self, arguments: dict[str, JsonValue]) -> None:
        found = await self._resolve(self._tool, arguments)
        words = shortened(mask_text(found.words(self._tool.hints)), _REASON)
        if not found.is_resolved or found.hints is None:
            self._tell(words, is_wrong=True)
            return
        both = both_decisions(self._tool, found.hints, self._columns, self._server)
        hosts = {column_title(one) for one in self._columns if is_host(one)}
        changed = sum(a != b for title, (a, b) in both.items() if title in hosts)
        told = f"{count(changed, 'host')} would decide otherwise" if changed else NOTHING_CHANGES
        self._tell(f"{words}. {sentence(told, begins=True)}")
        lines = side_by_side(self._tool, found, both)
        self.query_one(LineView).show_spans([[Span(line, False)] for line in lines])

    def _tell(self, words: str, *, is_wrong: bool = False) -> None:
        line = self.query_one("#told", Static)
        line.set_class(is_wrong, "-wrong")
        mark = "▲ " if is_wrong else ""
        line.update(Content(f"{mark}{visible(sentence(words, begins=True))}"))


def side_by_side(
    tool: ToolDefinition, resolution: Resolution, both: dict[str, tuple[str, str]]
) -> Iterator[str]:
    """A table of hints, and one of decisions on an untrusted server; changed ones come first."""
    assert resolution.hints is not None
    pairs = {
        hint.name: (str(hint.effective).lower(), str(value).lower())
        for hint, value in zip(tool.hints, resolution.hints, strict=True)
    }
    yield from _table("hint", pairs)
    yield ""
    ordered = sorted(both.items(), key=lambda one: one[1][0] == one[1][1])
    yield from _table("untrusted server", {visible(name): words for name, words in ordered})


def _table(head: str, rows: dict[str, tuple[str, str]]) -> Iterator[str]:
    width = min(max(map(cell_len, (head, *rows))), _MOST_NAME)
    yield f"  {left(head, width)}  {'static':<{_WORD}}resolved (* changed)"
    for name, (static, resolved) in rows.items():
        mark = "*" if static != resolved else " "
        yield f"{mark} {left(name, width)}  {static:<{_WORD}}{resolved}"
