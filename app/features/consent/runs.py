"""One run: a fresh server, one person, one call, and what came of it.

Effects are watched in two parts, until the first answer and after it; resources are read before
the call and after it. A call without an end is cancelled at the limit.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from ...calls.call import Call, Outcome
from ...calls.effects.deeds import Observation
from ...calls.effects.scratch import in_scratch
from ...calls.effects.watch import Watch, Watching
from ...cli.output.readings import reading_of, resource_uris
from ...cli.targets.live import Options, started_again
from ...cli.targets.targets import in_sandbox
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import shortened, visible
from ...protocol.answers.content import TextPart, TextResourcePart
from ...protocol.answers.task_states import UPDATE_TASK
from ...protocol.extensions.late_approval import Disposition
from ...protocol.server_requests.capabilities import ELICITATION
from ...protocol.tool import ToolDefinition
from ...protocol.wire.frames import WireLog
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.sample_answers import accepting_values, changed_arguments
from ...schemas.schema import SchemaAnswer
from .answering import PersonAnswers, answered_by
from .people import CallEnding, Effects, Observed, Who
from .wire import Heard, heard, is_still_pending

if TYPE_CHECKING:
    from ...engine.engine import Engine

AT_ONCE: Final = min(4, os.cpu_count() or 1)
"""Servers that run at the same time if no person at a terminal has to answer. With more of them
than processors a slow call could miss its limit.
"""
LIMIT: Final = 5.0
"""Seconds that a call may take, if nothing else is given."""
LOOK_SECONDS: Final = 0.02
END_SECONDS: Final = 5.0
"""How long a cancelled call may take to end."""
NO_STATE: Final = "the server gives no requestState"
NO_CHANGE: Final = "no other arguments are valid; give a second set with --inputs"
NOT_LISTED: Final = "the server does not list the tool for this client"
NOT_ASKED: Final = "the server asked nothing"
GOES_ON: Final = (Who.AGAIN, Who.CHANGED, Who.CALLS_AGAIN)
"""The people who send something after the first answer."""


@frozen
class RunSettings:
    """What all runs of a command have in common."""

    options: Options
    first: Watch
    """The watch of the command, of which each run has a copy."""
    answering: Callable[[Engine], AbstractContextManager[None]]
    """Sets the approver of calls."""
    values: Mapping[str, JsonValue]
    """Values of forms that were given."""
    limit: float
    probes: tuple[ToolDefinition, ...] = ()
    """Tools that are called without arguments before and after, to compare their responses."""
    accepts: Mapping[str, str] = field(default_factory=dict)
    """Code of a check -> why the user accepts it."""
    room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    """Room for the servers that run at the same time."""


def with_sandbox(options: Options) -> Options:
    """Let the bundled server work in the scratch folder, where its effects are seen."""
    target = in_sandbox(options.config.target)
    return replace(options, config=replace(options.config, target=target))


async def play(
    wanted: RunSettings,
    who: Who,
    name: str,
    arguments: Mapping[str, JsonValue],
    other: Mapping[str, JsonValue] | None = None,
) -> Observed:
    """Let one person call a tool. `other` are the arguments for the old `requestState` and for a
    second call; None makes some. Raises NotConnected.
    """
    options, wire = wanted.options, WireLog()
    if who is Who.UNABLE:
        target = options.config.target
        target = replace(target, without=target.without | {ELICITATION})
        options = replace(options, config=replace(options.config, target=target))
    async with wanted.room, started_again(options, wanted.first, wire) as (engine, watch):
        with wanted.answering(engine):
            run = _Run(wanted, who, engine, watch, wire)
            return await run.play(name, arguments, other)


@dataclass
class _Run:
    wanted: RunSettings
    who: Who
    engine: Engine
    watch: Watch
    wire: WireLog
    before: Observation | None = None
    watching: Watching | None = None
    notes: list[str] = field(default_factory=list)
    looked: int | None = None
    """The frame of the wire up to which effects were seen while an approval was pending."""

    async def play(
        self,
        name: str,
        arguments: Mapping[str, JsonValue],
        other: Mapping[str, JsonValue] | None,
    ) -> Observed:
        tool = next((one for one in self.engine.tools if one.name == name), None)
        if tool is None:
            return Observed(self.who, name, arguments, not_possible=NOT_LISTED)
        arguments = in_scratch(arguments, self.watch.scratch)
        # This run watches in parts of its own.
        self.watch.is_resting = True
        uris = await resource_uris(self.engine)
        readings = await self._readings(uris)
        # What reads differently at once changes by itself.
        still = [one == two for one, two in zip(readings, await self._readings(uris), strict=True)]
        person = PersonAnswers(
            self.who, self.engine.approver, self.wanted.values, self._on_first_question
        )
        mark = self.wire.count
        with answered_by(self.engine, person):
            self.watching = await self.watch.begin()
            call, is_hung = await self._called(tool, arguments, person)
            after = await self._end_watching()
            found = heard(self.wire, mark)
            observed = Observed(
                self.who,
                name,
                dict(arguments),
                was_sent=call.sent,
                asked=found.asked,
                response=response_of(call),
                seconds=_seconds(call, person),
                limit=self.wanted.limit,
                is_hung=is_hung and not _ended_with_question(self.who, found),
                is_modern=found.is_modern,
                is_of_task=found.is_of_task,
                has_state=found.state is not None,
                awaited=self.looked is not None,
                is_refused=_is_refused(call),
                not_possible=person.not_possible,
            )
            done_first, done_later = effect_words(self.before), effect_words(after)
            if self.looked is not None and not self._is_still_pending:
                # The approval may have come first: nothing is known to be done before it.
                done_first, done_later = (), (*done_first, *done_later)
            later = await self._readings(uris)
            whole = [
                f"changed {words}"
                for words, is_still, old, new in zip(
                    self._probe_words(uris), still, readings, later, strict=True
                )
                if is_still and old is not None and new is not None and old != new
            ]
            again: Observation | None = None
            if self.who in GOES_ON and not observed.not_possible:
                observed, again = await self._second(tool, observed, found, person, other)
                if again is not None and await self._readings(uris) != later and all(still):
                    self.notes.append("changed what its resources or tools show")
        return replace(
            observed,
            effects=Effects(
                done_first,
                done_later,
                tuple(whole),
                (*effect_words(again), *self.notes),
                _blind(self.before, after, again),
            ),
        )

    async def _called(
        self, tool: ToolDefinition, arguments: Mapping[str, JsonValue], person: PersonAnswers
    ) -> tuple[Call, bool]:
        """Call the tool, and cancel the call at the limit; also returns whether it had to be."""
        engine = self.engine
        call_id = engine.call(tool, arguments)
        is_hung = await self._is_hung(call_id, person)
        if is_hung:
            engine.cancel(call_id)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(END_SECONDS):
                    await engine.ended(call_id)
        call = engine.calls[call_id]
        return call, is_hung or call.outcome is Outcome.TIMEOUT

    async def _is_hung(self, call_id: int, person: PersonAnswers) -> bool:
        """Wait for the end of a call; True if it has none at the limit. For a person who gives no
        answer the limit begins with the question.
        """
        since = time.monotonic()
        while not (call := self.engine.calls[call_id]).is_over:
            await asyncio.sleep(LOOK_SECONDS)
            if self.looked is None and call.task is not None and call.task.awaits_approval:
                await self._on_first_question()
                self.looked, since = self.wire.count, time.monotonic()
            if self.who is Who.WITHDRAWS and self._is_still_pending:
                return await self._withdrawn(call_id)
            if self.who is Who.CHANGED and person.is_asked.is_set():
                return True
            is_silent = self.who is Who.SILENT and person.is_asked.is_set()
            if person.is_waiting and not is_silent:
                since = time.monotonic()
            if time.monotonic() - since > self.wanted.limit:
                return True
        return False

    @property
    def _is_still_pending(self) -> bool:
        return self.looked is not None and is_still_pending(self.wire, self.looked)

    async def _withdrawn(self, call_id: int) -> bool:
        """Cancel the call, and give the server as long as a call may take to act anyway."""
        self.engine.cancel(call_id)
        await asyncio.sleep(self.wanted.limit)
        return False

    async def _on_first_question(self) -> None:
        """The part before the answer is over."""
        if self.watching is not None:
            self.before = await self.watch.end(self.watching)
        self.watching = await self.watch.begin(is_idle_first=False)

    async def _end_watching(self) -> Observation | None:
        watching, self.watching = self.watching, None
        return None if watching is None else await self.watch.end(watching)

    async def _second(
        self,
        tool: ToolDefinition,
        observed: Observed,
        found: Heard,
        person: PersonAnswers,
        other: Mapping[str, JsonValue] | None,
    ) -> tuple[Observed, Observation | None]:
        """Send the answer again, the old state with changed arguments, or a second call."""
        if not observed.asked:
            return replace(observed, not_possible=NOT_ASKED), None
        if self.who is Who.CALLS_AGAIN:
            other = other or await _changed_for(tool, observed.arguments) or observed.arguments
            return await self._again(tool, replace(observed, changed=dict(other)), other, None)
        if self.who is Who.AGAIN and found.sent_update:
            return observed, await self._updated_again(found.sent_update)
        if found.is_modern and found.state is None:
            return replace(observed, not_possible=NO_STATE), None
        if self.who is Who.CHANGED:
            return await self._changed(tool, observed, found, other)
        if (request := found.last_request) is not None:
            answer = observed.asked[-1].answer
            watching = await self.watch.begin(is_idle_first=False)
            if isinstance(answer, dict) and self.engine.server.is_open:
                self.engine.link.answer(request, answer)
            return observed, await self.watch.end(watching)
        return await self._again(tool, observed, observed.arguments, found.sent_input)

    async def _updated_again(self, update: Mapping[str, JsonValue]) -> Observation | None:
        """Send the answers to a task again, whatever its reply is."""
        watching = await self.watch.begin(is_idle_first=False)
        if self.engine.server.is_open:
            await self.engine.link.ask(UPDATE_TASK, dict(update), self.wanted.limit)
        return await self.watch.end(watching)

    async def _changed(
        self,
        tool: ToolDefinition,
        observed: Observed,
        found: Heard,
        other: Mapping[str, JsonValue] | None,
    ) -> tuple[Observed, Observation | None]:
        if not found.is_modern:
            return replace(observed, not_possible=NO_STATE), None
        changed = other or await _changed_for(tool, observed.arguments)
        if changed is None:
            return replace(observed, not_possible=NO_CHANGE), None
        values = accepting_values(observed.asked[0].schema, self.wanted.values)
        sent = found.old_input({"action": "accept", "content": values})
        return await self._again(tool, replace(observed, changed=dict(changed)), changed, sent)

    async def _again(
        self,
        tool: ToolDefinition,
        observed: Observed,
        arguments: Mapping[str, JsonValue],
        sent: Mapping[str, JsonValue] | None,
    ) -> tuple[Observed, Observation | None]:
        """Call the tool, with input of before if there is some; a new question is declined."""
        person = PersonAnswers(
            Who.DECLINES, self.engine.approver, self.wanted.values, _nothing_first
        )
        mark = self.wire.count
        with answered_by(self.engine, person):
            watching = await self.watch.begin(is_idle_first=False)
            given = in_scratch(arguments, self.watch.scratch)
            call_id = self.engine.call(tool, given, old_input=sent)
            if await self._is_hung(call_id, person):
                self.engine.cancel(call_id)
            call = await self.engine.ended(call_id)
            seen = await self.watch.end(watching)
        if not call.sent:
            return replace(observed, not_possible=call.reason or call.status), seen
        second = response_of(call)
        if heard(self.wire, mark).requests:
            second = CallEnding(Outcome.INPUT_REQUIRED, reason="asked again")
        return replace(observed, second=second), seen

    async def _readings(self, uris: Sequence[str]) -> list[str | None]:
        """Read resources, and call the probes; None if one cannot be read."""
        found = []
        for uri in uris:
            found.append(reading_of(await self.engine.ended(self.engine.read(uri))))
        for tool in self._probes():
            found.append(reading_of(await self.engine.ended(self.engine.call(tool, {}))))
        return found

    def _probes(self) -> list[ToolDefinition]:
        names = [one.name for one in self.wanted.probes]
        return [one for one in self.engine.tools if one.name in names]

    def _probe_words(self, uris: Sequence[str]) -> list[str]:
        words = [f"the resource {visible(shortened(uri, 100))}" for uri in uris]
        return [*words, *(f"the response of {one.display_name}" for one in self._probes())]


def _ended_with_question(who: Who, found: Heard) -> bool:
    """True if the call was given up at a question, and no server waits for it."""
    is_given_up = found.is_modern and not found.sent_input and not found.is_of_task
    return who is Who.CHANGED or (who is Who.SILENT and is_given_up)


async def _nothing_first() -> None:
    """Nothing is to be done at the first question."""


async def _changed_for(
    tool: ToolDefinition, arguments: Mapping[str, JsonValue]
) -> dict[str, JsonValue] | None:
    """Return changed arguments that the tool's schema allows."""
    for one in changed_arguments(arguments):
        verdict = await judge_arguments_in_worker(tool.input_schema, one)
        if verdict.answer is not SchemaAnswer.INVALID:
            return one
    return None


def response_of(call: Call) -> CallEnding:
    """The end of a call."""
    if call.error is not None:
        code = call.error.code
        number = code if isinstance(code, int) else None
        return CallEnding(call.outcome, call.error.message, number, call.reason)
    parts = call.answer.parts if call.answer is not None else ()
    texts = [one.text for one in parts if isinstance(one, TextPart | TextResourcePart)]
    return CallEnding(call.outcome, "\n".join(texts), reason=call.reason)


def _is_refused(call: Call) -> bool:
    """True if the server reported that nothing was performed."""
    if call.disposition is not None:
        return call.disposition is Disposition.NOT_EXECUTED
    is_final = call.outcome in (Outcome.OK, Outcome.TOOL_ERROR)
    return is_final and call.denial is not None


def effect_words(seen: Observation | None) -> tuple[str, ...]:
    """The effects that count, in words: changed files, reached machines, processes left."""
    if seen is None:
        return ()
    return (
        *(one.words(seen.scratch) for one in seen.changes),
        *(f"reached for {one.words}" for one in seen.reached),
        *(one.words for one in seen.left if one.is_work_of_its_own),
        *seen.lists,
    )


def _blind(*parts: Observation | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words for one in parts if one is not None for words in one.blind))


def _seconds(call: Call, person: PersonAnswers) -> float:
    if call.sent_at is None or call.ended_at is None:
        return 0.0
    return max(0.0, call.ended_at - call.sent_at - person.waited)
