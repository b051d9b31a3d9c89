"""`signoff matrix` with Cedar policies, and with expected decisions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Ended, run

BOTH = ("--policy", "docker:example", "--policy", "toolhive:example")


def matrix(folder: Path, *words: str) -> Ended:
    return run(folder, "matrix", "demo", "--no-audit", "--no-memory", *words)


def test_the_same_tools_are_decided_differently_by_two_gateways(tmp_path: Path) -> None:
    report = matrix(tmp_path, *BOTH, "--json").report
    assert [one["name"] for one in report["columns"]] == ["docker:example", "toolhive:example"]
    cells = {
        tool["name"]: [cell["trusted"]["answer"] for cell in tool["cells"]]
        for tool in report["tools"]
    }
    assert cells["undeclared_tool"] == ["ask", "hide"]
    assert cells["calculate_sum"] == ["allow", "allow"]
    assert cells["append_note"] == ["ask", "allow"]
    assert cells["delete_user"] == ["refuse", "not known"]
    # Every decision has the statement that made it, or the reason why none did.
    for tool in report["tools"]:
        for cell in tool["cells"]:
            assert cell["trusted"]["rule"] or "default" in cell["trusted"]["reasons"][0]


@pytest.mark.slow
def test_expected_decisions_are_a_table_that_the_matrix_prints(tmp_path: Path) -> None:
    table = tmp_path / "decisions.md"
    table.write_text(matrix(tmp_path, *BOTH, "--markdown").stdout, encoding="utf-8")
    words = (*BOTH, "--expect-decisions", str(table))
    same = matrix(tmp_path, *words)
    assert (same.status, len(same.stdout.splitlines())) == (0, 1)
    text = table.read_text(encoding="utf-8")
    changed = text.replace("| `append_note` | &#43; additive | ask |", "| `append_note` | | run |")
    changed = changed.replace("| `undeclared_tool` |", "| `old_tool` |")
    table.write_text(changed, encoding="utf-8")
    other = matrix(tmp_path, *words)
    assert other.status == 4
    first, second, third, _ = other.stdout.splitlines()
    assert "append_note under docker:example" in first
    assert "“run”" in first
    assert "“ask”" in first
    assert "old_tool" in second
    assert "undeclared_tool" in third


def test_only_the_cells_that_are_filled_are_compared(tmp_path: Path) -> None:
    table = tmp_path / "few.md"
    table.write_text(
        "text\n\n| tool | vscode | codex |\n|---|---|---|\n| delete_file | ask | - |\n"
    )
    ended = matrix(tmp_path, "--expect-decisions", str(table))
    # The other tools are named, and nothing is compared under codex.
    assert (ended.status, len(ended.stdout.splitlines())) == (4, 2)
    assert "delete_file" not in ended.stdout
    for text in ("no table", "| tool | no_such_policy |\n|-|-|\n| a | run |\n", "| tool |\n|-|\n"):
        table.write_text(text)
        ended = matrix(tmp_path, "--expect-decisions", str(table))
        assert (ended.status, "--expect-decisions" in ended.stderr) == (2, True)
    table.unlink()
    assert matrix(tmp_path, "--expect-decisions", str(table)).status == 2


def test_a_cedar_file_is_checked_and_shown(tmp_path: Path) -> None:
    assert run(tmp_path, "policy", "check", "docker:example").status == 0
    shown = run(tmp_path, "policy", "show", "toolhive:example").stdout
    assert shown.startswith("#")
    bad = tmp_path / "bad.cedar"
    bad.write_text("permit (")
    ended = run(tmp_path, "policy", "check", f"docker:{bad}")
    assert ended.status == 2
    assert "line 1" in ended.stderr


@pytest.mark.slow
def test_a_call_is_decided_once_its_arguments_are_known(tmp_path: Path) -> None:
    file = tmp_path / "sum.cedar"
    limit = "context has args && context.args has a && context.args.a <= 5"
    file.write_text(f"permit (principal, action, resource) when {{ {limit} }};")
    words = ("call", "calculate_sum", "demo", "--policy", f"docker:{file}", "--no-audit")
    small = run(tmp_path, *words, "-a", "a=1", "-a", "b=2")
    assert small.status == 0
    large = run(tmp_path, *words, "-a", "a=6", "-a", "b=2")
    assert large.status != 0
    assert "denied" in large.stdout + large.stderr
