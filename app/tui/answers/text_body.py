"""A text part in the result pane: its beginning, in one of its views.

Unknown kinds of part show the reason and the raw JSON.
"""

from __future__ import annotations

import asyncio
import json

from textual import events, work
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from ....widgets.json_tree.tree import JsonTree
from ....widgets.labels import PROSE_LIMIT, Paragraph
from ....widgets.text_view.line_view import LineView
from ....widgets.text_view.tables import table_lines
from ...calls.manifest import json_bytes
from ...content.json.jsonio import JsonValue
from ...content.text import Span, count, cut, size, spans
from ...content.texts.document import PLAIN, RAW, RENDERED, TABLE, TREE, TableRefused, TextDocument
from ...content.texts.highlight import MAX_CHARACTERS, HighlightRefused, highlighted
from ...content.texts.kinds import TextForm
from ...sandbox.worker import WorkerStopped, run_limited
from ...sandbox.worker_side import WorkerLimits
from ..base.failures import TellsFailures
from ..text.sections import raw_lines
from .body import Body, Copied

TEXT_LIMIT = 64_000
TEXT_ROWS = 2_000
TABLE_ROWS = 200
RENDER_LIMITS = WorkerLimits(wall_seconds=2.0)

_MAX_BLANKS = 60
_MAX_NEWLINES = 10


class TextBody(Body, TellsFailures):
    """Shows up to 64 KB or 2,000 rows. The expensive views are made in the worker."""

    DEFAULT_CSS = """
    TextBody JsonTree { max-height: 30; }
    TextBody > .trouble { color: $text-warning; height: auto; }
    """

    def __init__(
        self, text: str, mime: str = "", *, about: str = "text", is_excerpt: bool = False
    ) -> None:
        """`about` is safe to show; it holds all facts about an excerpt."""
        super().__init__()
        self._is_excerpt = is_excerpt
        self._document = TextDocument(text, mime)
        self._about = about
        self._shown = cut(text, TEXT_LIMIT)
        self._view = ""
        self._wrap = True
        self._laid_out_at = 0

    @property
    def views(self) -> tuple[str, ...]:
        return self._document.views

    @property
    def view(self) -> str:
        views = self.views
        return self._view if self._view in views else views[0]

    def show_view(self, name: str) -> None:
        self._view = name
        self._draw()

    def toggle_wrap(self) -> bool:
        """Wrap lines at the edge or not; whether they are wrapped now."""
        self._wrap = not self._wrap
        self._draw()
        return self._wrap

    @property
    def words(self) -> str:
        document = self._document
        if self._is_excerpt:
            return self._about
        is_cut = self._shown.is_cut and self.view not in (TREE, TABLE)
        words = [self._about, count(len(document.text), "character")]
        kind = document.kind.words
        if kind and kind.lower() not in self._about.lower():
            words.append(kind)
        if is_cut:
            words.append(f"the first {len(self._shown.text):,} here, enter: open all")
        return "  ".join(words)

    @property
    def can_wrap(self) -> bool:
        return self.view not in (TREE, TABLE)

    def copied(self) -> Copied | None:
        text = self._document.text
        return Copied(text, f"the {self._about.split('  ')[0]}, {count(len(text), 'character')}")

    def full(self) -> Screen[None] | None:
        from .reader import ReaderScreen

        return ReaderScreen(
            self._document,
            self._about,
            view=self.view,
            wrap=self._wrap,
            is_excerpt=self._is_excerpt,
        )

    def compose(self) -> ComposeResult:
        yield from self._widgets()

    def on_resize(self, event: events.Resize) -> None:
        """Markdown is laid out once there is a width to lay it out in."""
        width = event.size.width
        is_markdown = self._document.kind.kind is TextForm.MARKDOWN and self.view == RENDERED
        if is_markdown and width and width != self._laid_out_at:
            self._laid_out_at = width
            self._start()

    def on_mount(self) -> None:
        if self._document.kind.kind is not TextForm.MARKDOWN:
            self._start()

    def _draw(self) -> None:
        if self.is_mounted:
            self._draw_soon()

    @work(group="draw", exclusive=True, exit_on_error=False)
    async def _draw_soon(self) -> None:
        await self._draw_anew()

    async def _draw_anew(self) -> None:
        with self.app.batch_update():
            await self.remove_children()
            await self.mount_all(self._widgets())
        self._laid_out_at = self.size.width
        self._start()

    def _widgets(self) -> list[Widget]:
        document, view = self._document, self.view
        if view == TREE and document.is_parsed:
            return [JsonTree(document.value)]
        text = self._shown.text
        if view == PLAIN and self._wrap and len(text) <= PROSE_LIMIT and not document.trouble:
            return [Paragraph(text)]
        lines = LineView(gutter=True, max_rows=TEXT_ROWS)
        lines.can_focus = False
        if view == RAW:
            lines.show_raw(text, wrap=self._wrap)
        elif view == RENDERED and document.dress is not None:
            shown = cut(document.laid_out, TEXT_LIMIT)
            lines.show_dressed(shown.text, document.dress, wrap=self._wrap)
        else:
            lines.show_untrusted(
                text, wrap=self._wrap, max_blanks=_MAX_BLANKS, max_newlines=_MAX_NEWLINES
            )
        if document.trouble and view == RENDERED:
            return [Static(document.trouble, classes="trouble", markup=False), lines]
        return [lines]

    def _start(self) -> None:
        """Start the slow part of a view, after the plain lines are there to read."""
        document, view = self._document, self.view
        if view == TREE and not document.is_parsed:
            self._grow_tree()
        elif view == TABLE:
            self._lay_table()
        elif view == RENDERED and document.kind.kind is TextForm.MARKDOWN:
            if self._laid_out_at:
                self._render_markdown(max(20, self._laid_out_at - 3))
        elif view == RENDERED and document.language:
            self._colour()

    @work(exclusive=True, group="render", exit_on_error=False)
    async def _render_markdown(self, width: int) -> None:
        # Its parser is large, and few answers are Markdown.
        from ...content.texts.markdown import MarkdownRefused, markdown_lines

        text = self._shown.text
        try:
            lines = await run_limited(markdown_lines, text, width, limits=RENDER_LIMITS)
        except WorkerStopped as stopped:
            self._tell(f"not laid out as Markdown: {stopped.reason}")
            return
        if isinstance(lines, MarkdownRefused):
            self._tell(f"not laid out as Markdown: {lines.reason}")
        else:
            self._show_lines(lines)

    @work(exclusive=True, group="render", exit_on_error=False)
    async def _colour(self) -> None:
        text = self._shown.text[:MAX_CHARACTERS]
        try:
            lines = await run_limited(
                highlighted, text, self._document.language, limits=RENDER_LIMITS
            )
        except WorkerStopped as stopped:
            self._tell(f"without colours: {stopped.reason}")
            return
        if isinstance(lines, HighlightRefused):
            self._tell(f"without colours: {lines.reason}")
        else:
            self._show_lines(lines)

    @work(exclusive=True, group="render", exit_on_error=False)
    async def _grow_tree(self) -> None:
        await asyncio.to_thread(self._document.parse)
        await self._draw_anew()

    @work(exclusive=True, group="render", exit_on_error=False)
    async def _lay_table(self) -> None:
        table = await asyncio.to_thread(self._document.table)
        if isinstance(table, TableRefused):
            self._tell(f"no table: {table.reason}")
            return
        header, rows = table_lines(table)
        notice = table.notice
        if len(rows) > TABLE_ROWS:
            notice = f"the first {TABLE_ROWS} of {len(rows):,} rows, enter: open all"
        lines = [[(header, "bold")], *([(row, "")] for row in rows[:TABLE_ROWS])]
        if notice:
            lines.append([(notice, "muted")])
        self._show_lines(lines, wrap=False)

    def _show_lines(self, lines: list[list[tuple[str, str]]], *, wrap: bool | None = None) -> None:
        for view in self.query(LineView):
            view.show_lines(lines, wrap=self._wrap if wrap is None else wrap)

    def _tell(self, words: str) -> None:
        self.mount(Static(words, classes="trouble", markup=False), before=0)


PREVIEW_LIMIT = 64_000
PREVIEW_ROWS = 200


class UnknownBody(Body):
    """`reason` is in our own words, safe to show; "" if the raw JSON is simply the part."""

    def __init__(self, raw: JsonValue, reason: str) -> None:
        super().__init__()
        self._raw = raw
        self._reason = reason
        self._compact = json.dumps(raw)

    @property
    def words(self) -> str:
        amount = f"{size(len(self._compact))} of JSON"
        return f"✗ {self._reason}  {amount}" if self._reason else amount

    def compose(self) -> ComposeResult:
        view = LineView(gutter=True, max_rows=PREVIEW_ROWS)
        view.can_focus = False
        if len(self._compact) <= PREVIEW_LIMIT:
            lines = raw_lines(self._raw)
            if isinstance(lines, str):
                view.show_plain(lines)
            else:
                view.show_spans(lines)
        else:
            shown = cut(self._compact, PREVIEW_LIMIT)
            view.show_spans([spans(shown.text), [Span(f"{shown.notice}; enter: open all", True)]])
        yield view

    def copied(self) -> Copied | None:
        return Copied(self._text(), "the raw JSON")

    def full(self) -> Screen[None] | None:
        return TextBody(self._text(), "application/json", about="raw JSON").full()

    def _text(self) -> str:
        return json_bytes(self._raw).decode()
