"""Pages of a result: the line that announces them, and calls for the next one.

The user names the parameter that takes the cursor of the next page, once for each tool.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import OptionList, Static

from ....widgets.bindings import bindings_of
from ....widgets.key_bar import BarKey
from ...calls.call import Call
from ...calls.paging import NextPageCall, cursor_parameter, page_after, parameters_for
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import shortened
from ...engine.engine import Engine
from ...protocol.tool import ToolDefinition
from ..base.box_bar import HasBoxBar
from ..base.screen_mixin import ScreenMixin

NAMES_SHOWN = 60
NAME_LIMIT = 40
SAYS_LIMIT = 80


class PageParameterScreen(HasBoxBar, ScreenMixin, ModalScreen[str | None]):
    """Dismissed with the raw name of the parameter, or None to request no page.

    Nothing is approved here: the page is a call, judged and approved like any other.
    """

    DEFAULT_CSS = """
    PageParameterScreen { align: center middle; background: $background 70%; }
    PageParameterScreen > Vertical {
        width: 90%; max-width: 84; height: auto; max-height: 90%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    PageParameterScreen Static { height: auto; }
    PageParameterScreen OptionList {
        height: auto; max-height: 10; border: none; margin: 1 0; padding: 0;
        background: $surface;
        & > .option-list--option-highlighted { text-style: bold reverse; }
    }
    """
    AUTO_FOCUS = "OptionList"

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("page_parameter")
    BOX_KEYS = (BarKey("page_parameter.leave", "Cancel"), BarKey("enter", "Get the page"))

    def __init__(self, tool: ToolDefinition, page: NextPageCall) -> None:
        super().__init__()
        self._tool = tool
        self._page = page
        self._names = parameters_for(tool)[:NAMES_SHOWN]

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content.assemble("next page of ", (self._tool.display_name, "bold"))
            yield Static(self._question(), markup=False)
            yield OptionList(*map(self._row, self._names), compact=True)
            yield Static(
                "Asked once for this tool, and again when its definition changes. "
                "Each page is a call and needs approval like any other.",
                markup=False,
            )

    def action_leave(self) -> None:
        self.dismiss(None)

    @on(OptionList.OptionSelected)
    def _selected(self, message: OptionList.OptionSelected) -> None:
        message.stop()
        self.dismiss(self._names[message.option_index])

    def _question(self) -> Content:
        given = Content.assemble(
            "The response has the cursor ", (self._page.cursor_shown, "bold"), " for the next page."
        )
        count = len(self._names)
        if count == 1:
            asked = "Does it go into this parameter, the only one that takes text?"
        elif self._names[0] == cursor_parameter(self._tool):
            asked = "Which parameter takes it? By its name, the first."
        else:
            asked = "Which parameter takes it? No name fits."
        return Content("\n").join([given, Content(asked)])

    def _row(self, name: str) -> Content:
        schema = self._tool.input_schema
        properties = schema.get("properties") if isinstance(schema, dict) else None
        one = properties.get(name) if isinstance(properties, dict) else None
        said = one.get("description") if isinstance(one, dict) else None
        words = f"   “{shortened(said, SAYS_LIMIT)}”" if isinstance(said, str) and said else ""
        return Content.assemble((shortened(name, NAME_LIMIT), "bold"), words)


@frozen
class PageCallbacks:
    """Callbacks of the workplace for a turned page."""

    say: Callable[[str], None]
    select: Callable[[int], None]
    fill: Callable[[Call, dict[str, JsonValue]], None]
    """Put the arguments of the next page of a call into the form, if its tool is there."""
    is_connected: Callable[[], bool]


class Pages:
    """Turns pages, and remembers the cursor parameter of each tool.

    It is remembered as long as the tool's definition is the same, and for this run.
    """

    def __init__(self, engine: Engine, owner: Widget, turned: PageCallbacks) -> None:
        self._engine = engine
        self._owner = owner
        self._turned = turned
        self._parameters: dict[tuple[str, str], str] = {}

    def turn(self, call: Call, step: int) -> None:
        """Go to the page after a call's answer (1), or to the one before (-1)."""
        found = find_page(self._engine.calls, call, step)
        if isinstance(found, str):
            self._turned.say(found)
        elif isinstance(found, int):
            self._turned.select(found)
        elif self._turned.is_connected():
            self._ask_for(call, found)

    def _ask_for(self, call: Call, page: NextPageCall) -> None:
        tool = call.request.definition
        known = (tool.name, tool.digest)
        if known in self._parameters:
            self._send(call, page, self._parameters[known])
            return

        def said(parameter: str | None) -> None:
            if parameter is not None:
                self._parameters[known] = parameter
                if self._turned.is_connected():
                    self._send(call, page, parameter)

        self._owner.app.push_screen(PageParameterScreen(tool, page), said)

    def _send(self, call: Call, page: NextPageCall, parameter: str) -> None:
        """The next page is a call like any other."""
        arguments = {**call.snapshot.arguments(), parameter: page.cursor}
        self._turned.fill(call, arguments)
        self._engine.next_page(call.id, arguments, parameter)


def find_page(calls: Mapping[int, Call], call: Call, step: int) -> int | NextPageCall | str:
    """Return the call whose result is the wanted page; or the request for it; or why there is
    none.
    """
    if step < 0:
        if call.page is None:
            return "This is the first page."
        gone = f"Call {call.page.before}, the page before, is no longer kept."
        return call.page.before if call.page.before in calls else gone
    asked = [
        other.id
        for other in calls.values()
        if other.page is not None
        and other.page.before == call.id
        and (not other.is_over or other.answer is not None)
    ]
    if asked:
        return asked[-1]
    page = page_after(call)
    if page is None:
        return "No next page is offered."
    return page if page.can_be_asked_for else f"{page.words[0].upper()}{page.words[1:]}."


class PageWanted(Message):
    """The user wants the page after a call's result (1), or the one before (-1)."""

    def __init__(self, call: Call, step: int) -> None:
        super().__init__()
        self.call = call
        self.step = step


class TurnsPages(Widget):
    """A widget that shows a call, whose answer may be one page of several."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("answer: paging")

    call: Call | None

    def action_turn_page(self, step: int) -> None:
        if self.call is not None:
            self.post_message(PageWanted(self.call, step))


def page_line(call: Call) -> Content | None:
    """Announce the next and the previous page; None for a result without pages."""
    from ...calls.paging import page_after

    page = page_after(call)
    pieces: list[str | tuple[str, str]] = []
    if page is not None:
        pieces.append((page.words, "bold" if page.can_be_asked_for else "$text-warning"))
    if call.page is not None:
        is_last = page is None and call.answer is not None and not call.answer.is_error
        before = "   " if pieces else "the last page   " if is_last else ""
        pieces.append(f"{before}< goes back to call {call.page.before}")
    return Content.assemble(*pieces) if pieces else None
