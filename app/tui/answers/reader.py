"""One text of a server on the full screen: every view of it, search, wrap, copy, save."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ....widgets.bars import PaneTabs, Verb, VerbBar
from ....widgets.bindings import bindings_of
from ....widgets.json_tree.tree import JsonTree
from ....widgets.text_view.line_view import LineView
from ....widgets.text_view.search_bar import SearchBar
from ....widgets.text_view.tables import TableHead, table_lines
from ...content.texts.document import PLAIN, RAW, RENDERED, TABLE, TREE, TableRefused, TextDocument
from ...content.texts.highlight import MAX_CHARACTERS, HighlightRefused, highlighted
from ...content.texts.kinds import TextForm
from ...sandbox.worker import WorkerStopped, run_limited
from ...sandbox.worker_side import WorkerLimits
from ..base.failures import TellsFailures
from ..text.reading_screen import ReadingScreen
from .body import Copied, ShowsPart

RENDER_LIMITS = WorkerLimits(wall_seconds=4.0, cpu_seconds=4.0)


class ReaderScreen(ReadingScreen, ShowsPart, TellsFailures):
    """Shows a text as lines at once, and in the wanted view as soon as that is ready."""

    # Opaque: what lies below is not drawn for each paint, only to be covered.
    DEFAULT_CSS = """
    ReaderScreen { background: $background; }
    ReaderScreen > Vertical {
        width: 100%; height: 100%; border: round $primary; background: $surface; padding: 0 1;
    }
    ReaderScreen #notice { height: auto; color: $text-warning; display: none; }
    ReaderScreen TableHead { display: none; }
    ReaderScreen LineView { height: 1fr; }
    ReaderScreen JsonTree { height: 1fr; max-height: 100%; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("reader")

    def __init__(
        self,
        document: TextDocument,
        about: str = "text",
        *,
        view: str = "",
        wrap: bool = True,
        is_excerpt: bool = False,
    ) -> None:
        """`about` is safe to show; it holds all facts about an excerpt."""
        super().__init__()
        self._document = document
        self._about = about
        self._is_excerpt = is_excerpt
        self._view = view
        self._wraps = wrap
        self._before_search = ""
        """The view that a search took the place of."""
        self._turn = 0
        self._laid_out_at = 0

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(self._title)
            yield PaneTabs()
            yield Static("", id="notice", markup=False)
            yield TableHead()
            yield LineView(gutter=True)
            yield SearchBar()
            yield VerbBar()

    def on_mount(self) -> None:
        lines = self.query_one(LineView)
        self.watch(lines, "scroll_x", self.query_one(TableHead).slide, init=False)
        if self._document.kind.kind is TextForm.MARKDOWN:
            # Once it is known how wide the text may be.
            self.call_after_refresh(self._show)
        else:
            self._show()

    @property
    def view(self) -> str:
        views = self._document.views
        return self._view if self._view in views else views[0]

    @property
    def lines(self) -> LineView | None:
        lines = self.query_one(LineView)
        return lines if lines.display else None

    otherwise = "s: save"

    def copied(self) -> Copied:
        what = "beginning" if self._is_excerpt else self._about.partition("  ")[0]
        return Copied(self._document.text, f"the {what}")

    def verbs(self) -> list[Verb]:
        verbs = [Verb("next_view", "View", "v")]
        lines = self.lines
        if lines is not None:
            verbs.append(Verb("wrap", "Unwrap" if lines.wraps else "Wrap", "w"))
        return [
            *verbs,
            Verb("search", "Search", "/"),
            Verb("copy", "Copy", "y"),
            Verb("save", "Save", "s"),
            Verb("back", "Close", "esc"),
        ]

    def show_lines_for_search(self) -> None:
        view = self.view
        self._show_view(RENDERED)
        self._before_search = view

    def end_search(self) -> None:
        super().end_search()
        if self._before_search:
            self._show_view(self._before_search)

    def action_next_view(self) -> None:
        views = self._document.views
        self._show_view(views[(views.index(self.view) + 1) % len(views)])

    def action_wrap(self) -> None:
        super().action_wrap()
        if (lines := self.lines) is not None and self.view != TABLE:
            self._wraps = lines.wraps

    @on(PaneTabs.Picked)
    def _view_picked(self, message: PaneTabs.Picked) -> None:
        message.stop()
        self._show_view(self._document.views[message.index])

    def on_resize(self, event: events.Resize) -> None:
        """Markdown is laid out again at another width."""
        is_markdown = self._document.kind.kind is TextForm.MARKDOWN and self.view == RENDERED
        if is_markdown and self._laid_out_at and self._laid_out_at != self._text_width:
            self._prepare()

    @property
    def _title(self) -> str:
        document = self._document
        count = len(document.text)
        if self._is_excerpt:
            return self._about
        words = [self._about, f"{count:,} character{'' if count == 1 else 's'}"]
        kind = document.kind.words
        if kind and kind.lower() not in self._about.lower():
            words.append(kind)
        return "  ".join(words)

    @property
    def _text_width(self) -> int:
        return max(20, self.query_one(LineView).size.width - 3)

    def _show_view(self, name: str) -> None:
        self._view, self._before_search = name, ""
        self._show()

    def _show(self) -> None:
        """The present view: as lines at first, where another takes a while."""
        self._turn += 1
        document, view, lines = self._document, self.view, self.query_one(LineView)
        self.query_one(PaneTabs).show(document.views, document.views.index(view))
        is_tree = view == TREE and document.is_parsed
        self._show_widgets(is_tree=is_tree)
        self._notice("")
        self.query_one(TableHead).display = False
        if is_tree:
            self._show_tree()
        elif view == RAW:
            lines.show_raw(document.text, wrap=self._wraps)
        elif view == RENDERED and document.dress is not None:
            lines.show_dressed(document.laid_out, document.dress, wrap=self._wraps)
            self._notice(document.trouble)
        else:
            lines.show_plain(document.text, wrap=self._wraps)
        if not (is_tree or view in (PLAIN, RAW)):
            self._prepare()
        self._lines_changed()

    def _show_widgets(self, *, is_tree: bool) -> None:
        lines = self.query_one(LineView)
        lines.display = not is_tree
        for tree in self.query(JsonTree):
            tree.display = is_tree
        if not is_tree:
            lines.focus()

    def _show_tree(self) -> None:
        trees = self.query(JsonTree)
        if trees:
            trees.first().focus()
        else:
            tree = JsonTree(self._document.value)
            self.query_one(Vertical).mount(tree, after=self.query_one(LineView))
            self.call_after_refresh(tree.focus)
        self.query_one(SearchBar).close()

    def _lines_changed(self) -> None:
        if self.lines is not None:
            self.search_again()
        self.tell_verbs()

    @work(exclusive=True, group="render", exit_on_error=False)
    async def _prepare(self) -> None:
        """Do the slow part of a view, in a worker or a thread."""
        document, view, turn = self._document, self.view, self._turn
        if view == TREE:
            await asyncio.to_thread(document.parse)
            if turn == self._turn:
                self._show()
        elif view == TABLE:
            await self._show_table(turn)
        elif document.kind.kind is TextForm.MARKDOWN:
            from ...content.texts.markdown import markdown_lines

            self._laid_out_at = width = self._text_width
            found = await self._limited(markdown_lines, document.text, width)
            self._show_styled(found, turn)
        elif document.kind.kind is TextForm.JSON and document.can_be_laid_out:
            text = await asyncio.to_thread(document.lay_out)
            if turn == self._turn and document.dress is not None:
                self.query_one(LineView).show_dressed(text, document.dress, wrap=self._wraps)
                self._notice(document.trouble)
                self._lines_changed()
        elif document.language:
            if len(document.text) > MAX_CHARACTERS:
                self._notice(f"without colours: more than {MAX_CHARACTERS:,} characters")
                return
            found = await self._limited(highlighted, document.text, document.language)
            self._show_styled(found, turn)

    async def _limited(self, function: object, *args: object) -> object:
        try:
            return await run_limited(function, *args, limits=RENDER_LIMITS)  # type: ignore[arg-type]
        except WorkerStopped as stopped:
            return HighlightRefused(stopped.reason)

    def _show_styled(self, found: Any, turn: int) -> None:
        if turn != self._turn:
            return
        # Lines, or a value with the reason why there are none.
        if isinstance(found, list):
            self.query_one(LineView).show_lines(found, wrap=self._wraps)
            self._lines_changed()
        else:
            self._notice(f"shown as it came: {found.reason}")

    async def _show_table(self, turn: int) -> None:
        table = await asyncio.to_thread(self._document.table)
        if turn != self._turn:
            return
        if isinstance(table, TableRefused):
            self._notice(f"no table: {table.reason}")
            return
        header, rows = await asyncio.to_thread(table_lines, table)
        if turn != self._turn:
            return
        head = self.query_one(TableHead)
        head.display = True
        head.show(header)
        self._notice(f"not all: {table.notice}" if table.notice else "")
        self.query_one(LineView).show_lines([[(row, "")] for row in rows], wrap=False)
        self._lines_changed()

    def _notice(self, words: str) -> None:
        notice = self.query_one("#notice", Static)
        notice.display = bool(words)
        notice.update(Content(words))
