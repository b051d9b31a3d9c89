"""The matrix as one HTML page: no script, nothing fetched, light and dark, printable.

The reasons of the cells: each way to a verdict once, with a number.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from ...approval.matrix import Cell, Matrix, MatrixRow, Overrides, cell_word, column_title, is_host
from ...approval.policies.policy import Policy, PolicyKind
from ...approval.policies.verdicts import KnownBy, Verdict, VerdictAnswer
from ...content import html
from ...content.frozen import frozen
from ...content.labels import some_named
from ...content.text import visible
from ...presentation.pages import CAUTION, VERDICT_CLASSES
from ...protocol.hints import Effect
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition

_CLAIMS: Final = {True: "true", False: "false", None: "not set"}


@frozen
class VerdictGroup:
    """One way to a verdict - the same column, rule and reasons - and the tools that go it."""

    number: int
    at: int
    """The index of its column."""
    column: Policy
    verdict: Verdict
    tools: dict[Trust, list[ToolDefinition]]


class Ways:
    """Every way to a verdict in a matrix, numbered from `first`: by column, then as they occur."""

    def __init__(self, matrix: Matrix, first: int = 1) -> None:
        self._ways: dict[Hashable, VerdictGroup] = {}
        for at, column in enumerate(matrix.columns):
            for row in matrix.rows:
                for trust in Trust:
                    verdict = row.cells[at].under(trust)
                    key = _key(at, verdict)
                    way = self._ways.get(key)
                    if way is None:
                        tools: dict[Trust, list[ToolDefinition]] = {each: [] for each in Trust}
                        way = self._ways[key] = VerdictGroup(
                            len(self._ways) + first, at, column, verdict, tools
                        )
                    way.tools[trust].append(row.tool)

    def __iter__(self) -> Iterator[VerdictGroup]:
        return iter(self._ways.values())

    def __len__(self) -> int:
        return len(self._ways)

    def of(self, column: int, verdict: Verdict) -> VerdictGroup:
        """The way to a verdict in this column."""
        return self._ways[_key(column, verdict)]


def full_word(verdict: Verdict) -> str:
    """The word of a cell, and whether other arguments may change it."""
    return f"{cell_word(verdict)}, depends on arguments" if verdict.depends else cell_word(verdict)


def read_on(column: Policy) -> str:
    """Cite the source of a host: "file, version, read on 2026-11-15"; else empty.

    Rules that were seen in a running host are measured.
    """
    if not is_host(column):
        return ""
    date = f"{column.basis} on {column.date}" if column.date else "unknown date"
    newest = visible(column.measured_version)
    cells = f"cells measured on {newest}" if newest else ""
    whose = "yours" if column.is_own else ""
    parts = (whose, column.source_file, column.version or "unknown version", date, cells)
    return ", ".join(part for part in parts if part)


MEASURED: Final = "°"
CONFLICT: Final = "‡"


def known_sign(verdict: Verdict) -> str:
    """The sign of a verdict that was measured, and of one that the source contradicts."""
    if verdict.known_by is KnownBy.CONFLICT:
        return CONFLICT
    return MEASURED if verdict.known_by in (KnownBy.MEASURED, KnownBy.BOTH) else ""


def all_reasons(verdict: Verdict) -> tuple[str, ...]:
    """The reasons of a verdict, and what was measured if that is none of them."""
    if not verdict.measured or verdict.measured in verdict.reasons:
        return verdict.reasons
    return (*verdict.reasons, verdict.measured)


def in_short(matrix: Matrix) -> str:
    """Summarize the matrix in one sentence."""
    hosts = sum(is_host(column) for column in matrix.columns)
    policies = len(matrix.columns) - hosts
    kinds = []
    if policies:
        kinds.append("1 policy" if policies == 1 else f"{policies} policies")
    if hosts:
        kinds.append(f"{counted(hosts, 'column')} of host rules")
    under = " and ".join(kinds) or "no column"
    differing = sum(row.disagrees for row in matrix.rows)
    apart = ""
    if names := [visible(column_title(one)) for one in matrix.apart]:
        apart = (
            f", not counting {' and '.join(names)}, which ask about every tool or run every tool"
        )
    tools = counted(matrix.of_tools or len(matrix), "tool")
    if len(matrix.columns) == 1:
        return f"{tools} under {under}, and nothing to compare it with."
    return f"{tools} under {under}; they differ on {differing:,}{apart}."


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def what_if_words(overrides: Overrides) -> str:
    """The hints of a what-if: "what if readOnly were true (set here, not by the server)"."""
    hints = " and ".join(f"{name} were {_CLAIMS[claim]}" for name, claim in overrides.items())
    return f"what if {hints} (set here, not by the server)"


def _key(column: int, verdict: Verdict) -> Hashable:
    return column, full_word(verdict), verdict.rule, verdict.reasons, verdict.known_by


_STYLE: Final = Path(__file__).with_suffix(".css")
_SHORT: Final = {"unknown": "?", "strong": "ask"}
_LEGEND: Final = (
    ("run", "run", "runs without asking"),
    ("ask", "ask", "asks a person"),
    ("strong", "ask with a warning", "asks, and shows a warning"),
    ("refused", "refused", "does not run"),
    ("hidden", "hidden", "the model never sees the tool"),
    ("judge", "model", "the host's model decides; no person is asked if it allows the call"),
    ("unknown", "?", "not known"),
)
_OF_COLUMNS: Final = ("column", "what it does", "source")
_OF_WAYS: Final = ("number", "column", "verdict", "rule and reasons", "tools", "source")
TOOLS_NAMED: Final = 40


def matrix_html(matrix: Matrix, more: Iterable[str] = ()) -> str:
    """The whole page. Every number in a cell leads to its rule, reasons and source below.

    `more` is put at its end.
    """
    ways = Ways(matrix)
    title = f"Approval matrix: {matrix.server}" if matrix.server else "Approval matrix"
    body = chain(_body(title, matrix, ways), more)
    return html.page(title, _STYLE.read_text(encoding="utf-8"), body)


def matrices_html(
    servers: Sequence[tuple[Matrix, Iterable[str]]], overview: Iterable[str] = ()
) -> str:
    """One page: an overview, then several matrices, each with more elements at its end."""
    title = "Approval matrix: all servers"
    return html.page(title, _STYLE.read_text(encoding="utf-8"), _bodies(title, servers, overview))


def _bodies(
    title: str, servers: Sequence[tuple[Matrix, Iterable[str]]], overview: Iterable[str]
) -> Iterator[str]:
    yield html.element("h1", html.text(title))
    yield from overview
    first = 1
    for matrix, more in servers:
        # Their numbers are places on the page.
        ways = Ways(matrix, first)
        first += len(ways)
        yield from _body(matrix.server, matrix, ways)
        yield from more


def _body(title: str, matrix: Matrix, ways: Ways) -> Iterator[str]:
    yield html.element("h1", html.text(title))
    yield html.paragraph(in_short(matrix))
    yield (
        '<p class="dim">What each would do with a call, going by what the tool claims. Two words'
        " in a cell: untrusted, then trusted. The small number leads to the rule.</p>"
    )
    yield '<ul class="legend">'
    for role, shown, meaning in _LEGEND:
        yield html.element("li", f"{html.word(shown, role)} {html.text(meaning)}")
    yield "<li><small>+ result</small> then asks about the response, too</li>"
    yield f"<li><small>{MEASURED}</small> measured in the host</li>"
    yield f"<li><small>{CONFLICT}</small> measured; the rules that were read differ</li>"
    yield "</ul>"
    yield '<div class="wide"><table class="matrix">'
    yield from _grid(matrix, ways)
    yield "</table></div>"
    yield "<h2>Columns</h2>"
    if any(is_host(column) for column in matrix.columns):
        yield html.paragraph(CAUTION, "caution")
    yield html.table(_OF_COLUMNS, map(_model, matrix.columns), role="models")
    yield "<h2>Why</h2>"
    yield html.table(_OF_WAYS, map(_why, ways), role="why")


def _grid(matrix: Matrix, ways: Ways) -> Iterator[str]:
    columns = matrix.columns
    titles = "".join(_title(column, _edge(columns, at)) for at, column in enumerate(columns))
    yield html.element(
        "thead", html.element("tr", html.element("th", "tool", scope="col") + titles)
    )
    for effect in Effect:
        rows = [row for row in matrix.rows if row.own_tool.effect is effect]
        if rows:
            words = html.text(f"{effect.sign} {effect.value}: {effect.meaning}")
            group = html.element("th", words, scope="rowgroup", colspan=str(len(columns) + 1))
            yield f"<tbody>{html.element('tr', group, role='group')}"
            for row in rows:
                yield _row(matrix, ways, row)
            yield "</tbody>"


def _title(column: Policy, edge: str) -> str:
    date = (
        html.element("small", html.text(str(column.date or "no date"))) if is_host(column) else ""
    )
    name = html.element("span", html.text(column_title(column)) + date)
    return html.element("th", name, role=edge, scope="col", title=html.text(column.summary))


def _row(matrix: Matrix, ways: Ways, row: MatrixRow) -> str:
    supposed = ""
    if row.is_what_if:
        words = f"{what_if_words(matrix.overrides[row.tool.name])}: {row.tool.effect.value}"
        supposed = html.element("span", html.text(words), role="what-if")
    cells = "".join(
        html.element("td", _cell(ways, row.tool, at, cell), role=_edge(matrix.columns, at))
        for at, cell in enumerate(row.cells)
    )
    return html.element(
        "tr", html.element("th", html.code(row.tool.display_name) + supposed, scope="row") + cells
    )


def _cell(ways: Ways, tool: ToolDefinition, at: int, cell: Cell) -> str:
    """One word, or one for each side of trust if they differ."""
    untrusted, trusted = ways.of(at, cell.untrusted), ways.of(at, cell.trusted)
    if untrusted is trusted:
        return _word(tool, {"both": trusted})
    sides = {Trust.UNTRUSTED.value: untrusted, Trust.TRUSTED.value: trusted}
    if full_word(cell.untrusted) == full_word(cell.trusted):
        return _word(tool, sides)
    # The blanks are for copied text.
    pair = " ".join(_word(tool, {side: way}) for side, way in sides.items())
    return html.element("span", pair, role="pair")


def _word(tool: ToolDefinition, sides: dict[str, VerdictGroup]) -> str:
    """A word with the numbers of the ways that lead to it, and a tooltip with the reasons."""
    first = next(iter(sides.values()))
    verdict = first.verdict
    role = _role(verdict)
    more = " <small>with a warning</small>" if role == "strong" else ""
    more += " <small>+ result</small>" if verdict.reviews_result else ""
    more += " <small>by arguments</small>" if verdict.depends else ""
    more += f" <small>{sign}</small>" if (sign := known_sign(verdict)) else ""
    told = [f"{tool.display_name} under {column_title(first.column)}"]
    for side, way in sides.items():
        told += [f"{side}: {full_word(way.verdict)}", *_because(way.verdict)]
    about = html.block("\n".join(told))
    numbers = ", ".join(str(way.number) for way in sides.values())
    inside = f"{html.text(_SHORT.get(role, role))} <sup>{numbers}</sup>{more}"
    href = f"#why-{first.number}"
    return html.element("a", inside, role=f"word {role}", href=href, title=about)


def _because(verdict: Verdict) -> Iterator[str]:
    if verdict.rule:
        yield verdict.rule
    yield from all_reasons(verdict)
    if verdict.source:
        yield verdict.source


def _model(column: Policy) -> str:
    notes = "".join(
        f"<br>{html.element('span', html.text(line), role='dim')}"
        for line in column.notes.splitlines()
    )
    cells = (html.text(column.summary) + notes, _read(column))
    return html.row(cells, heading=html.text(column_title(column)))


def _read(column: Policy) -> str:
    if column.kind is PolicyKind.BUILT_IN:
        return "comes with Signoff"
    words = html.text(column.source)
    return f"{words}<br>{html.text(read_on(column))}" if is_host(column) else words


def _why(way: VerdictGroup) -> str:
    verdict = way.verdict
    rule = f"{html.element('strong', html.text(verdict.rule))}<br>" if verdict.rule else ""
    cells = (
        str(way.number),
        html.text(column_title(way.column)),
        html.word(full_word(verdict), _role(verdict)),
        rule + html.text("; ".join(all_reasons(verdict))),
        _tools(way),
        html.text(verdict.source),
    )
    return html.row(cells, id=f"why-{way.number}")


def _tools(way: VerdictGroup) -> str:
    untrusted, trusted = (way.tools[trust] for trust in Trust)
    if [tool.index for tool in untrusted] == [tool.index for tool in trusted]:
        return _names(trusted)
    sides = [(trust, way.tools[trust]) for trust in Trust if way.tools[trust]]
    return "<br>".join(f"{trust.value}: {_names(tools)}" for trust, tools in sides)


def _names(tools: Sequence[ToolDefinition]) -> str:
    return some_named(tools, TOOLS_NAMED, lambda tool: html.code(tool.display_name))


def _role(verdict: Verdict) -> str:
    is_strong = verdict.answer is VerdictAnswer.ASK and verdict.strong
    return "strong" if is_strong else VERDICT_CLASSES[verdict.answer]


def _edge(columns: Sequence[Policy], at: int) -> str:
    """The class of a cell that is the first of the hosts, beside the policies."""
    starts = at > 0 and is_host(columns[at]) is not is_host(columns[at - 1])
    return "first-host" if starts else ""
