"""`signoff tasks`: the tasks that a server keeps, whoever began them."""

from __future__ import annotations

import time
from typing import Any

from ...content.text import count, visible
from ...engine.engine import Bench
from ...engine.task_list import TaskBook, TaskListing
from ...headless.exit_status import ExitStatus
from ...headless.hiding import Hiding
from ...headless.live import Options, opened, print_json, run
from ...headless.readable import Out, finding_line
from ...headless.reports import server_report
from ...protocol.answers.task_states import TaskState


def run_tasks(options: Options) -> int:
    """List the tasks; returns the exit status."""
    return run(_listed(options))


async def _listed(options: Options) -> int:
    async with opened(options) as bench:
        listing = await TaskBook(bench).list()
        if options.as_json:
            print_json(_report(bench, options.hiding(bench), listing))
        else:
            _print(bench, options.hiding(bench), listing)
        return ExitStatus.LOST if listing.is_lost else ExitStatus.OK


def _report(bench: Bench, hiding: Hiding, listing: TaskListing) -> dict[str, Any]:
    findings = (*listing.findings, *bench.observed.complete())
    return {
        "server": server_report(bench, hiding),
        "has_list": bench.server.lists_tasks,
        "tasks": hiding.value([_entry(one.state) for one in listing.tasks]),
        "findings": hiding.value([finding.as_json() for finding in findings]),
        "masked": hiding.report(),
    }


def _entry(task: TaskState) -> dict[str, Any]:
    return {
        **task.as_json(),
        "created": task.created or None,
        "updated": task.updated or None,
        "ttl": task.ttl,
        "seconds_left": task.left(time.time()),
        "entry": task.raw,
    }


def _print(bench: Bench, hiding: Hiding, listing: TaskListing) -> None:
    out = Out(hiding)
    out.line(("server   ", "dim"), (visible(bench.server.name), "bold"))
    words = count(len(listing.tasks), "task")
    if not bench.server.lists_tasks:
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
    for finding in (*listing.findings, *bench.observed.doubts()):
        finding_line(out, finding)
