"""The matrix as one HTML page: no script, nothing fetched, light and dark, printable.

The reasons of the cells: each way to a verdict once, with a number.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...analysis.matrix.matrix import Cell, Matrix, Overrides, Row, cell_word, column_title, is_host
from ...approval.policies.policy import Policy, PolicyKind
from ...approval.policies.verdicts import Verdict, VerdictAnswer
from ...content.html import PAGE_END, page_block, page_head, page_text
from ...content.text import visible
from ...engine.report import VERDICT_CLASSES
from ...protocol.hints import Effect
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition

CAUTION: Final = (
    "A model of a host is a claim about one version, read on one day; it is never the last word."
)
_CLAIMS: Final = {True: "true", False: "false", None: "not said"}


@dataclass(frozen=True, slots=True)
class Way:
    """One way to a verdict - the same column, rule and reasons - and the tools that go it."""

    number: int
    at: int
    """The index of its column."""
    column: Policy
    verdict: Verdict
    tools: dict[Trust, list[ToolDefinition]]


class Ways:
    """Every way to a verdict in a matrix, numbered from 1: by column, then as they occur."""

    def __init__(self, matrix: Matrix) -> None:
        self._ways: dict[Hashable, Way] = {}
        for at, column in enumerate(matrix.columns):
            for row in matrix.rows:
                for trust in Trust:
                    verdict = row.cells[at].under(trust)
                    key = _key(at, verdict)
                    way = self._ways.get(key)
                    if way is None:
                        tools: dict[Trust, list[ToolDefinition]] = {each: [] for each in Trust}
                        way = self._ways[key] = Way(len(self._ways) + 1, at, column, verdict, tools)
                    way.tools[trust].append(row.tool)

    def __iter__(self) -> Iterator[Way]:
        return iter(self._ways.values())

    def of(self, column: int, verdict: Verdict) -> Way:
        """The way to a verdict that stands in this column."""
        return self._ways[_key(column, verdict)]


def full_word(verdict: Verdict) -> str:
    """The word of a cell, and whether other arguments may change it."""
    return f"{cell_word(verdict)}, depends on arguments" if verdict.depends else cell_word(verdict)


def read_on(column: Policy) -> str:
    """Cite the source of a host: "file, version, read on 2026-11-15"; else empty."""
    if not is_host(column):
        return ""
    date = f"read on {column.date}" if column.date else "date of reading not known"
    parts = (column.source_file, column.version or "version not known", date)
    return ", ".join(part for part in parts if part)


def in_short(matrix: Matrix) -> str:
    """Summarize the matrix in one sentence."""
    hosts = sum(is_host(column) for column in matrix.columns)
    policies = len(matrix.columns) - hosts
    kinds = []
    if policies:
        kinds.append("1 policy" if policies == 1 else f"{policies} policies")
    if hosts:
        kinds.append("1 model of a host" if hosts == 1 else f"{hosts} models of hosts")
    under = " and ".join(kinds) or "no column"
    differing = sum(row.disagrees for row in matrix.rows)
    apart = ""
    if names := [visible(column_title(one)) for one in matrix.apart]:
        say = "say" if len(names) > 1 else "says"
        apart = f", not counting {' and '.join(names)}, which {say} the same of every tool"
    return f"{counted(len(matrix), 'tool')} under {under}; they disagree on {differing:,}{apart}."


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def what_if_words(overrides: Overrides) -> str:
    """The hints of a what-if: "what if readOnly were true (set here, not by the server)"."""
    hints = " and ".join(f"{name} were {_CLAIMS[claim]}" for name, claim in overrides.items())
    return f"what if {hints} (set here, not by the server)"


def _key(column: int, verdict: Verdict) -> Hashable:
    return column, full_word(verdict), verdict.rule, verdict.reasons


_STYLE: Final = Path(__file__).with_suffix(".css")
_SHORT: Final = {"unknown": "?", "strong": "ask"}
_LEGEND: Final = (
    ("run", "run", "runs without a question"),
    ("ask", "ask", "a person is asked"),
    ("strong", "ask strongly", "asked in the form for what may destroy"),
    ("refused", "refused", "does not run"),
    ("hidden", "hidden", "the model never sees the tool"),
    ("unknown", "?", "not known"),
)
TOOLS_NAMED: Final = 40


def matrix_html(matrix: Matrix) -> str:
    """The whole page. Every number in a cell leads to its rule, reasons and source below."""
    ways = Ways(matrix)
    title = f"Approval matrix: {matrix.server}" if matrix.server else "Approval matrix"
    parts = [
        *page_head(title, _STYLE.read_text(encoding="utf-8")),
        f"<h1>{page_text(title)}</h1>",
        f"<p>{page_text(in_short(matrix))}</p>",
        '<p class="dim">What each would do with a call, going by what the tool claims. Two words'
        " in a cell: untrusted, then trusted. The small number leads to the rule.</p>",
        *_legend(),
        *_grid(matrix, ways),
        *_models(matrix.columns),
        *_why(ways),
        *PAGE_END,
    ]
    return "\n".join(parts) + "\n"


def _legend() -> Iterator[str]:
    yield '<ul class="legend">'
    for role, word, meaning in _LEGEND:
        yield f'<li><span class="word {role}">{page_text(word)}</span> {page_text(meaning)}</li>'
    yield "<li><small>+ result</small> then asks about the answer, too</li>"
    yield "</ul>"


def _grid(matrix: Matrix, ways: Ways) -> Iterator[str]:
    yield '<div class="wide"><table class="matrix">'
    yield '<thead><tr><th scope="col">tool</th>'
    for at, column in enumerate(matrix.columns):
        date = (
            f"<small>{page_text(str(column.date or 'no date'))}</small>" if is_host(column) else ""
        )
        name = f"<span>{page_text(column_title(column))}{date}</span>"
        about = page_text(column.summary)
        yield f'<th scope="col"{_edge(matrix.columns, at)} title="{about}">{name}</th>'
    yield "</tr></thead>"
    for effect in Effect:
        rows = [row for row in matrix.rows if row.own_tool.effect is effect]
        if rows:
            words = page_text(f"{effect.sign} {effect.value}: {effect.meaning}")
            span = len(matrix.columns) + 1
            heading = f'<th scope="rowgroup" colspan="{span}">{words}</th>'
            yield f'<tbody><tr class="group">{heading}</tr>'
            for row in rows:
                yield _row(matrix, ways, row)
            yield "</tbody>"
    yield "</table></div>"


def _row(matrix: Matrix, ways: Ways, row: Row) -> str:
    supposed = ""
    if row.is_what_if:
        words = f"{what_if_words(matrix.overrides[row.tool.name])}: {row.tool.effect.value}"
        supposed = f'<span class="what-if">{page_text(words)}</span>'
    cells = "".join(
        f"<td{_edge(matrix.columns, at)}>{_cell(ways, row.tool, at, cell)}</td>"
        for at, cell in enumerate(row.cells)
    )
    name = f'<th scope="row"><code>{page_text(row.tool.display_name)}</code>{supposed}</th>'
    return f"<tr>{name}{cells}</tr>"


def _cell(ways: Ways, tool: ToolDefinition, at: int, cell: Cell) -> str:
    """One word, or one for each side of trust if they differ."""
    untrusted, trusted = ways.of(at, cell.untrusted), ways.of(at, cell.trusted)
    if untrusted is trusted:
        return _word(tool, {"either way": trusted})
    sides = {Trust.UNTRUSTED.value: untrusted, Trust.TRUSTED.value: trusted}
    if full_word(cell.untrusted) == full_word(cell.trusted):
        return _word(tool, sides)
    pair = "".join(_word(tool, {side: way}) for side, way in sides.items())
    return f'<span class="pair">{pair}</span>'


def _word(tool: ToolDefinition, sides: dict[str, Way]) -> str:
    """A word with the numbers of the ways that lead to it, all told where one points at it."""
    first = next(iter(sides.values()))
    verdict = first.verdict
    role = _role(verdict)
    more = "<small>strongly</small>" if role == "strong" else ""
    more += "<small>+ result</small>" if verdict.reviews_result else ""
    more += "<small>by arguments</small>" if verdict.depends else ""
    told = [f"{tool.display_name} under {column_title(first.column)}"]
    for side, way in sides.items():
        told += [f"{side}: {full_word(way.verdict)}", *_because(way.verdict)]
    about = page_block("\n".join(told))
    numbers = ", ".join(str(way.number) for way in sides.values())
    return (
        f'<a class="word {role}" href="#why-{first.number}" title="{about}">'
        f"{page_text(_SHORT.get(role, role))}<sup>{numbers}</sup>{more}</a>"
    )


def _because(verdict: Verdict) -> Iterator[str]:
    if verdict.rule:
        yield verdict.rule
    yield from verdict.reasons
    if verdict.source:
        yield verdict.source


def _models(columns: Sequence[Policy]) -> Iterator[str]:
    yield "<h2>Columns</h2>"
    if any(is_host(column) for column in columns):
        yield f'<p class="caution">{page_text(CAUTION)}</p>'
    yield '<table class="models"><thead><tr><th scope="col">column</th><th scope="col">what it does'
    yield '</th><th scope="col">where it was read</th></tr></thead><tbody>'
    for column in columns:
        notes = "".join(
            f'<br><span class="dim">{page_text(line)}</span>' for line in column.notes.splitlines()
        )
        yield (
            f'<tr><th scope="row">{page_text(column_title(column))}</th>'
            f"<td>{page_text(column.summary)}{notes}</td><td>{_read(column)}</td></tr>"
        )
    yield "</tbody></table>"


def _read(column: Policy) -> str:
    if column.kind is PolicyKind.BUILT_IN:
        return "comes with Signoff"
    words = page_text(column.source)
    return f"{words}<br>{page_text(read_on(column))}" if is_host(column) else words


def _why(ways: Ways) -> Iterator[str]:
    yield "<h2>Why</h2>"
    yield '<table class="why"><thead><tr><th scope="col">number</th><th scope="col">column</th>'
    yield '<th scope="col">verdict</th><th scope="col">rule and reasons</th>'
    yield '<th scope="col">tools</th><th scope="col">source</th></tr></thead><tbody>'
    for way in ways:
        verdict = way.verdict
        rule = f"<strong>{page_text(verdict.rule)}</strong><br>" if verdict.rule else ""
        yield (
            f'<tr id="why-{way.number}"><td>{way.number}</td>'
            f"<td>{page_text(column_title(way.column))}</td>"
            f'<td><span class="word {_role(verdict)}">{page_text(full_word(verdict))}</span></td>'
            f"<td>{rule}{page_text('; '.join(verdict.reasons))}</td>"
            f"<td>{_tools(way)}</td><td>{page_text(verdict.source)}</td></tr>"
        )
    yield "</tbody></table>"


def _tools(way: Way) -> str:
    untrusted, trusted = (way.tools[trust] for trust in Trust)
    if [tool.index for tool in untrusted] == [tool.index for tool in trusted]:
        return _names(trusted)
    sides = [(trust, way.tools[trust]) for trust in Trust if way.tools[trust]]
    return "<br>".join(f"{trust.value}: {_names(tools)}" for trust, tools in sides)


def _names(tools: Sequence[ToolDefinition]) -> str:
    names = ", ".join(
        f"<code>{page_text(tool.display_name)}</code>" for tool in tools[:TOOLS_NAMED]
    )
    more = len(tools) - TOOLS_NAMED
    return f"{names} and {counted(more, 'other')}" if more > 0 else names


def _role(verdict: Verdict) -> str:
    is_strong = verdict.answer is VerdictAnswer.ASK and verdict.strong
    return "strong" if is_strong else VERDICT_CLASSES[verdict.answer]


def _edge(columns: Sequence[Policy], at: int) -> str:
    """The line between policies and hosts."""
    starts = at > 0 and is_host(columns[at]) is not is_host(columns[at - 1])
    return ' class="first-host"' if starts else ""
