"""`signoff resources`, `prompts` and `tasks`: lists of a server's offers beside tools."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from ...content.suggest import did_you_mean
from ...content.text import count, cut, visible
from ...engine.engine import Engine
from ...engine.task_list import TaskBook, TaskListing
from ...headless.exit_status import ExitStatus
from ...headless.hiding import Hiding
from ...headless.live import Options, opened, print_json, run
from ...headless.readable import Out, finding_line
from ...headless.reports import server_report
from ...protocol.answers.blocks import annotation_words
from ...protocol.answers.links import look_at, size_words
from ...protocol.answers.task_states import TaskState
from ...protocol.resources.offers import Kind, Offer, Prompt, Resource, ResourceTemplate
from ..command import NoOptions, on_server
from ..options.parser import Parser
from ..options.server import add_bundled, add_json

_SAID: Final = 300
"""Characters of a description in a list for people."""


def add_resources(parser: Parser) -> None:
    _add_list(parser, run_resources)


def add_prompts(parser: Parser) -> None:
    _add_list(parser, run_prompts)


def add_tasks(parser: Parser) -> None:
    _add_list(parser, run_tasks)


def _add_list(parser: Parser, work: Callable[[Options, NoOptions], int]) -> None:
    add_json(parser)
    add_bundled(parser)
    on_server(parser, NoOptions, work)


def run_resources(options: Options, wanted: NoOptions) -> int:
    """List resources and templates; returns the exit status."""
    return run(_listed(options, (Kind.RESOURCE, Kind.TEMPLATE)))


def run_prompts(options: Options, wanted: NoOptions) -> int:
    """List the prompts; returns the exit status."""
    return run(_listed(options, (Kind.PROMPT,)))


def faults_of(prompt: Prompt, given: dict[str, str]) -> list[str]:
    """Each way in which arguments are not those of the prompt, as an indented line."""
    known = {one.name for one in prompt.arguments}
    missing = [one.name for one in prompt.arguments if one.is_required and one.name not in given]
    unknown = [name for name in given if name not in known]
    faults = [f"  “{visible(name)}” is missing" for name in missing]
    faults += [
        f"  the prompt has no argument “{visible(cut(name, 60).text)}”"
        f"{did_you_mean(name, sorted(known), 1)}"
        for name in unknown
    ]
    return faults


async def _listed(options: Options, kinds: Sequence[Kind]) -> int:
    async with opened(options) as engine:
        await engine.offers.listed()
        if options.as_json:
            print_json(_report(engine, options.hiding(engine), kinds))
        else:
            _print(engine, options.hiding(engine), kinds)
    return ExitStatus.OK


def _report(engine: Engine, hiding: Hiding, kinds: Sequence[Kind]) -> dict[str, Any]:
    lists = {kind.plural: [_entry(one) for one in engine.offers.of(kind)] for kind in kinds}
    findings = (*engine.offers.findings, *engine.observed.complete())
    return {
        "server": server_report(engine, hiding),
        **hiding.value(lists),
        "findings": hiding.value([finding.as_json() for finding in findings]),
        "masked": hiding.report(),
    }


def _entry(offer: Offer) -> dict[str, Any]:
    found: dict[str, Any] = {"name": offer.name, "title": offer.title or None}
    if isinstance(offer, Resource):
        found["uri"] = offer.uri
    elif isinstance(offer, ResourceTemplate):
        found["uri_template"] = offer.uri_template
        template = offer.template
        found["variables"] = [one.name for one in template.variables] if template else None
    else:
        found["arguments"] = [
            {"name": one.name, "required": one.is_required} for one in offer.arguments
        ]
    return found | {
        "entry": offer.raw,
        "findings": [finding.as_json() for finding in offer.findings],
    }


def _print(engine: Engine, hiding: Hiding, kinds: Sequence[Kind]) -> None:
    out = Out(hiding)
    out.line(("server   ", "dim"), (visible(engine.server.name), "bold"))
    words = ", ".join(count(len(engine.offers.of(kind)), kind.word) for kind in kinds)
    out.line(("         ", ""), (words, "dim"))
    for kind in kinds:
        for offer in engine.offers.of(kind):
            out.blank()
            _print_offer(out, offer)
    for finding in (*engine.offers.findings, *engine.observed.doubts()):
        finding_line(out, finding)


def _print_offer(out: Out, offer: Offer) -> None:
    head = offer.display_name if isinstance(offer, Prompt) else visible(offer.key)
    out.line((head, "bold"))
    names = [] if isinstance(offer, Prompt) else [("name", offer.display_name)]
    rows = [*names, ("title", visible(offer.title)), *_rows(offer)]
    rows += [("says", visible(cut(offer.description, _SAID).text))]
    rows += [("icon", icon.words) for icon in offer.icons]
    for label, words in rows:
        if words:
            out.line((f"  {label:<8}  ", "dim"), (words, ""))
    for finding in offer.findings:
        finding_line(out, finding)


def _rows(offer: Offer) -> list[tuple[str, str]]:
    """Facts about one kind alone; safe to show."""
    if isinstance(offer, Prompt):
        return [
            (
                "needs" if one.is_required else "takes",
                visible(cut(f"{one.name}  {one.description}".strip(), _SAID).text),
            )
            for one in offer.arguments
        ]
    rows = [
        ("type", visible(offer.mime)),
        ("said", " · ".join(annotation_words(offer.annotations))),
    ]
    if isinstance(offer, Resource):
        rows.append(("size", size_words(offer.size)[0]))
        rows += [("caution", caution) for caution in look_at(offer.uri).cautions]
    elif offer.template is not None:
        rows.append(("takes", ", ".join(visible(one.name) for one in offer.template.variables)))
    return rows


def run_tasks(options: Options, wanted: NoOptions) -> int:
    """List the tasks; returns the exit status."""
    return run(_listed_tasks(options))


async def _listed_tasks(options: Options) -> int:
    async with opened(options) as engine:
        listing = await TaskBook(engine).list()
        if options.as_json:
            print_json(_task_report(engine, options.hiding(engine), listing))
        else:
            _print_tasks(engine, options.hiding(engine), listing)
        return ExitStatus.LOST if listing.is_lost else ExitStatus.OK


def _task_report(engine: Engine, hiding: Hiding, listing: TaskListing) -> dict[str, Any]:
    findings = (*listing.findings, *engine.observed.complete())
    return {
        "server": server_report(engine, hiding),
        "has_list": engine.server.lists_tasks,
        "tasks": hiding.value([_task_entry(one.state) for one in listing.tasks]),
        "findings": hiding.value([finding.as_json() for finding in findings]),
        "masked": hiding.report(),
    }


def _task_entry(task: TaskState) -> dict[str, Any]:
    return {
        **task.as_json(),
        "created": task.created or None,
        "updated": task.updated or None,
        "ttl": task.ttl,
        "seconds_left": task.left(time.time()),
        "entry": task.raw,
    }


def _print_tasks(engine: Engine, hiding: Hiding, listing: TaskListing) -> None:
    out = Out(hiding)
    out.line(("server   ", "dim"), (visible(engine.server.name), "bold"))
    words = count(len(listing.tasks), "task")
    if not engine.server.lists_tasks:
        words = "it does not say that it has a list of tasks (tasks/list of 2025-11-25)"
    out.line(("         ", ""), (words, "dim"))
    now = time.time()
    for task in listing.tasks:
        state = task.state
        out.blank()
        out.line((visible(state.id), "bold"))
        rows = (
            ("status", state.words),
            ("says", state.message),
            ("created", state.created),
            ("updated", state.updated),
            ("kept", state.kept_words(now)),
        )
        for label, said in rows:
            if said:
                out.line((f"  {label:<8}  ", "dim"), (said, ""))
    for finding in (*listing.findings, *engine.observed.doubts()):
        finding_line(out, finding)
