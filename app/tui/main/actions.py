"""Actions of the main screen's keys, and whether each would do anything now."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeAlias

from ....widgets.keys import is_text
from ...content.key_tables import KeyRow
from ...content.text import visible
from ...presentation.feature import hook, load
from ..servers.switching import can_switch, go_to_all
from .keys import NO_TOOLS, NOT_CHOSEN, OFFERED, QUEUED, ROWS, row_name
from .phases import PHASE_RULES, LifePhase
from .start_view import StartShown, WaitsForTools

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue
    from ...engine.engine import Engine
    from ...protocol.requests import Request
    from .workplace import Workplace

_Given = ParamSpec("_Given")
MeantRequest: TypeAlias = "tuple[Request, dict[str, JsonValue], str]"
"""A request, its arguments, and words for their source, call or form."""


def once_usable(
    action: Callable[Concatenate[MainActions, _Given], None],
) -> Callable[Concatenate[MainActions, _Given], None]:
    """Run the action of a key now, or once the panes are there: its row decides."""
    name = action.__name__.removeprefix("action_")

    @wraps(action)
    def act(screen: MainActions, /, *args: _Given.args, **kwargs: _Given.kwargs) -> None:
        if screen.acts_now(ROWS[name]):
            action(screen, *args, **kwargs)
        else:
            screen.queued.append(partial(action, screen, *args, **kwargs))

    return act


class MainActions(WaitsForTools):
    """Actions of the keys, on the panes of the workplace."""

    start: StartShown
    queued: list[Callable[[], None]]
    """What keys ordered before the panes were there."""

    @property
    @abstractmethod
    def engine(self) -> Engine:
        """The engine of the server."""

    @property
    @abstractmethod
    def place(self) -> Workplace:
        """The workplace, once the tools are in sight."""

    def acts_now(self, row: KeyRow) -> bool:
        """True if the action of a row runs at once: those that were queued come first."""
        acts = PHASE_RULES[self.phase].acts
        return acts is None or (not self.queued and not acts.isdisjoint(row.marks))

    def can(self, row: KeyRow) -> bool:
        """True if the key of a row would do something now, or once the panes are there."""
        rules = PHASE_RULES[self.phase]
        if rules.acts is None or not rules.acts.isdisjoint(row.marks):
            return self._holds(row)
        return rules.queues and not row.why and row in QUEUED

    def _holds(self, row: KeyRow) -> bool:
        if not row.can:
            return True
        if row.feature:
            return bool(load(row.feature, row.can)(self.engine))
        return CONDITIONS[row.can](self)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        row = ROWS.get(row_name(action, parameters))
        return super().check_action(action, parameters) if row is None else self.can(row)

    @property
    def offered(self) -> tuple[bool, ...]:
        """Availability of the keys in the footer: a mark to redraw it by."""
        return tuple(map(self.can, OFFERED))

    @property
    def meant(self) -> MeantRequest | None:
        """The request that would be made now.

        The selected call if the focus is on the calls or the result, else the content of the form;
        None if there is neither.
        """
        if self.phase is not LifePhase.READY:
            return None
        from ...protocol.requests import ToolCall
        from .panes import LEFT_PANES

        place = self.place
        call = place.selected_call if place.current not in LEFT_PANES else None
        if call is not None:
            return call.request, call.snapshot.arguments(), f"call {call.id}"
        place.follow_cursor()
        tool = place.tool_pane.tool
        if tool is None:
            return None
        far = ", as far as it is complete" if place.tool_pane.form.problems else ""
        return ToolCall(tool), place.tool_pane.arguments, f"the arguments in the form{far}"

    def why_no_tool(self) -> str:
        """Reason why the pane shows no tool; empty if it shows one."""
        place = self.place
        place.follow_cursor()
        words = place.tools_pane.no_match
        if words:
            return f"No tool matches “{visible(words)}”: esc clears the filter."
        if place.tool_pane.tool is not None:
            return ""
        return NOT_CHOSEN if self.engine.tools else NO_TOOLS

    def _has_tool(self) -> bool:
        """True if the pane shows the intended tool; otherwise show the reason."""
        words = self.why_no_tool()
        if words:
            self.place.notices.say(words, "warning")
        return not words

    @once_usable
    def action_call(self) -> None:
        if self._has_tool():
            self.place.tool_pane.submit()

    @once_usable
    def action_call_although_invalid(self) -> None:
        if self._has_tool():
            self.place.tool_pane.submit(although_invalid=True)

    @once_usable
    def action_history(self) -> None:
        if self._has_tool():
            self.place.tool_pane.show_history()

    @once_usable
    def action_definition(self) -> None:
        if self._has_tool():
            self.place.tool_pane.show_definition()

    @once_usable
    def action_fresh_key(self) -> None:
        if self._has_tool():
            self.place.tool_pane.put_fresh_key()

    @once_usable
    def action_successor(self) -> None:
        """To the tool that a deprecated one names in its place."""
        if self._has_tool():
            from .succession import go_to_successor

            place = self.place
            pane, before = place.tool_pane, place.tool_pane.tool
            place.notices.say(go_to_successor(self.engine.tools, pane, place.turn_to_tool))
            if pane.tool is not before:
                place.go("tool")

    @once_usable
    def action_filter(self) -> None:
        self._go_to_filter()

    def _go_to_filter(self) -> None:
        self.place.go("tools", focus=False)
        self.place.tools_pane.focus_filter()

    @once_usable
    def action_filter_at_once(self) -> None:
        self._go_to_filter()

    @once_usable
    def action_regroup(self) -> None:
        self.place.tools_pane.regroup()

    @once_usable
    def action_only_read_only(self) -> None:
        self.place.tools_pane.toggle_read_only()

    @once_usable
    def action_calls(self) -> None:
        place = self.place
        place.open_calls(is_open=place.current != "calls")

    @once_usable
    def action_edit(self) -> None:
        if self._has_tool():
            self.place.go("tool")

    @once_usable
    def action_what_if(self, number: int) -> None:
        """Try the next value of a hint of the chosen tool."""
        if self._has_tool():
            from ...approval.matrix import HINT_NAMES, turned

            tool = self.place.tool_pane.tool
            assert tool is not None
            consent = self.engine.consent
            consent.set_what_if(
                tool.name, turned(tool, self.engine.overrides(tool), HINT_NAMES[number])
            )

    @once_usable
    def action_cancel(self) -> None:
        target = self.place.call_list.cancel_target
        if target is not None:
            self.engine.cancel(target.id)

    @once_usable
    def action_restart(self) -> None:
        self.start.restart()

    @once_usable
    def action_retry(self) -> None:
        if self.engine.can_reconnect:
            self.start.restart()
        else:
            self.place.once_more.retry()

    @once_usable
    def action_again(self) -> None:
        self.place.once_more.repeat()

    @once_usable
    def action_turn_page(self, step: int) -> None:
        """The page after the selected answer (1), or the one before it (-1)."""
        call = self.place.selected_call
        if call is None:
            self.place.notices.say("No response yet.")
        else:
            self.place.turn_page(call, step)

    @once_usable
    def action_raw(self) -> None:
        from ..text.sections import pages_of_call

        pane = self.place.answer_pane
        pane.show_raw(self.show_wire, lambda call: pages_of_call(self.engine, call))

    def show_wire(self, call: int = 0) -> None:
        """Open the wire traffic, of everything or of one call."""
        hook("wire of a call")(self.app, self.engine, self.place.edit_in_form, call)

    @once_usable
    def action_plain(self) -> None:
        self.place.answer_pane.toggle_plain()

    @once_usable
    def action_notes(self) -> None:
        self.place.answer_pane.toggle_notes()

    @once_usable
    def action_zoom(self) -> None:
        self.place.zoom()

    @once_usable
    def action_next_pane(self, step: int) -> None:
        self.place.go_on(step)

    @once_usable
    def action_back(self) -> None:
        place = self.place
        if place.is_zoomed and not place.tools_pane.has_focus_within:
            place.zoom()
        elif place.current == "calls":
            place.open_calls(is_open=False)
        elif not place.tools_pane.leave_filter():
            if place.is_zoomed:
                place.zoom()
            elif place.tools_pane.has_focus_within and place.current == "tools":
                go_to_all(self)
            else:
                place.go("tools")


def _can_retry(screen: MainActions) -> bool:
    if screen.engine.can_reconnect:
        return True
    return screen.phase is not LifePhase.FAILED and screen.place.once_more.can_retry


CONDITIONS: Final[Mapping[str, Callable[[MainActions], bool]]] = {
    "there are calls": lambda screen: bool(screen.engine.calls),
    "the response has findings": lambda screen: screen.place.answer_pane.has_findings,
    "a call is shown": lambda screen: screen.place.tool_pane.is_away,
    "a call runs": lambda screen: screen.place.call_list.cancel_target is not None,
    "no text is typed": lambda screen: not is_text("/", screen.focused),
    "the selected call has ended": lambda screen: screen.place.once_more.can_repeat,
    "the tool has an idempotency key": lambda screen: screen.place.tool_pane.has_key_parameter,
    "the tool is deprecated": lambda screen: screen.place.tool_pane.is_deprecated,
    # Not by the pane, which follows the cursor a moment later.
    "there are tools": lambda screen: bool(screen.engine.tools),
    "there are several servers": can_switch,
    "the server can be restarted": lambda screen: screen.engine.can_restart,
    "there is something to restart or retry": _can_retry,
}
"""What a row of the frame names below `can`."""
