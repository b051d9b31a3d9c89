"""`signoff tools`: the tools of a server, with hints and verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...headless.exit_status import ExitStatus
from ...headless.live import (
    Options,
    opened,
    print_json,
    run,
    tell_trust,
)
from ...headless.readable import print_tools
from ...headless.reports import tools_report
from ..command import NoOptions, on_server
from ..options.parser import Parser
from ..options.server import add_bundled, add_json

if TYPE_CHECKING:
    pass


def add(tools: Parser) -> None:
    add_json(tools)
    add_bundled(tools)
    on_server(tools, NoOptions, run_tools)


def run_tools(options: Options, wanted: NoOptions) -> int:
    """List the tools; returns the exit status."""
    return run(_tools(options))


async def _tools(options: Options) -> int:
    async with opened(options) as engine:
        # The verdicts go by what was listed and approved before.
        await engine.compared()
        tell_trust(options, engine.trust_effect())
        if options.as_json:
            print_json(tools_report(engine, options.hiding(engine)))
        else:
            print_tools(engine, options.hiding(engine))
    return ExitStatus.OK
