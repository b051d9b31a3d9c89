"""Measures an agent of the person's that asks in its terminal: in a pseudo-terminal.

An agent may read its prompt from SIGNOFF_PROMPT and begin by itself, or wait for a prompt that is
typed. Its questions are recognised by `screen_rules`.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from ..observing import Question, RunEnd, tail_of
from ..scripted.model import QUESTIONS_MAX, ScriptedAttempt
from .asking import NO_TOOL, other_words
from .on_screen import KEY_SECONDS, NOT_DONE, new_screen, shown_on, was_denied
from .planning import Way
from .running import Run
from .screen import STILL_SECONDS, Screen
from .screen_rules import ENTER, AskedOnScreen, ScreenRules, plain_lines
from .short_runs import unstarted

PROMPTS_MAX: Final = 3
"""Prompts without a call after which the agent is given up."""
SESSION_SECONDS: Final = 900.0
_END_GRACE: Final = 5.0
_UNREAD: Final = "; a question in another form needs --keys FILE"
_CHANGE_SECONDS: Final = 1.0


class OnTerminal:
    """A person who reads the terminal of an agent and types."""

    def __init__(self, rules: ScreenRules) -> None:
        self._rules = rules

    async def run(self, run: Run) -> RunEnd:
        while True:
            screen = new_screen(run)
            try:
                async with screen.open():
                    typist = _Typist(run, screen, self._rules)
                    reason = await typist.session()
                    text, status = screen.text, screen.status
            except OSError as problem:
                return unstarted(problem)
            if reason or not run.script.waits_for_session:
                return RunEnd(None if reason else status, reason, tail_of(text))
            run.begin_session()


class _Typist:
    """One session of the agent."""

    def __init__(self, run: Run, screen: Screen, rules: ScreenRules) -> None:
        self._run = run
        self._screen = screen
        self._rules = rules
        self._acted_at = self._began = time.monotonic()
        self._reads = -1
        """How often the screen had been read when it was typed into: later output is new."""
        self._prompts = 0
        self._calls = len(run.script.attempts)

    async def session(self) -> str:
        """Prompt and answer until every probe was called; returns why not, or an empty text."""
        run, screen = self._run, self._screen
        while True:
            run.place.log.look()
            if screen.has_ended:
                return "" if run.script.is_over else f"it ended (exit status {screen.status})"
            if (reason := self._given_up()) is not None:
                return reason
            if screen.is_still and screen.reads > self._reads:
                asked = self._rules.asked(screen.text)
                if asked is not None and len(run.questions) < QUESTIONS_MAX:
                    await self._answer(asked)
                elif asked is None and self._rules.is_ready(screen.text) and self._is_idle():
                    if run.script.is_over or run.script.waits_for_session:
                        return ""
                    if self._prompts >= PROMPTS_MAX:
                        return run.unfinished_words
                    await self._prompt()
            await asyncio.sleep(0.1)

    def _given_up(self) -> str | None:
        """The reason to end the agent, empty if its work is done; None to go on."""
        script = self._run.script
        if time.monotonic() - self._began > SESSION_SECONDS:
            return NOT_DONE.format(SESSION_SECONDS)
        quiet = time.monotonic() - max(script.newest_at, self._acted_at)
        if (script.is_over or script.waits_for_session) and quiet > _END_GRACE:
            return ""
        if quiet > self._run.quiet_seconds:
            return f"{self._run.quiet_words}{_UNREAD}"
        return None

    def _is_idle(self) -> bool:
        """True if no turn of the model goes on: none began, or the newest one has ended."""
        script = self._run.script
        if not script.requests and not self._prompts:
            return True
        newest = time.monotonic() - max(script.newest_at, self._acted_at)
        attempt = script.outstanding
        is_open = attempt is not None and not was_denied(self._run, attempt)
        return newest > 2 * STILL_SECONDS and not is_open

    async def _prompt(self) -> None:
        """Type the prompt."""
        calls = len(self._run.script.attempts)
        self._prompts = 1 if calls > self._calls else self._prompts + 1
        self._calls = calls
        self._screen.type(self._run.prompt)
        await asyncio.sleep(KEY_SECONDS)
        await self._type(self._rules.submit)

    async def _answer(self, asked: AskedOnScreen) -> None:
        run, text = self._run, self._screen.text
        asked_at = time.time()
        shown = "\n".join((*asked.before, *asked.lines))
        attempt = run.about(shown)
        if attempt is None:
            # It may be about calls that follow: the start in which all is approved shows that.
            is_yes = run.way is Way.APPROVES
            await self._press(asked, asked.approve if is_yes else asked.deny)
            return
        await asyncio.sleep(run.open_seconds(attempt))
        is_approved = not run.must_deny(attempt)
        if not is_approved:
            run.call_again(attempt)
        probe = run.probes.get(attempt.planned.key)
        is_always = probe is not None and probe.id == "remembered/first" and bool(asked.always)
        strokes = asked.always if is_always else asked.approve if is_approved else asked.deny
        parts = shown_on(shown, probe) if probe is not None else None
        other = _other(asked, attempt, run)
        run.questions.append(
            Question(attempt, asked_at, time.time(), is_approved, text, is_always, parts, other)
        )
        await self._press(asked, strokes)

    async def _press(self, asked: AskedOnScreen, strokes: tuple[str, ...]) -> None:
        """Type an answer; an agent that reads keys gets an Enter only if it waits for one."""
        if not asked.is_word or self._screen.reads_lines:
            await self._type(
                (*strokes, ENTER) if asked.is_word else strokes, pauses=not asked.is_word
            )
            return
        await self._type(strokes)
        deadline = time.monotonic() + _CHANGE_SECONDS
        while time.monotonic() < deadline and not self._screen.has_ended:
            await asyncio.sleep(0.05)
        again = self._rules.asked(self._screen.text)
        if again is None and self._screen.text.rstrip().endswith(strokes[-1]):
            await self._type((ENTER,))

    async def _type(self, strokes: tuple[str, ...], *, pauses: bool = True) -> None:
        self._reads = self._screen.reads
        if pauses:
            await self._screen.press(strokes)
        else:
            self._screen.type("".join(strokes))
        self._acted_at = self._screen.changed_at = time.monotonic()


def _other(asked: AskedOnScreen, attempt: ScriptedAttempt, run: Run) -> str:
    """Why the question is about something else: its own lines count first.

    The lines before them count only if the question itself names nothing: an agent may print the
    call, and then ask.
    """
    for lines in (asked.lines, (*asked.before, *asked.lines)):
        other = other_words(plain_lines(lines), attempt, run.probes)
        if other != NO_TOOL:
            return other
    return NO_TOOL
