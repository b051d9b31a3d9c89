from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.matrix import (
    Matrix,
    build_matrix,
    can_disagree,
    cell_word,
    column_title,
    overridden,
)
from signoff.app.approval.policies.policy import Policy, PolicyKind
from signoff.app.approval.policies.policy_text import built_in, built_ins, read_policy
from signoff.app.approval.policies.verdicts import Case, Verdict, VerdictAnswer
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.protocol.hints import HINT_KEYS
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tool, read_tools

ALL = (*built_ins(), *map(read_host, host_names()))
BY_NAME = read_policy(
    """
name = "by-name"
summary = "Refuses what it does not like to hear."
[[rule]]
tool = "drop_*"
then = "refuse"
reason = "the name"
[[rule]]
then = "allow"
""",
    "by-name.toml",
)
BY_ARGUMENT = read_policy(
    """
name = "by-argument"
summary = "Looks at an argument."
[[rule]]
then = "allow"
[[rule.argument]]
at = "/path"
is = "x"
[[rule]]
then = "refuse"
""",
    "by-argument.toml",
)


def entry(name: str = "a", /, **hints: bool) -> dict[str, Any]:
    return {
        "name": name,
        "inputSchema": {"type": "object"},
        "annotations": {f"{hint}Hint": claim for hint, claim in hints.items()},
    }


def words(matrix: Matrix, at: int = 0) -> list[tuple[str, str]]:
    return [(cell_word(c.untrusted), cell_word(c.trusted)) for c in matrix.row(at).cells]


def hosts(*names: str) -> list[Policy]:
    return [read_host(name) for name in names]


def test_a_row_has_a_cell_for_each_column_with_both_sides_of_trust() -> None:
    columns = [built_in("cautious"), *hosts("vscode", "copilot-review")]
    matrix = build_matrix(read_tools([entry(readOnly=True), entry("b")]), columns, server="demo")
    assert words(matrix) == [("ask", "run"), ("run", "run"), ("run", "run")]
    assert words(matrix, 1) == [
        ("ask with a warning", "ask with a warning"),
        ("ask", "ask"),
        ("hidden", "hidden"),
    ]
    first = matrix.row(0).cells[0]
    assert first.under(Trust.TRUSTED) is first.trusted
    assert first.under(Trust.UNTRUSTED) is first.untrusted
    assert [row.tool.name for row in matrix.rows] == ["a", "b"]
    assert [column_title(column) for column in columns][:2] == ["cautious", "VS Code"]


@pytest.mark.parametrize(
    ("verdict", "word"),
    [
        (Verdict(VerdictAnswer.ALLOW, ()), "run"),
        (Verdict(VerdictAnswer.ALLOW, (), reviews_result=True), "run, asks about the result"),
        (Verdict(VerdictAnswer.ASK, ()), "ask"),
        (Verdict(VerdictAnswer.ASK, (), strong=True), "ask with a warning"),
        (Verdict(VerdictAnswer.REFUSE, ()), "refused"),
        (Verdict(VerdictAnswer.HIDE, ()), "hidden"),
        (Verdict(VerdictAnswer.UNKNOWN, ()), "not known"),
    ],
)
def test_the_words_of_cells(verdict: Verdict, word: str) -> None:
    assert cell_word(verdict) == word


TOOLS = st.lists(
    st.builds(
        lambda name, annotations, schema: {
            "name": name,
            "inputSchema": schema,
            "annotations": annotations,
        },
        st.sampled_from(["a", "b", "drop_it", ""]),
        st.dictionaries(st.sampled_from(HINT_KEYS), st.booleans() | st.just("yes")),
        st.sampled_from([{"type": "object"}, 5]),
    ),
    max_size=8,
)


@pytest.mark.slow
@given(TOOLS)
def test_a_cell_is_what_its_column_says_of_that_very_tool(entries: list[Any]) -> None:
    columns = (*ALL, BY_NAME, BY_ARGUMENT)
    for row in build_matrix(read_tools(entries), columns, server="s").rows:
        for column, cell in zip(columns, row.cells, strict=True):
            for trust in Trust:
                # Models without measurements: all that is added is that they were read.
                verdict = replace(cell.under(trust), known_by=None)
                assert verdict == column.judge(Case(row.tool, trust, "s"))


def test_the_servers_name_counts() -> None:
    text = '[[rule]]\nserver = "de*"\nthen = "allow"\n[[rule]]\nthen = "refuse"\n'
    policy = read_policy(f'name = "p"\nsummary = "s."\n{text}', "p.toml")
    tools = read_tools([entry()])
    assert words(build_matrix(tools, [policy], server="demo")) == [("run", "run")]
    assert words(build_matrix(tools, [policy], server="Demo")) == [("refused", "refused")]


@pytest.mark.parametrize(
    ("names", "hints", "disagrees"),
    [
        (("vscode", "codex"), {}, False),
        (("vscode", "codex"), {"readOnly": True}, False),
        (("vscode", "docker-agent"), {"readOnly": True, "destructive": True}, True),
        (("vscode", "codex"), {"readOnly": True, "openWorld": True}, True),
        (("claude-desktop", "docker-agent"), {"readOnly": True, "destructive": True}, False),
        (("cursor", "qwen-code"), {"readOnly": True}, True),
        (("vscode",), {"readOnly": True}, False),
        ((), {}, False),
    ],
)
def test_where_columns_disagree(
    names: tuple[str, ...], hints: dict[str, bool], disagrees: bool
) -> None:
    matrix = build_matrix(read_tools([entry(**hints)]), hosts(*names))
    assert matrix.row(0).disagrees is disagrees


def test_the_constant_policies_stay_apart_unless_they_are_wanted() -> None:
    columns = [built_in(name) for name in ("cautious", "first-use", "ask-always", "allow-all")]
    tools = read_tools([entry("a"), entry("b", readOnly=True), entry("c", destructive=False)])
    matrix = build_matrix(tools, columns)
    assert [one.name for one in matrix.apart] == ["ask-always", "allow-all"]
    assert matrix.compared == (0, 1)
    # cautious runs what a trusted server calls read-only, and first-use asks about it once.
    assert [row.disagrees for row in matrix] == [False, True, False]
    wanted = build_matrix(tools, columns, compared=(2, 3))
    assert [row.disagrees for row in wanted] == [True, True, True]
    assert [row.disagrees for row in wanted.only_disagreeing()] == [True, True, True]


def test_a_policy_is_constant_by_its_rules() -> None:
    constant = {one.name for one in ALL if one.is_constant}
    assert {"ask-always", "allow-all"} <= constant
    assert not constant & {"cautious", "first-use", "confirm-destructive", "read-only-loop"}
    doubtful = '[[rule]]\nthen = "allow"\n'
    runs = read_policy(f'name = "p"\nsummary = "s."\n{doubtful}', "p.toml")
    assert not runs.is_constant
    assert read_policy(
        f'name = "p"\nsummary = "s."\ndoubts = "ignore"\n{doubtful}', "p"
    ).is_constant


def test_a_host_is_compared_even_where_it_is_constant() -> None:
    text = 'name = "p"\ntitle = "P"\nsummary = "s."\nlike = "l"\nsource = "https://a.example"\n'
    rules = 'version = "1"\ndate = 2026-11-15\nnotes = "n"\n[[rule]]\nthen = "ask"\n'
    host = read_policy(text + rules, "p.toml", PolicyKind.HOST)
    assert host.is_constant
    assert can_disagree([host, built_in("cautious")]) == (0, 1)


def test_a_strong_question_is_a_question() -> None:
    columns = [built_in("cautious"), read_host("vscode")]
    assert not build_matrix(read_tools([entry()]), columns).row(0).disagrees


def test_only_what_they_disagree_on() -> None:
    tools = read_tools([entry("a"), entry("b", readOnly=True, destructive=True), entry("c")])
    matrix = build_matrix(tools, hosts("vscode", "docker-agent"), server="demo")
    found = matrix.only_disagreeing()
    assert [row.tool.name for row in found.rows] == ["b"]
    assert (found.columns, found.server) == (matrix.columns, "demo")
    assert found.row(0).cells == matrix.row(1).cells


def test_a_what_if_judges_by_hints_that_are_not_the_servers() -> None:
    tools = read_tools([entry("a"), entry("b")])
    columns = hosts("vscode", "codex", "copilot-review")
    before = build_matrix(tools, columns)
    after = build_matrix(tools, columns, overrides={"a": {"readOnly": True}})
    row = after.row(0)
    assert row.is_what_if
    assert row.own_tool is tools[0]
    assert row.tool.digest == tools[0].digest
    assert not after.row(1).is_what_if
    for trust in Trust:
        first = [cell_word(cell.under(trust)) for cell in before.row(0).cells]
        then = [cell_word(cell.under(trust)) for cell in after.row(0).cells]
        assert (first, then) == (["ask", "ask", "hidden"], ["run", "run", "run"])
    assert after.row(1).cells == before.row(1).cells


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(HINT_KEYS), st.booleans()), st.booleans() | st.none())
def test_a_what_if_says_what_such_a_tool_would_get(
    annotations: dict[str, bool], read_only: bool | None
) -> None:
    raw: dict[str, Any] = {"name": "a", "inputSchema": {}, "annotations": annotations}
    own = read_tool(0, raw)
    row = build_matrix([own], ALL, overrides={"a": {"readOnly": read_only}}).row(0)
    supposed = overridden(own, {"readOnly": read_only})
    for column, cell in zip(ALL, row.cells, strict=True):
        for trust in Trust:
            judged = column.judge(Case(supposed, trust))
            assert cell_word(cell.under(trust)) == cell_word(judged)


def test_nothing_to_show() -> None:
    assert build_matrix([], ALL).rows == ()
    assert build_matrix(read_tools([entry()]), []).row(0).cells == ()


@pytest.mark.slow
def test_tools_that_are_alike_are_judged_once() -> None:
    tools = read_tools(entry(f"t{at}", readOnly=at % 2 == 0) for at in range(5_000))
    matrix = build_matrix(tools, ALL)
    assert len(matrix) == 5_000
    assert matrix.row(4_999).cells is matrix.row(1).cells
    assert len(matrix.rows) == 5_000
