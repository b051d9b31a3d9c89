"""Questions, answers and states of one run, read from its messages on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from ...content.json.jsonio import JsonValue
from ...protocol.answers.task_states import GET_TASK, UPDATE_TASK, read_task
from ...protocol.extensions.denials import read_denial
from ...protocol.rpc import CALL_METHOD
from ...protocol.server_requests.capabilities import ELICIT
from ...protocol.wire.frames import CLIENT, SERVER, WireLog
from ...transport.events import Requested
from .people import AskedByServer

ASKS_FOR_INPUT: Final = "input_required"


@dataclass
class Heard:
    """All that was asked and answered in one run."""

    requests: list[tuple[str | int, JsonValue]] = field(default_factory=list)
    """Params of each elicitation, by the id of its request or its key in `inputRequests`."""
    answers: dict[str | int, JsonValue] = field(default_factory=dict)
    is_modern: bool = False
    state: str | None = None
    """The newest `requestState` of the server."""
    sent_input: dict[str, JsonValue] = field(default_factory=dict)
    """`inputResponses` and `requestState` of the newest call that had any."""
    is_of_task: bool = False
    """True if a task asked, which goes on until it is answered or cancelled."""
    sent_update: dict[str, JsonValue] = field(default_factory=dict)
    """Params of the newest `tasks/update`: answers to what a waiting task asks for."""

    @property
    def asked(self) -> tuple[AskedByServer, ...]:
        """Each question with its answer."""
        found = []
        for identity, params in self.requests:
            given = params if isinstance(params, dict) else {}
            message, url = given.get("message"), given.get("url")
            found.append(
                AskedByServer(
                    message if isinstance(message, str) else "",
                    given.get("requestedSchema"),
                    url if isinstance(url, str) else "",
                    self.answers.get(identity),
                )
            )
        return tuple(found)

    @property
    def last_request(self) -> Requested | None:
        """The last request of a server that asks by requests."""
        if self.is_modern or not self.requests:
            return None
        identity, params = self.requests[-1]
        return Requested(identity, ELICIT, params)

    def old_input(self, answer: JsonValue) -> dict[str, JsonValue]:
        """`inputResponses` with this answer to each question, and the server's `requestState`."""
        responses: dict[str, JsonValue] = {str(key): answer for key, _ in self.requests}
        found: dict[str, JsonValue] = {"inputResponses": responses}
        if self.state is not None:
            found["requestState"] = self.state
        return found


def heard(wire: WireLog, after: int = 0) -> Heard:
    """Read the messages of a run after a frame."""
    found = Heard()
    for sender, message in messages(wire, after):
        params, result = message.get("params"), message.get("result")
        identity = message.get("id")
        if sender == SERVER:
            if message.get("method") == ELICIT and isinstance(identity, str | int):
                found.requests.append((identity, params))
            elif isinstance(result, dict) and result.get("resultType") == ASKS_FOR_INPUT:
                _take_round(found, result)
            elif isinstance(result, dict) and "taskId" in result:
                _take_status(found, result)
        elif isinstance(identity, str | int) and "method" not in message:
            found.answers[identity] = result
        elif message.get("method") == CALL_METHOD and isinstance(params, dict):
            _take_call(found, params)
        elif message.get("method") == UPDATE_TASK and isinstance(params, dict):
            found.sent_update = params
            _take_answers(found, params)
    return found


def is_still_pending(wire: WireLog, after: int) -> bool:
    """True if the server reported a pending approval in reply to a poll after a frame: whatever
    was done before that frame was done without the approval.
    """
    polls: set[JsonValue] = set()
    for sender, message in messages(wire, after):
        identity = message.get("id")
        if sender == CLIENT and message.get("method") == GET_TASK:
            polls.add(str(identity))
        elif sender == SERVER and str(identity) in polls:
            status = read_task(message.get("result"))
            denial, _ = read_denial(message.get("result"))
            if status is not None and not status.is_ended and denial is not None:
                return denial.awaits_task
    return False


def _take_round(found: Heard, result: Mapping[str, JsonValue]) -> None:
    found.is_modern = True
    state = result.get("requestState")
    found.state = state if isinstance(state, str) else None
    found.requests += _elicitations(result)


def _take_status(found: Heard, task: Mapping[str, JsonValue]) -> None:
    """A waiting task repeats its requests in each status, each under a key of its own for the
    life of the task (extension `io.modelcontextprotocol/tasks`)."""
    known = {key for key, _ in found.requests}
    fresh = [one for one in _elicitations(task) if one[0] not in known]
    found.requests += fresh
    if fresh:
        found.is_modern = found.is_of_task = True


def _elicitations(result: Mapping[str, JsonValue]) -> list[tuple[str | int, JsonValue]]:
    asked = result.get("inputRequests")
    return [
        (key, request.get("params"))
        for key, request in (asked if isinstance(asked, dict) else {}).items()
        if isinstance(request, dict) and request.get("method") == ELICIT
    ]


def _take_call(found: Heard, params: Mapping[str, JsonValue]) -> None:
    names = ("inputResponses", "requestState")
    sent = {name: params[name] for name in names if name in params}
    if sent:
        found.sent_input = sent
    _take_answers(found, params)


def _take_answers(found: Heard, params: Mapping[str, JsonValue]) -> None:
    responses = params.get("inputResponses")
    for key, answer in (responses if isinstance(responses, dict) else {}).items():
        found.answers[key] = answer


def messages(wire: WireLog, after: int) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """The readable messages of client and server after a frame, each with its sender."""
    for frame in wire.since(after):
        if frame.sender not in (CLIENT, SERVER) or not frame.raw or frame.is_cut:
            continue
        try:
            message = json.loads(frame.raw)
        except (ValueError, RecursionError):
            continue
        if isinstance(message, dict):
            yield frame.sender, message
