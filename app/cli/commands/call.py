"""`signoff call`: one call of a tool, or a few of the same."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...content.json.jsonio import JsonValue
from ...headless.arguments import (
    InvalidArguments,
    Problem,
    assign,
    mismatches,
    preset,
    read_document,
)
from ...headless.live import (
    Options,
    find_tool,
    opened,
    print_json,
    run,
)
from ...headless.model_views import hosts_named
from ...headless.reports import invalid_report
from ...headless.targets import UsageError
from ...protocol.tool import ToolDefinition
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.schema import Answer as SchemaAnswer
from ..calling import answering, make_call
from ..command import on_server
from ..options.calling import TOOL_MISSING, ArgumentOptions, add_approve, add_arguments, add_tool
from ..options.parser import Parser, number_up_to
from ..options.server import DEMO, add_bundled, add_json
from .call_series import CallSeries, call_pages, call_twice

if TYPE_CHECKING:
    from ...analysis.model_view.table import ModelHost


MAX_PAGES: Final = 1_000
"""Pages that one command asks for: a server may have no end of them."""


class CallOptions(NamedTuple):
    """Make one call, or a few of the same."""

    arguments: ArgumentOptions
    approve: str
    """Who answers questions: ask, policy, always or never."""
    answer: str
    """The file of replies to the server's requests; empty for none."""
    preset: str
    """Arguments that were kept under a name; empty where none are wanted."""
    pages: int
    """How many pages of the answer to ask for; 0: there is one call."""
    page_parameter: str
    """The parameter for the cursor of a page; empty if its name shows it."""
    twice: bool
    """Make it twice, and compare the answers."""
    person: str = ""
    """The simulated person for every question: `slow:30`."""
    model_view: str = ""
    """Ids of hosts whose models' view of the response is printed; empty for none."""


def add(call: Parser) -> None:
    add_tool(call)
    call.add_argument(
        "--tool",
        dest="dashed_tool",
        metavar="NAME",
        help="the name of the tool, if it begins with -",
    )
    add_bundled(call)
    add_arguments(call)
    call.add_argument(
        "--preset",
        default="",
        metavar="NAME",
        help="use the arguments of a preset; -a overrides it",
    )
    add_json(call)
    add_approve(call)
    several = call.add_mutually_exclusive_group()
    several.add_argument(
        "--pages",
        type=number_up_to(MAX_PAGES),
        default=0,
        metavar="N",
        help="request up to N pages of the result, each with a call of its own, and check them",
    )
    several.add_argument(
        "--twice",
        action="store_true",
        help="call twice, and check the idempotentHint against both answers",
    )
    call.add_argument(
        "--page-parameter",
        default="",
        metavar="NAME",
        help="parameter that takes the page cursor, if it cannot be guessed",
    )
    call.add_argument(
        "--model-view",
        default="",
        metavar="HOST,...",
        help="show the text that the models of these hosts would get of the response, and the lost "
        "parts: all, or ids such as codex,cline",
    )
    on_server(call, CallOptions, run_call)
    call.set_defaults(adjust_words=_adjust_tool)


def _adjust_tool(parser: Parser, given: argparse.Namespace, rest: list[str]) -> list[str]:
    """One name of a tool: as a word, or by `--tool` if that word would look like an option."""
    if given.dashed_tool is None:
        if given.tool is None:
            parser.error(TOOL_MISSING)
        return rest
    if given.tool == DEMO and given.bundled is None:
        given.tool, given.bundled = None, DEMO
    if given.tool is not None:
        parser.error("give the tool once: TOOL or --tool NAME")
    # Up to Python 3.12 argparse drops a value that is two dashes, even after a `=`.
    given.tool = "--" if given.dashed_tool == [] else given.dashed_tool
    return rest


def run_call(options: Options, call: CallOptions) -> int:
    """Make one call; returns the exit status."""
    document = call.arguments.args
    if call.preset and document:
        raise UsageError("--preset and --args both give all arguments: leave out one")
    if call.page_parameter and not call.pages:
        raise UsageError("--page-parameter needs --pages N")
    if call.model_view and (call.pages or call.twice):
        raise UsageError("--model-view is for one call: leave out --pages and --twice")
    hosts = hosts_named(call.model_view)
    return run(_call(options, call, read_document(document) if document else {}, hosts))


async def _call(
    options: Options,
    wanted: CallOptions,
    document: dict[str, Any],
    hosts: tuple[ModelHost, ...],
) -> int:
    assignments, is_meant = wanted.arguments.assign, wanted.arguments.although_invalid
    async with opened(options) as engine:
        tool = find_tool(engine, wanted.arguments.tool)
        if wanted.preset:
            document = preset(engine, tool, wanted.preset, assignments)
        try:
            if is_meant:
                arguments = assign(tool, document, assignments, although_invalid=True)
            else:
                arguments = await _valid(tool, document, assignments)
        except InvalidArguments as problem:
            if options.as_json:
                hiding = options.hiding(engine, tool, problem.arguments)
                print_json(invalid_report(engine, tool, problem, hiding))
            raise
        if not (wanted.pages or wanted.twice):
            return await make_call(
                options,
                engine,
                wanted,
                lambda: engine.call(tool, arguments, although_invalid=is_meant),
                hosts,
            )
        series = CallSeries(options, engine, tool, arguments, although_invalid=is_meant)
        with answering(options, engine, wanted):
            if wanted.twice:
                return await call_twice(series)
            return await call_pages(series, wanted.pages, wanted.page_parameter)


async def _valid(
    tool: ToolDefinition, document: dict[str, Any], assignments: Sequence[str]
) -> dict[str, JsonValue]:
    """The arguments; ones that could not be checked are accepted, since the call asks then.

    Raises InvalidArguments with all problems: of the assignments, and of the whole.
    """
    problems: tuple[Problem, ...] = ()
    try:
        arguments = assign(tool, document, assignments)
    except InvalidArguments as problem:
        problems, arguments = problem.problems, problem.arguments
    checked = await judge_arguments_in_worker(tool.input_schema, arguments)
    if problems or checked.answer is SchemaAnswer.INVALID:
        named = {one.path for one in problems}
        others = [one for one in mismatches(tool, checked) if one.path not in named]
        raise InvalidArguments(tool, [*problems, *others], arguments, checked.more)
    return arguments
