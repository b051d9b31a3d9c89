"""The wire screen: all messages as received and sent; followed, filtered, linked, copied, saved.

`show_wire` opens it over the main screen, and sends chosen frames again. `signoff wire` shows the
messages of a captured session, without engine and server.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events, on, work
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input, Static

from ....widgets.bars import Verb, VerbBar
from ....widgets.bindings import bindings_of
from ....widgets.json_tree.tree import JsonTree
from ....widgets.lists.row_list import RowList
from ....widgets.lists.wire_list import WireList
from ....widgets.text_view.line_view import LineView
from ...content.json.jsonio import JsonError, JsonValue, room_left
from ...content.text import Span, sentence, visible
from ...engine.engine import Engine
from ...protocol.wire.export import HINT, read_filter
from ...protocol.wire.frames import Frame
from ...protocol.wire.rows import WireRow
from ...storage.settings.values import Settings
from ...tui.answers.body import Copied, copy_out
from ...tui.base.context import ScreenContext
from ...tui.base.failures import TellsFailures
from ...tui.base.screen_mixin import ScreenMixin
from ...tui.serverless_app import ServerlessApp, run_app
from ...tui.text.pager import PagerScreen
from .composing import Again, NotAgain, RawScreen, again_of, ask_and_send, call_of, sent_body
from .listing import (
    BenchWire,
    CapturedWire,
    Lines,
    WireListing,
    WireSource,
    body_lines,
    head_lines,
    save_frames,
    tree_value,
)


def wire_verbs(*, is_raw: bool, can_send: bool) -> list[Verb]:
    """List clickable actions; `is_raw`: messages are shown unmodified."""
    sending = [Verb("again(False)", "Resend", "a"), Verb("write(True)", "New", "n")]
    return [
        Verb("raw", "Pretty" if is_raw else "Raw", "v"),
        *(sending if can_send else []),
        Verb("only_call", "Only this call", "c"),
        Verb("copy", "Copy", "y"),
        Verb("save('jsonl')", "Save", "s"),
        Verb("save('html')", "HTML", "H"),
    ]


LOOKS_A_SECOND = 4
"""How often what came is drawn."""
CATCH_UP_SECONDS = 0.01
SETTLE_SECONDS = 0.15
"""The detail is drawn once the cursor rests."""
OPEN_ROOM = 200
"""Values of a message up to which all of it is unfolded at first."""
HEAD_ROWS = 5
BESIDE = 150
"""Columns from which the detail is beside the list."""


class WireScreen(ScreenMixin, ModalScreen[Again | None], TellsFailures):
    """Follows the newest message until the cursor is moved away from it."""

    FAILED = "The wire could not be shown"

    ENTER_HELP = "Go from a request to its response, or back."
    HELP = """
# The wire

Every message both ways, as it went. `enter` goes from a request to its response and back, `tab`
into the message, `/` filters by words, `method:`, `call:`, `from:` or `error`.
"""

    CSS_PATH = "screen.tcss"

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("wire")

    def __init__(self, source: WireSource, start: str = "") -> None:
        """`start` is the filter to begin with, such as `call:3`."""
        super().__init__()
        self._source = source
        self._listing = WireListing(source, read_filter(start))
        self._start = start
        self._follows = source.is_live
        self._sought = 0
        """The frame on which the cursor was, until it is known whether another filter has it."""
        self._is_raw = False
        self._settle: Timer | None = None
        self._detailed: tuple[int, int, bool] | None = None
        """What the detail shows: number, that of the linked frame, raw or not."""

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(f"The wire of {visible(self._source.name)}")
            with Horizontal(id="top"):
                yield Input(self._start, placeholder=HINT, select_on_focus=False)
                yield Static(id="told", markup=False)
            with Container(id="both"):
                yield WireList(self._listing.row_at)
                with Vertical(id="side"):
                    yield LineView(id="head", max_rows=HEAD_ROWS)
                    yield JsonTree(id="tree")
                    yield LineView(id="detail")
            yield VerbBar()

    def on_mount(self) -> None:
        self.query_one(WireList).focus()
        self._look()
        self._tell_verbs()

    def on_resize(self, event: events.Resize) -> None:
        self.query_one("#both").set_class(event.size.width >= BESIDE, "-beside")

    # What comes

    def _look(self) -> None:
        """Draw new frames; soon again if there are more than one pass takes."""
        if not self.is_attached:
            return
        gone = self._listing.take()
        if gone is not None:
            self._draw(gone)
            if self._sought and not self._listing.is_sifting:
                self._go_to(self._sought)
                self._sought = 0
        pause = CATCH_UP_SECONDS if self._listing.is_behind else 1 / LOOKS_A_SECOND
        self.set_timer(pause, self._look)

    def _draw(self, gone: int = 0) -> None:
        """The list as it is now; the cursor stays on its frame, or follows the newest."""
        rows, count = self.query_one(WireList), len(self._listing)
        at, top = rows.cursor or 0, rows.scroll_offset.y
        rows.empty = self._listing.empty_words
        if self._follows:
            rows.set_rows(count, count - 1, count)
            self.call_after_refresh(rows.show_cursor)
            self._show_detail()
        else:
            rows.set_rows(count, max(0, at - gone), max(0, top - gone))
            self._detail_soon()
        self._tell_count()

    @property
    def _current(self) -> Frame | None:
        at = self.query_one(WireList).cursor
        return None if at is None else self._listing.frame_at(at)

    def _tell_count(self) -> None:
        words = self._listing.count_words
        if self._source.is_live:
            words += " · following new messages" if self._follows else " · end: follow new messages"
        self._tell(words)

    def _tell(self, words: str) -> None:
        self.query_one("#told", Static).update(Content(words))

    # The detail

    @on(RowList.Highlighted, "WireList")
    def _moved(self, message: RowList.Highlighted[WireRow | None]) -> None:
        message.stop()
        self._sought = 0
        self._follows = self._source.is_live and self.query_one(WireList).is_at_end
        self._tell_count()
        self._detail_soon()

    def _detail_soon(self) -> None:
        if self._settle is None:
            self._settle = self.set_timer(SETTLE_SECONDS, self._show_detail)

    def _show_detail(self) -> None:
        self._settle = None
        if not self.is_attached:
            return
        frame, view = self._current, self.query_one("#detail", LineView)
        if frame is None:
            self._detailed = None
            self._show_tree(False)
            view.show_spans([[Span(self._listing.empty_words, False)]])
            return
        other = self._listing.book.partner(frame)
        wanted = (frame.number, other.number if other is not None else 0, self._is_raw)
        if wanted == self._detailed:
            return
        is_same = self._detailed is not None and self._detailed[0] == frame.number
        self._detailed = wanted
        head = head_lines(frame, self._listing.book)
        if not self._is_raw and self._show_folded(frame, head, is_same=is_same):
            return
        self._show_tree(False)
        body = body_lines(frame, self._listing.showing)
        view.show_spans([*head, [], *body] if body else head)
        if not is_same:
            view.scroll_home(animate=False)

    def _show_folded(self, frame: Frame, head: Lines, *, is_same: bool) -> bool:
        """Show a message as a tree; False if it is none."""
        try:
            value = tree_value(frame, self._listing.showing)
        except JsonError:
            return False
        tree = self.query_one(JsonTree)
        is_there = bool(tree.display)
        self._show_tree(True)
        facts = self.query_one("#head", LineView)
        facts.show_spans(head)
        # To be scrolled; otherwise the way to the tree is one key shorter.
        facts.can_focus = len(head) > HEAD_ROWS
        if not (is_same and is_there):
            tree.show(value, opens_all=room_left(value, OPEN_ROOM) >= 0)
        return True

    def _show_tree(self, is_tree: bool) -> None:
        """Either the facts and the tree below, or all of it as lines."""
        views = (self.query_one("#head"), self.query_one(JsonTree), self.query_one("#detail"))
        had_focus = any(one.has_focus for one in views)
        for one in views:
            one.display = is_tree is not (one.id == "detail")
        if had_focus and not any(one.display and one.has_focus for one in views):
            views[1 if is_tree else 2].focus()

    # What the person does

    @on(RowList.Chosen, "WireList")
    def _chosen(self, message: RowList.Chosen[WireRow | None]) -> None:
        """To the answer of a request, or back."""
        message.stop()
        frame = self._current
        other = self._listing.book.partner(frame) if frame is not None else None
        if other is None:
            words = "Nothing is linked to this message."
            self.notify(words, timeout=3, markup=False)
            return
        if self._listing.index_of(other.number) is None:
            self.query_one(Input).value = ""
            self._apply("")
        self._go_to(other.number)

    def _go_to(self, number: int) -> None:
        rows, at = self.query_one(WireList), self._listing.index_of(number)
        if at is not None:
            self._sought = 0
            self._follows = False
            rows.move_cursor(at)
            self._follows = self._source.is_live and rows.is_at_end
            self._show_detail()

    def action_back(self) -> None:
        field = self.query_one(Input)
        if field.value and (field.has_focus or field.value != self._start):
            field.value = ""
            self.query_one(WireList).focus()
        elif field.has_focus or not self.query_one(WireList).has_focus:
            self.query_one(WireList).focus()
        else:
            self.dismiss()

    def action_filter(self) -> None:
        self.query_one(Input).focus()

    @on(Input.Changed)
    def _filter_changed(self, message: Input.Changed) -> None:
        message.stop()
        self._apply(message.value)

    @on(Input.Submitted)
    def _filter_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.query_one(WireList).focus()

    def on_key(self, event: events.Key) -> None:
        if event.key == "down" and self.query_one(Input).has_focus:
            event.stop()
            self.query_one(WireList).focus()

    def _apply(self, text: str) -> None:
        """List the messages that pass the filter; the cursor keeps its frame if that passes."""
        try:
            wanted = read_filter(text)
        except ValueError as problem:
            self._tell(str(problem))
            return
        if wanted == self._listing.wanted:
            self._tell_count()
            return
        current = self._current
        self._listing.apply(wanted)
        self._draw()
        if not self._follows and current is not None:
            self._sought = current.number
            self._go_to(current.number)

    def action_raw(self) -> None:
        self._is_raw = not self._is_raw
        self._show_detail()
        self._tell_verbs()

    def action_copy(self) -> None:
        frame = self._current
        marked = self.get_selected_text()
        if marked:
            copy_out(self, Copied(marked, "the selection"))
        elif frame is not None:
            words = f"message {frame.number:,}"
            copy_out(self, Copied(self._listing.showing.text(frame), words), otherwise="s: save")

    def action_only_call(self) -> None:
        frame = self._current
        call = self._listing.book.call_of(frame) if frame is not None else 0
        if not call and not self._listing.wanted.call:
            self.notify("This message belongs to no call.", timeout=3, markup=False)
            return
        self.query_one(Input).value = "" if self._listing.wanted.call else f"call:{call}"

    def action_again(self, is_edited: bool) -> None:
        """Return to the main screen, which makes the call like any other."""
        if why := self._source.why_not_sent:
            self.notify(f"Not sent: {sentence(why)}", timeout=6, markup=False)
            return
        try:
            again = again_of(self._current, is_edited=is_edited)
        except NotAgain as problem:
            self.notify(f"Not sent: {sentence(problem)}", timeout=5, markup=False)
        else:
            self.dismiss(again)

    @work(exclusive=True, group="write", exit_on_error=False)
    async def action_write(self, is_new: bool) -> None:
        """Write a message as JSON; a call goes to the main screen, others need approval here."""
        raw, server, frame = self._source.raw, self._source.server, self._current
        if raw is None or server is None:
            self.notify(f"Not sent: {self._source.why_not_sent}.", timeout=6, markup=False)
            return
        body = None if is_new or frame is None else sent_body(frame)
        written = await self.app.push_screen_wait(RawScreen(raw.template(body)))
        if written is None:
            return
        if written.is_call:
            self.dismiss(call_of(written))
            return
        self.query_one(WireList).action_last()
        await ask_and_send(self, raw, server, written)

    def action_save(self, kind: str) -> None:
        listing = self._listing
        save_frames(self, kind, listing, self._source.name)

    def _tell_verbs(self) -> None:
        self.query_one(VerbBar).show(
            wire_verbs(is_raw=self._is_raw, can_send=not self._source.why_not_sent)
        )

    @on(VerbBar.Picked)
    async def _verb_picked(self, message: VerbBar.Picked) -> None:
        message.stop()
        await self.run_action(message.name)


ToForm = Callable[[str, dict[str, JsonValue]], bool]
"""Puts arguments into the form of a tool, by its name; False if that is impossible."""


def show_wire(app: App[None], engine: Engine, to_form: ToForm, call: int = 0) -> None:
    """Open the wire traffic, of everything or of one call."""

    def chosen(again: Again | None) -> None:
        if again is None:
            return
        if isinstance(app.screen, PagerScreen):
            app.pop_screen()
        _send_again(app, engine, again, to_form)

    app.push_screen(WireScreen(BenchWire(engine), f"call:{call}" if call else ""), chosen)


def _send_again(app: App[None], engine: Engine, again: Again, to_form: ToForm) -> None:
    """Make a call of the wire again, or put its arguments into the form."""
    arguments = again.arguments or {}
    tools = {tool.name: tool for tool in engine.tools}
    if again.uri:
        engine.read(again.uri)
    elif again.prompt:
        engine.get_prompt(again.prompt, arguments)
    elif again.tool not in tools:
        words = "Not sent: the server no longer lists that tool."
        app.notify(words, severity="warning", timeout=6, markup=False)
    elif again.is_edited:
        to_form(again.tool, arguments)
    else:
        # A message that is sent again is sent as it was, even if it breaks the schema.
        engine.call(tools[again.tool], arguments, although_invalid=True)


class CaptureApp(ServerlessApp):
    """Ends when the screen of the wire is left."""

    def __init__(self, source: CapturedWire, start: str, settings: Settings) -> None:
        """`start` is the filter to begin with."""
        super().__init__(WireScreen(source, start), settings, settings.text("theme"))


def run(source: CapturedWire, start: str, settings: Settings) -> int:
    """Show it until it is left; returns the exit status."""
    return run_app(CaptureApp(source, start, settings))


def show(context: ScreenContext, call: int = 0) -> None:
    """Open the wire traffic, of everything or of one call."""
    if context.workplace is not None:
        show_wire(context.screen.app, context.engine, context.workplace.edit_in_form, call)
