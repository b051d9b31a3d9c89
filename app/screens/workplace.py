"""The workplace: tools, the chosen tool, calls, the answer; side by side, or as tabs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual import on
from textual.content import Content

from signoff.app.bench.bench import Bench
from signoff.app.core.approvals.approval import DecisionAnswer
from signoff.app.core.calls import Call, Outcome, State
from signoff.app.core.definitions.change_values import ListDiff
from signoff.app.core.definitions.history import Seen
from signoff.app.core.findings import Finding, Severity
from signoff.app.core.requests import Request, ToolCall
from signoff.app.core.rpc import READ_METHOD
from signoff.app.core.server import Phase
from signoff.app.core.text import shortened, visible
from signoff.app.core.tools import Grouping, ToolDefinition
from signoff.app.screens.answers.page_turning import PageWanted
from signoff.app.screens.failures import TellsFailures
from signoff.app.screens.first_line import FirstLine
from signoff.app.screens.panes import BEFORE_CALLS, Panes
from signoff.app.screens.tools.tools_pane import ToolsPane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.notifications import SeverityLevel
    from textual.worker import Worker

    from signoff.app.core.jsonio import JsonValue
    from signoff.app.screens.answers.link_body import LinkBody
    from signoff.app.screens.answers.pages import Pages
    from signoff.app.screens.tools.live_verdict import LiveVerdict
    from signoff.app.screens.tools.tool_pane import ToolPane
    from signoff.app.screens.wire.again import Again
    from signoff.widgets.call_list import CallList

REPEAT_SECONDS = 10.0
"""A finding of the same kind does not pop up again within this time."""

TOLD_NOTES = ("visit-done", "request-withdrawn")
"""Notes that somebody waits for."""
MARKS = {Seen.NEW: "new", Seen.CHANGED: "chg"}
"""What a definition is marked with that is not the one of last time."""


class Workplace(Panes, TellsFailures):
    """The panes of the bench, what the bench says to them, and what the keys of the screen do."""

    FAILED = "This could not be done"

    def __init__(
        self, bench: Bench, grouping: Grouping = Grouping.EFFECT, *, is_bundled: bool = False
    ) -> None:
        """`is_bundled`: the server is the one that comes with Signoff."""
        super().__init__(bench, id="workplace", grouping=grouping)
        self._first_line = FirstLine(is_bundled=is_bundled)
        self._progress_mark = -1
        self._selected: int | None = None
        self._told: dict[str, float] = {}
        self._told_diff = ListDiff()
        self._arrived: int | None = None
        """The call whose answer was last gone to."""
        self._linked_from: int | None = None
        """The call whose answer has the link that was followed last."""
        self._following: Worker[None] | None = None
        self._verdict: LiveVerdict | None = None
        self._pages: Pages | None = None
        self._may_count: int | None = None
        """The call of which was said that repeating it counts: the next press asks about it."""
        self._calls_shared = 0
        """How many calls there were when the panes shared their rows."""

    def completed(self) -> None:
        self.mount(self._first_line, after=self.query_one("#places"))
        self.call_after_refresh(self._show_first_line)
        self._follow_cursor()

    def _show_first_line(self) -> None:
        if self._first_line.is_attached:
            self._first_line.show(self._bench)

    # What the bench says

    def show_tools(self) -> None:
        """The server's list is another; cursor, focus and what was typed stay where they can."""
        self._tools.show(self._bench.tools, has_sections=self._bench.server.is_bundled)
        self._label_tabs()
        if self.is_complete:
            self._show_first_line()
            self._say_if_gone()
            self._follow_cursor(is_relisted=True)

    def _say_if_gone(self) -> None:
        pane = self._tool
        if pane.tool is None or any(tool.name == pane.tool.name for tool in self._bench.tools):
            return
        words = f"The server no longer lists {pane.tool.name_shown}."
        self.notify(words, title="Tool gone", severity="warning", timeout=8, markup=False)
        if pane.has_focus_within:
            # At once: what was typed for one tool must not go on into the form of another.
            self.screen.set_focus(None)
            self._go("tools")

    def show_calls(self, changes: Sequence[Call]) -> None:
        """Calls have new values, in this order; drawn once, however many they are."""
        if not self.is_complete or not changes:
            return
        selected = self._selected
        self._first_line.show(self._bench)
        self._draw_calls()
        for call in changes:
            is_new = not self.has_class("-has-calls") or call.id > (self._selected or 0)
            self.add_class("-has-calls")
            if is_new and call.sent_at is None and call.state is not State.ENDED:
                self._selected = call.id
            if call.state is State.RUNNING and call.retry_of is None:
                self._tool.renew_key(call)
            if call.is_over and call.id != self._arrived and call.id == self._selected:
                self._arrived = call.id
                self._show_selected(selected, call)
                selected = self._selected
                self._go_on_from(call)
        newest = {call.id: call for call in changes}
        self._show_selected(selected, newest.get(self._selected or 0))
        if any(call.is_over for call in changes):
            # What was decided on it may hold for the next one, too.
            self.show_verdict()
        self._label_tabs()

    def _show_selected(self, before: int | None, call: Call | None) -> None:
        """The cursor of the list to the selected call, where it is another; `call`: its value."""
        if self._selected is not None and self._selected != before:
            self._select(self._selected)
        if call is not None:
            self._answer.show(call, self._advice(call))

    def _go_on_from(self, call: Call) -> None:
        """A call ended: back to its form, or to its answer, if nothing else was begun since."""
        pane = self._tool
        nothing_came = (Outcome.DENIED, Outcome.NOT_SENT)
        if call.tool is None and call.outcome in nothing_came and self._linked_from:
            self._select(self._linked_from)
        if call.decision is not None and call.decision.answer is DecisionAnswer.EDIT:
            if self._tools.select(call.request.name):
                self._follow_cursor()
                self._go("tool", focus=False)
                pane.edit_again(call.snapshot.arguments())
        elif call.outcome is Outcome.DENIED and not self._is_in_sight["calls"]:
            words = f"{call.request.name_shown}: {call.status}, nothing was sent"
            self.notify(words, timeout=4, markup=False)
        elif call.outcome is Outcome.NOT_SENT:
            # Somebody approved it, or was about to, and would wait for an answer.
            self._say(f"{call.request.name_shown} was not sent: {call.reason}.", severity="warning")
        elif (
            not self._is_in_sight["answer"]
            and call.sent
            and self._current in BEFORE_CALLS
            # The next letter of a filter would be a verb of the answer.
            and not self._tools.is_typed_in
            and call.is_of(pane.tool)
            and pane.arguments == call.snapshot.arguments()
        ):
            self._go("answer")
        elif call.tool is None and call.sent and self._current in BEFORE_CALLS:
            # It was asked for elsewhere, and no form stands here for it.
            self._go("answer")

    def show_verdict(self) -> None:
        """Trust changed, or a rule: so does the verdict on the chosen tool."""
        if self.is_complete:
            if not self._bench.calls:
                self._show_first_line()
            self._judge()

    def _judge(self) -> None:
        """Show the verdict on the chosen tool with the arguments that are in its form."""
        from signoff.app.screens.tools.live_verdict import LiveVerdict

        if self._verdict is None:
            self._verdict = LiveVerdict(self._bench, self._tool)
        self._verdict.show()
        call = self._bench.calls.get(self._selected or 0)
        if call is not None and self._has_advice(call):
            # Whether it can be retried at once hangs on the connection.
            self._answer.show(call, self._advice(call))

    def show_marks(self) -> None:
        """The definitions were compared with those of earlier."""
        diff = self._bench.list_diff
        self._tools.mark({tool.name: self._mark(tool) for tool in self._bench.tools}, diff)
        told = diff.summary
        if told and diff != self._told_diff:
            self._told_diff = diff
            self.notify(
                f"{told}. D shows what; approvals from before do not cover it.",
                title="Definitions changed",
                severity="warning",
                timeout=8,
                markup=False,
            )
        self.show_verdict()

    def _mark(self, tool: ToolDefinition) -> str:
        """What the list says beside a tool, in up to three cells."""
        from signoff.app.core.policies.verdicts import VerdictAnswer

        if self._bench.verdict(tool).answer is VerdictAnswer.HIDE:
            return "hid"
        seen = self._bench.memory.seen(tool)
        # That it is new says less than that it is deprecated, which the list says by itself.
        is_old = tool.deprecation is not None and seen is Seen.NEW
        return "" if is_old else MARKS.get(seen, "")

    def show_finding(self, finding: Finding) -> None:
        """Something was observed on the connection."""
        now = time.monotonic()
        is_quiet = finding.severity is Severity.NOTE and finding.code not in TOLD_NOTES
        if is_quiet or self._told.get(finding.code, 0.0) > now:
            return
        self._told[finding.code] = now + REPEAT_SECONDS
        self.notify(
            finding.message, title=finding.code, severity="warning", timeout=4, markup=False
        )

    def show_read_again(self) -> None:
        """Resources were updated, or read again: the open answer may be an older one, or not."""
        call = self._bench.calls.get(self._selected or 0)
        if self.is_complete and call is not None and call.snapshot.method == READ_METHOD:
            self._answer.show(call, self._advice(call))

    def say_updated(self, uri: str) -> None:
        """The server says that a resource has other contents."""
        if self.is_complete:
            self._say(f"Updated: {shortened(uri, 200)}")

    def flush(self) -> None:
        """Draw progress and elapsed times, if anything runs."""
        # Under a dialog nothing moves: it would only paint everything anew.
        if not self.is_complete or not self.screen.is_active:
            return
        is_running = any(not call.is_over for call in self._bench.calls.values())
        if is_running or self._progress_mark != self._bench.progress_count:
            self._progress_mark = self._bench.progress_count
            self._draw_calls()
        line = self._running_line
        is_told = is_running and not self._is_in_sight["calls"]
        line.set_class(is_told, "-running")
        if is_told:
            line.show(list(self._bench.calls.values()), time.monotonic())

    def focus_tools(self) -> None:
        self._go("tools")

    # What the person does; the keys are the screen's

    @property
    def chosen_tool(self) -> ToolDefinition | None:
        """The tool whose pane is shown."""
        return self._tool.tool if self.is_complete else None

    @property
    def selected_call(self) -> Call | None:
        """The call whose answer is shown, else the newest."""
        calls = self._bench.calls
        if self._selected in calls:
            return calls[self._selected]
        return next(reversed(calls.values()), None)

    @property
    def meant(self) -> tuple[Request, dict[str, JsonValue], str] | None:
        """Request, arguments, and in words whether they are those of a call or of the form.

        The selected call where the focus is with the calls or the answer, else what is in the
        form; None where there is neither.
        """
        if not self.is_complete:
            return None
        call = self.selected_call if self._current not in BEFORE_CALLS else None
        if call is not None:
            return call.request, call.snapshot.arguments(), f"call {call.id}"
        self._follow_cursor()
        tool = self._tool.tool
        if tool is None:
            return None
        far = ", as far as it is complete" if self._tool.form.problems else ""
        return ToolCall(tool), self._tool.arguments, f"what is in the form{far}"

    def can(self, verb: str) -> bool:
        """Whether a verb of the keys would do something now."""
        if verb == "cancel":
            return self._calls.cancel_target is not None
        if verb == "filter_at_once":
            focused = self.screen.focused
            # A list that narrows to what is typed takes characters, too.
            is_typed_in = getattr(focused, "takes_text", False)
            return not (is_typed_in or (focused and focused.check_consume_key("slash", "/")))
        if verb == "retry":
            call = self.selected_call
            return self._bench.can_reconnect or (call is not None and self._has_advice(call))
        if verb == "again":
            call = self.selected_call
            return call is not None and call.is_over and call.sent
        if verb == "fresh_key":
            return self._tool.has_key_parameter
        if verb == "successor":
            return _is_deprecated(self._tool.tool)
        return True

    @property
    def offers(self) -> tuple[bool, ...]:
        """What the footer offers only at times: a mark to draw it anew by."""
        return tuple(
            self.can(verb) for verb in ("cancel", "retry", "again", "fresh_key", "successor")
        )

    def action_call(self) -> None:
        if self._has_tool():
            self._tool.submit()

    def action_call_although_invalid(self) -> None:
        if self._has_tool():
            self._tool.submit_although_invalid()

    def action_history(self) -> None:
        if self._has_tool():
            self._tool.show_history()

    def _has_tool(self) -> bool:
        """Whether the pane shows the tool that is meant; if not, why is said."""
        self._follow_cursor()
        words = self._tools.no_match
        if words:
            self._say(f"No tool matches “{visible(words)}”: esc clears the filter.", "warning")
        return not words

    def action_filter(self) -> None:
        self._go("tools", focus=False)
        self._tools.focus_filter()

    def action_filter_at_once(self) -> None:
        self.action_filter()

    def action_regroup(self) -> None:
        self._tools.regroup()

    def action_only_read_only(self) -> None:
        self._tools.toggle_read_only()

    def action_definition(self) -> None:
        if self._has_tool():
            self._tool.show_definition()

    def action_cancel(self) -> None:
        target = self._calls.cancel_target
        if target is not None:
            self._bench.cancel(target.id)

    def action_retry(self) -> None:
        """Connect again; then a lost call once more, or the reason why not."""
        if self._bench.can_reconnect:
            self.run_worker(self._reconnect(), exit_on_error=False)
            return
        call = self.selected_call
        if call is None:
            return
        if self._is_outdated(call):
            if self._is_connected():
                self._bench.read(str(call.snapshot.arguments()["uri"]))
            return
        self.run_worker(self._retry(call), exit_on_error=False)

    async def _retry(self, call: Call) -> None:
        advice = await self._bench.advised(call)
        if not advice.is_offered:
            self._say(f"Not retried: {advice.reason}.", severity="warning")
        elif self._is_connected():
            self._bench.retry(call.id)

    async def _reconnect(self) -> None:
        call = self.selected_call
        advice = await self._bench.advised(call) if call is not None and _has_advice(call) else None
        problem = await self._bench.reconnect()
        if problem:
            self._say(f"Not connected again: {problem}.", severity="error")
        elif call is not None and advice is not None:
            which = f"call {call.id}, {call.request.name_shown}"
            what = f"retries {which}" if advice.is_offered else f"will not retry {which}"
            self._say(f"Connecting again. Then R {what}: {advice.reason}.")
        else:
            self._say("Connecting again. There is no call to retry.")

    def action_again(self) -> None:
        """An ended call once more, to compare the answers."""
        call = self.selected_call
        if call is None or not call.is_over:
            return
        from signoff.app.core.answers.repeats import has_key

        counts = not (call.request.hints.is_repeatable or has_key(call))
        if counts and self._may_count != call.id:
            self._may_count = call.id
            words = (
                f"Not called yet: {call.request.name_shown} {call.request.hints.repeating_said}, "
                "so a second call counts. C once more asks about it, whatever the policy says."
            )
            self._say(words, severity="warning")
        elif self._is_connected():
            self._may_count = None
            self._bench.call_again(call.id, must_ask=counts)

    def action_fresh_key(self) -> None:
        if self._has_tool():
            self._tool.put_fresh_key()

    def action_successor(self) -> None:
        """To the tool that a deprecated one names in its place."""
        if self._has_tool():
            from signoff.app.screens.succession import go_to_successor

            before = self._tool.tool
            self._say(go_to_successor(self._bench.tools, self._tool, self._turn_to_tool))
            if self._tool.tool is not before:
                self._go("tool")

    def go_to_tool(self, name: str) -> bool:
        """To the pane of a tool; False where it is not listed any more."""
        is_there = self._turn_to_tool(name)
        if is_there:
            self._go("tool")
        return is_there

    def _turn_to_tool(self, name: str) -> bool:
        """Show the pane of a tool; what is put into its form comes before the focus."""
        if not self._tools.reveal(name):
            return False
        if self._tool.has_focus_within:
            self.screen.set_focus(None)
        self._follow_cursor()
        return True

    def action_raw(self) -> None:
        from signoff.app.screens.sections import pages_of_call

        self._answer.show_raw(self._show_wire, lambda call: pages_of_call(self._bench, call))

    def action_wire(self) -> None:
        self._show_wire()

    def _show_wire(self, call: int = 0) -> None:
        """All that was sent and received, or what was of one call."""
        from signoff.app.screens.wire.source import BenchWire
        from signoff.app.screens.wire.wire_screen import WireScreen

        start = f"call:{call}" if call else ""
        self.app.push_screen(WireScreen(BenchWire(self._bench), start), self._send_again)

    def _send_again(self, again: Again | None) -> None:
        """Make a call of the wire once more, or put its arguments into the form."""
        if again is None:
            return
        from signoff.app.screens.pager import PagerScreen

        if isinstance(self.app.screen, PagerScreen):
            self.app.pop_screen()
        tools = {tool.name: tool for tool in self._bench.tools}
        if again.uri:
            self._bench.read(again.uri)
        elif again.prompt:
            self._bench.get_prompt(again.prompt, again.arguments or {})
        elif again.tool not in tools:
            self._say("Not sent: the server no longer lists that tool.", "warning")
        elif again.is_edited and self._turn_to_tool(again.tool):
            self._tool.edit_again(again.arguments or {})
            self._go("tool")
        elif not again.is_edited:
            # Whoever sends what was sent means it, whatever the schema says.
            arguments = again.arguments or {}
            self._bench.call(tools[again.tool], arguments, although_invalid=True)

    def action_plain(self) -> None:
        self._answer.toggle_plain()

    def action_back(self) -> None:
        if self._is_zoomed and not self._tools.has_focus_within:
            self.action_zoom()
        elif not self._tools.leave_filter():
            if self._is_zoomed:
                self.action_zoom()
            else:
                self._go("tools")

    @on(ToolsPane.Settled)
    def _tool_settled(self, message: ToolsPane.Settled) -> None:
        message.stop()
        self._follow_cursor()

    @on(ToolsPane.Chosen)
    def _tool_chosen(self, message: ToolsPane.Chosen) -> None:
        message.stop()
        self._follow_cursor()
        if self.is_complete:
            self._go("tool")
        else:
            self._current = "tool"

    def on_tool_pane_call_wanted(self, message: ToolPane.CallWanted) -> None:
        message.stop()
        if not self._is_connected():
            return
        try:
            self._bench.call(
                message.tool,
                message.arguments,
                message.origins,
                although_invalid=message.although_invalid,
            )
        except ValueError as problem:
            self._say(f"Nothing was sent: {problem}.", severity="error")

    @on(PageWanted)
    def _page_wanted(self, message: PageWanted) -> None:
        message.stop()
        self._turn_page(message.call, message.step)

    def action_turn_page(self, step: int) -> None:
        """The page after the selected answer (1), or the one before it (-1)."""
        call = self.selected_call
        if call is None:
            self._say("There is no answer yet.")
        else:
            self._turn_page(call, step)

    def _turn_page(self, call: Call, step: int) -> None:
        """A page that is there is gone to; another is asked for."""
        if self._pages is None:
            from signoff.app.screens.answers.pages import Pages, Turned

            turned = Turned(self._say, self._select, self._fill_page, self._is_connected)
            self._pages = Pages(self._bench, self, turned)
        self._pages.turn(call, step)

    def _fill_page(self, call: Call, arguments: dict[str, JsonValue]) -> None:
        if call.is_of(self._tool.tool):
            self._tool.fill(arguments)

    def _advice(self, call: Call | None) -> str:
        """Whether a call of unknown outcome may be made once more, and by which key."""
        if call is not None and self._is_outdated(call):
            return "the server says that it was updated since: R reads it again"
        if call is None or not _has_advice(call):
            return ""
        advice = self._bench.advice(call)
        is_open = self._bench.server.is_open
        if not advice.is_offered:
            return advice.reason if is_open else f"R connects again; not retried: {advice.reason}"
        first = "" if is_open else "R connects again, then "
        return f"{first}R retries: {advice.reason}"

    def _has_advice(self, call: Call) -> bool:
        return self._is_outdated(call) or _has_advice(call)

    def _is_outdated(self, call: Call) -> bool:
        """Whether it is a read of what the server says has changed since."""
        updated = self._bench.offers.updated
        is_read = call.is_over and call.sent and call.snapshot.method == READ_METHOD
        return bool(updated) and is_read and call.snapshot.arguments().get("uri") in updated

    def _is_connected(self) -> bool:
        """Whether anything can be sent; if not, it is said."""
        server = self._bench.server
        if not server.is_open:
            is_coming = server.phase is Phase.CONNECTING
            why = "still connecting" if is_coming else server.ended_words or "not connected"
            self._say(f"Nothing was sent: {why}.", severity="error")
        return server.is_open

    def _say(self, words: str, severity: SeverityLevel = "information") -> None:
        self.notify(words, severity=severity, timeout=6, markup=False)

    def on_tool_pane_checked(self, message: ToolPane.Checked) -> None:
        message.stop()
        self._judge()

    def on_tool_pane_past_wanted(self, message: ToolPane.PastWanted) -> None:
        from signoff.app.screens.arguments.past import ArgumentsScreen

        message.stop()
        past = self._bench.memory.arguments
        screen = ArgumentsScreen(message.tool, past, message.in_form, message.before)
        self.app.push_screen(screen, self._tool.take)

    def on_tool_pane_definition_wanted(self, message: ToolPane.DefinitionWanted) -> None:
        from signoff.app.screens.pager import PagerScreen, Section, plain_lines
        from signoff.app.screens.sections import history_sections, tool_sections

        message.stop()
        title = Content.assemble("definition of ", (message.tool.name_shown, "bold"))
        verdict = Section("verdict", plain_lines(message.verdict), is_ours=True)
        sections = [*tool_sections(message.tool, self._bench.server.version), verdict]
        sections += history_sections(self._bench, message.tool)
        self.app.push_screen(PagerScreen(title, sections))

    def on_link_body_open_wanted(self, message: LinkBody.OpenWanted) -> None:
        from signoff.app.screens.answers.following import follow_link

        message.stop()
        if self._following is not None and not self._following.is_finished:
            return
        self._linked_from = self._selected
        following = follow_link(self.app, self._bench, message.part.uri)
        self._following = self.run_worker(following, exit_on_error=False)

    def on_call_list_selected(self, message: CallList.Selected) -> None:
        message.stop()
        self._selected = message.call_id
        call = self._bench.calls.get(message.call_id)
        self._answer.show(call, self._advice(call))

    def on_call_list_cancel_requested(self, message: CallList.CancelRequested) -> None:
        message.stop()
        self._bench.cancel(message.call_id)

    def _follow_cursor(self, *, is_relisted: bool = False) -> None:
        if not self.is_complete:
            return
        self._tools.settle()
        tool = self._tools.highlighted
        pane = self._tool
        last = self._tools.last_highlighted
        if tool is None and last is not None:
            # On a heading: the same tool, however fast the cursor came there.
            current = [one for one in self._bench.tools if one.name == last.name]
            tool = current[0] if current else None
        pane.border_title = _tool_title(tool)
        effect = "" if tool is None else f"{tool.effect.sign} {tool.effect.value}"
        pane.border_subtitle = Content(effect)
        before = pane.tool
        pane.show(tool, is_relisted=is_relisted)
        if _is_deprecated(before) is not _is_deprecated(tool):
            self.screen.refresh_bindings()
        self._judge()

    def _draw_calls(self) -> None:
        calls = list(self._bench.calls.values())
        now = time.monotonic()
        self._calls.show(calls, now)
        if not self._is_in_sight["calls"] and any(not call.is_over for call in calls):
            # Under a dialog nothing else draws it, and it has to say that it asks.
            self._running_line.show(calls, now)
        if len(calls) != self._calls_shared:
            self._calls_shared = len(calls)
            self._calls.border_title = Content(f"Calls {len(calls)}")
            self.share()

    def _select(self, call_id: int) -> None:
        self._selected = call_id
        self._calls.select(call_id)


def _has_advice(call: Call) -> bool:
    """Whether there is anything to say about making it once more."""
    # Imported when there are calls: the first list of tools does not wait for it.
    from signoff.app.core.approvals.retries import is_harmless, is_unknown

    return is_unknown(call) or is_harmless(call)


def _tool_title(tool: ToolDefinition | None) -> Content:
    """The exact name, and the title in quotes where there is one."""
    if tool is None:
        return Content("Tool")
    title = f"  titled “{tool.title_shown}”" if tool.title else ""
    old = ("  deprecated", "bold $text-warning") if tool.deprecation is not None else ""
    return Content.assemble((tool.name_shown, "bold"), title, old)


def _is_deprecated(tool: ToolDefinition | None) -> bool:
    return tool is not None and tool.deprecation is not None
