"""Reports of the matrix: JSON, Markdown, a page to show around, and lines for a terminal.

What a server wrote goes through `visible` and through the escapes of the format.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ...analysis.matrix.matrix import Cell, Matrix, Row, cell_word, column_title, is_host
from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Verdict
from ...content.text import visible
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from .matrix_lines import matrix_lines
from .matrix_page import matrix_html
from .matrix_why import (
    CAUTION,
    Way,
    Ways,
    full_word,
    in_short,
    read_on,
    what_if_words,
)

__all__ = ["matrix_html", "matrix_json", "matrix_lines", "matrix_markdown"]

TOOLS_NAMED: Final = 12
_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")
_ACTIVE = re.compile(r"[^A-Za-z0-9 ,.;:/()'\u0080-\U0010ffff-]")
_CODE_ACTIVE = re.compile(r"[^A-Za-z0-9 \u0080-\U0010ffff]")


def matrix_json(matrix: Matrix) -> dict[str, Any]:
    """`signoff matrix --json`: columns, then tools with one cell for each column, in its order."""
    return {
        "server": matrix.server,
        "note": CAUTION,
        "columns": [_column_json(column) for column in matrix.columns],
        "compared": [matrix.columns[at].name for at in matrix.compared],
        "tools": [_row_json(matrix, row) for row in matrix.rows],
    }


def _column_json(column: Policy) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": column.name,
        "title": column_title(column),
        "kind": column.kind.value,
        "summary": column.summary,
        "like": column.like or None,
    }
    if is_host(column):
        shown |= {
            "source": column.source,
            "source_file": column.source_file or None,
            "version": column.version or None,
            "date": str(column.date) if column.date else None,
            "notes": column.notes.strip() or None,
            "edits_arguments": column.edits_arguments,
            "remembers": list(column.remembers) or None,
        }
    return shown


def _row_json(matrix: Matrix, row: Row) -> dict[str, Any]:
    tool = row.tool
    overrides = matrix.overrides.get(tool.name) if row.is_what_if else None
    return {
        "name": tool.name,
        "title": tool.title or None,
        "digest": tool.digest,
        "effect": tool.effect.value,
        "hints": tool.hints.as_json(),
        "what_if": dict(overrides) if overrides else None,
        "disagrees": row.disagrees,
        "cells": [
            {
                "column": column.name,
                Trust.UNTRUSTED.value: _verdict_json(cell.untrusted),
                Trust.TRUSTED.value: _verdict_json(cell.trusted),
            }
            for column, cell in zip(matrix.columns, row.cells, strict=True)
        ],
    }


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "word": cell_word(verdict),
        "answer": verdict.answer.value,
        "strong": verdict.strong,
        "reviews_result": verdict.reviews_result,
        "depends_on_arguments": verdict.depends,
        "rule": verdict.rule or None,
        "reasons": list(verdict.reasons),
        "source": verdict.source or None,
    }


def matrix_markdown(matrix: Matrix) -> str:
    """A table in Markdown (GitHub's), then each column with its source and its reasons."""
    ways = Ways(matrix)
    lines = [
        f"# Who would run, ask or refuse: {_text(matrix.server)}" if matrix.server else "# Matrix",
        "",
        _text(in_short(matrix)),
        "Where trust makes a difference a cell says: untrusted → trusted.",
        "",
        "| tool | effect | " + "".join(f"{_text(column_title(c))} | " for c in matrix.columns),
        "| --- | --- |" + " --- |" * len(matrix.columns),
    ]
    for row in matrix.rows:
        effect = f"{row.tool.effect.sign} {row.tool.effect.value}"
        cells = "".join(f" {_text(_cell_words(cell))} |" for cell in row.cells)
        lines.append(f"| {_tool(matrix, row)} | {_text(effect)} |{cells}")
    lines += ["", f"*{_text(CAUTION)}*"]
    for at, column in enumerate(matrix.columns):
        lines += ["", *_column_lines(column, [way for way in ways if way.at == at])]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _cell_words(cell: Cell) -> str:
    untrusted, trusted = full_word(cell.untrusted), full_word(cell.trusted)
    return untrusted if untrusted == trusted else f"{untrusted} → {trusted}"


def _tool(matrix: Matrix, row: Row) -> str:
    name = _code(row.tool.name_shown)
    if not row.is_what_if:
        return name
    return f"{name} {_text(what_if_words(matrix.overrides[row.tool.name]))}"


def _column_lines(column: Policy, ways: list[Way]) -> list[str]:
    lines = [f"## {_text(column_title(column))}", "", _text(column.summary)]
    if is_host(column):
        lines += ["", _text(f"{column.source}: {read_on(column)}.")]
        lines += [_text(line) for line in column.notes.strip().splitlines()]
    lines.append("")
    for way in ways:
        rule = f"{way.verdict.rule}: " if way.verdict.rule else ""
        reasons = "; ".join(way.verdict.reasons)
        words = f"- **{_text(full_word(way.verdict))}** - {_text(rule + reasons)}"
        lines.append(f"{words} ({_who(way)})")
    return lines


def _who(way: Way) -> str:
    """The tools that go this way, by trust where it makes a difference."""
    untrusted, trusted = way.tools[Trust.UNTRUSTED], way.tools[Trust.TRUSTED]
    if [tool.index for tool in untrusted] == [tool.index for tool in trusted]:
        return _names(untrusted)
    both = ((Trust.UNTRUSTED, untrusted), (Trust.TRUSTED, trusted))
    return "; ".join(f"{trust.value}: {_names(tools)}" for trust, tools in both if tools)


def _names(tools: list[ToolDefinition]) -> str:
    named = ", ".join(_code(tool.name_shown) for tool in tools[:TOOLS_NAMED])
    more = len(tools) - TOOLS_NAMED
    return f"{named} and {more:,} more" if more > 0 else named


def _text(text: str) -> str:
    """Our own words, or those of a policy file, with nothing in them that Markdown acts on."""
    return _ACTIVE.sub(_entity, visible(text))


def _code(text: str) -> str:
    """A server's name as code. References to characters can neither end a cell nor begin a tag."""
    if _PLAIN.fullmatch(text):
        return f"`{text}`"
    return f"<code>{_CODE_ACTIVE.sub(_entity, visible(text))}</code>"


def _entity(found: re.Match[str]) -> str:
    return f"&#{ord(found.group())};"
