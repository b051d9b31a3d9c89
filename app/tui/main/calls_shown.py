"""The calls in their panes: selection, drawing, and following their end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from textual.content import Content

from ...approval.approval import DecisionAnswer
from ...calls.call import Call, Outcome, State
from ...content.text import sentence
from ...engine.engine import Engine
from ...protocol.rpc import READ_METHOD
from ...protocol.tool import ToolDefinition
from .changed_calls import MANY, MANY_SECONDS
from .notices import Notices
from .panes import LEFT_PANES, Panes
from .retry_actions import OnceMore


class CallsShown:
    """Draws the calls, keeps the answer of the selected one in its pane, and goes to it.

    `give_back` puts the arguments of a call whose approval was left for editing into its form.
    """

    def __init__(
        self, engine: Engine, panes: Panes, notices: Notices, give_back: Callable[[Call], None]
    ) -> None:
        self._engine = engine
        self._panes = panes
        self._notices = notices
        self._give_back = give_back
        self.once_more = OnceMore(engine, panes, notices, lambda: self.selected)
        self._selected: int | None = None
        self._left_behind = 0
        """The newest call when another tool was chosen: its answer is not that of the new one."""
        self._begun = set[int]()
        """The ids of calls that were sent, or ended without."""
        self._arrived: int | None = None
        """The call whose answer was last gone to."""
        self._followed: int | None = None
        """The call whose bar was last gone to, when it began to run."""
        self._linked_from: int | None = None
        """The call whose answer has the link that was followed last."""
        self._advice = ""
        """Words about repeating the shown call."""
        self._progress_mark = -1
        self._drawn_at = 0.0
        self._shared_for = 0
        """How many calls there were when the panes shared their rows."""

    @property
    def selected(self) -> Call | None:
        """The call whose answer is shown, or soon will be."""
        shown = self._engine.calls.get(self._selected or 0)
        return shown or self._last_of(self._panes.tool_pane.tool)

    def _last_of(self, tool: ToolDefinition | None) -> Call | None:
        calls = reversed(self._engine.calls.values())
        return next((one for one in calls if one.is_of(tool)), None)

    def select(self, call_id: int) -> None:
        """Show the answer of a call, and put the cursor of the list on it."""
        self._panes.call_list.select(call_id)
        self.note_selected(call_id)

    def show_last_of(self, tool: ToolDefinition | None) -> None:
        """Another tool is chosen: show its own last answer, or none."""
        self._left_behind = max(self._engine.calls, default=0)
        last = self._last_of(tool)
        self._selected = None if last is None else last.id
        self._panes.show_answer(is_there=last is not None)
        if last is not None:
            self._panes.call_list.select(last.id)
            self._show_answer(last)
            if last.sent:
                self._panes.tool_pane.put_away()

    def note_selected(self, call_id: int) -> None:
        """The cursor of the list is on a call: its answer is shown."""
        self._selected = call_id
        self._show_answer(self._engine.calls.get(call_id))

    def note_link_followed(self) -> None:
        """A link of the shown answer is followed; where nothing comes of it, it goes back here."""
        self._linked_from = self._selected

    def changed(self, changes: Sequence[Call]) -> None:
        """Calls have new values, in this order; drawn once, however many they are."""
        pane, selected = self._panes.tool_pane, self._selected
        self.draw()
        for call in changes:
            if call.id not in self._begun and (call.sent or call.is_over):
                # While its question is open, the answer before it stays in sight.
                self._begun.add(call.id)
                if call.id > self._left_behind or call.is_of(pane.tool):
                    self._selected = call.id
                    pane.give_rows_back()
            if call.state is State.RUNNING and call.retry_of is None:
                pane.renew_key(call)
            if call.state is State.RUNNING and call.id not in (self._followed, self._arrived):
                self._followed = call.id
                if call.is_of(pane.tool):
                    self._make_room_for(call)
                self._go_to_answer_of(call)
            if call.is_over and call.id != self._arrived and call.id == self._selected:
                self._arrived = call.id
                self._show_selected(selected, call)
                selected = self._selected
                self.go_on_from(call)
        newest = {call.id: call for call in changes}
        self._show_selected(selected, newest.get(self._selected or 0))
        self._tell_ended([call for call in newest.values() if call.is_over and call.sent])

    def _tell_ended(self, ended: Sequence[Call]) -> None:
        """Announce that a call ended whose tool was left, unless more calls are to come."""
        unseen = [one for one in ended if self._selected != one.id <= self._left_behind]
        if len(unseen) == 1 and not self.is_running and not self._panes.is_in_sight["calls"]:
            call = unseen[0]
            self._notices.say(
                f"Call {call.id}, {call.request.display_name}: {call.status} (c: calls)."
            )

    def _make_room_for(self, call: Call) -> None:
        """The form of a call that runs becomes a row, unless other arguments are being typed."""
        panes = self._panes
        if call.id != self._selected or panes.tool_pane.arguments != call.snapshot.arguments():
            return
        had_focus = panes.tool_pane.has_focus_within
        panes.tool_pane.put_away()
        if had_focus:
            panes.go("answer")

    def _show_selected(self, before: int | None, call: Call | None) -> None:
        """The cursor of the list to the selected call, if it is another; `call`: its value."""
        if self._selected is not None and self._selected != before:
            self.select(self._selected)
        if call is not None:
            self._show_answer(call)

    def _show_answer(self, call: Call | None) -> None:
        self._advice = self.once_more.advice(call)
        self._panes.show_answer(is_there=call is not None)
        self._panes.answer_pane.show(call, self._advice)

    def focus_moved(self) -> None:
        """The way to a key that is a letter hangs on where the focus is."""
        call = self._engine.calls.get(self._selected or 0)
        if self._advice and self._advice != self.once_more.advice(call):
            self._show_answer(call)

    def go_on_from(self, call: Call) -> None:
        """A call ended: back to its form, or to its answer, if nothing else was begun since."""
        panes = self._panes
        nothing_came = (Outcome.DENIED, Outcome.NOT_SENT)
        if call.tool is None and call.outcome in nothing_came and self._linked_from:
            self.select(self._linked_from)
        if call.decision is not None and call.decision.answer is DecisionAnswer.EDIT:
            self._give_back(call)
        elif call.outcome is Outcome.DENIED and not panes.is_in_sight["answer"]:
            words = f"{call.request.display_name}: {call.status}, nothing was sent"
            panes.notify(words, timeout=4, markup=False)
        elif call.outcome is Outcome.NOT_SENT:
            # Somebody approved it, or was about to, and would wait for an answer.
            words = f"{call.request.display_name} was not sent: {sentence(call.reason)}"
            self._notices.say(words, severity="warning")
        else:
            self._go_to_answer_of(call)

    def _go_to_answer_of(self, call: Call) -> None:
        """Show the answer, or the bar of a call that runs, if the person waits for it."""
        panes, pane = self._panes, self._panes.tool_pane
        if not call.sent or panes.current not in LEFT_PANES:
            return
        # What was asked for elsewhere has no form here.
        is_waited_for = call.tool is None or (
            not panes.is_in_sight["answer"]
            # The next letter of a filter would be a verb of the answer.
            and not panes.tools_pane.is_typed_in
            and call.is_of(pane.tool)
            # It is there in the place of the one that somebody was at.
            and not panes.gone
            and pane.arguments == call.snapshot.arguments()
        )
        if is_waited_for:
            panes.go("answer")

    def show_advice_again(self) -> None:
        """Redraw retry advice, which depends on the connection."""
        call = self._engine.calls.get(self._selected or 0)
        if call is not None and self.once_more.has_advice(call):
            self._show_answer(call)

    def show_read_again(self) -> None:
        """Resources were updated, or read again: the open answer may be an older one, or not."""
        call = self._engine.calls.get(self._selected or 0)
        if call is not None and call.snapshot.method == READ_METHOD:
            self._show_answer(call)

    @property
    def is_running(self) -> bool:
        """True if any call is not over."""
        return any(not call.is_over for call in self._engine.calls.values())

    def tick(self) -> bool:
        """Draw progress and elapsed times, if anything runs; returns whether anything does."""
        running = sum(not call.is_over for call in self._engine.calls.values())
        if running or self._progress_mark != self._engine.progress_count:
            is_early = time.monotonic() - self._drawn_at < MANY_SECONDS
            if running < MANY or not is_early:
                self._progress_mark = self._engine.progress_count
                self.draw()
        if not running or self._panes.is_in_sight["calls"]:
            self._panes.running_line.set_class(False, "-running")
        return running > 0

    def draw(self) -> None:
        """Every call in its current state."""
        panes = self._panes
        calls = list(self._engine.calls.values())
        now = self._drawn_at = time.monotonic()
        panes.call_list.show(calls, now)
        panes.answer_pane.tick(self.selected, now)
        if not panes.is_in_sight["calls"] and any(not call.is_over for call in calls):
            # Under a dialog nothing else draws it, and it has to show that it asks.
            panes.running_line.show(calls, now)
        if len(calls) != self._shared_for:
            self._shared_for = len(calls)
            panes.call_list.border_title = Content(f"Calls {len(calls)}")
            panes.share()
