"""One call of a command without a screen, and who answers the questions that it raises."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from ..engine.calls.context import Approver
from ..engine.engine import Engine
from .approving.approvers import (
    REPLIES_FROM_FILE,
    AnswersFromFile,
    LineApprover,
    PolicyAlone,
    ScriptApproves,
    read_answers,
)
from .approving.elsewhere import HostsElsewhere
from .approving.keyboard import Keyboard
from .output.readable import Out, print_call, print_views, views_report
from .output.reports import call_report, exit_status, tell_log
from .targets.live import Options, print_json, telling_of_stops

if TYPE_CHECKING:
    from ..engine.events import EngineEvent
    from ..hosts.model_view.table import ModelHost
    from .approving.person import ScriptedPerson


class ApproverOptions(Protocol):
    """Options on who answers questions, of each command that calls."""

    @property
    def approve(self) -> str:
        """Who answers: ask, policy, always or never."""

    @property
    def answer(self) -> str:
        """The file of replies to the server's requests; empty for none."""

    @property
    def person(self) -> str:
        """A simulated person who answers everything, such as `slow:30`; empty for none."""


async def make_call(
    options: Options,
    engine: Engine,
    wanted: ApproverOptions,
    begin: Callable[[], int],
    hosts: Sequence[ModelHost] = (),
) -> int:
    """Begin a call, wait for its end and print it; returns the exit status.

    `hosts`: the hosts whose models' view of the response is printed, too.
    """
    await engine.log_level_told()
    session, is_interrupted = options.session, False
    if session is not None:
        call = await session.ended(begin, is_told=not options.as_json)
    else:
        with answering(options, engine, wanted):
            call_id = begin()
            try:
                call = await engine.ended(call_id)
            except asyncio.CancelledError:
                is_interrupted = True
                engine.cancel(call_id)
                call = await engine.ended(call_id)
    is_alone = session is None and not is_interrupted
    if call.evidence is not None and call.tool is not None and is_alone:
        # The server is ended to see what it does then: that of a session goes on.
        from .targets.ending import with_ending

        call = await with_ending(options, engine, call)
    hiding = options.hiding(engine, call.request.definition, call.snapshot.arguments())
    if options.as_json:
        report = call_report(engine, call, hiding)
        if hosts:
            report["model_view"] = views_report(call, hosts, hiding)
            report["masked"] = hiding.report()
        print_json(report)
    else:
        if session is None:
            print_call(engine, call, hiding)
        if hosts:
            out = Out(hiding)
            out.blank()
            print_views(call, hosts, out)
        if session is None:
            tell_log(engine, hiding)
    return exit_status(call)


@contextlib.contextmanager
def answering(
    options: Options, engine: Engine, wanted: ApproverOptions, *, is_alone: bool = True
) -> Iterator[None]:
    """Let the approver that `--approve` names answer requests, and pass on stops of the program.

    A session that was open before keeps its own approver.

    `is_alone`: no other call is answered at the same time; stops of the program, which matter to
    time limits of a person, are passed on to one call only. Raises UsageError for a file of
    answers that cannot be read.
    """
    if options.session is not None:
        yield
        return
    keyboard = Keyboard()
    if wanted.person:
        engine.approver = simulated = _simulated(options, wanted, wanted.person)
        with _closing_questions(engine, simulated):
            yield
        return
    elsewhere = HostsElsewhere(engine, options.config.target)
    seconds = options.config.decision_seconds
    approver = _approver(wanted.approve, seconds, keyboard, elsewhere)
    engine.approver = approver
    if wanted.answer:
        engine.approver = AnswersFromFile(read_answers(wanted.answer), approver)
    engine.sends = wanted.approve != "never"

    def resumed_after(seconds: float) -> None:
        engine.resumed_after(seconds)
        if isinstance(approver, LineApprover):
            approver.resumed_after(seconds)

    with contextlib.ExitStack() as stack:
        if is_alone:
            stack.enter_context(telling_of_stops(keyboard, resumed_after))
        stack.enter_context(_closing_questions(engine, approver))
        yield


@contextlib.contextmanager
def _closing_questions(engine: Engine, approver: Approver) -> Iterator[None]:
    """Inform an approver when its request can no longer be answered."""
    from ..engine.events import QuestionVoided
    from .approving.person import ScriptedPerson

    def listen(event: EngineEvent) -> None:
        if isinstance(approver, LineApprover | ScriptedPerson):
            match event:
                case QuestionVoided(call, reason):
                    approver.void(call, reason)

    unsubscribe = engine.subscribe(listen)
    try:
        yield
    finally:
        unsubscribe()


def _simulated(options: Options, wanted: ApproverOptions, who: str) -> ScriptedPerson:
    """Make the simulated person of `--person`; answers of `--answer` take precedence."""
    from .approving.people import Person, ServerReply
    from .approving.person import ScriptedPerson, simulated_by

    somebody = simulated_by(who)
    written = read_answers(wanted.answer) if wanted.answer else {}
    replies = {
        kind: tuple(ServerReply(one.action, one.values) for one in several)
        for kind, several in written.items()
    }
    reason = f"--person {somebody.words}"
    return ScriptedPerson(
        Person(),
        replies,
        options.config.decision_seconds,
        people=somebody.people(),
        by="script",
        reason=reason,
    )


def _approver(
    how: str, decision_seconds: float, keyboard: Keyboard, elsewhere: HostsElsewhere
) -> Approver:
    if how == "always":
        return ScriptApproves()
    if how == "ask":
        if sys.stdin.isatty() and sys.stderr.isatty():
            return LineApprover(decision_seconds, keyboard=keyboard, elsewhere=elsewhere)
        reason = "no terminal to ask on; with `--approve always` it is sent without asking"
        return PolicyAlone(reason, f"no terminal to ask on; {REPLIES_FROM_FILE}")
    reason = "the policy asks, and --approve policy runs only what it allows"
    return PolicyAlone(reason, REPLIES_FROM_FILE)
