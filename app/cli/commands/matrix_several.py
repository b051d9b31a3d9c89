"""`signoff matrix` on several servers: one report of all, with what runs without asking here."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...analysis.matrix.matrix import Matrix
from ...content.frozen import frozen
from ...content.text import count
from ...headless.live import Options, print_json
from ...headless.printing import say
from ...headless.several import ServerResult, SeveralOptions, on_each, print_problems, status_of_all
from ...presentation.here import here_html, here_json, here_lines, here_markdown
from ...presentation.here_overview import RunningHere, overview_html, overview_lines
from ...presentation.matrix import matrix_json, matrix_lines, matrix_markdown
from ...presentation.matrix_page import matrices_html
from ..pages import write_page
from .matrix_here import Here

if TYPE_CHECKING:
    from ...engine.engine import Engine


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

    async def made(engine: Engine, options: Options) -> ServerMatrix:
        return ServerMatrix(*make(engine, options))

    results = await on_each(several.servers, made)
    match "html" if html else shape:
        case "html":
            write_page(_page(results), html, count(len(_found(results)), "server"))
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
    return status_of_all(results)


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
            print("\n".join(["", *here_lines(here.columns, here.runs, here.patches, home, folder)]))
