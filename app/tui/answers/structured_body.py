"""structuredContent in a result: the verdict in a sentence, the errors in order, the tree."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.json_tree.errors import ErrorList
from ....widgets.json_tree.tree import JsonTree
from ...content.json.jsonio import JsonValue
from ...protocol.answers.copies import Copies
from ...schemas.schema import SchemaVerdict
from .body import Body, Copied
from .structured_screen import (
    copies_line,
    json_text,
    kind_words,
    placed_errors,
    schema_tree,
    verdict_line,
)

ERRORS_SHOWN = 8
"""Errors listed in the preview; the full screen has all."""


class StructuredBody(Body):
    """structuredContent and its verdict against the output schema.

        StructuredBody(structured, verdict, *, has_structured=True, output_schema=None,
                       copies=Copies(), tool="")

    `structured` is the raw value and `verdict` the schema's, None while it is pending;
    `has_structured` is False if the result has none (the verdict is MISSING then, mostly);
    `output_schema` is the raw schema, `copies` the comparison with the text part (`Answer.copies`),
    and `tool` the raw name for the title of the full screen. A new verdict needs a new body.
    """

    DEFAULT_CSS = """
    StructuredBody > JsonTree { max-height: 30; }
    StructuredBody > ErrorList { max-height: 9; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("structured: part")

    def __init__(
        self,
        structured: JsonValue,
        verdict: SchemaVerdict | None,
        *,
        has_structured: bool = True,
        output_schema: JsonValue = None,
        copies: Copies | None = None,
        tool: str = "",
    ) -> None:
        super().__init__()
        self._value = structured
        self._verdict = verdict
        self._has_structured = has_structured
        self._schema = output_schema
        self._copies = copies or Copies()
        self._tool = tool

    def compose(self) -> ComposeResult:
        verdict = verdict_line(self._verdict, self._value, self._schema)
        if not self._has_structured:
            yield Static(verdict, markup=False)
            return
        errors = placed_errors(self._verdict, self._value, self._schema)
        if errors and self._verdict is not None:
            yield Static(verdict, markup=False)
            hidden = len(errors[ERRORS_SHOWN:]) + self._verdict.more
            yield ErrorList(errors[:ERRORS_SHOWN], hidden)
            yield Static(copies_line(self._copies), markup=False)
        yield schema_tree(self._verdict, self._value, self._schema)
        if not errors:
            # Where nothing is wrong the content comes first.
            verdict = verdict.rstrip(".")
            yield Static(Content.assemble(verdict, " · ", copies_line(self._copies)), markup=False)

    @property
    def words(self) -> str:
        return kind_words(self._value) if self._has_structured else "missing"

    @property
    def can_copy(self) -> bool:
        return self._has_structured

    @property
    def is_more(self) -> bool:
        return self._has_structured

    def copied(self) -> Copied | None:
        if not self._has_structured:
            return None
        return Copied(json_text(self._value), "structuredContent as JSON")

    def full(self) -> Screen[None] | None:
        from .structured_screen import StructuredScreen

        if not self._has_structured:
            return None
        return StructuredScreen(
            self._value,
            self._verdict,
            output_schema=self._schema,
            copies=self._copies,
            tool=self._tool,
        )

    @property
    def has_errors(self) -> bool:
        return self._has_structured and self._verdict is not None and bool(self._verdict.errors)

    def action_next_error(self, step: int) -> None:
        self.go_to_error(step)

    def go_to_error(self, step: int) -> None:
        for tree in self.query(JsonTree):
            first = placed_errors(self._verdict, self._value, self._schema)[:1]
            # Before the tree is walked through, the next error is the first one, even if it is on
            # the row that the cursor begins with.
            if tree.has_focus or not first or first[0].path != tree.path:
                tree.go_to_error(step)
            tree.focus()

    @on(ErrorList.Picked)
    def _picked(self, message: ErrorList.Picked) -> None:
        message.stop()
        tree = self.query_one(JsonTree)
        tree.select(message.path)
        tree.focus()

    @on(ErrorList.AllWanted)
    def _all_wanted(self, message: ErrorList.AllWanted) -> None:
        message.stop()
        self.post_message(self.FullWanted())

    @on(JsonTree.Highlighted)
    def _highlighted(self, message: JsonTree.Highlighted) -> None:
        for listed in self.query(ErrorList):
            listed.point_at(message.path)
        if message.tree.has_focus:
            self.call_after_refresh(self._keep_row_in_sight)

    def _keep_row_in_sight(self) -> None:
        """Scroll the ancestors of the tree, which may be higher than the pane."""
        tree = self.query_one(JsonTree)
        pane = next((one for one in self.ancestors if isinstance(one, VerticalScroll)), None)
        if pane is None or tree.cursor is None:
            return
        row = tree.content_region.y + tree.cursor - tree.scroll_offset.y
        room = pane.content_region
        beyond = min(row - room.y, 0) or max(row - room.bottom + 1, 0)
        if beyond:
            pane.scroll_relative(y=beyond, animate=False)
