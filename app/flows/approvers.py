"""Approvers without a screen: the policy alone, a script, and a line on a terminal."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace

from app.core.approvals.approval import DECISION_SECONDS, Decision, Question, approve, deny
from app.flows.question_text import (
    DENY_SESSION,
    USE,
    WORD,
    offered,
    question_lines,
    remember_lines,
)
from app.output import GONE
from app.store.place import StoreError, shown, state_folder
from app.vanishing import is_gone


class PolicyAlone:
    """What the policy wants asked is not approved: nobody is there to ask."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def ask(self, question: Question) -> Decision:
        return deny("policy", self._reason)


class ScriptApproves:
    """`--approve always`: whoever wrote the script has approved every question beforehand."""

    async def ask(self, question: Question) -> Decision:
        return approve("script", "--approve always")


class LineApprover:
    """Asks on a terminal, line by line; only the typed words approve, anything else denies.

    `today` gives seconds since the epoch.
    """

    def __init__(
        self, seconds: float = DECISION_SECONDS, today: Callable[[], float] = time.time
    ) -> None:
        self._seconds = seconds
        self._today = today
        self._turn = asyncio.Lock()

    async def ask(self, question: Question) -> Decision:
        try:
            return await self._ask(question)
        except OSError as problem:
            if problem.errno not in GONE:
                raise
            return deny("signoff", "the terminal is gone")

    async def _ask(self, question: Question) -> Decision:
        async with self._turn:
            for line in question_lines(question):
                print(line, file=sys.stderr)
            for line in remember_lines(question, now=self._today(), folder=_folder()):
                print(line, file=sys.stderr)
            _drop_typed_ahead()
            print(f"\n{self._prompt(question)}: ", end="", file=sys.stderr, flush=True)
            shown_at = time.monotonic()
            typed = await _read_line(self._seconds)
            took = time.monotonic() - shown_at
        if typed is None:
            print(file=sys.stderr)
            decision = deny("time limit", f"no answer within {self._seconds:g} s")
        else:
            decision = decision_by(typed.strip(), question)
        return replace(decision, seconds=took)

    def _prompt(self, question: Question) -> str:
        limit = f"by itself after {self._seconds:g} s"
        if question.result is not None:
            return f"Type {USE} and Enter to use this answer; anything else withholds it ({limit})"
        return (
            f"Type {WORD} and Enter to approve this call once; anything else denies "
            f"(denies {limit})"
        )


def decision_by(typed: str, question: Question) -> Decision:
    """What a typed line answers. What is not offered denies, however close it comes."""
    if question.result is not None:
        return approve("you") if typed == USE else deny("you")
    if typed == DENY_SESSION:
        return replace(deny("you", "denied for this session"), for_session=True)
    remember = offered(question).get(typed)
    return deny("you") if remember is None else replace(approve("you"), remember=remember)


def _folder() -> str:
    try:
        return shown(state_folder())
    except StoreError:
        return "the state folder"


def _drop_typed_ahead() -> None:
    """What was typed before the question is no answer to it."""
    import termios

    # Where the terminal is gone, so is what was typed.
    with contextlib.suppress(termios.error, OSError):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


async def _read_line(seconds: float) -> str | None:
    """One line of standard input; None where none came in time.

    On the loop, not in a thread: a thread that waits for a line would outlive Ctrl-C.
    """
    descriptor = sys.stdin.fileno()
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[str] = loop.create_future()
    line = bytearray()

    def on_readable() -> None:
        try:
            piece = os.read(descriptor, 1_024)
        except OSError as problem:
            if not typed.done():
                typed.set_exception(problem)
            return
        line.extend(piece)
        if typed.done():
            return
        if b"\n" in piece:
            typed.set_result(bytes(line).split(b"\n", 1)[0].decode("utf-8", "replace"))
        elif not piece and is_gone(descriptor):
            typed.set_exception(OSError(errno.EIO, os.strerror(errno.EIO)))
        elif not piece:
            # Ctrl-D: what stands before it was never sent off by Enter.
            typed.set_result("")

    loop.add_reader(descriptor, on_readable)
    try:
        async with asyncio.timeout(seconds):
            return await typed
    except TimeoutError:
        return None
    finally:
        loop.remove_reader(descriptor)
