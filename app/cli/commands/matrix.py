"""`signoff matrix`: every tool under every policy and every host's rules."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...analysis.matrix.matrix import Matrix, build_matrix
from ...content.text import count
from ...headless.exit_status import ExitStatus
from ...headless.live import Options, opened, print_json, run
from ...headless.policies import columns_named
from ...headless.printing import say
from ...headless.targets import UsageError
from ...presentation.here import here_html, here_json, here_lines, here_markdown
from ...presentation.matrix import matrix_json, matrix_lines, matrix_markdown
from ...presentation.matrix_page import matrix_html
from ..command import on_server
from ..options.parser import Parser
from ..options.server import JSON, add_bundled, add_shape
from ..pages import add_html, write_page
from .matrix_here import Here, read_here

if TYPE_CHECKING:
    from ...approval.policies.policy import Policy
    from ...engine.engine import Engine
    from ...headless.several import SeveralOptions


class MatrixOptions(NamedTuple):
    """Every tool under every policy."""

    shape: str
    """lines, json or markdown."""
    html: str
    """The file for one page of HTML; empty for none."""
    only_differing: bool
    columns: str
    """Names with commas between; empty for all."""
    hosts: tuple[str, ...] = ()
    """Hosts of `--as`, each a column."""
    policies: tuple[str, ...] = ()
    """Policies of `--policy`, each a column."""
    expected: str = ""
    """The file with the expected decisions; empty for none."""
    here: bool = False
    """Whether the hosts that have the server on this machine are columns, too."""


def add(matrix: Parser) -> None:
    add_bundled(matrix)
    add_html(add_shape(matrix, (JSON, ("markdown", "print a Markdown table"))))
    matrix.add_argument(
        "--only-differing",
        action="store_true",
        help="show only tools on which the columns disagree",
    )
    matrix.add_argument(
        "--columns",
        metavar="NAMES",
        default="",
        help="policies and hosts, separated by commas, such as cautious,goose:smart; each --policy "
        "and --as adds one (default: all)",
    )
    matrix.add_argument(
        "--here",
        action="store_true",
        help="add the hosts that have this server in their files, with the settings of this "
        "machine, and list what runs without asking; without a server: of all servers here",
    )
    matrix.add_argument(
        "--expect-decisions",
        dest="expected",
        metavar="FILE",
        default="",
        help="compare the decisions with the table in FILE, as --markdown prints it (status 4 for "
        "a difference)",
    )
    on_server(
        matrix,
        MatrixOptions,
        run_matrix,
        several=run_on_several,
        means_all=lambda wanted: wanted.here,
    )


def run_matrix(options: Options, wanted: MatrixOptions) -> int:
    """Every tool under every policy and every host's rules.

    Raises UsageError for an unknown column.
    """
    return run(_matrix(options, wanted))


def run_on_several(several: SeveralOptions, wanted: MatrixOptions) -> int:
    """The matrix of each server, as one report. Raises UsageError for a table of one server."""
    if wanted.expected:
        raise UsageError("--expect-decisions is for one server")
    from .matrix_several import matrix_of_several

    chosen = columns_named(wanted.columns, wanted.hosts, wanted.policies)

    def make(engine: Engine, options: Options) -> tuple[Matrix, Here | None]:
        return _made(engine, options, wanted, chosen)

    return run(matrix_of_several(several, wanted.shape, wanted.html, make))


async def _matrix(options: Options, wanted: MatrixOptions) -> int:
    if wanted.expected:
        return await _compared(options, wanted)
    chosen = columns_named(wanted.columns, wanted.hosts, wanted.policies)
    async with opened(options) as engine:
        matrix, here = _made(engine, options, wanted, chosen)
    _print(matrix, here, wanted)
    return ExitStatus.OK


async def _compared(options: Options, wanted: MatrixOptions) -> int:
    """Compare the decisions with the expected ones, and print the differences."""
    from .matrix_expected import columns_of, differences, outcome_words, read_expected

    expected = read_expected(wanted.expected)
    known = columns_named(wanted.columns, wanted.hosts, wanted.policies)
    columns = columns_of(expected, known, wanted.expected)
    async with opened(options) as engine:
        matrix = build_matrix(engine.tools, columns, server=engine.server.name)
    found = list(differences(expected, matrix))
    for line in (*found, outcome_words(expected, found)):
        say(line)
    return ExitStatus.BROKEN if found else ExitStatus.OK


def _made(
    engine: Engine, options: Options, wanted: MatrixOptions, chosen: Sequence[Policy]
) -> tuple[Matrix, Here | None]:
    here = read_here(engine.tools, options.config.target) if wanted.here else None
    is_named = bool(wanted.columns or wanted.hosts or wanted.policies)
    if here is not None and here.columns:
        chosen = (*chosen, *here.policies) if is_named else here.beside_models
        is_named = True
    # Columns that are named are the ones to compare.
    compared = range(len(chosen)) if is_named else None
    matrix = build_matrix(engine.tools, chosen, server=engine.server.name, compared=compared)
    return (matrix.only_disagreeing() if wanted.only_differing else matrix), here


def _print(matrix: Matrix, here: Here | None, wanted: MatrixOptions) -> None:
    shape = wanted.shape
    if wanted.html:
        rest = () if here is None else here_html(here.columns, here.runs, here.patches)
        words = f"{count(len(matrix), 'tool')}, {count(len(matrix.columns), 'column')}"
        write_page(matrix_html(matrix, rest), wanted.html, words)
    elif shape == "json":
        more = {} if here is None else {"here": here_json(here.columns, here.runs, here.patches)}
        print_json({**matrix_json(matrix), **more})
    elif shape == "markdown":
        section = "" if here is None else here_markdown(here.columns, here.runs, here.patches)
        print(matrix_markdown(matrix) + section)
    else:
        width = os.get_terminal_size().columns if sys.stdout.isatty() else 120
        lines = matrix_lines(matrix, width)
        if here is not None:
            home, folder = here.machine.home, here.machine.folder
            lines += ["", *here_lines(here.columns, here.runs, here.patches, home, folder)]
        print("\n".join(lines))
