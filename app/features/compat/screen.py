"""How client libraries read the selected result, the tool list and the initialization."""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.screen import Screen

from ...engine.findings import readings_of
from ...protocol.clients.session import (
    CallSeen,
    ClientProblem,
    ClientReading,
    SessionSeen,
    reasons_in,
    session_of,
)
from ...protocol.requests import ToolCall
from ...tui.base.context import ScreenContext
from ...tui.text.pager import PagerScreen, PagerSection, plain_lines
from ...tui.text.sections import Lines

if TYPE_CHECKING:
    from ...calls.call import Call
    from ...engine.engine import Engine

_ABOUT = (
    "The table was measured over stdio with each library's own client, its default options and "
    "protocol 2025-11-25. signoff compat prints it for scripts; with --run-clients it runs the "
    "clients that are installed."
)

_MODERN = (
    "This session uses 2026-07-28, which has no initialize, so only its definitions and results "
    "are checked."
)
_COLUMNS = 68


async def show_clients(screen: Screen[Any], engine: Engine, call: Call | None) -> None:
    """Show each client's reading of the session, and of the result of a call if it has one."""
    notes: list[str] = []
    # Many messages take a while to read.
    seen = await asyncio.to_thread(session_of, engine.link.wire.since(0))
    # A message that was cut in memory is missing from the wire; the entries were kept.
    seen.pages = seen.pages or [{"tools": [one.raw for one in engine.tools]}]
    seen.calls = _calls_of(call)
    readings = await readings_of(seen, notes.append)
    if screen.is_current:
        screen.app.push_screen(_pager(seen, readings, notes, call))


def _calls_of(call: Call | None) -> list[CallSeen]:
    if call is None or not isinstance(call.request, ToolCall) or call.raw is None:
        return []
    tool = call.request.tool
    return [CallSeen(tool.name, call.snapshot.arguments(), call.raw)]


def _pager(
    seen: SessionSeen, readings: Sequence[ClientReading], notes: Sequence[str], call: Call | None
) -> PagerScreen:
    sections = [PagerSection("tools", _lines(_of_the_list(seen, readings)), is_ours=True)]
    if seen.calls and call is not None:
        lines = _lines(_of_the_answer(seen, readings))
        sections.insert(0, PagerSection(f"response {call.id}", lines, is_ours=True))
    more = [
        f"Measured on {_days(readings)}.",
        _ABOUT,
        *([_MODERN] if seen.is_modern else []),
        *notes,
    ]
    lines = _lines(line for words in more for line in ("", *textwrap.wrap(words, _COLUMNS)))
    sections.append(PagerSection("about", lines, is_ours=True))
    what = "this response" if seen.calls and call is not None else "the list of tools"
    return PagerScreen(Content(f"How client libraries read {what}"), sections)


def _days(readings: Sequence[ClientReading]) -> str:
    return ", ".join(dict.fromkeys(one.client.measured for one in readings))


def _lines(words: Iterable[str]) -> Lines:
    return plain_lines("\n".join(words))


def _of_the_answer(seen: SessionSeen, readings: Sequence[ClientReading]) -> Iterator[str]:
    (call,) = seen.calls
    width = max(len(one.client.words) for one in readings)
    for one in readings:
        words = "reads it" if one.takes_result(call) else "rejects it"
        yield f"{one.client.words:<{width}}  {words if one.connects else 'does not connect'}"
    yield from _reasons(readings, lambda problem: problem.about == call.about)


def _of_the_list(seen: SessionSeen, readings: Sequence[ClientReading]) -> Iterator[str]:
    width = max(len(one.client.words) for one in readings)
    alone = replace(seen, calls=[])
    for one in readings:
        yield f"{one.client.words:<{width}}  {one.verdict(alone)}"
    yield from _reasons(
        readings, lambda problem: all(problem.about != call.about for call in seen.calls)
    )


def _reasons(
    readings: Sequence[ClientReading], is_wanted: Callable[[ClientProblem], bool]
) -> Iterator[str]:
    for costs, problem in reasons_in(readings):
        if is_wanted(problem):
            yield from ("", *textwrap.wrap(costs, _COLUMNS))
            yield from (f"  {line}" for line in problem.lines)


def show(context: ScreenContext) -> None:
    """Show how client libraries read the session and the selected response."""
    place = context.workplace
    if place is not None:
        work = show_clients(context.screen, context.engine, place.selected_call)
        place.run_worker(work, group="clients", exclusive=True, exit_on_error=False)
