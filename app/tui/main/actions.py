"""Actions of the global keys, and whether each would do anything now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....widgets.keys import is_text
from ...content.text import visible
from ...engine.engine import Engine
from ...presentation.feature import hook
from ...protocol.requests import Request, ToolCall
from ..servers.switching import go_to_all
from .keys import CONDITIONAL_ACTIONS, NO_TOOLS, NOT_CHOSEN
from .panes import LEFT_PANES
from .workplace import Workplace

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue


class Actions:
    """Runs the action of a key, by its name, on the panes of a workplace."""

    def __init__(self, engine: Engine, place: Workplace) -> None:
        self._engine = engine
        self._place = place

    def carry_out(self, verb: str, *arguments: int) -> None:
        """Run an action by its name."""
        getattr(self, f"action_{verb}")(*arguments)

    def can(self, verb: str) -> bool:
        """True if a verb would do something now."""
        place = self._place
        match verb:
            case "cancel":
                return place.call_list.cancel_target is not None
            case "filter_at_once":
                return not is_text("/", place.screen.focused)
            case "retry":
                return place.once_more.can_retry
            case "again":
                return place.once_more.can_repeat
            case "fresh_key":
                return place.tool_pane.has_key_parameter
            case "successor":
                return place.tool_pane.is_deprecated
            case "call":
                # Not by the pane, which follows the cursor a moment later.
                return bool(self._engine.tools)
        return True

    @property
    def offered(self) -> tuple[bool, ...]:
        """Availability of `CONDITIONAL_ACTIONS` and calls in the footer: a mark to redraw it by."""
        return tuple(self.can(verb) for verb in (*CONDITIONAL_ACTIONS, "call"))

    @property
    def meant(self) -> tuple[Request, dict[str, JsonValue], str] | None:
        """Request, arguments, and words for their source, call or form.

        The selected call if the focus is on the calls or the result, else the content of the form;
        None if there is neither.
        """
        place = self._place
        if not place.is_complete:
            return None
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
        place = self._place
        place.follow_cursor()
        words = place.tools_pane.no_match
        if words:
            return f"No tool matches “{visible(words)}”: esc clears the filter."
        if place.tool_pane.tool is not None:
            return ""
        return NOT_CHOSEN if self._engine.tools else NO_TOOLS

    def _has_tool(self) -> bool:
        """True if the pane shows the intended tool; otherwise show the reason."""
        words = self.why_no_tool()
        if words:
            self._place.notices.say(words, "warning")
        return not words

    def action_call(self) -> None:
        if self._has_tool():
            self._place.tool_pane.submit()

    def action_call_although_invalid(self) -> None:
        if self._has_tool():
            self._place.tool_pane.submit_although_invalid()

    def action_history(self) -> None:
        if self._has_tool():
            self._place.tool_pane.show_history()

    def action_definition(self) -> None:
        if self._has_tool():
            self._place.tool_pane.show_definition()

    def action_fresh_key(self) -> None:
        if self._has_tool():
            self._place.tool_pane.put_fresh_key()

    def action_successor(self) -> None:
        """To the tool that a deprecated one names in its place."""
        if self._has_tool():
            from ..tools.tool_pane import go_to_successor

            place = self._place
            pane, before = place.tool_pane, place.tool_pane.tool
            place.notices.say(go_to_successor(self._engine.tools, pane, place.turn_to_tool))
            if pane.tool is not before:
                place.go("tool")

    def action_filter(self) -> None:
        self._place.go("tools", focus=False)
        self._place.tools_pane.focus_filter()

    def action_filter_at_once(self) -> None:
        self.action_filter()

    def action_regroup(self) -> None:
        self._place.tools_pane.regroup()

    def action_only_read_only(self) -> None:
        self._place.tools_pane.toggle_read_only()

    def action_cancel(self) -> None:
        target = self._place.call_list.cancel_target
        if target is not None:
            self._engine.cancel(target.id)

    def action_retry(self) -> None:
        self._place.once_more.retry()

    def action_again(self) -> None:
        self._place.once_more.repeat()

    def action_turn_page(self, step: int) -> None:
        """The page after the selected answer (1), or the one before it (-1)."""
        call = self._place.selected_call
        if call is None:
            self._place.notices.say("No response yet.")
        else:
            self._place.turn_page(call, step)

    def action_raw(self) -> None:
        from ..text.sections import pages_of_call

        pane = self._place.answer_pane
        pane.show_raw(self.show_wire, lambda call: pages_of_call(self._engine, call))

    def show_wire(self, call: int = 0) -> None:
        """Open the wire traffic, of everything or of one call."""
        hook("wire of a call")(self._place.app, self._engine, self._place.edit_in_form, call)

    def action_plain(self) -> None:
        self._place.answer_pane.toggle_plain()

    def action_zoom(self) -> None:
        self._place.zoom()

    def action_next_pane(self, step: int) -> None:
        self._place.go_on(step)

    def action_back(self) -> None:
        place = self._place
        if place.is_zoomed and not place.tools_pane.has_focus_within:
            place.zoom()
        elif not place.tools_pane.leave_filter():
            if place.is_zoomed:
                place.zoom()
            elif place.tools_pane.has_focus_within and place.current == "tools":
                go_to_all(place.screen)
            else:
                place.go("tools")
