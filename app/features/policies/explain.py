"""`signoff policy explain`: the verdict on a tool or on a server's request, and its reasons."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...approval.policies.policy import Policy
from ...approval.policies.request_rules import case_of_request
from ...approval.policies.verdicts import Case
from ...calls.checks import argument_problems
from ...cli.command import OnOpen, on_server
from ...cli.options.arguments import assign, read_document
from ...cli.options.calling import TOOL_MISSING, ArgumentOptions
from ...cli.options.declared import opt, options, within
from ...cli.options.parser import DEMO, Parser
from ...cli.options.server import AS_JSON
from ...cli.options.session import JUDGES
from ...cli.output.printing import Hiding, print_error
from ...cli.output.readable import Out
from ...cli.targets.live import Options, find_tool, print_json
from ...cli.targets.targets import UsageError
from ...content.json.jsonio import JsonValue
from ...engine.engine import Engine
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
class PolicyExplainOptions(NamedTuple):
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
    on_server(explain, PolicyExplainOptions, run_explain, uses=JUDGES)
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


class _Tool(NamedTuple):
    """A tool to be explained; `document` is None without arguments."""

    wanted: ArgumentOptions
    document: dict[str, Any] | None


class _Request(NamedTuple):
    """A server's request to be explained; None is one of roots."""

    asked: Elicitation | Sampling | None


def _ready(wanted: PolicyExplainOptions) -> _Tool | _Request:
    arguments = wanted.arguments
    given = arguments.args
    if wanted.on:
        return _Request(
            read_request(wanted.on, read_document(given) if given else _EMPTY[wanted.on])
        )
    document = read_document(given) if given else {}
    return _Tool(arguments, document if given or arguments.assign else None)


async def _explain(options: Options, engine: Engine, subject: _Tool | _Request) -> int:
    """The verdict on a tool or a request, the rule that fired, and those that did not."""
    if isinstance(subject, _Request):
        return _explain_request(options, engine, subject.asked)
    wanted, document = subject
    tool = find_tool(engine, wanted.tool)
    await engine.compared()
    arguments, problems = None, []
    if document is not None:
        arguments = assign(tool, document, wanted.assign, although_invalid=wanted.although_invalid)
        checked = await judge_arguments_in_worker(tool.input_schema, arguments)
        problems = argument_problems(checked)
    case: Case = await engine.tried(tool, arguments, problems)
    problem = engine.memory.problem if options.config.keeps_memory else ""
    hiding = options.hiding(engine, tool, arguments)
    if options.as_json:
        print_json(explain_report(engine.policy, case, hiding))
    else:
        out = Out(hiding)
        out.sheet(explain_lines(engine.policy, case, hiding.arguments))
        out.masked()
    if problem:
        print_error(f"nothing is remembered: {problem}")
    return ExitStatus.OK


run_explain = OnOpen(_explain, before=_ready)
"""Explain the verdict on a tool, or on a server's request; returns the exit status."""


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


def read_request(on: str, params: dict[str, JsonValue]) -> Elicitation | Sampling | None:
    """The request that has these params; None for one of roots. Raises UsageError."""
    try:
        if on == ROOTS:
            return None
        return read_elicitation(params) if on == ELICITATION else read_sampling(params)
    except MalformedRequest as problem:
        raise UsageError(f"--args: it is {problem}") from None


def _explain_request(options: Options, engine: Engine, asked: Elicitation | Sampling | None) -> int:
    case = case_of_request(asked, engine.server.name, engine.server.trust)
    policy = engine.policy
    if options.as_json:
        print_json(explain_request_json(policy, case))
    else:
        Out(options.hiding(engine)).sheet(explain_request_lines(policy, case))
    return ExitStatus.OK
