"""Into which parameter of a tool the cursor of its next page goes: asked once for each tool."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from ...calls.paging import NextPage, cursor_parameter, parameters_for
from ...content.text import shortened
from ...protocol.tool import ToolDefinition
from ..fresh_sizes import FreshSizes

NAMES_SHOWN = 60
NAME_LIMIT = 40
SAYS_LIMIT = 80


class PageParameterScreen(FreshSizes, ModalScreen[str | None]):
    """Dismissed with the raw name of the parameter, or None where the page is not to be asked for.

    Nothing is approved here: the page is a call, and judged and asked about like any other.
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

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Leave it", id="page_parameter.leave"),
    ]

    def __init__(self, tool: ToolDefinition, page: NextPage) -> None:
        super().__init__()
        self._tool = tool
        self._page = page
        self._names = parameters_for(tool)[:NAMES_SHOWN]

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content.assemble("next page of ", (self._tool.name_shown, "bold"))
            box.border_subtitle = Content("enter asks for the page · esc leaves it")
            yield Static(self._question(), markup=False)
            yield OptionList(*map(self._row, self._names), compact=True)
            yield Static(
                "Asked once for this tool, and again when its definition changes. "
                "Each page is a call, judged and asked about like any other.",
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
            "The answer gives the cursor ", (self._page.cursor_shown, "bold"), " for the next page."
        )
        count = len(self._names)
        if count == 1:
            asked = "Does it go into this parameter, the only one that takes text?"
        elif self._names[0] == cursor_parameter(self._tool):
            asked = "Into which parameter does it go? By its name, the first."
        else:
            asked = "Into which parameter does it go? None has a name that says so."
        return Content("\n").join([given, Content(asked)])

    def _row(self, name: str) -> Content:
        schema = self._tool.input_schema
        properties = schema.get("properties") if isinstance(schema, dict) else None
        one = properties.get(name) if isinstance(properties, dict) else None
        said = one.get("description") if isinstance(one, dict) else None
        words = f"   “{shortened(said, SAYS_LIMIT)}”" if isinstance(said, str) and said else ""
        return Content.assemble((shortened(name, NAME_LIMIT), "bold"), words)
