"""`signoff matrix --here` and `--all`: the hosts of this machine, and what runs without asking."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...approval.matrix import Matrix
from ...approval.policies.policy import Policy
from ...cli.output.printing import say
from ...cli.output.report_files import write_page
from ...cli.targets.hosts_here import hosts_here
from ...cli.targets.live import (
    Options,
    ServerResult,
    SeveralOptions,
    on_each,
    print_json,
    print_problems,
    status_of_all,
    status_with_list,
)
from ...content.frozen import frozen
from ...content.text import count
from ...engine.session_config import Target
from ...hosts.approvals.as_configured import ConfiguredColumn, RunsUnasked, runs_here
from ...hosts.approvals.edits import Edit, Patch, patch_of
from ...hosts.files.discovery import place_words, read_bytes
from ...hosts.files.problems import ConfigProblem
from ...hosts.files.reading import format_of
from ...hosts.files.servers import FileReport, Machine
from ...protocol.tool import ToolDefinition
from .here import Patches, here_html, here_json, here_lines, here_markdown
from .here_overview import RunningHere, overview_html, overview_lines
from .page import matrices_html
from .words import matrix_json, matrix_lines, matrix_markdown

if TYPE_CHECKING:
    from ...engine.engine import Engine


@frozen
class Here:
    """One server in the files of this machine."""

    columns: tuple[ConfiguredColumn, ...]
    runs: tuple[RunsUnasked, ...]
    patches: Patches
    machine: Machine
    hosts: tuple[Policy, ...]
    """The rules of the hosts that have it, as they are without any settings."""

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The columns of the matrix."""
        return tuple(one.policy for one in self.columns)

    @property
    def beside_models(self) -> tuple[Policy, ...]:
        """Each column after the rules of its host."""
        found: dict[str, Policy] = {}
        for one in self.columns:
            known = next((each for each in self.hosts if each.name == one.server.host), None)
            found |= {each.name: each for each in (known, one.policy) if each is not None}
        return tuple(found.values())


def read_here(tools: Sequence[ToolDefinition], target: Target) -> Here:
    """Read the files of all hosts and find the server in them; nothing is started."""
    found = hosts_here(tools, target)
    runs = runs_here(tools, found.columns)
    having = {one.server.host for one in found.columns}
    there = tuple(one for one in found.hosts if one.name in having)
    return Here(found.columns, tuple(runs), _patches(found.files), found.machine, there)


def _patches(files: Sequence[FileReport]) -> Patches:
    reports = {file.file: file for file in files}
    made: dict[tuple[str, Edit], Patch] = {}

    def patch(path: str, edit: Edit) -> Patch:
        if (path, edit) not in made:
            made[path, edit] = _patch(reports[path], edit)
        return made[path, edit]

    return patch


def _patch(file: FileReport, edit: Edit) -> Patch:
    data = read_bytes(file.file, file.root or os.path.dirname(file.file))
    if isinstance(data, ConfigProblem):
        return Patch("", data.message)
    if file.has_changed(data):
        return Patch("", "the file has changed since it was read")
    if b"\r\n" in data:
        return Patch("", "the lines of the file end as on Windows: edit it by hand")
    return patch_of(file.file, data.decode("utf-8-sig"), format_of(file.file), edit)


@frozen
class ServerMatrix:
    """The matrix of one server, and what its hosts do here if that was asked for."""

    matrix: Matrix
    here: Here | None


Made = Callable[["Engine", Options], "tuple[Matrix, Here | None]"]


async def matrix_of_several(several: SeveralOptions, shape: str, html: str, make: Made) -> int:
    """Make the matrix of each server, print all, and return the exit status.

    `html` is the file for one page; empty for none.
    """

    statuses: list[int] = []

    async def made(engine: Engine, options: Options) -> ServerMatrix:
        statuses.append(status_with_list(engine, options))
        return ServerMatrix(*make(engine, options))

    results = await on_each(several.servers, made)
    if html:
        write_page(_page(results), html, count(len(_found(results)), "server"))
    match shape:
        case "json":
            print_json({"servers": [_json(one) for one in results]})
        case "markdown":
            for one in _found(results):
                section = "" if one.here is None else _of_here(here_markdown, one.here)
                print(matrix_markdown(one.matrix) + section)
        case _:
            _print_lines(results)
    if shape != "json":
        print_problems(results)
    return status_of_all(results, statuses)


def _found(results: Sequence[ServerResult[ServerMatrix]]) -> list[ServerMatrix]:
    return [one.result for one in results if one.result is not None]


def _json(one: ServerResult[ServerMatrix]) -> dict[str, object]:
    if one.result is None:
        return dict(one.as_json())
    here = one.result.here
    more = {} if here is None else {"here": here_json(here.columns, here.runs, here.patches)}
    return {"name": one.name, **matrix_json(one.result.matrix), **more}


def _of_here(make: Callable[..., str], here: Here) -> str:
    return make(here.columns, here.runs, here.patches)


def _running(results: Sequence[ServerResult[ServerMatrix]]) -> list[RunningHere]:
    return [
        RunningHere(one.name, len(one.result.matrix), one.result.here.columns, one.result.here.runs)
        for one in results
        if one.result is not None and one.result.here is not None
    ]


def _problems(results: Sequence[ServerResult[ServerMatrix]]) -> list[tuple[str, str, str]]:
    return [(one.name, one.shown, one.problem) for one in results if one.problem]


def _page(results: Sequence[ServerResult[ServerMatrix]]) -> str:
    servers = [
        (
            one.matrix,
            ()
            if one.here is None
            else here_html(one.here.columns, one.here.runs, one.here.patches),
        )
        for one in _found(results)
    ]
    return matrices_html(servers, overview_html(_running(results), _problems(results)))


def _print_lines(results: Sequence[ServerResult[ServerMatrix]]) -> None:
    width = os.get_terminal_size().columns if sys.stdout.isatty() else 120
    running = _running(results)
    for line in overview_lines(running, _problems(results)) if running else ():
        say(line)
    for one in _found(results):
        print("\n".join(["", *matrix_lines(one.matrix, width)]))
        if one.here is not None:
            here = one.here
            home, folder = here.machine.home, here.machine.folder
            places = () if here.columns else place_words(here.machine)
            found = here_lines(here.columns, here.runs, here.patches, home, folder, places)
            print("\n".join(["", *found]))
