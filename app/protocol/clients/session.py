"""A session on the wire as client libraries would read it: initialization, list, results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, pointer
from ...content.text import shortened
from ...schemas.ecma_patterns import pattern_fault, unicode_fault
from ...schemas.habits import patterns_in
from ..wire.frames import BEGAN, CLIENT, ENDED, SIGNOFF, Frame, FrameKind
from ..wire.reading import Id, body_of, key_of, read
from .answer_defects import defects_of_answer
from .defects import (
    Defect,
    defects_of_greeting,
    defects_of_page,
)
from .findings import null_error, tool_defects
from .table import Client, ClientRule, DefectEffect, Where, client_words, rules

_SHOWN = 60


@frozen
class CallSeen:
    """A call of a tool that was answered with a result."""

    tool: str
    arguments: JsonValue
    result: JsonValue

    @property
    def about(self) -> str:
        """Identify the result, safe to show."""
        return f"result of {shortened(self.tool, _SHOWN)}"


@dataclass(slots=True)
class SessionSeen:
    """Messages of a server on its last connection."""

    greeting: dict[str, JsonValue] | None = None
    """The whole response to `initialize`."""
    pages: list[JsonValue] = field(default_factory=list)
    """The pages of the last list of tools."""
    calls: list[CallSeen] = field(default_factory=list)
    """The last result of each tool."""
    unread: tuple[str, ...] = ()
    """`initialize` and `tools/list`, if their responses came as nothing that could be read."""
    exits_on_discover: bool = False
    """Whether it exited instead of responding to `server/discover`."""
    is_modern: bool = False
    """Whether it speaks 2026-07-28, in which an output schema may be of any type."""

    @property
    def tools(self) -> list[JsonValue]:
        """The entries of all pages."""
        found: list[JsonValue] = []
        for page in self.pages:
            listed = page.get("tools") if isinstance(page, dict) else None
            found += listed if isinstance(listed, list) else []
        return found

    def output_schema(self, name: str) -> JsonValue:
        """The output schema of the first tool with this name; None if there is none."""
        for one in self.tools:
            if isinstance(one, dict) and one.get("name") == name:
                return one.get("outputSchema")
        return None


@frozen
class ClientProblem:
    """A defect and its subject; `about` and `path` are safe to show."""

    rule: ClientRule
    about: str
    path: str

    @property
    def words(self) -> str:
        """Subject, place, problem and fix, on one line; safe to show."""
        return f"{self.about} {self.path}".rstrip() + f": {self.rule.words}; {self.rule.fix}"

    @property
    def lines(self) -> tuple[str, ...]:
        """The same, on lines of their own."""
        allowed = " (the specification allows it)" if self.rule.is_allowed else ""
        return (
            f"{self.about} {self.path}".rstrip(),
            f"{self.rule.words}{allowed}",
            f"→ {self.rule.fix}",
        )


def session_of(frames: Iterable[Frame]) -> SessionSeen:
    """Collect the responses of a session; frames that were cut are left out."""
    methods = set[str | None]()
    """What was requested on this connection; None once one of them had a result."""
    seen, asked = SessionSeen(), dict[tuple[bool, Id], dict[str, JsonValue]]()
    calls: dict[str, CallSeen] = {}
    for frame in frames:
        if frame.sender == SIGNOFF and frame.raw.startswith(BEGAN.encode()):
            asked.clear()
            methods.clear()
        elif frame.sender == SIGNOFF and frame.raw.startswith(ENDED.encode()):
            seen.exits_on_discover |= "server/discover" in methods and None not in methods
        if frame.sender == SIGNOFF or frame.is_cut or frame.is_http_only:
            continue
        found = read(frame)
        is_cancel = frame.sender == CLIENT and found.method == "notifications/cancelled"
        if found.id is None and not is_cancel:
            continue
        try:
            body = body_of(frame)
        except JsonError:
            continue
        if not isinstance(body, dict):
            continue
        if is_cancel:
            _forget_cancelled(asked, body)
        elif found.id is None:
            continue
        elif frame.sender == CLIENT:
            if found.kind is FrameKind.REQUEST:
                asked[key_of(found.id)] = body
                methods.add(found.method)
        elif found.kind in (FrameKind.ANSWER, FrameKind.ERROR):
            methods |= {None} if "result" in body else set()
            _take(seen, calls, asked.pop(key_of(found.id), {}), body)
    seen.calls = list(calls.values())
    waiting = {str(request.get("method")) for request in asked.values()}
    missing = {"initialize": seen.greeting is None, "tools/list": not seen.pages}
    seen.unread = tuple(one for one, is_missing in missing.items() if is_missing and one in waiting)
    return seen


def _forget_cancelled(
    asked: dict[tuple[bool, Id], dict[str, JsonValue]], body: dict[str, JsonValue]
) -> None:
    """Forget a cancelled request: no client waits for its response."""
    params = body.get("params")
    one = params.get("requestId") if isinstance(params, dict) else None
    if isinstance(one, str | int):
        asked.pop(key_of(one), None)


def _is_final(request: dict[str, JsonValue], result: JsonValue) -> bool:
    """True if it is the result of a tool: no task that began, no request for input."""
    if "task" in request or not isinstance(result, dict):
        return "task" not in request
    return result.get("resultType", "complete") == "complete"


def _take(
    seen: SessionSeen,
    calls: dict[str, CallSeen],
    request: dict[str, JsonValue],
    body: dict[str, JsonValue],
) -> None:
    params, result = request.get("params"), body.get("result")
    given = params if isinstance(params, dict) else {}
    if "result" not in body:
        return
    match request.get("method"):
        case "initialize":
            seen.greeting, seen.is_modern = body, False
        case "server/discover":
            seen.is_modern = True
        case "tools/list":
            if "cursor" not in given:
                seen.pages.clear()
            seen.pages.append(result)
        case "tools/call" if isinstance(name := given.get("name"), str) and _is_final(
            given, result
        ):
            calls[name] = CallSeen(name, given.get("arguments", {}), result)


def problems_of(seen: SessionSeen) -> list[ClientProblem]:
    """All problems that need no validator: handshake, list and results."""
    found: list[ClientProblem] = []
    if seen.exits_on_discover and seen.greeting is not None:
        found.append(ClientProblem(rules()["exits-on-discover"], "the start", ""))
    if seen.greeting is not None:
        defects = defects_of_greeting(seen.greeting.get("result"))
        found += _problems([*defects, *null_error(seen.greeting)], "initialize")
    for page in seen.pages:
        found += _problems(defects_of_page(page), "the list")
    for index, tool in enumerate(seen.tools):
        found += _problems(tool_defects(tool, seen.is_modern), tool_words(tool, index))
    for call in seen.calls:
        found += _problems(defects_of_answer(call.result), call.about)
    return found


def _problems(defects: Iterable[Defect], about: str) -> list[ClientProblem]:
    return [ClientProblem(rules()[one.rule], about, pointer(one.path)) for one in defects]


def tool_words(tool: JsonValue, index: int) -> str:
    """Name the tool, safe to show."""
    name = tool.get("name") if isinstance(tool, dict) else None
    return f"tool {shortened(name, _SHOWN)}" if isinstance(name, str) else f"entry {index + 1}"


def answer_problems(call: CallSeen, defects: Iterable[Defect]) -> list[ClientProblem]:
    """The problems of a result by the verdict on its schema."""
    return _problems(defects, call.about)


def pattern_problems(schemas: list[tuple[str, JsonValue]]) -> list[ClientProblem]:
    """Patterns in output schemas, by their subjects, that clients do not compile.

    Compiling may take long: this is for the worker.
    """
    found = []
    for about, schema in schemas:
        for place, pattern in patterns_in(schema):
            if pattern_fault(pattern):
                rule = "output-not-compiled"
            elif unicode_fault(pattern):
                rule = "output-pattern-without-u"
            else:
                continue
            found += _problems([Defect(rule, ("outputSchema", *place))], about)
    return found


@frozen
class ClientReading:
    """One client's reading of a session."""

    client: Client
    problems: tuple[ClientProblem, ...]
    """Only those that cost something in this client."""

    def _has(self, where: Where, *values: DefectEffect) -> bool:
        return any(
            one.rule.where is where and one.rule.values[self.client.id] in values
            for one in self.problems
        )

    @property
    def connects(self) -> bool:
        """True if the client accepts the server's side of the handshake."""
        return not any(one.rule.where is Where.INITIALIZE for one in self.problems)

    @property
    def lists(self) -> bool:
        """True if the client takes the list."""
        return self.connects and not self._has(Where.LIST, DefectEffect.LOST, DefectEffect.HANGS)

    def takes(self, call: CallSeen, tool: str) -> bool:
        """True if the result reaches the program; `tool` is the subject of the tool's problems."""
        about = (call.about, tool)
        return self.connects and not any(
            one.about in about
            and one.rule.values[self.client.id] in (DefectEffect.REJECTED, DefectEffect.HANGS)
            and one.rule.where is not Where.INITIALIZE
            for one in self.problems
        )

    def verdict(self, seen: SessionSeen) -> str:
        """Summarize: connects, lists, and the number of rejected results."""
        if not self.connects:
            return "no connection"
        connected = "" if seen.is_modern else "initialize not seen"
        if seen.greeting is not None:
            connected = "connects"
        if not seen.pages:
            listed = "list not seen"
        else:
            listed = f"lists {len(seen.tools) if self.lists else 0} of {len(seen.tools)}"
        rejected = sum(not self.takes_result(one) for one in seen.calls)
        results = f"rejects {rejected} of {len(seen.calls)} results" if seen.calls else ""
        return ", ".join(one for one in (connected, listed, results) if one)

    def value(self, problem: ClientProblem) -> str:
        """Return the cost of a problem in this client."""
        return problem.rule.values[self.client.id].value

    def takes_result(self, call: CallSeen) -> bool:
        """True if the result reaches the program."""
        return self.takes(call, tool_words({"name": call.tool}, 0))


_COSTS: Final = {
    DefectEffect.NO_CONNECTION: "no connection in",
    DefectEffect.LOST: "all tools lost in",
    DefectEffect.REJECTED: "rejected in",
    DefectEffect.HANGS: "no response in",
}


def reasons_in(readings: Sequence[ClientReading]) -> list[tuple[str, ClientProblem]]:
    """List each problem once, with its costs and clients in words."""
    found = {(one.rule.code, one.about, one.path): one for of in readings for one in of.problems}
    reasons = []
    for problem in found.values():
        costs = [
            f"{words} {client_words(who)}"
            for value, words in _COSTS.items()
            if (who := problem.rule.clients(value))
        ]
        reasons.append(("; ".join(costs), problem))
    return reasons


def reading_of(client: Client, problems: Iterable[ClientProblem]) -> ClientReading:
    """The problems that cost something in this client."""
    harmless = (DefectEffect.OK, DefectEffect.NOT_TRIED)
    return ClientReading(
        client, tuple(one for one in problems if one.rule.values[client.id] not in harmless)
    )
