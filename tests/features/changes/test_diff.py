from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.app.content.text import visible
from signoff.app.features.changes.command import diff_json, diff_summary, exit_status, print_diff
from signoff.app.protocol.definitions.changes import ListDiff, Weight
from signoff.app.protocol.definitions.lists import compare_lists
from tests.approved import approved
from tests.protocol.definitions_made import DEFINITIONS, ODD

PROSE = approved("cli-definitions")


def tool(name: str, **fields: Any) -> Any:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    return {"name": name, "description": "Deletes a file", "inputSchema": schema, **fields}


SAFE_PARAMETER: Any = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "deep": {"type": "boolean"}},
}
BROKEN: Any = {"type": "object", "properties": {"path": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("old", "new", "status", "answer"),
    [
        ([tool("a"), tool("b")], [tool("b"), tool("a")], 0, "unchanged"),
        ([tool("a")], [tool("a"), {"name": "b"}], 7, "harmless or reworded"),
        ([tool("a")], [tool("a", inputSchema=SAFE_PARAMETER)], 7, "harmless or reworded"),
        ([tool("a")], [tool("a", description="Wipes a file")], 7, "harmless or reworded"),
        (
            [tool("a")],
            [tool("a", annotations={"destructiveHint": True})],
            7,
            "harmless or reworded",
        ),
        ([tool("a")], [tool("a", annotations={"destructiveHint": False})], 8, "noteworthy"),
        ([tool("a")], [tool("a", outputSchema={})], 8, "noteworthy"),
        ([tool("a"), tool("b")], [tool("b")], 8, "noteworthy"),
        ([tool("a")], [tool("z")], 8, "noteworthy"),
        ([tool("a")], [tool("a", inputSchema=BROKEN)], 9, "breaking"),
        ([tool("a")], [tool("a"), tool("a")], 9, "breaking"),
        ([tool("a"), tool("b")], [tool("a", inputSchema=BROKEN)], 9, "breaking"),
    ],
)
def test_the_exit_status_tells_the_class_of_change(
    old: Any, new: Any, status: int, answer: str
) -> None:
    diff = compare_lists(old, new)
    assert exit_status(diff) == status
    report = diff_json(diff)
    assert (report["answer"], report["exit_status"]) == (answer, status)


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(DEFINITIONS | ODD, max_size=3), st.lists(DEFINITIONS | ODD, max_size=3))
def test_every_report_can_be_printed_and_agrees_with_the_status(old: Any, new: Any) -> None:
    diff = compare_lists(old, new)
    status = exit_status(diff)
    assert (status == 0) == diff.is_empty
    assert (status == 9) == (
        bool(diff.duplicated) or any(one.weight is Weight.BREAKING for one in diff.changed)
    )
    with redirect_stdout(StringIO()) as out:
        print_diff(diff)
    for line in out.getvalue().splitlines():
        assert visible(line, max_blanks=10_000) == line
    assert json.loads(json.dumps(diff_json(diff)))["exit_status"] == status


def test_the_report_in_json_has_the_raw_values_and_exact_places() -> None:
    report: Any = diff_json(compare_lists([tool("a\u202e", title="x")], [tool("a\u202e")]))
    (changed,) = report["changed"]
    assert changed["tool"] == "a\u202e"
    assert changed["class"] == "reworded"
    PROSE.holds("diff: a title removed", changed["changes"][0].pop("message"))
    assert changed["changes"] == [
        {
            "code": "title",
            "class": "reworded",
            "path": "$.title",
            "steps": ["title"],
            "old": "x",
        }
    ]
    assert (report["added"], report["gone"], report["renamed"]) == ([], [], [])


def test_the_report_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    old = [tool("a"), tool("b"), {"name": "c"}]
    new = [tool("a", description="Wipes a file"), tool("bb"), {"name": "[bold]d"}]
    diff = compare_lists(old, new)
    print_diff(diff)
    PROSE.holds("diff: every kind", capsys.readouterr().out)


def test_nothing_changed_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    print_diff(ListDiff())
    assert capsys.readouterr().out == "nothing changed\n"
    assert diff_summary(ListDiff(added=("a", "b"))) == "2 new"
