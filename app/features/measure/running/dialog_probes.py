"""What keys, another size of the window and silence do to a question on a host's screen."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Final

from ..drivers import Keys
from ..observing import Question
from ..scripted.model import ScriptedAttempt
from .running import Run
from .screen import COLUMNS, ROWS, STILL_SECONDS, Screen

ENTER: Final = "\r"
OPENS_SECONDS: Final = 10.0
HELD_SECONDS: Final = 4.0
HELD_EVERY: Final = 0.1
EARLY_SECONDS: Final = 0.05
ARRIVES_SECONDS: Final = 2.0
SILENT_SECONDS: Final = 15.0
SMALLER: Final = (90, 30)


async def try_dialog(run: Run, screen: Screen, keys: Keys, attempt: ScriptedAttempt) -> None:
    """Run the probe of a call, note its outcome, and deny a question that is still open."""
    probe = run.probes[attempt.planned.key]
    began = time.time()
    stands: bool | None = None
    if probe.act == "enter-held":
        came = await _hold_enter(run, screen, attempt)
    elif not await _opened(screen, keys):
        run.facts[probe.id] = {"the question opened": False}
        return
    elif probe.act == "enter-early":
        await asyncio.sleep(EARLY_SECONDS)
        screen.type(ENTER)
        came = await _arrived(run, attempt)
    elif probe.act == "enter-later":
        await asyncio.sleep(2 * STILL_SECONDS)
        began = time.time()
        screen.type(ENTER)
        came = await _arrived(run, attempt)
    elif probe.act == "resize":
        screen.resize(*SMALLER)
        await asyncio.sleep(2 * STILL_SECONDS)
        came, stands = run.arrived(attempt), _is_open(screen, keys)
        screen.resize(COLUMNS, ROWS)
        await asyncio.sleep(STILL_SECONDS)
    else:
        await asyncio.sleep(SILENT_SECONDS)
        came, stands = run.arrived(attempt), _is_open(screen, keys)
    facts: dict[str, bool] = {"the call came": came}
    if stands is not None:
        facts["the question stays open"] = stands
    run.facts[probe.id] = dict(facts)
    text = screen.text
    run.questions.append(Question(attempt, began, began, came, text))
    # Its keys may have denied it: then the next question is not this one.
    await asyncio.sleep(STILL_SECONDS)
    if not came and not attempt.has_answer and _is_open(screen, keys):
        await screen.press(keys.deny)
        await asyncio.sleep(STILL_SECONDS)


async def _hold_enter(run: Run, screen: Screen, attempt: ScriptedAttempt) -> bool:
    deadline = time.monotonic() + HELD_SECONDS
    while time.monotonic() < deadline:
        screen.type(ENTER)
        await asyncio.sleep(HELD_EVERY)
        if run.arrived(attempt):
            return True
    return False


async def _opened(screen: Screen, keys: Keys) -> bool:
    """Wait until the question is on the screen."""
    deadline = time.monotonic() + OPENS_SECONDS
    while time.monotonic() < deadline:
        if _is_open(screen, keys):
            return True
        await asyncio.sleep(0.01)
    return False


def _is_open(screen: Screen, keys: Keys) -> bool:
    return re.search(keys.question, screen.text) is not None


async def _arrived(run: Run, attempt: ScriptedAttempt) -> bool:
    deadline = time.monotonic() + ARRIVES_SECONDS
    while time.monotonic() < deadline:
        if run.arrived(attempt):
            return True
        await asyncio.sleep(0.05)
    return False
