"""`signoff consent`: plays ten people against tools that ask before they act, and reports."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...cli.approving.approvers import read_answers
from ...cli.calling import answering
from ...cli.command import on_server
from ...cli.options.calling import ANSWER, APPROVE, PERSON_ASKED
from ...cli.options.declared import opt, options, within
from ...cli.options.parser import Parser, seconds
from ...cli.options.server import FindingReports
from ...cli.options.session import WATCHES
from ...cli.output.finding_reports import print_markdown, write_sarif
from ...cli.output.printing import say, tell
from ...cli.output.report_files import write_report
from ...cli.output.result_reports import junit_xml, page_of_results, print_flow, suites_of
from ...cli.output.results import FlowResult
from ...cli.targets.live import Options, print_json, run
from ...cli.targets.targets import UsageError
from ...cli.tool_inputs import (
    SLOW_SECONDS,
    check_names,
    is_wanted,
    read_inputs,
    sample_problem,
    telling_if_slow,
    wanted_tools,
)
from ...content.json.jsonio import JsonValue
from ...content.text import count, visible
from ...presentation.report_pages import page_html
from ...presentation.server import as_json as server_json
from ...protocol.hints import Claim
from ...protocol.server_requests.capabilities import ELICITATION
from ...protocol.tool import ToolDefinition
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.samples import sample_arguments
from .checks import RULES
from .eras import Era, eras_of
from .reports import (
    consent_report,
    probe_problem,
    result_of,
    result_of_lost,
    result_of_missing,
    result_of_untried,
)
from .runs import AT_ONCE, LIMIT, RunSettings, with_sandbox
from .summary import exit_status, summary
from .tools import ConsentTrial, ToolConsent, ToolInput, trial, try_tool


@options
class ConsentOptions(NamedTuple):
    """Options of `consent`."""

    tools: str = opt(
        "--tools GLOB",
        "tools that should ask, separated by commas: 'delete_*,send_*' "
        "(default: call each tool once, and test those that ask)",
    )
    """Patterns of names with commas between; empty for every tool that asks."""
    inputs: str = opt(
        "--inputs FILE",
        "JSON file of arguments by tool; the second set of a tool is for the call with "
        "changed arguments; {scratch} in it is the path of the scratch folder (default: made from "
        "the schemas)",
    )
    limit: float = opt(
        "--call-limit S",
        f"cancel a call that has no end after S seconds (default: {LIMIT:g})",
        default=LIMIT,
        type=seconds,
        earlier="--limit",
    )
    reads: str = opt(
        "--reads GLOB",
        "read-only tools without arguments whose responses show what was done, called "
        "before and after each call (default: only resources are read)",
    )
    """Patterns of read-only tools whose responses are compared; empty for none."""
    accept: tuple[str, ...] = opt(
        "--accept CODE=REASON",
        "do not fail for the checks of this code; every report has them with the reason",
    )
    """`CODE=REASON`: checks that may be broken."""
    reports: FindingReports = within(FindingReports)
    approve: str = APPROVE
    person: str = PERSON_ASKED
    answer: str = ANSWER


def add(consent: Parser) -> None:
    on_server(consent, ConsentOptions, run_consent, watches=True, uses=WATCHES)


def run_consent(options: Options, wanted: ConsentOptions) -> int:
    """Play all people against the tools; returns the exit status."""
    if options.config.target.watch is None:
        raise UsageError("consent needs a server that Signoff starts: give its command, not --url")
    return run(_run(with_sandbox(options), wanted))


async def _run(options: Options, wanted: ConsentOptions) -> int:
    began = time.monotonic()
    accepts = read_accepts(wanted.accept)
    inputs, values = read_inputs(wanted.inputs), _accepted_values(wanted.answer)
    watch = options.config.target.watch
    assert watch is not None
    eras = await eras_of(options, watch, options.config.target.wire)
    if watch.why_not:
        tell(f"signoff: {watch.why_not}: {watch.method.sees}")
    every = list({one.name: one for era in eras for one in era.tools}.values())
    check_names(every, inputs)
    tools = wanted_tools(every, wanted.tools)
    # A person at the terminal gets one question at a time.
    at_once = 1 if wanted.approve == "ask" and not wanted.person else AT_ONCE
    settings = RunSettings(
        options,
        watch,
        lambda again: answering(options, again, wanted, is_alone=at_once == 1),
        values,
        wanted.limit,
        _probes(eras, wanted.reads),
        accepts,
        asyncio.Semaphore(at_once),
    )
    run = _Consent(options, wanted, eras, accepts)
    await run.try_all(tools, inputs, settings, at_once)
    run.report(time.monotonic() - began)
    return exit_status(run.found, eras, run.untried)


class _Consent:
    """Tries the tools, and reports what was found."""

    def __init__(
        self,
        options: Options,
        wanted: ConsentOptions,
        eras: Sequence[Era],
        accepts: Mapping[str, str],
    ) -> None:
        engine = next(one.engine for one in eras if one.engine is not None)
        self.found: list[ToolConsent] = []
        self.untried = 0
        """Tools that an interrupt left."""
        self._results: list[FlowResult] = []
        self._options, self._wanted, self._eras, self._accepts = options, wanted, eras, accepts
        self._hiding, self._rules = options.hiding(engine), engine.policy.name
        self._name = engine.server.name
        self._server = server_json(engine, self._hiding)
        for era in eras:
            if era.lost:
                self._tell(result_of_lost(era, self._name, self._rules, self._hiding))
            elif era.missing:
                self._tell(result_of_missing(era, self._name, self._rules, self._hiding))

    async def try_all(
        self,
        tools: Sequence[ToolDefinition],
        inputs: Mapping[str, Sequence[dict[str, JsonValue]]],
        settings: RunSettings,
        at_once: int,
    ) -> None:
        """Try so many tools at once, and print them in their order until an interrupt."""
        room = asyncio.Semaphore(at_once)

        async def tried(number: int, tool: ToolDefinition) -> list[ToolConsent]:
            async with room:
                trials = await self._trials(tool.name, inputs, settings)
                opened = sum(era.engine is not None for era in self._eras)
                is_only = len(trials) == 1 and opened > 1
                must_ask = bool(self._wanted.tools)
                with telling_if_slow(tool, number, len(tools), SLOW_SECONDS * at_once):
                    return await try_tool(trials, must_ask=must_ask, is_only=is_only)

        tasks = [asyncio.create_task(tried(*one)) for one in enumerate(tools, 1)]
        try:
            for task in tasks:
                self._take(await task)
        except asyncio.CancelledError:
            if (own := asyncio.current_task()) is not None:
                own.uncancel()
            tried_ones = {one.tool.name for one in self.found}
            left = [one for one in tools if one.name not in tried_ones]
            self.untried = len(left)
            for one in left:
                self._tell(result_of_untried(one, self._name, self._rules))
            tell(f"signoff: interrupted: {count(len(left), 'tool')} of {len(tools)} not tried")
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _trials(
        self,
        name: str,
        inputs: Mapping[str, Sequence[dict[str, JsonValue]]],
        settings: RunSettings,
    ) -> list[ConsentTrial]:
        """The tool in each era that lists it."""
        return [
            trial(settings, era, await _input(one, inputs.get(name, [])))
            for era in self._eras
            for one in era.tools
            if one.name == name
        ]

    def _take(self, found: Sequence[ToolConsent]) -> None:
        """Keep what was found of a tool, and print it if a count is not enough."""
        self.found += found
        for one in found:
            if one.problem or one.is_told:
                self._tell(result_of(one, self._name, self._rules, self._hiding))

    def _tell(self, result: FlowResult) -> None:
        self._results.append(result)
        if not (self._options.as_json or self._wanted.reports.markdown):
            print_flow(result)

    def report(self, took: float) -> None:
        """Write the files, and the summary or the JSON."""
        wanted, results, hiding = self._wanted, tuple(self._results), self._hiding
        reports = wanted.reports
        refusals = [hiding.said(one.not_offered) for one in self._eras if one.not_offered]
        lines = list(summary(self.found, self._eras, self._accepts, refusals, took, self.untried))
        page = page_of_results(results, "Consent", lines)
        if reports.junit:
            write_report("--junit", reports.junit, junit_xml("consent", results, took))
        if reports.html:
            write_report("--html", reports.html, page_html(page))
        status = int(exit_status(self.found, self._eras, self.untried))
        suites, tools = suites_of(results), len(self.found)
        write_sarif("consent", suites, reports.sarif, tools=tools, status=status)
        if self._options.as_json:
            print_json(
                consent_report(
                    self.found,
                    self._eras,
                    self._accepts,
                    self._server,
                    wanted.limit,
                    hiding,
                    self.untried,
                )
            )
        elif reports.markdown:
            print_markdown(page)
        else:
            for line in lines:
                say(line)


def _accepted_values(path: str) -> dict[str, JsonValue]:
    """The values of the first elicitation that the file of `--answer` accepts."""
    written = read_answers(path)[ELICITATION] if path else []
    accepted = (one.values for one in written if one.action == "accept" and one.values)
    return next(accepted, {})


def read_accepts(given: Sequence[str]) -> dict[str, str]:
    """Code -> reason of each `--accept`. Raises UsageError."""
    found: dict[str, str] = {}
    for one in given:
        code, _, reason = one.partition("=")
        code, reason = code.strip(), reason.strip()
        if code not in RULES:
            known = ", ".join(RULES)
            raise UsageError(
                f"--accept: no check is named “{visible(code)}”; the checks are {known}"
            )
        if not reason:
            raise UsageError(f"--accept {code}: give a reason: --accept '{code}=REASON'")
        if code in found:
            raise UsageError(f"--accept {code} is given twice")
        found[code] = reason
    return found


def _probes(eras: Sequence[Era], patterns: str) -> tuple[ToolDefinition, ...]:
    """The tools of `--reads`. Raises UsageError for one that cannot be a probe."""
    if not patterns:
        return ()
    found = [one for era in eras for one in era.tools if is_wanted(one, patterns)]
    if not found:
        raise UsageError(f"no tool matches --reads “{visible(patterns)}”")
    for tool in found:
        problem = probe_problem(tool)
        if tool.hints.read_only.claim is not Claim.TRUE:
            problem = "it is not declared read-only"
        if problem:
            raise UsageError(f"--reads: {tool.display_name}: {problem}")
    return tuple(found)


async def _input(tool: ToolDefinition, sets: Sequence[dict[str, JsonValue]]) -> ToolInput:
    arguments = sets[0] if sets else sample_arguments(tool.input_schema)
    checked = await judge_arguments_in_worker(tool.input_schema, arguments)
    problem = sample_problem(checked) if tool.callable else "it cannot be called"
    other = sets[1] if len(sets) > 1 else None
    return ToolInput(tool, arguments, other, problem, is_given=bool(sets))
