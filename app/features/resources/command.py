"""`signoff resources`, `prompts` and `tasks`: lists of a server's offers beside tools."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from ...cli.command import NoOptions, on_open, on_server
from ...cli.options.declared import add_options
from ...cli.options.parser import Parser
from ...cli.options.server import OutputOptions
from ...cli.options.session import LISTS
from ...cli.output.printing import Hiding
from ...cli.output.readable import Out, finding_line
from ...cli.targets.live import Options, print_json
from ...content.text import count, visible
from ...content.texts.sheet_line import labelled
from ...engine.engine import Engine
from ...engine.task_list import TaskBook, TaskListing
from ...presentation.exit_status import ExitStatus
from ...presentation.server import as_json as server_json
from ...protocol.resources.offers import Offer, OfferKind
from ...transport.protocol import MODERN
from .tasks import task_json, task_lines
from .words import INDENT, offer_json, offer_lines

_TEXT_MAX: Final = 300
"""Characters of a description in a list for people."""


def add_resources(parser: Parser) -> None:
    _add_list(parser, run_resources)


def add_prompts(parser: Parser) -> None:
    _add_list(parser, run_prompts)


def add_tasks(parser: Parser) -> None:
    _add_list(parser, run_tasks)


def _add_list(parser: Parser, work: Callable[[Options, NoOptions], int]) -> None:
    add_options(parser, OutputOptions, names=("json",))
    on_server(parser, NoOptions, work, uses=LISTS)


@on_open
async def run_resources(options: Options, engine: Engine, wanted: NoOptions) -> int:
    """List resources and templates; returns the exit status."""
    return await _listed(options, engine, (OfferKind.RESOURCE, OfferKind.TEMPLATE))


@on_open
async def run_prompts(options: Options, engine: Engine, wanted: NoOptions) -> int:
    """List the prompts; returns the exit status."""
    return await _listed(options, engine, (OfferKind.PROMPT,))


async def _listed(options: Options, engine: Engine, kinds: Sequence[OfferKind]) -> int:
    await engine.offers.listed()
    if options.as_json:
        print_json(_report(engine, options.hiding(engine), kinds))
    else:
        _print(engine, options, kinds)
    return ExitStatus.OK


def _report(engine: Engine, hiding: Hiding, kinds: Sequence[OfferKind]) -> dict[str, Any]:
    lists = {kind.plural: [offer_json(one) for one in engine.offers.of(kind)] for kind in kinds}
    findings = (*engine.offers.findings, *engine.observed.complete())
    return {
        "server": server_json(engine, hiding),
        **hiding.value(lists),
        "findings": hiding.value([finding.as_json() for finding in findings]),
        "masked": hiding.report(),
    }


def _print(engine: Engine, options: Options, kinds: Sequence[OfferKind]) -> None:
    out = Out(options.hiding(engine))
    out.line(("server   ", "dim"), (visible(engine.server.name), "bold"))
    listed = {kind: _rows(engine, options, kind) for kind in kinds}
    words = ", ".join(_counted(kind, listed[kind], engine.offers.of(kind)) for kind in kinds)
    out.line(("         ", ""), (words, "dim"))
    for kind in kinds:
        for number, offer in listed[kind]:
            out.blank()
            if number and kind is not OfferKind.TEMPLATE:
                out.sheet((labelled("number", INDENT, (number, "strong")),))
            out.sheet(offer_lines(offer, text_max=_TEXT_MAX))
    for finding in (*engine.offers.findings, *engine.observed.doubts()):
        finding_line(out, finding)


def _rows(engine: Engine, options: Options, kind: OfferKind) -> list[tuple[str, Offer]]:
    offers = engine.offers.of(kind)
    return options.rows(kind.word, offers, lambda one: one.key, lambda one: one.search_text)


def _counted(kind: OfferKind, rows: Sequence[object], offers: Sequence[object]) -> str:
    """`9 resources`, or `1 of 9 resources` if not all are listed."""
    words = count(len(offers), kind.word)
    return words if len(rows) == len(offers) else f"{len(rows):,} of {words}"


@on_open
async def run_tasks(options: Options, engine: Engine, wanted: NoOptions) -> int:
    """List the tasks; returns the exit status."""
    listing = await TaskBook(engine).list()
    if options.as_json:
        print_json(_task_report(engine, options.hiding(engine), listing))
    else:
        _print_tasks(engine, options.hiding(engine), listing)
    return ExitStatus.LOST if listing.is_lost else ExitStatus.OK


def _task_report(engine: Engine, hiding: Hiding, listing: TaskListing) -> dict[str, Any]:
    findings = (*listing.findings, *engine.observed.complete())
    now = time.time()
    return {
        "server": server_json(engine, hiding),
        "has_list": engine.server.lists_tasks,
        "tasks": hiding.value([task_json(one.state, now) for one in listing.tasks]),
        "findings": hiding.value([finding.as_json() for finding in findings]),
        "masked": hiding.report(),
    }


def _print_tasks(engine: Engine, hiding: Hiding, listing: TaskListing) -> None:
    out = Out(hiding)
    out.line(("server   ", "dim"), (visible(engine.server.name), "bold"))
    words = count(len(listing.tasks), "task")
    if not engine.server.lists_tasks:
        words = "this server does not declare tasks/list"
        if engine.server.version == MODERN:
            words = f"{engine.server.version} has no request for a list of tasks"
    out.line(("         ", ""), (words, "dim"))
    now = time.time()
    for task in listing.tasks:
        out.blank()
        out.sheet(task_lines(task, now))
    for finding in (*listing.findings, *engine.observed.doubts()):
        finding_line(out, finding)
