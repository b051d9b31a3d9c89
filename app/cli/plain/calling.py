"""A call as lines: its progress while it runs, what came of it, and its answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

from ...calls.call import Call, State
from ...calls.paging import page_after
from ...calls.retries import is_harmless
from ...content.text import seconds
from ...engine.engine import Bench
from ...headless.hiding import Hiding
from ...headless.keyboard import Keyboard
from ...headless.readable import finding_line, tell_call
from ...protocol.answers.content import TextPart
from ...protocol.answers.copies import compare_copies
from ...protocol.progress import Progress, pace_words
from .console import Console, PlainOut

PROGRESS_SECONDS = 1.0
"""Between two lines of progress, at least; more for what takes long."""
SILENCE_SECONDS = 10.0
"""After so long without news it is said that a call still runs."""
SHORT, LONG = 8_000, 200_000
"""Characters of a text that are shown of an answer, and where all is asked for."""


async def follow(bench: Bench, call_id: int, console: Console, keyboard: Keyboard) -> Call:
    """Wait for the end of a call, and say how it goes on; at a bounded rate.

    Nothing is written while a question is open, which has the `keyboard`.
    """
    ending = asyncio.ensure_future(bench.ended(call_id))
    said, said_at = Progress(), time.monotonic()
    try:
        while not ending.done():
            await asyncio.wait({ending}, timeout=PROGRESS_SECONDS)
            call, now = bench.calls[call_id], time.monotonic()
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
    return bench.calls[call_id]


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
    elapsed = seconds(call.elapsed(now)) if call.sent else "not sent"
    again = f", retry of call {call.retry_of}" if call.retry_of is not None else ""
    page = f", {call.page.words}" if call.page is not None else ""
    return f"{call.id:>3}  {call.request.name_shown}: {call.status}, {elapsed}{again}{page}"


def tell(bench: Bench, call: Call, console: Console, hiding: Hiding, *, is_all: bool) -> None:
    """All of a call: what was decided, what came of it, its answer, and what is to be done."""
    console.say(f"call {call.id}")
    tell_call(PlainOut(console, hiding, LONG if is_all else SHORT), bench.server, call)
    out = PlainOut(console, hiding, SHORT)
    for finding in call.findings:
        finding_line(out, finding)
    console.say_all(_about_copies(call))
    if call.comparison is not None:
        console.say(f"This answer {call.comparison.headline}.")
        console.say_all(f"  {words}" for words in call.comparison.words)
    if call.withheld:
        console.say("The answer was withheld: nothing of it is kept.")
    if (page := page_after(call)) is not None:
        shown = (
            page.words
            if page.is_repeated
            else f"more: next asks for the next page, cursor {page.cursor_shown}"
        )
        console.say(shown)
    console.say_all(_what_then(bench, call))


def _about_copies(call: Call) -> Iterator[str]:
    """Whether the text says the same as the structured part."""
    answer = call.answer
    if answer is None or not answer.has_structured:
        return
    texts = [part.text for part in answer.parts if isinstance(part, TextPart)]
    if texts and (words := compare_copies(texts, answer.structured).words):
        yield words


def _what_then(bench: Bench, call: Call) -> Iterator[str]:
    if call.is_unknown or is_harmless(call):
        advice = bench.advice(call)
        first = "" if bench.server.is_open else "reconnect, then "
        yield f"{first}retry {call.id}: {advice.reason}" if advice.is_offered else advice.reason
