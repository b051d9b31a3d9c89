"""`signoff through`: a server compared with itself behind a gateway."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...approval.policies.verdicts import VerdictAnswer
from ...calls.call import Call
from ...cli.calling import answering
from ...cli.command import Command, add_shared
from ...cli.options.calling import ANSWER, APPROVE, PERSON_ASKED, add_time_limit
from ...cli.options.declared import add_options, opt, options, read_values, within
from ...cli.options.parser import Parser
from ...cli.options.server import FindingReports, OutputOptions
from ...cli.options.session import SessionOptions, Targets, Use, read_session
from ...cli.output.finding_reports import print_markdown, write_reports
from ...cli.output.printing import say, tell
from ...cli.output.readable import Out
from ...cli.targets.live import NotConnected, Options, opened, print_json, run
from ...cli.targets.session import prepared_session
from ...cli.targets.targets import UsageError
from ...cli.tool_inputs import check_names, read_inputs, wanted_tools
from ...content.json.jsonio import JsonValue, digest
from ...content.text import visible
from ...engine.events import EngineEvent, ServerAnswered
from ...presentation.exit_status import ExitStatus
from ...presentation.report_pages import page_of_suites
from ...protocol.server import URL_BEGINNINGS
from ...protocol.tool import ToolDefinition
from ...schemas.samples import sample_arguments
from ...storage.policy_files import find_hosts
from .gateway import (
    TOOLS,
    Difference,
    GatewayCall,
    GatewayComparison,
    GatewaySide,
    compare,
    compare_calls,
    has_other_values,
)
from .names import pair_tools
from .words import comparison_json, comparison_lines, comparison_suite, total_words

if TYPE_CHECKING:
    from ...engine.engine import Engine

BETWEEN: Final = ":::"
"""The word between the command of the server and that of the gateway."""
CALLS_AT_MOST: Final = 200
_SIDES: Final = ("direct", "gateway")


@options
class ThroughOptions(NamedTuple):
    """Options of `through`."""

    reports: FindingReports = within(FindingReports)
    tools: str = opt(
        "--tools GLOB",
        "call these tools, too, on both sides, with the same arguments: 'read_*,list_*' "
        "(default: call none)",
    )
    """Patterns of names of the tools that are called, with commas between; empty for none."""
    inputs: str = opt(
        "--inputs FILE", "JSON file of arguments by tool (default: made from the schemas)"
    )
    strict: bool = opt(
        "--strict",
        "exit with 1 for any other difference (always: with 4 if a tool, a hint or a call is "
        "lost or changed)",
    )
    approve: str = APPROVE
    person: str = PERSON_ASKED
    answer: str = ANSWER
    policy: str | None = None
    """The policy whose denials are listed, such as a Cedar file of the gateway."""


class Through(NamedTuple):
    """The command: two servers, and its options."""

    session: SessionOptions
    output: OutputOptions
    own: ThroughOptions

    def run(self, argv: tuple[str, ...]) -> int:
        direct, gateway = _two_targets(argv)
        if self.session.has_target:
            raise UsageError(f"through takes its two servers after --: DIRECT {BETWEEN} GATEWAY")
        with contextlib.ExitStack() as ending:
            both = [
                self._options(name, words, ending)
                for name, words in zip(("direct", "gateway"), (direct, gateway), strict=True)
            ]
            return run(_compare(both[0], both[1], self.own))

    def _options(self, name: str, words: tuple[str, ...], ending: contextlib.ExitStack) -> Options:
        is_url = len(words) == 1 and words[0].startswith(URL_BEGINNINGS)
        session = self.session._replace(name=name, url=words[0] if is_url else None)
        prepared = ending.enter_context(prepared_session(session, () if is_url else words))
        prepared.tell_mistakes()
        return Options(prepared.config, self.output.json, self.output.show_secrets)


def add(through: Parser) -> None:
    through.usage = f"{through.prog} [OPTIONS] -- DIRECT [ARG...] {BETWEEN} GATEWAY [ARG...]"
    add_options(through, ThroughOptions)
    add_time_limit(through)
    add_shared(through, {Use.POLICY, Use.TRUST, Use.CALLS, Use.TOOLS}, Targets.WORDS)
    through.set_defaults(read_command=_read)


def _read(given: argparse.Namespace) -> Command:
    own = read_values(ThroughOptions, given)
    return Through(read_session(given), read_values(OutputOptions, given), own)


def _two_targets(argv: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of the server, and those of the gateway; one word may be a URL."""
    if argv.count(BETWEEN) != 1:
        found = f"; {BETWEEN} is there {argv.count(BETWEEN)} times" if BETWEEN in argv else ""
        raise UsageError(
            f"give two servers with {BETWEEN} between: signoff through -- DIRECT {BETWEEN} "
            f"GATEWAY{found}"
        )
    at = argv.index(BETWEEN)
    direct, gateway = argv[:at], argv[at + 1 :]
    if not direct or not gateway:
        missing = "DIRECT" if not direct else "GATEWAY"
        raise UsageError(f"{missing} is missing beside {BETWEEN}")
    return direct, gateway


async def _compare(direct: Options, gateway: Options, wanted: ThroughOptions) -> int:
    inputs = read_inputs(wanted.inputs)
    seen = _Questions(), _Questions()
    async with contextlib.AsyncExitStack() as closing:
        engines = []
        for name, options, questions in zip(_SIDES, (direct, gateway), seen, strict=True):
            try:
                engine = await closing.enter_async_context(
                    opened(options, listener=questions.listen)
                )
            except NotConnected as problem:
                raise NotConnected(f"{name}: {problem}") from None
            engines.append(engine)
        own, other = engines
        hidings = direct.hiding(own), gateway.hiding(other)
        sides = [await _side(engine) for engine in engines]
        found = compare(sides[0], sides[1], find_hosts().hosts)
        if wanted.policy:
            found = replace(found, denied=_denied(other), policy=other.policy.name)
        calls: list[dict[str, Any]] = []
        if wanted.tools:
            check_names(own.tools, inputs, own.definitions.findings)
            with (
                answering(direct, own, wanted),
                answering(gateway, other, wanted),
            ):
                found, calls = await _with_calls(found, (own, other), seen, wanted, inputs)
        out = Out(hidings[0])
        cut = {
            side: [hiding.text(one) for one in _cut_lists(engine).values()]
            for side, engine, hiding in zip(_SIDES, engines, hidings, strict=True)
        }
    for side, words in cut.items():
        for one in words:
            tell(f"signoff: {side}: {one}; what follows is not compared")
    status = _status(found, is_strict=wanted.strict)
    if status is ExitStatus.OK and found.wants_calls and not found.has_calls:
        status = ExitStatus.NOT_APPROVED if calls else ExitStatus.LOST
    if not own.tools and status in (ExitStatus.OK, ExitStatus.DOUBTFUL):
        tell("signoff: the server lists no tools; none is compared")
        status = ExitStatus.LOST
    suites = [comparison_suite(found, own.server.name, is_strict=wanted.strict)]
    mask, number = hidings[0].text, len(own.tools)
    write_reports("through", suites, wanted.reports, mask, tools=number, status=int(status))
    if direct.as_json:
        servers = {
            side: hiding.text(visible(engine.server.command))
            for side, hiding, engine in zip(_SIDES, hidings, engines, strict=True)
        }
        report = comparison_json(found, calls)
        print_json({**servers, **report, "lists_cut": cut, "exit_status": int(status)})
        return status
    if wanted.reports.markdown:
        print_markdown(page_of_suites("through", suites), mask)
        return status
    out.sheet(comparison_lines(found))
    say("")
    say(total_words(found))
    return status


def _status(found: GatewayComparison, *, is_strict: bool) -> ExitStatus:
    """4 if a tool, a hint or a call was lost or changed; 5 if a list of tools is not whole; with
    `is_strict` 1 for any other difference.
    """
    if any(one.matters for one in found.differences):
        return ExitStatus.BROKEN
    if found.is_cut:
        return ExitStatus.LOST
    others = any(one.fate.value in ("changed", "lost") for one in found.differences)
    return ExitStatus.DOUBTFUL if is_strict and others else ExitStatus.OK


def _denied(engine: Engine) -> tuple[str, ...]:
    """The listed tools that the policy refuses or hides."""
    answers = (VerdictAnswer.REFUSE, VerdictAnswer.HIDE)
    return tuple(one.name for one in engine.tools if engine.verdict(one).answer in answers)


def _cut_lists(engine: Engine) -> dict[str, str]:
    """Which lists of a server are not whole, and why; safe to show."""
    found = {TOOLS: engine.definitions.missing}
    found |= {kind.plural: words for kind, words in engine.offers.missing.items()}
    return {name: visible(words) for name, words in found.items() if words}


async def _side(engine: Engine) -> GatewaySide:
    await engine.offers.listed()
    server = engine.server
    offers = {
        kind.plural: tuple(one.name for one in engine.offers.of(kind))
        for kind in engine.offers.kinds
    }
    return GatewaySide(
        engine.tools,
        server.version,
        server.capabilities,
        server.instructions or "",
        offers,
        frozenset(_cut_lists(engine)),
        engine.definitions.first_page,
    )


class _Questions:
    """Counts the questions that a server asks."""

    def __init__(self) -> None:
        self.count = 0

    def listen(self, event: EngineEvent) -> None:
        self.count += isinstance(event, ServerAnswered)


async def _with_calls(
    found: GatewayComparison,
    engines: tuple[Engine, Engine],
    seen: tuple[_Questions, _Questions],
    wanted: ThroughOptions,
    inputs: Mapping[str, list[dict[str, JsonValue]]],
) -> tuple[GatewayComparison, list[dict[str, Any]]]:
    """Call the tools on both sides, one after the other."""
    tools = wanted_tools(engines[0].tools, wanted.tools, engines[0].definitions.findings)
    if len(tools) > CALLS_AT_MOST:
        raise UsageError(
            f"--tools matches {len(tools):,} tools; at most {CALLS_AT_MOST} are called"
        )
    pairs, _ = pair_tools(engines[0].tools, engines[1].tools)
    others = {id(own): other for own, other in pairs}
    differences: list[Difference] = [*found.differences]
    calls: list[dict[str, Any]] = []
    for tool in tools:
        other = others[id(tool)]
        if other is None:
            tell(f"signoff: {tool.display_name} is not listed behind the gateway: not called")
            continue
        arguments = (inputs.get(tool.name) or [sample_arguments(tool.input_schema)])[0]
        results = [
            await _seen(engine, one, arguments, questions)
            for engine, one, questions in zip(engines, (tool, other), seen, strict=True)
        ]
        again = None
        if has_other_values(results[0], results[1]):
            again = await _seen(engines[0], tool, arguments, seen[0])
        if not any(one.was_sent for one in results):
            tell(f"signoff: {tool.display_name}: {results[0].outcome}: not compared")
        differences += compare_calls(tool.name, results[0], results[1], again)
        calls.append(
            {
                "tool": visible(tool.name),
                "direct": _call_json(results[0]),
                "gateway": _call_json(results[1]),
            }
        )
    return replace(found, differences=tuple(differences), wants_calls=True), calls


async def _seen(
    engine: Engine, tool: ToolDefinition, arguments: Mapping[str, JsonValue], asked: _Questions
) -> GatewayCall:
    before = asked.count
    number = engine.call(tool, arguments, although_invalid=True)
    call = await engine.ended(number)
    return _of_call(call, asked.count - before)


def _of_call(call: Call, questions: int) -> GatewayCall:
    raw: Mapping[str, JsonValue] = call.raw if isinstance(call.raw, dict) else {}
    content = raw.get("content")
    parts = content if isinstance(content, list) else []
    kinds = [str(one.get("type")) for one in parts if isinstance(one, dict)]
    structured = raw.get("structuredContent")
    code = call.error.code if call.error is not None else None
    return GatewayCall(
        call.outcome.words if call.outcome is not None else "",
        code if isinstance(code, int) else None,
        tuple(map(visible, kinds)),
        digest(content) if content is not None else "",
        digest(structured) if structured is not None else "",
        call.progress.count,
        questions + call.rounds - 1,
        call.task is not None,
        call.sent,
    )


def _call_json(seen: GatewayCall) -> dict[str, Any]:
    return {
        "outcome": seen.outcome,
        "error_code": seen.code,
        "content": list(seen.contents),
        "structured": bool(seen.structured_digest),
        "progress": seen.progress,
        "questions": seen.questions,
        "task": seen.is_task,
    }
