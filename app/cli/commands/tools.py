"""`signoff tools`: the tools of a server, or of several, with hints and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...presentation.exit_status import ExitStatus
from ..command import NoOptions, on_open, on_server
from ..options.declared import add_options
from ..options.parser import Parser
from ..options.server import OutputOptions
from ..options.session import JUDGES
from ..output.printing import say
from ..output.readable import Out, print_tools
from ..output.reports import tools_report
from ..targets.live import Options, print_json, run, tell_trust

if TYPE_CHECKING:
    from ...approval.combinations import ServerTool
    from ...approval.policies.verdicts import Verdict
    from ...engine.engine import Engine
    from ...protocol.tool import ToolDefinition
    from ..output.printing import Hiding
    from ..targets.live import ServerResult, SeveralOptions


def add(tools: Parser) -> None:
    add_options(tools, OutputOptions, names=("json",))
    on_server(tools, NoOptions, run_tools, several=run_on_several, uses=JUDGES)


@on_open
async def run_tools(options: Options, engine: Engine, wanted: NoOptions) -> int:
    """List the tools; returns the exit status."""
    # The verdicts go by what was listed and approved before.
    await engine.compared()
    tell_trust(options, engine.trust_effect())
    if options.as_json:
        print_json(tools_report(engine, options.hiding(engine)))
    else:
        print_tools(engine, options.hiding(engine), options.tool_rows)
    return ExitStatus.OK


class _Listed(NamedTuple):
    """The tools of one of several servers, taken while it ran."""

    tools: tuple[ToolDefinition, ...]
    report: dict[str, Any]
    verdicts: dict[int, Verdict]
    hiding: Hiding


def run_on_several(several: SeveralOptions, wanted: NoOptions) -> int:
    """List the tools of each server, then what they could do together."""
    return run(_of_several(several))


async def _of_several(several: SeveralOptions) -> int:
    from ..targets.live import on_each, print_problems, status_of_all

    async def listed(engine: Engine, options: Options) -> _Listed:
        await engine.compared()
        tell_trust(options, engine.trust_effect())
        hiding = options.hiding(engine)
        if not several.as_json:
            # In the order in which they come: a slow server holds no other up.
            print_tools(engine, hiding)
            say("")
        verdicts = {tool.index: engine.verdict(tool) for tool in engine.tools}
        return _Listed(engine.tools, tools_report(engine, hiding), verdicts, hiding)

    results = await on_each(several.servers, listed)
    if several.as_json:
        print_json(_several_json(results))
    else:
        _print_together(results)
        print_problems(results)
    return status_of_all(results)


def _several_json(results: Sequence[ServerResult[_Listed]]) -> dict[str, Any]:
    from ...approval.combinations import combine, namesakes
    from ...presentation.combinations import combinations_json

    lists = _lists(results)
    return {
        "servers": [
            one.as_json() if one.result is None else {"name": one.name, **one.result.report}
            for one in results
        ],
        "namesakes": {name: list(where) for name, where in namesakes(lists).items()},
        "combinations": combinations_json(combine(lists), _judge(results)),
    }


def _lists(
    results: Sequence[ServerResult[_Listed]],
) -> list[tuple[str, tuple[ToolDefinition, ...]]]:
    return [(one.name, one.result.tools) for one in results if one.result is not None]


def _judge(results: Sequence[ServerResult[_Listed]]) -> Callable[[ServerTool], Verdict]:
    by_name = {one.name: one.result for one in results if one.result is not None}
    return lambda one: by_name[one.server].verdicts[one.tool.index]


def _print_together(results: Sequence[ServerResult[_Listed]]) -> None:
    from ...approval.combinations import combine, namesakes
    from ...content.text import shortened
    from ...presentation.combinations import combination_lines

    lists = _lists(results)
    if not lists:
        return
    for name, where in namesakes(lists).items():
        say(f"same name: {shortened(name, 60)} is a tool of {', '.join(where)}")
    hiding = next(one.result.hiding for one in results if one.result is not None)
    Out(hiding).sheet(combination_lines(combine(lists), _judge(results)))
