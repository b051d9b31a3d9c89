"""Measures a host on its own screen: in a pseudo-terminal, with an emulator reading the screen.

Needs pyte, which `mcp-signoff[measure]` brings; its keys are data of each driver.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import Iterator
from typing import Final

from ....content.json.jsonio import JsonValue
from ....content.text import visible
from ....platforms.extras import install_line
from ..drivers import DriverError, Keys
from ..observing import Question, RunEnd, shown_in, tail_of
from ..probes.probe import Probe
from ..scripted.model import ScriptedAttempt
from .asking import other_words
from .dialog_probes import try_dialog
from .running import LISTING, Run
from .screen import STILL_SECONDS, Screen, steady
from .short_runs import unstarted

READY_SECONDS: Final = 60.0
LISTED_SECONDS: Final = 20.0
IDLE_PROMPTS: Final = 2
TURN_END_SECONDS: Final = 4.0
NOT_DONE: Final = "it was not done within {:g} s"
KEY_SECONDS: Final = 0.4
"""Seconds between a question that no longer changes and the key that answers it."""


class OnScreen:
    """A person who reads the screen and types."""

    async def run(self, run: Run) -> RunEnd:
        driver = run.subject.driver
        if driver is None or driver.keys is None:
            raise DriverError("this host has no keys in its driver, so its screen cannot be used")
        while True:
            screen = new_screen(run)
            try:
                async with screen.open():
                    reason = await _session(run, screen, driver.keys)
                    text = screen.text
            except OSError as problem:
                return unstarted(problem)
            if reason or not run.script.waits_for_session:
                return RunEnd(None, reason, tail_of(text))
            run.begin_session()


def new_screen(run: Run) -> Screen:
    """A screen for a start. Raises DriverError if it cannot be had here."""
    if sys.platform == "win32":
        raise DriverError("--surface screen needs a pseudo-terminal, which Windows has not")
    try:
        return Screen(run)
    except ImportError:
        line = visible(install_line("measure"))
        raise DriverError(f"--surface screen needs an extra: {line}") from None


async def _session(run: Run, screen: Screen, keys: Keys) -> str:
    """Prompt and answer until every probe was called; returns why not, or an empty text.

    The host is started again for a call in a new session.
    """
    reason = await _until_ready(run, screen, keys)
    if reason:
        return reason
    idle = 0
    while not run.script.is_over and idle < IDLE_PROMPTS:
        before = len(run.script.attempts)
        screen.type(run.prompt)
        await asyncio.sleep(1.0)
        await screen.press(keys.submit)
        reason = await _answer_all(run, screen, keys)
        if reason or run.script.waits_for_session:
            return reason
        idle = 0 if len(run.script.attempts) > before else idle + 1
    return run.unfinished_words


async def _until_ready(run: Run, screen: Screen, keys: Keys) -> str:
    listed = run.read_log().count(LISTING)
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if screen.has_ended:
            return "it ended before it could be prompted"
        if screen.is_still and screen.text:
            if keys.first and re.search(keys.first_question, screen.text):
                await screen.press(keys.first)
                await asyncio.sleep(STILL_SECONDS)
            elif re.search(keys.ready, screen.text):
                break
        await asyncio.sleep(0.1)
    else:
        return f"its screen was not ready within {READY_SECONDS:g} s"
    deadline = time.monotonic() + LISTED_SECONDS
    while run.read_log().count(LISTING) <= listed and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    await asyncio.sleep(STILL_SECONDS)
    return ""


async def _answer_all(run: Run, screen: Screen, keys: Keys) -> str:
    """Answer questions until the model is idle; returns why it was given up, or an empty text."""
    began = time.monotonic()
    seen, since = "", began
    while True:
        run.place.log.look()
        now = time.monotonic()
        newest = max(run.script.newest_at, began)
        if screen.has_ended:
            return "it ended"
        if now - began > run.seconds:
            return NOT_DONE.format(run.seconds)
        attempt = run.script.outstanding
        if attempt is not None and _is_dialog(run, attempt):
            await try_dialog(run, screen, keys, attempt)
            continue
        text = screen.text
        is_open = attempt is not None and re.search(keys.question, text) is not None
        if is_open and (dialog := steady(_dialog_of(text, keys))) != seen:
            seen, since = dialog, now
        # A host that draws its whole screen again and again is never still.
        if is_open and (screen.is_still or now - since > 2 * STILL_SECONDS):
            await _answer_one(run, screen, keys)
            seen = ""
            continue
        if attempt is None and now - newest > 2 * STILL_SECONDS and screen.is_still:
            return ""
        if now - newest > run.quiet_seconds:
            if run.script.is_over:
                return ""
            return run.quiet_words
        # A host that ends its turn after a denial asks its model for nothing more.
        is_denied = attempt is not None and was_denied(run, attempt)
        if is_denied and screen.is_still and now - newest > TURN_END_SECONDS:
            return ""
        await asyncio.sleep(0.1)


def _is_dialog(run: Run, attempt: ScriptedAttempt) -> bool:
    """True for a call by which the question itself is tried, once."""
    probe = run.probes.get(attempt.planned.key)
    is_one = probe is not None and probe.family == "dialog" and not probe.beside
    return is_one and attempt.planned.key not in run.facts


def was_denied(run: Run, attempt: ScriptedAttempt) -> bool:
    """True if a question about this call was answered with no."""
    return any(one.attempt is attempt and not one.is_approved for one in run.questions)


async def _answer_one(run: Run, screen: Screen, keys: Keys) -> None:
    asked_at = time.time()
    text = screen.text
    dialog = _dialog_of(text, keys)
    attempt = run.about(dialog)
    if attempt is None:
        return
    await asyncio.sleep(KEY_SECONDS)
    probe = run.probes.get(attempt.planned.key)
    # The rest on the screen of a question that was denied looks like another one.
    is_again = was_denied(run, attempt) and not (probe is not None and probe.beside)
    is_approved = not run.must_deny(attempt) or is_again
    if not is_approved:
        run.call_again(attempt)
    is_always = probe is not None and probe.id == "remembered/first" and bool(keys.always)
    strokes = keys.always if is_always else keys.approve if is_approved else keys.deny
    shown = None
    if probe is not None:
        shown = shown_on(dialog if probe.beside else text, probe)
    other = other_words(dialog, attempt, run.probes, around=text)
    for keys_before in strokes[:-1]:
        screen.type(keys_before)
        await asyncio.sleep(STILL_SECONDS)
    run.questions.append(
        Question(attempt, asked_at, time.time(), is_approved, text, is_always, shown, other)
    )
    screen.type(strokes[-1])
    deadline = time.monotonic() + 5.0
    while screen.text == text and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
    screen.changed_at = time.monotonic()


def shown_on(text: str, probe: Probe) -> JsonValue:
    """Parts of the call on the screen, which breaks texts at its edge."""
    joined = "".join(_lines(text))
    return shown_in(text + joined, probe)


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield line.strip(" │┃|")


def _dialog_of(text: str, keys: Keys) -> str:
    """The lines of the question: around it may be the calls before and after."""
    found = re.search(keys.question, text)
    start = text.rfind("\n", 0, found.start()) + 1 if found else 0
    ending = re.compile(keys.question_end).search(text, start) if keys.question_end else None
    return text[start : ending.end() if ending else None]
