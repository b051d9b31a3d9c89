"""What the models of known hosts would get of one response, host by host."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from ....widgets.bindings import bindings_of
from ....widgets.cells import left
from ....widgets.key_bar import BarKey
from ....widgets.lists.row_list import Heading, KeyedList
from ...content.frozen import frozen
from ...content.texts.sheet_line import SheetLine
from ...hosts.model_view.fates import Loss, losses_of, unknown_of
from ...hosts.model_view.response import ResultInParts, read_response
from ...hosts.model_view.table import ModelHost, model_hosts
from ...hosts.model_view.view import ModelView, view_of
from ...presentation.model_view import beginning, same_texts, sign_of, summary, totals, view_lines
from ...protocol.requests import ToolCall
from ..base.browser_screen import BrowserScreen
from ..text.pager import PagerScreen, PagerSection
from .body import Copied, copy_out

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

    from ...calls.call import Call

NAME_CELLS, LEAST_NAME = 36, 30
SUMMARY_CELLS = 32
TEXTS_MAX = 20
"""Texts that have a section of their own on the whole screen."""
WIDE = 100
"""In fewer columns the texts are in the details only."""
COMPARED_MOST = 200_000
"""Characters of a text up to which the texts of all hosts are made, and compared."""
SAME = "as above"


@frozen
class HostRow:
    """A host, and what becomes of the response in it."""

    host: ModelHost
    losses: tuple[Loss, ...]
    unknown: tuple[str, ...]
    begins: str = ""
    """The size and the beginning of its texts, safe to show; empty for long ones."""
    is_same: bool = False
    """True if its model gets the same as that of the row above."""


class HostViewList(KeyedList[HostRow]):
    """Hosts with their losses; sign and words repeat the meaning of the colour."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"host-view-list--lost"}
    DEFAULT_CSS = """
    HostViewList {
        background: $background;
        &> .host-view-list--lost { color: $text-warning; }
    }
    """

    def key(self, row: HostRow) -> Hashable:
        return row.host.id

    def paint(self, row: HostRow, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        style = base
        if row.losses and not under_cursor:
            style = self.get_component_rich_style("host-view-list--lost")
        names = NAME_CELLS if width >= WIDE else LEAST_NAME
        head = f"{'› ' if under_cursor else '  '}{sign_of(row.losses, row.unknown)} "
        room = max(width - len(head) - names, 0)
        fate = min(SUMMARY_CELLS, room) if width >= WIDE else room
        words = SAME if row.is_same else summary(row.losses, row.unknown)
        begins = SAME if row.is_same and row.begins else row.begins
        return [
            Segment(head, style),
            Segment(left(row.host.words, names - 1) + " ", base),
            Segment(left(words, fate), muted if row.is_same else style),
            Segment(left(begins, room - fate), muted),
        ]


class ModelViewScreen(BrowserScreen[HostRow, None]):
    """The text of each host's model, and its difference to the whole response."""

    ENTER_HELP = "Show this text on the whole screen."
    HELP = """
# What the model gets

Hosts give their models different parts of the same response: its text, its `structuredContent`, or
both. For each host: the lost parts first, then the text that its model gets, with the words that
the host adds. You see the whole response in Signoff; the model may not. `enter` opens the texts.

Hosts whose models get the same follow each other: the first with its words, the others with “as
above”.

Each row is a fact about one version: measured with a scripted model, or read in a source.
Signoff guesses nothing: a fact without a measurement is shown as such.

For scripts: `signoff call TOOL --model-view all`, with `--json` if you want.
"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("model-view")

    def __init__(self, response: ResultInParts, about: str) -> None:
        """`about` names the call, safe to show."""
        super().__init__()
        self._response = response
        self._about = about
        self._rows = rows_of(response)

    def compose_list(self) -> ComposeResult:
        yield HostViewList()

    def on_mount(self) -> None:
        rows: list[HostRow | Heading] = []
        for kind, label in (("host", "hosts"), ("library", "libraries for agents")):
            rows += [Heading(label), *(one for one in self._rows if one.host.kind == kind)]
        self.row_list.show_anew(rows)
        words = totals([(one.losses, one.unknown) for one in self._rows])
        self.draw_head(("What the model gets", "bold"), f" · {words} · {self._about}")

    def action_copy(self) -> None:
        if self.current is not None:
            view = view_of(self.current.host, self._response)
            copy_out(self, Copied("\n".join(view.texts), f"the text of {view.host.title}'s model"))

    def choose(self, row: HostRow) -> None:
        """Open the texts on the whole screen."""
        texts = view_of(row.host, self._response).texts
        names = [f"text {at}" if len(texts) > 1 else "text" for at in range(1, len(texts) + 1)]
        sections = [PagerSection(*one) for one in zip(names, texts[:TEXTS_MAX], strict=False)]
        title = Content.assemble(("The model gets", "bold"), f" · {row.host.words}")
        self.app.push_screen(PagerScreen(title, sections))

    def describe(self, row: HostRow | None) -> list[SheetLine]:
        return [] if row is None else list(view_lines(view_of(row.host, self._response)))

    def name_of(self, row: HostRow) -> str:
        return row.host.words

    def keys_of(self, row: HostRow) -> Sequence[BarKey]:
        return (BarKey("enter", "Whole text"), BarKey("model-view.copy"))


def rows_of(response: ResultInParts) -> tuple[HostRow, ...]:
    """A row for each host and library; those whose models get the same follow each other."""
    hosts = model_hosts().values()
    if _size(response) > COMPARED_MOST:
        return tuple(
            HostRow(one, losses_of(one, response), unknown_of(one, response)) for one in hosts
        )
    rows: list[HostRow] = []
    for kind in dict.fromkeys(one.kind for one in hosts):
        views = [view_of(one, response) for one in hosts if one.kind == kind]
        for group in same_texts(views):
            rows += [_row(one, is_same=one is not group[0]) for one in group]
    return tuple(rows)


def _size(response: ResultInParts) -> int:
    """About how many characters a model can get of it."""
    texts = sum(len(one.text) for one in response.blocks)
    structured = len(repr(response.structured)) if response.has_structured else 0
    return texts + structured


def _row(view: ModelView, *, is_same: bool) -> HostRow:
    return HostRow(view.host, view.losses, view.unknown, beginning(view.texts), is_same)


NO_RESPONSE = "Nothing to show: select a call of a tool with a response first."


def show_model_view(screen: Screen[None], call: Call | None) -> None:
    """Open the screen on the response of a call, or explain that it has none."""
    app: App[object] = screen.app
    if call is None or not isinstance(call.request, ToolCall) or call.answer is None:
        app.notify(NO_RESPONSE, markup=False)
        return
    response = read_response(call.raw, call.answer.copies, call.breaks_schema)
    app.push_screen(ModelViewScreen(response, f"call {call.id} {call.request.display_name}"))
