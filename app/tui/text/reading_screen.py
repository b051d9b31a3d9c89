"""Base of all screens of text: search, wrap, copy, and escape in the right order."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.screen import ModalScreen
from textual.timer import Timer

from ....widgets.bars import Verb, VerbBar
from ....widgets.bindings import bindings_of
from ....widgets.text_view.line_view import LineView
from ....widgets.text_view.search_bar import SearchBar
from ...content.texts.searching import Search, count_words
from ..answers.body import Copied, copy_out
from ..base.screen_mixin import ScreenMixin

_FIRST_SECONDS = 0.03
_MORE_SECONDS = 0.012
_PAUSE = 0.002


class ReadingScreen(ScreenMixin, ModalScreen[None]):
    """A screen with a `LineView`, a `SearchBar` and a `VerbBar`; searching never holds it up."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("reading")

    def __init__(self) -> None:
        super().__init__()
        self._search: Search | None = None
        self._searching: Timer | None = None
        self._searched_from = 0

    @property
    def lines(self) -> LineView | None:
        """The lines that are on the screen now; None where something else is shown."""
        raise NotImplementedError

    def copied(self) -> Copied:
        """Text that `y` copies if nothing is selected."""
        raise NotImplementedError

    otherwise = ""
    """Another action, for a text too long to copy."""

    def verbs(self) -> list[Verb]:
        """Clickable actions, while no search is open."""
        raise NotImplementedError

    def show_lines_for_search(self) -> None:
        """Something without lines is shown, and words are to be found in it."""

    # Searching

    def action_search(self) -> None:
        if self.lines is None:
            self.show_lines_for_search()
        lines = self.lines
        if lines is None:
            return
        self._searched_from = lines.top_position
        self.query_one(SearchBar).open()
        if self._search is None:
            self.search_again()
        self.tell_verbs()

    def search_again(self) -> None:
        """Search the new lines for the same words."""
        bar, lines = self.query_one(SearchBar), self.lines
        if bar.is_open and lines is not None:
            self._searched_from = lines.top_position
            self._begin(bar.words)

    def action_step(self, by: int) -> None:
        search, lines = self._search, self.lines
        if search is None or lines is None:
            return
        if not self.query_one(SearchBar).is_open:
            self.query_one(SearchBar).add_class("-open")
        search.step(by)
        self._show_found()

    def action_back(self) -> None:
        bar = self.query_one(SearchBar)
        if bar.is_open:
            self.end_search()
        else:
            self.dismiss()

    def end_search(self) -> None:
        """Drop the search results."""
        self._stop_searching()
        self._search = None
        self.query_one(SearchBar).close()
        if (lines := self.lines) is not None:
            lines.show_matches(None)
            lines.focus()
        self.tell_verbs()

    @on(SearchBar.Changed)
    def _words_changed(self, message: SearchBar.Changed) -> None:
        message.stop()
        self._begin(message.words)

    @on(SearchBar.Stepped)
    def _stepped(self, message: SearchBar.Stepped) -> None:
        message.stop()
        self.action_step(message.by)

    @on(SearchBar.Left)
    def _left(self, message: SearchBar.Left) -> None:
        message.stop()
        self.action_to_text()

    def action_to_text(self) -> None:
        if (lines := self.lines) is not None:
            lines.focus()

    def on_descendant_focus(self) -> None:
        if self.query(VerbBar):
            self.tell_verbs()

    def _begin(self, words: str) -> None:
        self._stop_searching()
        lines = self.lines
        if lines is None:
            return
        if not words:
            self._search = None
            lines.show_matches(None)
            self.query_one(SearchBar).tell("")
            return
        self._search = search = Search(lines.plain, words)
        search.go_on(_FIRST_SECONDS)
        self._take_up()
        self._show_found()
        self._search_soon()

    def _search_soon(self) -> None:
        if self._search is not None and not self._search.is_done and self._searching is None:
            self._searching = self.set_timer(_PAUSE, self._go_on)

    def _go_on(self) -> None:
        self._searching = None
        search = self._search
        if search is None:
            return
        had_one = search.current is not None
        search.go_on(_MORE_SECONDS)
        self._take_up()
        if had_one:
            self._tell_count()
        else:
            self._show_found()
        self._search_soon()

    def _take_up(self) -> None:
        """Look at the first place after the one where the search began, once it is known."""
        search = self._search
        if search is None or search.current is not None or not search.found:
            return
        is_behind = search.found[len(search.found) - 1] >= self._searched_from
        if is_behind or search.is_done:
            search.current = search.first_from(self._searched_from)

    def _show_found(self) -> None:
        search, lines = self._search, self.lines
        if search is None or lines is None:
            return
        lines.show_matches(search)
        if search.current is not None:
            lines.go_to(search.at(search.current)[0])
        self._tell_count()

    def _tell_count(self) -> None:
        if (search := self._search) is not None:
            bar = self.query_one(SearchBar)
            bar.tell(count_words(search), is_nothing=search.is_done and not search.found)

    def _stop_searching(self) -> None:
        if self._searching is not None:
            self._searching.stop()
            self._searching = None

    # The rest

    def action_wrap(self) -> None:
        lines = self.lines
        if lines is None:
            return
        lines.set_wrap(not lines.wraps)
        self.tell_verbs()

    def action_copy(self) -> None:
        marked = self.get_selected_text()
        copied = Copied(marked, "the selection") if marked else self.copied()
        copy_out(self, copied, otherwise=self.otherwise)

    def tell_verbs(self) -> None:
        """Redraw the words for the keys."""
        bar = self.query_one(SearchBar)
        if bar.is_open:
            # Letters are typed into the words as long as these are being typed.
            keys = ("↓", "↑") if bar.is_typed_in else ("n", "N")
            verbs = [
                Verb("step(1)", "Next", keys[0]),
                Verb("step(-1)", "Previous", keys[1]),
                Verb("back", "End search", "esc"),
            ]
            if bar.is_typed_in:
                verbs.insert(2, Verb("to_text", "To the text", "enter"))
        else:
            verbs = self.verbs()
        self.query_one(VerbBar).show(verbs)

    @on(VerbBar.Picked)
    async def _verb_picked(self, message: VerbBar.Picked) -> None:
        message.stop()
        await self.run_action(message.name)
