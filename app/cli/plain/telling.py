"""Calls as lines: progress, outcome and result."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

from ...approval.approval import DecisionAnswer
from ...calls.call import Call, State
from ...calls.paging import page_after
from ...calls.previews import preview_words
from ...calls.retries import is_harmless
from ...content.text import seconds
from ...engine.engine import Engine
from ...presentation.calls import endings, follows, outcome_words
from ...protocol.progress import Progress, pace_words
from ..approving.keyboard import Keyboard
from ..output.printing import Hiding
from ..output.readable import tell_call
from .console import Console, PlainOut
from .session import SILENCE_SECONDS, PlainSession

PROGRESS_SECONDS = 1.0
"""Between two lines of progress, at least; more for what takes long."""
SHORT, LONG = 8_000, 200_000
"""Characters of a text that are shown of an answer, and where all is asked for."""


async def follow(engine: Engine, call_id: int, console: Console, keyboard: Keyboard) -> Call:
    """Wait for the end of a call, and print its progress; at a bounded rate.

    Nothing is written while a question is open, which has the `keyboard`.
    """
    ending = asyncio.ensure_future(engine.ended(call_id))
    said, said_at = Progress(), time.monotonic()
    try:
        while not ending.done():
            await asyncio.wait({ending}, timeout=PROGRESS_SECONDS)
            call, now = engine.calls[call_id], time.monotonic()
            if ending.done() or call.state is not State.RUNNING or keyboard.is_taken:
                said_at = now
                continue
            pause = max(PROGRESS_SECONDS, call.elapsed(now) / 30)
            is_news = call.progress.count != said.count and now - said_at >= 0.9 * pause
            if is_news or now - said_at >= max(SILENCE_SECONDS, pause):
                said, said_at = call.progress, now
                console.say(progress_line(call, now))
    finally:
        ending.cancel()
    return engine.calls[call_id]


async def wait_for(desk: PlainSession, number: int, *, is_told: bool = True) -> bool:
    """Follow a call to its end, print it if `is_told`; True if its arguments are to be edited."""
    desk.selected = desk.running = number
    try:
        ended = await follow(desk.engine, number, desk.console, desk.dialogue.keyboard)
    finally:
        desk.running = None
    decision = ended.decision
    if decision is not None and decision.answer is DecisionAnswer.EDIT:
        return True
    if is_told:
        hiding = desk.hiding(ended.request.definition, ended.snapshot.arguments())
        # Not between a question and its prompt.
        async with desk.dialogue.keyboard.turn():
            tell(desk.engine, ended, desk.console, hiding, is_all=False)
    return False


def progress_line(call: Call, now: float) -> str:
    """`call 3: 9/15, 60 %, 2.0 s, 4.3/s, 1.4 s left: Running: 0009`."""
    progress = call.progress
    words = [progress.words] if progress.words else ["running"]
    if progress.fraction is not None:
        words.append(f"{progress.fraction:.0%}".replace("%", " %"))
    words.append(seconds(call.elapsed(now)))
    if call.cancel_requested:
        words.append("cancel requested")
    else:
        words += (one.replace(" · ", ", ") for one in pace_words(call.pace, progress, now)[:1])
    message = f": {progress.message}" if progress.message else ""
    return f"call {call.id}: {', '.join(words)}{message}"


def call_line(call: Call, now: float) -> str:
    """One line of the list of calls."""
    preview = preview_words(call)
    words = ", ".join((outcome_words(call, now), *follows(call), *filter(None, (preview,))))
    return f"{call.id:>3}  {call.request.display_name}: {words}"


def tell(engine: Engine, call: Call, console: Console, hiding: Hiding, *, is_all: bool) -> None:
    """Print all of a call: decision, outcome, result, and next steps."""
    console.say(f"call {call.id}")
    out = PlainOut(console, hiding, LONG if is_all else SHORT)
    tell_call(out, engine.server, call)
    out.sheet(endings(call, call.findings))
    if (page := page_after(call)) is not None:
        shown = (
            page.words
            if page.is_repeated
            else f"more: next asks for the next page, cursor {page.cursor_shown}"
        )
        console.say(shown)
    console.say_all(_what_then(engine, call))


def _what_then(engine: Engine, call: Call) -> Iterator[str]:
    if call.is_unknown or is_harmless(call):
        advice = engine.advice(call)
        first = "" if engine.server.is_open else "restart, then "
        yield f"{first}retry {call.id}: {advice.reason}" if advice.has_key else advice.reason
