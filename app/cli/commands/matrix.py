"""`signoff matrix`: every tool under every policy and every host's rules."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from ...analysis.matrix.matrix import build_matrix
from ...headless.exit_status import ExitStatus
from ...headless.live import Options, opened, print_json, run
from ...headless.policies import columns_named
from ...presentation.matrix import matrix_json, matrix_lines, matrix_markdown
from ...presentation.matrix_page import matrix_html
from ..command import on_server
from ..options.parser import Parser
from ..options.server import JSON, add_bundled, add_shape

if TYPE_CHECKING:
    pass


class MatrixOptions(NamedTuple):
    """Every tool under every policy."""

    shape: str
    """lines, json, markdown or html."""
    only_differing: bool
    columns: str
    """Names with commas between; empty for all."""
    hosts: tuple[str, ...] = ()
    """Hosts of `--as`, each a column."""


def add(matrix: Parser) -> None:
    add_bundled(matrix)
    kinds = (("markdown", "print a Markdown table"), ("html", "print one page of HTML"))
    add_shape(matrix, (JSON, *kinds))
    matrix.add_argument(
        "--only-differing",
        action="store_true",
        help="show only tools on which the columns disagree",
    )
    matrix.add_argument(
        "--columns",
        metavar="NAMES",
        default="",
        help="policies and hosts, separated by commas, such as cautious,goose:smart; each --as "
        "HOST[:MODE] adds one (default: all)",
    )
    on_server(matrix, MatrixOptions, run_matrix)


def run_matrix(options: Options, wanted: MatrixOptions) -> int:
    """Every tool under every policy and every host's rules.

    Raises UsageError for an unknown column.
    """
    return run(_matrix(options, wanted))


async def _matrix(options: Options, wanted: MatrixOptions) -> int:
    shape, chosen = wanted.shape, columns_named(wanted.columns, wanted.hosts)
    async with opened(options) as engine:
        # Columns that are named are the ones to compare.
        compared = range(len(chosen)) if wanted.columns or wanted.hosts else None
        matrix = build_matrix(engine.tools, chosen, server=engine.server.name, compared=compared)
    if wanted.only_differing:
        matrix = matrix.only_disagreeing()
    if shape == "json":
        print_json(matrix_json(matrix))
        return ExitStatus.OK
    if shape == "lines":
        width = os.get_terminal_size().columns if sys.stdout.isatty() else 120
        print("\n".join(matrix_lines(matrix, width)))
    else:
        print(matrix_html(matrix) if shape == "html" else matrix_markdown(matrix))
    return ExitStatus.OK
