"""A tool in two lines, where there is no room for the table of its hints and its description."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from ..app.content.text import cut, visible
from ..app.protocol.findings import Finding, Severity
from ..app.protocol.tool import ToolDefinition
from .cells import fit
from .finding_list import finding_lines
from .hint_table import brief_headline, what_if_words

MORE = "f4 hints, schemas"
MUTED = "$foreground-muted"
_LONGEST = 400
"""Characters of a description that one line could show."""


class ToolBrief(Widget):
    """Hints and description, a line each, and what was found, if anything was."""

    ALLOW_SELECT = True
    DEFAULT_CSS = """
    ToolBrief { width: 1fr; height: auto; }
    """

    class MoreWanted(Message):
        """The words that say where the rest is were clicked."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tool: ToolDefinition | None = None
        self._overrides: dict[str, bool | None] = {}

    def show(
        self, tool: ToolDefinition | None, overrides: Mapping[str, bool | None] | None = None
    ) -> None:
        """Draw this tool; `overrides` are hints that the person has set for a what-if."""
        shown = (tool, dict(overrides or {}))
        if shown != (self._tool, self._overrides):
            self._tool, self._overrides = shown
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(brief_lines(self._tool, width, self._overrides))

    def render(self) -> Content:
        return Content("\n").join(brief_lines(self._tool, self.content_size.width, self._overrides))

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is not None and not place.y and place.x >= self.content_size.width - len(MORE):
            self.post_message(self.MoreWanted())


def brief_lines(
    tool: ToolDefinition | None, width: int, overrides: Mapping[str, bool | None] | None = None
) -> list[Content]:
    """One line for the hints, and one each for what is said, found and supposed."""
    if tool is None or width <= 0:
        return []
    room = width - len(MORE) - 2
    hints = brief_headline(tool.hints, room)
    lines = [
        Content.assemble(
            hints.pad_right(max(0, width - len(MORE) - hints.cell_length)), (MORE, MUTED)
        )
    ]
    if tool.description.strip():
        lines.append(_first_line(tool.description.strip(), width))
    if tool.findings:
        lines.append(_found(tool.findings, width))
    if overrides:
        lines.append(Content.styled(fit(what_if_words(overrides), width), "$text-accent"))
    return lines


def _first_line(text: str, width: int) -> Content:
    """As much of a description as one line takes, behind the gutter of server text."""
    shortened = cut(text, _LONGEST)
    shown = visible(" ".join(shortened.text.split()))
    room = width - 2
    more = " … f4"
    if shortened.is_cut or cell_len(shown) > room:
        shown = fit(shown, room - len(more) + 1).removesuffix("…").rstrip() + more
    return Content.assemble(("┃ ", MUTED), shown)


def _found(findings: tuple[Finding, ...], width: int) -> Content:
    """The first of the worst, and how many there are."""
    order = list(Severity)
    worst = max(findings, key=lambda one: order.index(one.severity))
    more = f" · {len(findings) - 1:,} more, f4" if len(findings) > 1 else ""
    line = finding_lines([worst], 10_000)[0].truncate(max(8, width - len(more)), ellipsis=True)
    return Content.assemble(line, (more, MUTED))
