"""Consent to start a configured server: remembered, given by its digest, or typed on a terminal."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Final, TypeAlias

from ...content.text import shortened
from ...hosts.files.starting import DRIVER, ServerStart
from ...platforms.output import GONE
from ...presentation.starts import (
    AskStart,
    is_too_long,
    name_of,
    start_facts,
    start_note,
    start_title,
)
from ...storage.starts import StartConsent
from ...storage.state_dir import StoreError
from ...storage.store import Store
from ..output.printing import print_error, prompt, tell
from ..targets.targets import NotStarted
from .keyboard import IGNORED, SEVERAL_LINES, Keyboard

Asked: TypeAlias = tuple[ServerStart, StartConsent | None]
AskStarts: TypeAlias = Callable[[Sequence[Asked]], Collection[str]]
"""Asks a person about several starts at once; returns the digests of those that may go ahead."""
_ASKER: Final[ContextVar[AskStarts | None]] = ContextVar("asker", default=None)
START: Final = "start"
"""The word that a person types."""


@contextlib.contextmanager
def asked_by(asker: AskStarts | None) -> Iterator[None]:
    """Let `asker` ask for consent in the place of lines on the terminal."""
    token = _ASKER.set(asker)
    try:
        yield
    finally:
        _ASKER.reset(token)


def asked_together(
    starts: Sequence[ServerStart], digests: Sequence[str] = (), *, keeps_memory: bool = True
) -> AskStart | None:
    """Ask about all starts at once that need a consent; returns who has the answers.

    None if they are to be in question one by one.
    """
    asker = _ASKER.get()
    if asker is None:
        return None
    given = {one.strip().lower() for one in digests}
    wanted = [one for one in starts if one.digest not in given and not is_too_long(one)]
    asked: list[Asked] = []
    if keeps_memory:
        with Store.open() as store:
            try:
                known = {one.digest for one in store.starts.all()}
                for one in wanted:
                    if one.digest not in known:
                        asked.append((one, store.starts.latest(one.file, one.name)))
            except StoreError:
                asked = [(one, None) for one in wanted]
    else:
        asked = [(one, None) for one in wanted]
    if len(asked) < 2:
        return None
    agreed = asker(asked)
    return lambda start, before: start.digest in agreed


def is_person_there() -> bool:
    """True if a person can read the question and answer it."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def require_consent(
    start: ServerStart,
    digests: Sequence[str] = (),
    memory: Path | None = None,
    *,
    keeps_memory: bool = True,
    ask: AskStart | None = None,
) -> None:
    """Return only if exactly this start may go ahead. Raises NotStarted.

    `digests` are what the command line gave; `memory` the folder of the store, None for the usual
    one. `ask` asks a person, by default who was set with `asked_by`, else lines on the terminal.
    """
    if is_too_long(start):
        raise NotStarted(f"{name_of(start)} was not started: its command is too long to be shown")
    if digests:
        if start.digest in (one.strip().lower() for one in digests):
            return
        _tell(start, None)
        raise NotStarted(
            f"{name_of(start)} was not started: --start has another digest than {start.digest}"
        )
    before = None
    if keeps_memory:
        with Store.open(memory) as store:
            try:
                if store.starts.use(start.digest, time.time()):
                    return
                before = store.starts.latest(start.file, start.name)
            except StoreError as problem:
                print_error(f"no earlier consent counts: {problem}")
    asker = _ASKER.get()
    if ask is None and asker is not None:
        if start.digest not in asker([(start, before)]):
            raise NotStarted(f"{name_of(start)} was not started")
    elif ask is None:
        if not is_person_there():
            _tell(start, before)
            raise NotStarted(
                f"{name_of(start)} was not started: no person was there to ask; "
                f"--start {start.digest} starts exactly this"
            )
        ask = _ask_in_lines
    if ask is not None and not ask(start, before):
        raise NotStarted(f"{name_of(start)} was not started")
    if keeps_memory:
        keep_consent(start, memory)


def keep_consent(start: ServerStart, memory: Path | None = None) -> None:
    """Remember the consent; a store that cannot be used is reported, and the start goes on."""
    now = time.time()
    consent = StartConsent(
        start.digest, start.file, start.name, start.host, start.facts(), start.bound_to, now, now
    )
    with Store.open(memory) as store:
        try:
            store.starts.keep(consent)
        except StoreError as problem:
            print_error(f"this consent is not remembered: {problem}")


def _tell(
    start: ServerStart, before: StartConsent | None, *, is_for_question: bool = False
) -> None:
    """Print the facts. Unless a person is asked, they may stay in a log, so secrets are masked."""
    tell(start_title(start))
    for one in start_facts(start, before, is_for_question=is_for_question):
        tell(f"  {one.label:<9}{one.words}")
    tell(f"  {start_note(start)}")


def _ask_in_lines(start: ServerStart, before: StartConsent | None) -> bool:
    _tell(start, before, is_for_question=True)
    try:
        program = shortened(start.argv[0], 60) if start.argv else ""
        name = name_of(start)
        what = f"run {name} ({program})" if program else f"open {name}"
        what = f"run the programs of {name}" if start.transport == DRIVER else what
        question = f"Type {START} to {what}; anything else starts nothing:"
        return asyncio.run(typed_answer(question)) == START
    except OSError as problem:
        if problem.errno not in GONE:
            raise
        return False


async def typed_answer(question: str) -> str:
    """The line that a person types once the keyboard was quiet; empty for none.

    The question names what it is about: a long command may have left the screen.
    """
    keyboard = Keyboard()
    async with keyboard.turn():
        if await keyboard.quiet():
            tell(IGNORED)
        prompt(question)
        line = await keyboard.line()
        if line is not None and await keyboard.is_more_coming():
            await keyboard.quiet()
            tell(SEVERAL_LINES)
            return ""
    return (line or "").strip()
