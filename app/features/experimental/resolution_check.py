"""Checks drafts on a server's tools: resolves hints twice, and sends what it must refuse.

Arguments are samples made from the schemas, or those that a person gave. They are sent to the
server; no tool is called. Each first resolution is watched if the server is started here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final

from ...approval.if_resolved import changed_decisions
from ...calls.effects.claims import seen_lines
from ...calls.effects.deeds import Observation
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import cut, shortened, visible
from ...engine.all_findings import LocatedFinding
from ...protocol.extensions.action_metadata import REVIEW_CODE
from ...protocol.extensions.on_tools import draft_findings
from ...protocol.extensions.register import EXTENSIONS, not_in_use
from ...protocol.extensions.tool_resolution import (
    NAME,
    ResolvedHints,
    differing_words,
    is_marked_in_vain,
    is_resolvable,
    marker_findings,
    marker_of,
    read_result,
    resolve_params,
)
from ...protocol.findings.findings import Finding, Severity, error, note, warning
from ...protocol.rpc import INVALID_PARAMS, METHOD_NOT_FOUND, RESOLVE_METHOD, RpcError
from ...protocol.tool import ToolDefinition
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.samples import sample_arguments
from ...schemas.schema import SchemaAnswer
from ...storage.auditing.events import raw_sent
from ...storage.policy_files import find_hosts
from ...transport.gate import only

if TYPE_CHECKING:
    from ...engine.engine import Engine
    from ...transport.events import Answered

SECONDS: Final = 10.0
MISSING_CAPABILITY: Final = -32021
UNKNOWN: Final = "signoff-no-such-tool"
"""The name of a tool that no server lists."""
_CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"
_SHOWN: Final = 5


@frozen
class CheckedTool:
    """One marked tool with one set of arguments."""

    name: str
    """Safe to show."""
    words: str
    """Both kinds of hints, or why there are none."""
    arguments: Mapping[str, JsonValue]
    result: JsonValue = None
    hosts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Hosts that would decide otherwise if they resolved: both decisions, by title."""

    @property
    def where(self) -> str:
        return f"tool {self.name}"

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "tool": self.name,
            "arguments": dict(self.arguments),
            "resolved": self.words,
            "result": self.result,
            "hosts": {name: {"static": a, "resolved": b} for name, (a, b) in self.hosts.items()},
        }


class ResolutionCheck:
    """The check of one open server; `found` and `tools` have what came of it."""

    def __init__(
        self,
        engine: Engine,
        inputs: Mapping[str, list[dict[str, JsonValue]]],
        wanted: Sequence[ToolDefinition],
    ) -> None:
        self.found: list[LocatedFinding] = []
        self.tools: list[CheckedTool] = []
        self.not_checked: list[str] = []
        """What was left out, and why; safe to show."""
        self.following: Counter[str] = Counter()
        """How many tools follow a draft in their definition, by the draft's name."""
        self._engine = engine
        self._inputs = inputs
        self._wanted = wanted
        self._number = 0

    @property
    def watched_by(self) -> str:
        """How effects are seen, in words."""
        watch = self._engine.link.watch
        if watch is None:
            return "effects are not seen: the server is not started here"
        return f"by {watch.method.value}: {watch.method.sees}"

    @property
    def has_checked(self) -> bool:
        """False if there was nothing of any draft to check."""
        return bool(self.found or self.tools or self.following)

    async def run(self) -> None:
        """Check the definitions first; then resolve if the server declares the extension."""
        engine = self._engine
        missing = not_in_use(NAME, engine.server.capabilities)
        tools = [one for one in self._wanted if one.callable]
        marked = [one for one in tools if is_resolvable(one.raw)]
        for tool in tools:
            where = f"tool {tool.display_name}"
            for name, found in draft_findings(tool).items():
                self.following[name] += 1
                self._add(where, *(one for one in found if _is_fault(one)))
            self._add(where, *marker_findings(tool.raw))
            if missing is not None and marker_of(tool.raw) is not None:
                self._add(where, warning("marker-undeclared", f"it is marked, but {missing.value}"))
            if is_marked_in_vain(tool):
                words = "its static hints are read-only and closed world: no resolution can differ"
                self._add(where, note("marker-in-vain", words))
        if missing is not None:
            self.not_checked.append(f"{RESOLVE_METHOD}: {missing.value}")
            return
        for tool in marked:
            await self._check_tool(tool)
        if not marked:
            self.not_checked.append(f"{RESOLVE_METHOD}: no tool is marked as resolvable")
        await self._check_refusals(tools, marked)

    def _add(self, where: str, *findings: Finding) -> None:
        self.found += [LocatedFinding(where, one) for one in findings]

    async def _check_tool(self, tool: ToolDefinition) -> None:
        where, engine = f"tool {tool.display_name}", self._engine
        for arguments in self._inputs.get(tool.name) or [sample_arguments(tool.input_schema)]:
            checked = await judge_arguments_in_worker(tool.input_schema, arguments)
            if checked.answer not in (SchemaAnswer.VALID, SchemaAnswer.NO_SCHEMA):
                words = "no valid arguments: give them with --inputs"
                self.not_checked.append(f"{tool.display_name}: {words}")
                continue
            first, seen = await self._watched(where, tool.name, arguments)
            words, hints = self._read(where, tool, first)
            hosts = {}
            if hints is not None:
                known = find_hosts().hosts
                hosts = changed_decisions(tool, hints, known, engine.server.name)
            raw = _raw(first)
            self.tools.append(CheckedTool(tool.display_name, words, arguments, raw, hosts))
            if seen is not None:
                self._add(where, *effect_findings(seen))
            second = await self._ask(where, tool.name, arguments)
            if _raw(first) is not None and _raw(second) != _raw(first):
                told = "a second resolution of the same arguments differs"
                self._add(where, note("resolution-differs", told))
            if (fewer := without_required(tool.input_schema, arguments)) is not None:
                answer = await self._ask(where, tool.name, fewer)
                what = "arguments without a required one"
                self._expect(where, what, answer, INVALID_PARAMS)

    def _read(
        self, where: str, tool: ToolDefinition, answer: Answered
    ) -> tuple[str, ResolvedHints | None]:
        """Read the first response, and note its faults; returns the hints, which are
        None if a host may not use them.
        """
        if isinstance(answer, dict):
            hints, findings = read_result(answer, tool.name, tool.hints)
            self._add(where, *findings)
            told = "not usable" if hints is None else differing_words(tool.hints, hints)
            return told, None if findings else hints
        words = _error_words(answer)
        if isinstance(answer, RpcError) and answer.code == MISSING_CAPABILITY:
            self._add(where, error("resolution-not-negotiated", f"declared, but {words}"))
        elif isinstance(answer, RpcError) and answer.code == METHOD_NOT_FOUND:
            told = f"the tool is marked, and the method is missing: {words}"
            self._add(where, error("resolution-malformed", told))
        else:
            self._add(where, warning("resolution-failed", words))
        return f"not resolved: {words}", None

    async def _check_refusals(
        self, tools: Sequence[ToolDefinition], marked: Sequence[ToolDefinition]
    ) -> None:
        where = "the server"
        answer = await self._ask(where, UNKNOWN, {})
        self._expect(where, "an unknown tool", answer, INVALID_PARAMS)
        unmarked = next((one for one in tools if not is_resolvable(one.raw)), None)
        if unmarked is not None:
            arguments = sample_arguments(unmarked.input_schema)
            answer = await self._ask(where, unmarked.name, arguments)
            what = f"the unmarked tool {unmarked.display_name}"
            self._expect(where, what, answer, INVALID_PARAMS)
        if not marked:
            return
        tool = marked[0]
        arguments = (self._inputs.get(tool.name) or [sample_arguments(tool.input_schema)])[0]
        meta = self._engine.link.request_meta()
        if not meta:
            words = (
                "a request without the capability: this revision declares it once, in initialize"
            )
            self.not_checked.append(words)
            return
        answer = await self._ask(where, tool.name, arguments, _without_capability(meta))
        self._expect(where, "a request without the capability", answer, MISSING_CAPABILITY)

    def _expect(self, where: str, what: str, answer: Answered, code: int) -> None:
        """Note a request that is not refused, or refused with another code."""
        if isinstance(answer, dict):
            self._add(where, error("resolution-not-refused", f"{what} was resolved"))
        elif isinstance(answer, RpcError) and answer.code == code:
            return
        else:
            words = f"{what} was not refused with {code}: {_error_words(answer)}"
            self._add(where, warning("resolution-error-code", words))

    async def _watched(
        self, where: str, name: str, arguments: Mapping[str, JsonValue]
    ) -> tuple[Answered, Observation | None]:
        watch = self._engine.link.watch
        if watch is None:
            return await self._ask(where, name, arguments), None
        watching = await watch.begin()
        try:
            answer = await self._ask(where, name, arguments)
        finally:
            seen = await watch.end(watching)
        return answer, seen

    async def _ask(
        self,
        where: str,
        name: str,
        arguments: Mapping[str, JsonValue],
        meta: dict[str, JsonValue] | None = None,
    ) -> Answered:
        """Send one request, logged before it leaves. `meta` replaces the usual `_meta`."""
        engine, params = self._engine, resolve_params(name, arguments)
        logged: dict[str, JsonValue] = {"method": RESOLVE_METHOD, "params": dict(params)}
        if not await engine.ledger.write_through(raw_sent(engine.server, logged)):
            return RpcError(None, f"not sent, since the audit log failed: {engine.ledger.problem}")
        gate, asked = only(RESOLVE_METHOD, params), list[str]()
        with engine.resolutions.waiting(asked.append):
            if meta is None:
                answer = await engine.link.ask(RESOLVE_METHOD, params, SECONDS, gate)
            else:
                self._number += 1
                body: dict[str, JsonValue] = {
                    "jsonrpc": "2.0",
                    "id": f"signoff-resolve-{self._number}",
                    "method": RESOLVE_METHOD,
                    "params": {**params, "_meta": meta},
                }
                sent = await engine.link.send_raw(body, SECONDS, gate)
                answer = RpcError(None, "no response") if sent is None else sent
        for method in asked[:_SHOWN]:
            told = f"it sent the request “{visible(cut(method, 80).text)}” while it resolved hints"
            self._add(where, error("resolution-asks", told))
        return answer


def _is_fault(finding: Finding) -> bool:
    """False for what a definition only declares."""
    return finding.severity is not Severity.NOTE and finding.code != REVIEW_CODE


def effect_findings(seen: Observation) -> list[Finding]:
    """Findings on what was seen while hints were resolved.

    A changed file is an effect. A started program or a reached address may only read.
    """
    changed = [one for one in seen.changes if not (one.is_own or one.is_temporary)]
    lines = [shortened(words, 200) for words in seen_lines(seen)]
    found = [
        error("resolution-has-effect", f"while it resolved: {one.words(seen.scratch)}")
        for one in changed[:_SHOWN]
    ]
    if not found and (seen.reached or seen.processes or seen.left):
        words = f"while it resolved: {'; '.join(lines[:3])}: look whether that only reads"
        found.append(warning("resolution-has-effect", words))
    return found


def without_required(
    schema: JsonValue, arguments: Mapping[str, JsonValue]
) -> dict[str, JsonValue] | None:
    """The arguments without one that the schema requires; None if it requires none."""
    required = schema.get("required") if isinstance(schema, dict) else None
    names = [one for one in required if one in arguments] if isinstance(required, list) else []
    if not names:
        return None
    return {name: value for name, value in arguments.items() if name != names[0]}


def _without_capability(meta: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The `_meta` of a request without this extension among the capabilities."""
    capabilities = meta.get(_CAPABILITIES)
    given: dict[str, Any] = dict(capabilities) if isinstance(capabilities, dict) else {}
    extensions = given.get("extensions") or {}
    kept = {key: one for key, one in extensions.items() if key != EXTENSIONS[NAME].identifier}
    return {**meta, _CAPABILITIES: {**given, "extensions": kept}}


def _raw(answer: Answered) -> JsonValue:
    """The members of a result but for its `_meta`; None for an error."""
    if not isinstance(answer, dict):
        return None
    return {key: one for key, one in answer.items() if key != "_meta"}


def _error_words(answer: object) -> str:
    if isinstance(answer, RpcError):
        said = visible(cut(answer.message, 200).text)
        return said if answer.code is None else f"error {visible(str(answer.code))}: “{said}”"
    return "a result" if isinstance(answer, dict) else "no response"
