"""Turning the pages of an answer: which call shows the page wanted, or how it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from textual.widget import Widget

from ...calls.call import Call
from ...calls.paging import NextPage, page_after
from ...content.json.jsonio import JsonValue
from ...engine.engine import Bench


@dataclass(frozen=True, slots=True)
class Turned:
    """What the workplace does when a page was turned."""

    say: Callable[[str], None]
    select: Callable[[int], None]
    fill: Callable[[Call, dict[str, JsonValue]], None]
    """Put the arguments of the next page of a call into the form, if its tool is there."""
    is_connected: Callable[[], bool]


class Pages:
    """Turns pages, and remembers into which parameter of a tool its cursors go.

    What was said of a tool counts as long as its definition is the same, and for this run.
    """

    def __init__(self, bench: Bench, owner: Widget, turned: Turned) -> None:
        self._bench = bench
        self._owner = owner
        self._turned = turned
        self._parameters: dict[tuple[str, str], str] = {}

    def turn(self, call: Call, step: int) -> None:
        """Go to the page after a call's answer (1), or to the one before (-1)."""
        found = find_page(self._bench.calls, call, step)
        if isinstance(found, str):
            self._turned.say(found)
        elif isinstance(found, int):
            self._turned.select(found)
        elif self._turned.is_connected():
            self._ask_for(call, found)

    def _ask_for(self, call: Call, page: NextPage) -> None:
        tool = call.request.definition
        known = (tool.name, tool.digest)
        if known in self._parameters:
            self._send(call, page, self._parameters[known])
            return
        from .page_parameter import PageParameterScreen

        def said(parameter: str | None) -> None:
            if parameter is not None:
                self._parameters[known] = parameter
                if self._turned.is_connected():
                    self._send(call, page, parameter)

        self._owner.app.push_screen(PageParameterScreen(tool, page), said)

    def _send(self, call: Call, page: NextPage, parameter: str) -> None:
        """The next page is a call like any other."""
        arguments = {**call.snapshot.arguments(), parameter: page.cursor}
        self._turned.fill(call, arguments)
        self._bench.next_page(call.id, arguments, parameter)


def find_page(calls: Mapping[int, Call], call: Call, step: int) -> int | NextPage | str:
    """The call whose answer is the page wanted; or what to ask for it with; or why not."""
    if step < 0:
        if call.page is None:
            return "This is the first page."
        gone = f"Call {call.page.before}, the page before, is no longer kept."
        return call.page.before if call.page.before in calls else gone
    asked = [
        other.id
        for other in calls.values()
        if other.page is not None
        and other.page.before == call.id
        and (not other.is_over or other.answer is not None)
    ]
    if asked:
        return asked[-1]
    page = page_after(call)
    if page is None:
        return "No next page is offered."
    return page if page.can_be_asked_for else f"{page.words[0].upper()}{page.words[1:]}."
