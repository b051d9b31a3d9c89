"""The result pane of the selected call: outcome, structured content and verdict, parts.

Drawn in slots from the top, each only if its inputs changed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.key_bar import BarKey, bar_words, put_bar, show_bar
from ....widgets.labels import AutoHeight, say
from ....widgets.lists.finding_list import STYLES, FindingList
from ...calls.call import Call
from ...content.text import visible
from ...protocol.findings.findings import SIGNS, Finding, Severity
from ...schemas.schema import SchemaAnswer
from ..base.failures import TellsFailures
from ..text.pager import PagerScreen, PagerSection
from .body import LOW
from .exporting import KeepsAnswers
from .headline import QUIET, Audience, RunningReport, audience_line, headline
from .image import ImageBody
from .pages import TurnsPages, page_line
from .part_items import Item, oversized_item, part_items, raw_item, structured_item
from .part_view import Left, PartHeader, PartView
from .parts_in_sight import PartsInSight

TOLD_IN_PLACE = (
    *("schema-mismatch", "structured-missing", "text-copy-differs"),
    *("unknown-content", "unreadable-content", "call-response-late"),
)
"""Findings shown at their place; f8 lists all."""


def marks_of(call: Call) -> dict[str, tuple[object, ...]]:
    """Inputs of each slot: while they are the same, the slot is not drawn again."""
    return {
        "pages": (call.id, _page_words(call)),
        "structured": (call.id, call.answer, call.schema),
        "parts": (call.id, call.answer),
        "rest": (call.id, call.answer, call.error, call.late, call.oversized, _bare(call)),
        "findings": (call.id, findings_of(call)),
    }


def _page_words(call: Call) -> str:
    turning = page_line(call)
    return "" if turning is None else turning.plain


def findings_of(call: Call) -> tuple[Finding, ...]:
    """The findings that no part shows."""
    return tuple(one for one in call.findings if one.code not in TOLD_IN_PLACE)


def _bare(call: Call) -> object:
    """The raw result, if it was not a response."""
    return call.raw if call.answer is None else None


def _pages(call: Call, view: Callable[[Item], PartView]) -> list[Widget]:
    turning = page_line(call)
    return [] if turning is None else [Static(turning, classes="pages", markup=False)]


def _findings(call: Call, view: Callable[[Item], PartView]) -> list[Widget]:
    found = findings_of(call)
    return [FindingList(found)] if found else []


def notes_line(findings: Sequence[Finding], width: int) -> Content:
    """How many there are, and the worst of them, in one line."""
    order = list(Severity)
    worst = max(findings, key=lambda one: order.index(one.severity))
    key = bar_words([("   n", "All" if len(findings) > 1 else "Whole")])
    noun = worst.severity.value
    many = f"{len(findings)} findings" if len(findings) > 1 else noun
    words = Content.assemble((f"{SIGNS[worst.severity]} {many}", STYLES[worst.severity]))
    about = Content.styled(f"  {visible(worst.message[:LONGEST])}", QUIET)
    room = max(1, width - key.cell_length)
    line = Content.assemble(words, about)
    if line.cell_length > room:
        line = line.truncate(room, ellipsis=True)
    return Content.assemble(line, key)


def _structured(call: Call, view: Callable[[Item], PartView]) -> list[Widget]:
    item = structured_item(call)
    return [] if item is None else [view(item)]


def _parts(call: Call, view: Callable[[Item], PartView]) -> list[Widget]:
    if call.answer is None:
        return []
    widgets: list[Widget] = [view(item) for item in part_items(call.answer)]
    if more := call.answer.more_parts:
        words = f"{more:,} more part{'' if more == 1 else 's'} not drawn; f8: raw response"
        widgets.append(Static(words, classes="label", markup=False))
    return widgets


def _rest(call: Call, view: Callable[[Item], PartView]) -> list[Widget]:
    items: list[Item] = []
    if call.oversized is not None:
        items.append(oversized_item(call.oversized))
    if call.answer is None and call.raw is not None:
        items.append(raw_item("the raw response", "raw-answer", call.raw))
    if call.error is not None and call.error.data is not None:
        items.append(raw_item("data of the error", "error-data", call.error.data))
    if call.late is not None:
        words = "late response, arrived after the call had ended"
        items.append(raw_item(words, "call-response-late", call.late))
    return [view(item) for item in items]


SLOTS: dict[str, Callable[[Call, Callable[[Item], PartView]], list[Widget]]] = {
    "pages": _pages,
    "structured": _structured,
    "parts": _parts,
    "rest": _rest,
    "findings": _findings,
}
"""Each is drawn again only if it changed."""


LONGEST = 500
"""Characters of a finding that its line is made of."""
HOLD_SECONDS = 1.0
"""An answer that takes longer gives its rows back until it comes."""
LAID_OUT_SECONDS = 0.15
REMEMBERED = 100
"""Calls of which it is kept how their parts were left."""
AT_FIRST = 12
"""Parts that are mounted before the first of them is painted, and then at a time."""
BESIDE_KEYS = 4
"""Cells of the border beside its words."""
PART_KEYS: Final = (
    BarKey("answer.first-part", "First part"),
    BarKey("main.plain", "Plain text", 1),
    BarKey("answer.save-all", "", 2),
    BarKey("main.raw", "", 1),
)
"""Shown while no part has the focus; each part shows its own keys."""


class AnswerPane(PartsInSight, TellsFailures, KeepsAnswers, TurnsPages, can_focus=True):
    """Shows one call. Redrawn only if its outcome or verdict changed."""

    DEFAULT_CSS = """
    AnswerPane .slot, AnswerPane .headline, AnswerPane .audience { height: auto; }
    AnswerPane .slot > * { height: auto; }
    AnswerPane .label { margin-top: 1; }
    AnswerPane.-low .label { margin-top: 0; }
    AnswerPane .notes { dock: bottom; height: 1; }
    AnswerPane #answer-findings > * { margin-top: 1; }
    AnswerPane.-low PartHeader { min-height: 1; }
    """

    HELP = """
# The response

What came for the selected call: how it ended, then each part. `enter` goes to the first part, and
opens a part on the whole screen; `f8` has the call from beginning to end with its raw messages,
`esc` goes back to the tools.
"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("answer")

    def __init__(self, server: str = "", *, id: str | None = None) -> None:
        """`server` is its configured name, raw."""
        super().__init__(id=id)
        self.server = server
        self.call: Call | None = None
        self.audience = Audience.ALL
        self._advice = ""
        self._is_plain = False
        self._has_notes = False
        """Whether all findings are shown, not only the line about them."""
        self._drawn: dict[str, tuple[object, ...]] = {}
        self._drawn_call: int | None = None
        self._wanted: Call | None = None
        self._is_drawing = False
        self._left: dict[int, dict[str, Left]] = {}
        """How the parts of other calls were left."""
        self._later: list[Widget] = []
        """Parts that are still to be mounted, in their order."""
        self._rows_kept = 0
        """Rows that are kept for the answer that is awaited, in place of the one before."""
        self._holding: Timer | None = None
        self._tell_pager: Callable[[Call], None] = lambda call: None
        """Takes the newest value of a call to the screen that shows it in full."""

    @property
    def drawn(self) -> int | None:
        """The id of the call whose parts are drawn; None while they are being drawn."""
        return None if self._is_drawing else self._drawn_call

    def compose(self) -> ComposeResult:
        with AutoHeight():
            yield Static("no call selected", classes="headline", markup=False)
            yield Static(classes="audience", markup=False)
            yield RunningReport()
            for slot in SLOTS:
                yield Vertical(id=f"answer-{slot}", classes="slot")
        yield Static(classes="notes", markup=False)

    @property
    def rows_needed(self) -> int:
        """Rows that the result takes, with the line above it."""
        lacking = max((body.rows_lacking for body in self.query(ImageBody)), default=0)
        lines = self.get_child_by_type(AutoHeight).lines + lacking
        notes = self.query_one(".notes").display
        return max(self._rows_kept, 1 + max(1, lines) + notes)

    @property
    def is_broken(self) -> bool:
        """True if the answer that is shown breaks its output schema."""
        schema = None if self.call is None else self.call.schema
        return schema is not None and schema.answer is SchemaAnswer.INVALID

    def on_mount(self) -> None:
        self.query_one(".audience").display = False
        self._show_notes()

    def show(self, call: Call | None, advice: str = "") -> None:
        """Show a call, running or ended. `advice`: whether it may be made again, in words."""
        if call is not None and (self.call is None or self.call.id != call.id):
            self._hold()
        self.call = call
        if call is None:
            return
        self._tell_pager(call)
        self._advice = advice
        self._say_headline()
        self._tell_audience()
        self._show_notes()
        self.query_one(RunningReport).show(call, time.monotonic())
        if any(self._drawn.get(slot) != mark for slot, mark in marks_of(call).items()):
            self._wanted = call
            if not self._is_drawing:
                # One after the other: mounting must never be cut off half-way.
                self._is_drawing = True
                self.run_worker(self._draw_wanted(), exit_on_error=False)

    def on_resize(self, event: events.Resize) -> None:
        self._say_headline()
        self._show_notes()
        self._fit_pictures()
        is_low = self.app.size.height < LOW
        if is_low is not self.has_class("-low"):
            self.set_class(is_low, "-low")

    def _fit_pictures(self) -> None:
        """Have each picture on as many rows as are in sight below the headline and its label."""
        for body in self.query(ImageBody):
            body.fit_pane(self.size.height)

    def _say_headline(self) -> None:
        if self.call is not None:
            line = self.query_one(".headline", Static)
            say(line, headline(self.call, self._advice, self.scrollable_content_region.width))

    def _show_notes(self) -> None:
        """One line for the findings, or all of them."""
        line, slot = self.query_one(".notes", Static), self.query_one("#answer-findings")
        found = () if self.call is None else findings_of(self.call)
        slot.display = self._has_notes
        line.display = bool(found) and not self._has_notes
        if line.display:
            say(line, notes_line(found, self.scrollable_content_region.width))

    def toggle_notes(self) -> None:
        """All findings, or the line about them."""
        self._has_notes = not self._has_notes
        self._show_notes()
        if self._has_notes:
            self.call_after_refresh(self.scroll_end, animate=False)

    @property
    def has_findings(self) -> bool:
        """True if there is anything for `n` to show."""
        return self.call is not None and bool(findings_of(self.call))

    def tick(self, call: Call | None, now: float) -> None:
        """Draw the progress of the shown call, given as it is now, if it runs."""
        if call is None or (self.call is not None and self.call.id == call.id):
            self.query_one(RunningReport).show(call, now)

    def _hold(self) -> None:
        """Keep the rows for a moment: most answers come soon, and nothing else is to jump twice."""
        self._rows_kept = self.rows_needed
        self._hold_for(HOLD_SECONDS)

    def _hold_for(self, seconds: float) -> None:
        if self._holding is not None:
            self._holding.stop()
        self._holding = self.set_timer(seconds, self._release)

    def _release_soon(self) -> None:
        """Release the height once the content is laid out: before that it has no line count."""
        if self._holding is not None:
            self._hold_for(LAID_OUT_SECONDS)

    def _release(self) -> None:
        """Release rows that the result does not use."""
        if self._holding is not None:
            self._holding.stop()
            self._holding = None
            self._rows_kept = 0
            self.post_message(AutoHeight.Grew())

    def toggle_plain(self) -> None:
        """Text parts as they came, or in the best view for each."""
        self._is_plain = not self._is_plain
        for view in self.views:
            view.set_plain(self._is_plain)

    def show_raw(
        self, show_wire: Callable[[int], None], sections: Callable[[Call], list[PagerSection]]
    ) -> None:
        """Show the call in full, in `sections`; `show_wire` opens its wire traffic."""
        if (call := self.call) is not None:
            title = Content.assemble("call ", str(call.id), "  ", call.request.display_name)
            pager = PagerScreen(title, sections(call), show_wire=partial(show_wire, call.id))

            def tell(newest: Call) -> None:
                if newest.id == call.id and pager in self.app.screen_stack:
                    pager.take(sections(newest))

            self._tell_pager = tell
            self.app.push_screen(pager)

    def action_audience(self) -> None:
        self.audience = self.audience.next
        self._filter()
        focused = self.screen.focused
        if focused is not None and any(not one.display for one in focused.ancestors_with_self):
            self.focus(scroll_visible=False)
        self.look()

    def action_first_part(self) -> None:
        if (view := self._first_seen) is not None:
            self.go_to(view)

    async def action_of_first(self, verb: str) -> None:
        """Run a part's action on the first part in sight, as long as no part has the focus."""
        view = self._first_seen
        if view is not None and view.check_action(verb, ()):
            await view.run_action(verb)

    @property
    def _first_seen(self) -> PartView | None:
        """The first part whose header is in sight, else the one that fills the pane."""
        seen = [view for view in self.shown if self.is_seen(view)]
        begun = [view for view in seen if self.span(view)[0] >= self.scroll_y]
        return next(iter([*begun, *seen]), None)

    async def _draw_wanted(self) -> None:
        try:
            while (call := self._wanted) is not None:
                self._wanted = None
                is_other = call.id != self._drawn_call
                if is_other:
                    self._remember_how_left()
                self._drawn_call = call.id
                focused = self.screen.focused
                if is_other and focused is not self and self.has_focus_within:
                    self.focus(scroll_visible=False)
                with self.app.batch_update():
                    for slot, mark in marks_of(call).items():
                        if self._drawn.get(slot) != mark:
                            self._drawn[slot] = mark
                            await self._draw_slot(slot, call, is_other=is_other)
                    self.views = list(self.query(PartView))
                    self._filter()
                    self._tell_keys()
                if is_other:
                    self.scroll_home(animate=False)
                self.look()
                if call.is_over:
                    self._release_soon()
                while self._later and self._wanted is None:
                    await self._draw_more()
        finally:
            self._is_drawing = False

    async def _draw_slot(self, slot: str, call: Call, *, is_other: bool) -> None:
        place = self.query_one(f"#answer-{slot}", Vertical)
        if slot == "structured" and not is_other and place.children:
            # The verdict came after the answer: nothing else of the part is another.
            item = structured_item(call)
            view = place.query_one(PartView)
            if item is not None:
                await view.renew(item)
                return
        await place.remove_children()
        widgets = SLOTS[slot](call, self._view)
        if slot == "parts":
            self._later = widgets[AT_FIRST:]
            widgets = widgets[:AT_FIRST]
        await place.mount_all(widgets)

    async def _draw_more(self) -> None:
        """Draw more of the parts that are not in sight yet; keys are handled in between."""
        await asyncio.sleep(0)
        with self.app.batch_update():
            now, self._later = self._later[:AT_FIRST], self._later[AT_FIRST:]
            await self.query_one("#answer-parts", Vertical).mount_all(now)
            self.views = list(self.query(PartView))
            self._filter()

    def _view(self, item: Item) -> PartView:
        left = self._left.get(self._drawn_call or 0, {}).get(item.stem, Left())
        return PartView(item, is_plain=self._is_plain, left=left)

    def _remember_how_left(self) -> None:
        """Remember how parts were left, for a return to the call."""
        if self._drawn_call is None:
            return
        self._left.pop(self._drawn_call, None)
        found = {view.item.stem: view.left for view in self.views if view.left != Left()}
        if found:
            self._left[self._drawn_call] = found
        while len(self._left) > REMEMBERED:
            del self._left[next(iter(self._left))]

    def _filter(self) -> None:
        """Show the parts of the chosen audience, with a notice."""
        for view in self.views:
            is_shown = self.audience is Audience.ALL or view.item.said.is_for(self.audience.value)
            if view.display is not is_shown:
                view.display = is_shown
        self._tell_audience()

    def watch_has_focus(self, value: bool) -> None:
        super().watch_has_focus(value)
        self._tell_keys()

    def on_descendant_focus(self) -> None:
        self._tell_keys()

    def on_descendant_blur(self) -> None:
        self._tell_keys()

    @on(PartView.Moved)
    def _keys_may_differ(self) -> None:
        self.call_after_refresh(self._tell_keys)

    def _tell_keys(self) -> None:
        here = self.has_focus or self.has_focus_within
        header = self.screen.focused if here else None
        if not (self.views and here):
            self.border_subtitle = ""
        elif isinstance(header, PartHeader) and self.has_class("-low"):
            put_bar(self, header.keys_line(self.size.width - BESIDE_KEYS))
        else:
            show_bar(self, PART_KEYS)

    def _tell_audience(self) -> None:
        line = self.query_one(".audience", Static)
        answer = None if self.call is None else self.call.answer
        words = audience_line(answer, self.audience)
        line.display = words is not None
        if words is not None:
            say(line, words)
