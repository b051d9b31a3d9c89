"""`signoff matrix --expect-decisions FILE`: the decisions compared with a table in a file.

The table is in Markdown, as `signoff matrix --markdown` prints it: `tool` in the first head, then
policies and hosts; a column `effect` is not read. An empty cell, or one with `-`, is not compared.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ...analysis.matrix.matrix import Matrix, column_title
from ...approval.policies.policy import Policy
from ...content.frozen import frozen
from ...content.suggest import did_you_mean
from ...content.text import count, shortened, visible
from ...headless.targets import UsageError
from ...presentation.matrix import cell_words

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
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(LONGEST + 1)
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"--expect-decisions {shown} cannot be read: {why.lower()}") from None
    if len(text) > LONGEST:
        raise UsageError(f"--expect-decisions {shown} has more than {LONGEST:,} characters")
    found = _first_table(text)
    if found is None:
        words = "no table with “tool” in its first head; signoff matrix --markdown prints one"
        raise UsageError(f"--expect-decisions {shown}: {words}")
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
                yield (
                    f"line {wanted.line}: {name} under {title}: expected "
                    f"“{shortened(visible(want), _SHOWN)}”, decided “{found}” ({visible(reasons)})"
                )
    if missing := [visible(name) for name in by_name if name not in seen]:
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        yield f"not in the table: {', '.join(missing[:_NAMED])}{more}"


def outcome_words(expected: ExpectedDecisions, found: Sequence[str]) -> str:
    """The last line: how many tools and columns were compared."""
    compared = f"{count(len(expected.rows), 'tool')} under {count(len(expected.columns), 'column')}"
    return f"{compared}: {count(len(found), 'difference')}" if found else f"{compared}: as expected"
