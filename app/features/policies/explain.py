"""`signoff policy explain`: the verdict on a tool or on a server's request, and its reasons."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...approval.policies.policy import Policy
from ...approval.policies.request_rules import case_of_request
from ...approval.policies.verdicts import Case
from ...calls.checks import argument_problems
from ...cli.command import on_server
from ...cli.options.arguments import assign, read_document
from ...cli.options.calling import TOOL_MISSING, ArgumentOptions
from ...cli.options.declared import opt, options, within
from ...cli.options.parser import DEMO, Parser
from ...cli.options.server import AS_JSON
from ...cli.options.session import JUDGES
from ...cli.output.printing import Hiding, print_error
from ...cli.output.readable import Out
from ...cli.targets.live import Options, find_tool, opened, print_json, run
from ...cli.targets.targets import UsageError
from ...content.json.jsonio import JsonValue
from ...presentation.exit_status import ExitStatus
from ...presentation.policies import (
    explain_json,
    explain_lines,
    explain_request_json,
    explain_request_lines,
)
from ...protocol.server_requests.capabilities import ELICITATION, ROOTS
from ...protocol.server_requests.elicitation import Elicitation, MalformedRequest, read_elicitation
from ...protocol.server_requests.sampling import Sampling, read_sampling
from ...sandbox.worker import judge_arguments_in_worker

if TYPE_CHECKING:
    pass


ASKED_BY_SERVER: Final = ("elicitation", "sampling", "roots")


@options
class ExplainOptions(NamedTuple):
    """The verdict on a tool, or on a server's request, and its reasons."""

    on: str = opt(
        "--on",
        "explain a request of the server, not a tool; --args are its params",
        choices=ASKED_BY_SERVER,
    )
    """The server's request: elicitation, sampling or roots; empty for a tool."""
    arguments: ArgumentOptions = within(
        ArgumentOptions,
        although_invalid="explain arguments that break the input schema, too; nothing is sent",
    )
    json: bool = AS_JSON


def add(explain: Parser) -> None:
    on_server(explain, ExplainOptions, run_explain, uses=JUDGES)
    explain.set_defaults(adjust_words=_adjust_subject)


def _adjust_subject(parser: Parser, given: argparse.Namespace, rest: list[str]) -> list[str]:
    """Find out if a tool or a server's request is to be explained."""
    if given.on and given.tool == DEMO and given.bundled is None:
        given.tool, given.bundled = "", DEMO
    if not given.on:
        if not given.tool:
            parser.error(TOOL_MISSING)
        return rest
    if given.tool or given.assign:
        what = "-a" if given.assign else "TOOL"
        parser.error(f"--on explains a request of the server, not a tool: remove {what}")
    given.tool = ""
    return rest


def run_explain(options: Options, wanted: ExplainOptions) -> int:
    """Explain the verdict on a tool, or on a server's request; returns the exit status."""
    arguments = wanted.arguments
    if wanted.on:
        return run_explain_request(options, wanted.on, arguments.args)
    return run_explain_tool(options, arguments)


def run_explain_tool(options: Options, wanted: ArgumentOptions) -> int:
    """The verdict on a tool with arguments, the rule that fired, and those that did not."""
    given = bool(wanted.args or wanted.assign)
    document = read_document(wanted.args) if wanted.args else {}
    return run(_explain_tool(options, wanted, document if given else None))


async def _explain_tool(
    options: Options, wanted: ArgumentOptions, document: dict[str, Any] | None
) -> int:
    async with opened(options) as engine:
        tool = find_tool(engine, wanted.tool)
        await engine.compared()
        arguments, problems = None, []
        if document is not None:
            arguments = assign(
                tool, document, wanted.assign, although_invalid=wanted.although_invalid
            )
            checked = await judge_arguments_in_worker(tool.input_schema, arguments)
            problems = argument_problems(checked)
        case: Case = await engine.tried(tool, arguments, problems)
        policy, problem = (
            engine.policy,
            engine.memory.problem if options.config.keeps_memory else "",
        )
        hiding = options.hiding(engine, tool, arguments)
    if options.as_json:
        print_json(explain_report(policy, case, hiding))
    else:
        out = Out(hiding)
        out.sheet(explain_lines(policy, case, hiding.arguments))
        out.masked()
    if problem:
        print_error(f"nothing is remembered: {problem}")
    return ExitStatus.OK


def explain_report(policy: Policy, case: Case, hiding: Hiding) -> dict[str, Any]:
    """Return the verdict on a call as JSON, without secrets."""
    report = explain_json(policy, case)
    report["judged_by"]["arguments"] = hiding.arguments
    parts = {name: hiding.value(report[name]) for name in ("verdict", "rules")}
    problems = hiding.value(report["judged_by"]["argument_problems"])
    judged_by = {**report["judged_by"], "argument_problems": problems}
    return {**report, **parts, "judged_by": judged_by, "masked": hiding.report()}


_EMPTY: Final[dict[str, dict[str, JsonValue]]] = {
    "elicitation": {"message": "", "requestedSchema": {"type": "object", "properties": {}}},
    "sampling": {"messages": []},
    "roots": {},
}
"""The request that is judged without params: a form without fields, a model without tools."""


def run_explain_request(options: Options, on: str, params: str) -> int:
    """The verdict, the rule that fired, and those that did not. Raises UsageError."""
    asked = read_request(on, read_document(params) if params else _EMPTY[on])
    return run(_explain_request(options, asked))


def read_request(on: str, params: dict[str, JsonValue]) -> Elicitation | Sampling | None:
    """The request that has these params; None for one of roots. Raises UsageError."""
    try:
        if on == ROOTS:
            return None
        return read_elicitation(params) if on == ELICITATION else read_sampling(params)
    except MalformedRequest as problem:
        raise UsageError(f"--args: it is {problem}") from None


async def _explain_request(options: Options, asked: Elicitation | Sampling | None) -> int:
    async with opened(options) as engine:
        case = case_of_request(asked, engine.server.name, engine.server.trust)
        policy = engine.policy
    if options.as_json:
        print_json(explain_request_json(policy, case))
    else:
        Out(options.hiding(engine)).sheet(explain_request_lines(policy, case))
    return ExitStatus.OK
