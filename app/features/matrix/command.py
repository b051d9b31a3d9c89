"""`signoff matrix`: every tool under every policy and every host's rules.

`--expect-decisions FILE` compares the decisions with a table in Markdown, as `--markdown` prints
it: `tool` in the first head, then policies and hosts; a column `effect` is not read. An empty cell,
or one with `-`, is not compared.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from ...approval.matrix import Matrix, build_matrix, column_title
from ...approval.policies.policy import Policy
from ...cli.command import OnOpen, on_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import (
    JSON,
    MARKDOWN,
    hosts_option,
    report_file,
    shapes,
)
from ...cli.options.session import LISTS, Use
from ...cli.output.printing import say, width_of
from ...cli.output.report_files import write_page
from ...cli.targets.given_files import given_text
from ...cli.targets.live import (
    NoTools,
    Options,
    check_whole,
    print_json,
    run,
    status_with_list,
)
from ...cli.targets.policies import columns_named
from ...cli.targets.targets import UsageError
from ...cli.tool_inputs import check_names, check_resolving, read_inputs
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.labels import some_named
from ...content.suggest import did_you_mean
from ...content.text import count, shortened, visible
from ...hosts.files.discovery import place_words
from ...presentation.exit_status import ExitStatus
from .here import here_html, here_json, here_lines, here_markdown
from .here_command import Here, read_here
from .if_resolved import (
    ResolvedCall,
    resolved_calls,
    resolved_html,
    resolved_lines,
    resolved_markdown,
)
from .page import matrix_html
from .words import cell_words, matrix_json, matrix_lines, matrix_markdown

if TYPE_CHECKING:
    from ...approval.policies.policy import Policy
    from ...cli.targets.live import SeveralOptions
    from ...engine.engine import Engine


LONGEST: Final = 4_000_000
_SHOWN: Final = 60
_NOT_READ: Final = ("effect",)
_NOT_COMPARED: Final = ("", "-")
_RULE: Final = re.compile(r"\|?[\s:|-]+\|?")
_BETWEEN: Final = re.compile(r"(?<!\\)\|")
_NAMED: Final = 5
"""Tools outside of the table that are named; more are counted."""


@frozen
class ExpectedRow:
    """The expected decisions on one tool, by the names of the columns."""

    tool: str
    line: int
    cells: Mapping[str, str]


@frozen
class ExpectedDecisions:
    """A table of expected decisions."""

    columns: tuple[str, ...]
    rows: tuple[ExpectedRow, ...]


def read_expected(path: str) -> ExpectedDecisions:
    """The first table of a file whose first head is `tool`. Raises UsageError."""
    shown = visible(path)
    found = _first_table(given_text(path, LONGEST, "--expect-decisions"))
    if found is None:
        words = "no table whose first column is headed “tool”; signoff matrix --markdown prints one"
        raise UsageError(f"--expect-decisions: {shown}: {words}")
    return found


def _first_table(text: str) -> ExpectedDecisions | None:
    heads: list[str] = []
    rows: list[ExpectedRow] = []
    for number, line in enumerate(text.splitlines(), start=1):
        cells = _cells(line)
        if heads and not cells:
            break
        if not heads:
            heads = cells if cells and cells[0].casefold() == "tool" else []
        elif not _RULE.fullmatch(line.strip()):
            named = dict(zip(heads[1:], cells[1:], strict=False))
            kept = {name: one for name, one in named.items() if name not in _NOT_READ}
            rows.append(ExpectedRow(cells[0], number, kept))
    columns = tuple(one for one in heads[1:] if one not in _NOT_READ)
    return ExpectedDecisions(columns, tuple(rows)) if columns else None


def _cells(line: str) -> list[str]:
    """The cells of a row of Markdown; empty for another line."""
    line = line.strip()
    if not line.startswith("|"):
        return []
    found = _BETWEEN.split(line.removeprefix("|").removesuffix("|"))
    return [html.unescape(re.sub(r"\\(.)", r"\1", one)).strip().strip("`") for one in found]


def columns_of(expected: ExpectedDecisions, known: Sequence[Policy], path: str) -> list[Policy]:
    """The columns of the table, among those that are known. Raises UsageError."""
    found = []
    for name in expected.columns:
        one = next((each for each in known if name in (each.name, column_title(each))), None)
        if one is None:
            hint = did_you_mean(name, [each.name for each in known])
            words = f"no column {shortened(visible(name), _SHOWN)!r}{hint}"
            raise UsageError(f"--expect-decisions {visible(path)}: {words}")
        found.append(one)
    return found


def differences(expected: ExpectedDecisions, matrix: Matrix) -> Iterator[str]:
    """Each decision that is not the expected one, and each tool on one side alone; safe to show."""
    by_name = {row.own_tool.display_name: row for row in matrix}
    seen = set()
    for wanted in expected.rows:
        row = by_name.get(wanted.tool)
        seen.add(wanted.tool)
        name = shortened(visible(wanted.tool), _SHOWN)
        if row is None:
            yield f"line {wanted.line}: {name}: the server has no such tool"
            continue
        for column, cell in zip(matrix.columns, row.cells, strict=True):
            title = visible(column_title(column))
            want = wanted.cells.get(column.name, wanted.cells.get(title, ""))
            found = cell_words(cell)
            if want not in _NOT_COMPARED and want.replace("->", "→") != found:
                reasons = "; ".join(cell.trusted.reasons)
                sides = "untrusted → trusted; " if "→" in found else ""
                yield (
                    f"line {wanted.line}: {name} under {title}: expected "
                    f"“{shortened(visible(want), _SHOWN)}”, decided “{found}” "
                    f"({sides}{visible(reasons)})"
                )
    if missing := [visible(name) for name in by_name if name not in seen]:
        yield f"not in the table: {some_named(missing, _NAMED)}"


def outcome_words(expected: ExpectedDecisions, found: Sequence[str]) -> str:
    """The last line: how many tools and columns were compared."""
    compared = f"{count(len(expected.rows), 'tool')} under {count(len(expected.columns), 'column')}"
    return f"{compared}: {count(len(found), 'difference')}" if found else f"{compared}: as expected"


@options
class MatrixOptions(NamedTuple):
    """Every tool under every policy."""

    shape: str = shapes(JSON, MARKDOWN)
    """lines, json or markdown."""
    html: str = report_file("html")
    """The file for one page of HTML; empty for none."""
    only_differing: bool = opt("--only-differing", "show only tools on which the columns disagree")
    columns: tuple[str, ...] = hosts_option(
        "show only these hosts and policies, separated by commas, such as cautious,goose:smart; "
        "--policy and --as add to them (default: theirs alone if one is given, else all)",
        earlier="--columns",
    )
    """Names of hosts and policies, each with commas between; empty for all."""
    here: bool = opt(
        "--here",
        "add the hosts that have this server in their files, with the settings of this "
        "machine, and list what runs without asking; without a server: for all servers of this "
        "machine",
    )
    """Whether the hosts that have the server on this machine are columns, too."""
    expected: str = opt(
        "--expect-decisions FILE",
        "compare the decisions with the table in FILE, as --markdown prints it (status 4 for "
        "a difference)",
    )
    """The file with the expected decisions; empty for none."""
    inputs: str = opt(
        "--inputs FILE",
        "JSON file of arguments by tool: show which hosts would decide otherwise with hints that "
        "the server resolves for them (needs --experimental tool-resolution)",
    )
    """The file with arguments; empty for none, and then nothing is resolved."""
    hosts: tuple[str, ...] = ()
    """Hosts of `--as`, each a column."""
    policies: tuple[str, ...] = ()
    """Policies of `--policy`, each a column."""


def add(matrix: Parser) -> None:
    on_server(
        matrix,
        MatrixOptions,
        run_matrix,
        uses=LISTS | {Use.POLICY},
        several=run_on_several,
        means_all=lambda wanted: wanted.here,
    )


class _ReadyMatrix(NamedTuple):
    """Options that were checked, with the columns that they name."""

    wanted: MatrixOptions
    columns: Sequence[Policy]
    expected: ExpectedDecisions | None
    inputs: Mapping[str, list[dict[str, JsonValue]]]


def _ready(wanted: MatrixOptions) -> _ReadyMatrix:
    """Find the columns, and read the files. Raises UsageError."""
    if wanted.expected and wanted.inputs:
        raise UsageError("--expect-decisions compares static hints: leave out --inputs")
    expected = read_expected(wanted.expected) if wanted.expected else None
    known = columns_named(",".join(wanted.columns), wanted.hosts, wanted.policies)
    columns = known if expected is None else columns_of(expected, known, wanted.expected)
    return _ReadyMatrix(wanted, columns, expected, read_inputs(wanted.inputs))


async def _matrix(options: Options, engine: Engine, ready: _ReadyMatrix) -> int:
    wanted, columns, expected, inputs = ready
    if expected is not None:
        return _compared(options, engine, columns, expected)
    matrix, here = _made(engine, options, wanted, columns)
    calls = None
    if wanted.inputs:
        check_resolving(engine, "--inputs")
        check_names(engine.tools, inputs, engine.definitions.findings)
        calls = await resolved_calls(options, engine, matrix.columns, inputs)
    status = status_with_list(engine, options)
    _print(matrix, here, wanted, calls)
    return status


def _compared(
    options: Options, engine: Engine, columns: Sequence[Policy], expected: ExpectedDecisions
) -> int:
    """Compare the decisions with the expected ones, and print the differences."""
    check_whole(engine, options, "nothing is compared")
    if not engine.tools and not expected.rows:
        raise NoTools("nothing is compared")
    matrix = build_matrix(engine.tools, columns, server=engine.server.name)
    found = list(differences(expected, matrix))
    for line in (*found, outcome_words(expected, found)):
        say(line)
    return ExitStatus.BROKEN if found else ExitStatus.OK


run_matrix = OnOpen(_matrix, before=_ready)
"""Every tool under every policy and every host's rules; returns the exit status."""


def run_on_several(several: SeveralOptions, wanted: MatrixOptions) -> int:
    """The matrix of each server, as one report. Raises UsageError for a table of one server."""
    if wanted.expected:
        raise UsageError("--expect-decisions is for one server")
    if wanted.inputs:
        raise UsageError("--inputs is for one server")
    from .here_command import matrix_of_several

    chosen = columns_named(",".join(wanted.columns), wanted.hosts, wanted.policies)

    def make(engine: Engine, options: Options) -> tuple[Matrix, Here | None]:
        return _made(engine, options, wanted, chosen)

    return run(matrix_of_several(several, wanted.shape, wanted.html, make))


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


def _print(
    matrix: Matrix,
    here: Here | None,
    wanted: MatrixOptions,
    calls: Sequence[ResolvedCall] | None,
) -> None:
    shape = wanted.shape
    if wanted.html:
        rest = () if here is None else here_html(here.columns, here.runs, here.patches)
        rest = chain(rest, () if calls is None else resolved_html(calls))
        words = f"{count(len(matrix), 'tool')}, {count(len(matrix.columns), 'column')}"
        write_page(matrix_html(matrix, rest), wanted.html, words)
    if shape == "json":
        more = {} if here is None else {"here": here_json(here.columns, here.runs, here.patches)}
        resolved = None if calls is None else [one.as_json() for one in calls]
        print_json({**matrix_json(matrix), **more, "if_resolved": resolved})
    elif shape == "markdown":
        section = "" if here is None else here_markdown(here.columns, here.runs, here.patches)
        section += "" if calls is None else resolved_markdown(calls)
        print(matrix_markdown(matrix) + section)
    else:
        width = width_of(sys.stdout) or 120
        lines = matrix_lines(matrix, width)
        if here is not None:
            home, folder = here.machine.home, here.machine.folder
            places = () if here.columns else place_words(here.machine)
            found = here_lines(here.columns, here.runs, here.patches, home, folder, places)
            lines += ["", *found]
        print("\n".join(lines))
        for line in ("", *resolved_lines(calls)) if calls is not None else ():
            say(line)
