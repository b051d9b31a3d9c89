"""Runs plain mode: the engine, the signals, and one command at a time.

A simulated person gets each approval request printed as it would be asked, then answers.
"""

from __future__ import annotations

import asyncio
import math
import signal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ...approval.approval import ANSWER_WORDS, TAKEN_BACK, Decision, DecisionAnswer
from ...approval.carried_labels import LabelMemory
from ...approval.combinations import namesakes
from ...approval.questions.question_words import closed_words
from ...approval.questions.questions import AboutCall, Question
from ...content.frozen import frozen
from ...content.text import visible
from ...engine.calls.context import Approver
from ...engine.events import (
    DefinitionsCompared,
    EngineEvent,
    FindingAdded,
    QuestionVoided,
    ServerChanged,
    ToolsChanged,
)
from ...engine.session_config import SessionConfig
from ...engine.sign_in import show_page
from ...platforms.output import GONE
from ...platforms.signals import ENDING, HANG_UP, hear
from ...platforms.vanishing import hang_up_with_terminal
from ...presentation.exit_status import ExitStatus
from ...protocol.findings.findings import Severity
from ...protocol.findings.findings import words as finding_words
from ...protocol.server import LATE_SECONDS, Phase
from ...storage.fault_log import note_fault, watch, watch_loop
from ...transport import Link
from ...transport.sign_in.asking import SignInVisit
from ..approving.approvers import AsksForWord, LineApprover, PolicyAlone
from ..approving.elsewhere import HostsElsewhere
from ..approving.keyboard import Keyboard
from ..approving.people import Person
from ..approving.person import ScriptedPerson, simulated_by
from ..approving.question_text import question_lines
from ..output.readable import ended_lines
from ..targets.live import telling_of_stops
from .commands import carry_out
from .console import Console, Dialogue, InputCancelled, InputEnded
from .session import NotDone, PlainSession, connected_line, until_listed


class SimulatedOnLines(ScriptedPerson):
    """Answers as set by `--person`, within the time limit of a person."""

    def __init__(
        self,
        words: str,
        decision_seconds: float | None,
        say: Callable[[str], None],
        keyboard: Keyboard,
    ) -> None:
        """Raises UsageError for an unknown person."""
        super().__init__(
            Person(),
            {},
            math.inf if decision_seconds is None else decision_seconds,
            people=simulated_by(words).people(),
            by="script",
            reason=f"--person {words}",
        )
        self._words = words
        self._say = say
        self._keyboard = keyboard

    async def _answered(self, question: Question, began: float) -> Decision:
        """Show it, answer it, and print the decision."""
        await self._tell(question_lines(question))
        try:
            decision = await super()._answered(question, began)
        except asyncio.CancelledError:
            await self._tell([closed_words(TAKEN_BACK)])
            raise
        if decision.answer is DecisionAnswer.WITHDRAWN:
            await self._tell([closed_words(decision.reason)])
        else:
            words = f"answered   {ANSWER_WORDS[decision.answer]} by --person {self._words}"
            await self._tell([words])
        return decision

    async def _tell(self, lines: Sequence[str]) -> None:
        """Print lines above a prompt, which comes back; it does not vanish during a pause."""
        async with self._keyboard.turn(of_question=True):
            for line in lines:
                self._say(line)


NO_TERMINAL = "no terminal: calls that need approval are denied"
NAME_SHOWN = 30


@frozen
class PlainOptions:
    """A session in plain mode."""

    why: str = ""
    """Why it is plain, if the person did not choose it."""
    person: str = ""
    """The simulated person of `--person`; empty for the one at the terminal."""
    late_seconds: float = LATE_SECONDS
    """Seconds until a slow start shows its reason."""


@frozen
class PlainServer:
    """A server of a session in plain mode: its link, which has begun, and its session."""

    link: Link
    config: SessionConfig


def run(servers: Sequence[PlainServer], options: PlainOptions, missing: Sequence[str] = ()) -> int:
    """Work on these servers, one at a time, until the end; returns the exit status.

    `missing` are reports of servers that were not started, safe to show.
    """
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        watch_loop(loop)
        session = _Session(servers, options, missing)
        task = loop.create_task(session.run())
        received: list[int] = []

        def end(number: int) -> None:
            if not received:
                task.cancel()
            received.append(number)

        for ending in ENDING:
            if ending != signal.SIGINT:
                hear(loop, ending, partial(end, ending))

        def interrupt() -> None:
            if received or session.interrupted():
                end(signal.SIGINT)

        hear(loop, signal.SIGINT, interrupt)
        hang_up_with_terminal()
        try:
            return runner.run(_wait(task))
        except asyncio.CancelledError:
            number = received[0] if received else ExitStatus.INTERRUPTED - 128
            return 128 + number


async def _wait(task: asyncio.Task[int]) -> int:
    return await task


@dataclass
class _Seat:
    """A server of the session, and what asks its questions."""

    desk: PlainSession
    line: LineApprover | None = None
    asked: LineApprover | SimulatedOnLines | None = None
    """Whose questions can be closed."""
    told_end: bool = False


class _NamingOthers:
    """Asks with the names of the other servers that have a tool of the same name."""

    def __init__(self, approver: Approver, desk: PlainSession) -> None:
        self._approver = approver
        self._desk = desk

    async def ask(self, question: Question) -> Decision:
        """Ask, once the names are in the question."""
        if isinstance(question, AboutCall) and len(self._desk.servers) > 1:
            lists = [(one.engine.server.name, one.engine.tools) for one in self._desk.servers]
            found = namesakes(lists).get(question.tool.name, ())
            own = self._desk.engine.server.name
            question = replace(question, also_on=tuple(one for one in found if one != own))
        return await self._approver.ask(question)

    async def visit(self, visit: SignInVisit) -> None:
        """Show the page of a sign-in."""
        await show_page(self._approver, visit)

    async def word(self, about: Iterable[str], prompt: str) -> str:
        """Take a typed word; empty without a person."""
        if isinstance(self._approver, AsksForWord):
            return await self._approver.word(about, prompt)
        return ""


class _Session:
    def __init__(
        self, servers: Sequence[PlainServer], options: PlainOptions, missing: Sequence[str]
    ) -> None:
        self._servers = servers
        self._labels = LabelMemory()
        self._options = options
        self._missing = missing
        self._console = Console()
        self._dialogue = Dialogue(self._console, Keyboard())
        self._seats: list[_Seat] = []
        self._desk: PlainSession | None = None
        """The server that commands are about."""
        self._was_interrupted = False

    async def run(self) -> int:
        """Run the session; the engines are closed in order in any case."""
        try:
            for server in self._servers:
                self._seat(server)
            desks = [one.desk for one in self._seats]
            for desk in desks:
                desk.servers = desks
            desk = self._desk = desks[0]
            self._dialogue.before_prompt = lambda: self._current.say_notices()
            watch(lambda line: self._current.note(line))
            for one in desks:
                one.engine.open()
                one.engine.prepare()
            with telling_of_stops(self._dialogue.keyboard, self._was_away):
                return await self._talk(desk)
        except OSError as problem:
            if problem.errno not in GONE:
                raise
            return 128 + HANG_UP
        finally:
            watch()
            closing = (one.desk.engine.close() for one in self._seats)
            for fault in await asyncio.gather(*closing, return_exceptions=True):
                if isinstance(fault, BaseException):
                    raise fault

    @property
    def _current(self) -> PlainSession:
        assert self._desk is not None
        return self._desk

    def _seat(self, server: PlainServer) -> None:
        """Make the engine of a server, and what asks its questions."""
        config = server.config
        engine = config.engine(server.link, listener=lambda event: self._on_event(seat, event))
        engine.labels = self._labels
        desk = PlainSession(
            engine,
            self._console,
            self._dialogue,
            config,
            late_seconds=self._options.late_seconds,
        )
        seat = _Seat(desk)
        self._seats.append(seat)
        engine.approver = _NamingOthers(self._approver(seat, config), desk)

    def _approver(self, seat: _Seat, config: SessionConfig) -> Approver:
        if self._options.person:
            seat.asked = SimulatedOnLines(
                self._options.person,
                config.decision_seconds,
                self._console.say,
                self._dialogue.keyboard,
            )
            return seat.asked
        if not seat.desk.is_interactive:
            return PolicyAlone(NO_TERMINAL)
        seat.asked = seat.line = LineApprover(
            config.decision_seconds,
            keyboard=self._dialogue.keyboard,
            say=self._console.say,
            say_whole=self._console.say_whole,
            prompt=self._console.prompt,
            typed=self._console.typed,
            can_edit=True,
            elsewhere=HostsElsewhere(seat.desk.engine, config.target),
        )
        return seat.line

    async def _talk(self, desk: PlainSession) -> int:
        say = self._console.say
        aside = f" ({self._options.why})" if self._options.why else ""
        say(f"Signoff, plain lines{aside}. help lists the commands.")
        for one in self._seats:
            server = one.desk.engine.server
            command = one.desk.hiding().command(server.command)
            say(f"server     {visible(server.name)}: {visible(command)}")
        for words in self._missing:
            say(f"missing    {words}")
        if self._options.person:
            say(f"--person {self._options.person} answers the approval requests.")
        elif not desk.is_interactive:
            say("No terminal: calls that need approval are denied.")
        if len(self._seats) > 1:
            say("go NAME changes to another server; servers lists them.")
        await until_listed(desk)
        if not desk.engine.is_listed and not desk.engine.server.is_open:
            self._console.say_all(ended_lines(desk.engine.server, desk.hiding()))
            if not desk.is_interactive and len(self._seats) == 1:
                return ExitStatus.LOST
        else:
            say(connected_line(desk))
            desk.number_anew()
        while not self._current.is_leaving:
            desk = self._current
            try:
                line = await self._dialogue.ask(f"{visible(desk.engine.server.name[:NAME_SHOWN])}>")
                self._was_interrupted = False
                await carry_out(desk, line)
            except NotDone as problem:
                self._console.say_all(str(problem).split("\n"))
            except InputCancelled:
                if self._was_interrupted:
                    say("Press Ctrl+C again, or type quit, to quit.")
            except InputEnded:
                break
            except OSError as problem:
                if problem.errno in GONE:
                    raise
                say(note_fault(problem, "while it carried out a command"))
            except Exception as problem:
                say(note_fault(problem, "while it carried out a command"))
            self._desk, desk.next = desk.next or desk, None
        self._console.break_line()
        return ExitStatus.OK

    def interrupted(self) -> bool:
        """Ctrl+C: whether it means that the program is to end."""
        desk = self._desk
        if desk is None:
            return True
        if desk.running is not None:
            call = desk.engine.calls.get(desk.running)
            if call is not None and not call.is_over and not call.cancel_requested:
                self._close_question()
                desk.engine.cancel(desk.running)
                self._was_interrupted = True
                self._console.say("Cancel requested. Ctrl+C again: quit.")
                return False
            return True
        if self._close_question():
            return False
        if desk.work is not None and not self._was_interrupted:
            self._was_interrupted = True
            desk.work.cancel()
            self._console.say("Cancelled. Ctrl+C again: quit.")
            return False
        if self._dialogue.is_asking and not self._was_interrupted:
            self._was_interrupted = True
            self._dialogue.cancel()
            return False
        return True

    def _close_question(self) -> bool:
        """Close a server's request; False if there is none."""
        return any(one.line is not None and one.line.cancel() for one in self._seats)

    def _was_away(self, seconds: float) -> None:
        for one in self._seats:
            one.desk.engine.resumed_after(seconds)
            if one.line is not None:
                one.line.resumed_after(seconds)
        if self._current.running is None:
            # A person who comes back sees the current place.
            self._dialogue.keyboard.interrupt()

    def _on_event(self, seat: _Seat, event: EngineEvent) -> None:
        desk = seat.desk
        match event:
            case QuestionVoided(call, reason) if seat.asked is not None:
                seat.asked.void(call, reason)
            case ServerChanged():
                self._tell_of_server(seat)
            case ToolsChanged(is_first=False):
                self._note(
                    desk,
                    f"The server listed its tools again: {len(desk.engine.tools):,}; see list.",
                )
            case DefinitionsCompared():
                if summary := desk.engine.list_diff.summary:
                    self._note(desk, f"Definitions: {summary}; diff shows what.")
            case FindingAdded(finding) if finding.severity is not Severity.NOTE:
                self._note(desk, desk.hiding().said(finding_words(finding)))

    def _note(self, desk: PlainSession, line: str) -> None:
        """Print a line about a server before the next prompt; with its name, if it is another."""
        current = self._current
        if current is not desk:
            line = f"{visible(desk.engine.server.name[:NAME_SHOWN])}: {line}"
        current.note(line)

    def _tell_of_server(self, seat: _Seat) -> None:
        desk = seat.desk
        server = desk.engine.server
        is_over = server.phase in (Phase.LOST, Phase.FAILED)
        if is_over and not seat.told_end and desk.engine.is_listed:
            for line in ended_lines(server, desk.hiding()):
                self._note(desk, line)
            self._note(desk, "The connection is lost; restart (or R) starts it.")
            if self._current.running is None and desk.is_interactive:
                # A person who waits at a prompt would see it only at the next one.
                self._dialogue.keyboard.interrupt()
        seat.told_end = is_over
