"""`signoff through`: the scripted server directly, and behind a gateway that loses things."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.running import Ended, run
from tests.servers import raw
from tests.tiers import first_quick

GATEWAY = str(Path(__file__).parents[2] / "servers" / "gateway.py")
FILED = str(Path(__file__).parents[2] / "servers" / "filed.py")
ONLY = ("--only", "read_thing", "--only", "delete_thing")


def server(*switches: str) -> list[str]:
    return raw(*switches)


def through(folder: Path, *words: str, direct: list[str], switches: tuple[str, ...] = ()) -> Ended:
    behind = [sys.executable, GATEWAY, *switches, "--", *direct]
    given = ("through", "--no-audit", "--no-memory", *words)
    return run(folder, *given, "--", *direct, ":::", *behind)


def test_a_gateway_that_loses_nothing_ends_with_zero(tmp_path: Path) -> None:
    ended = through(tmp_path, "--strict", direct=server())
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[-1] == (
        "all tools and hints came through; no call was compared (--tools)"
    )


def test_what_a_gateway_loses_is_counted_and_named(tmp_path: Path) -> None:
    switches = ("--prefix", "up_", "--no-hints", "--drop", "delete_thing")
    ended = through(tmp_path, "--json", direct=server(), switches=switches)
    assert ended.status == 4
    report = ended.report
    parts = report["parts"]
    assert parts["tools"]["lost"] == 1
    assert parts["names"]["came through"] == 0
    assert parts["hints"]["came through"] == 0
    assert parts["hints"]["lost"] > 0
    lost = [one for one in report["differences"] if one["part"] == "tools"]
    assert lost == [
        {"part": "tools", "fate": "lost", "about": "delete_thing", "words": None, "matters": True}
    ]
    assert any(one["tool"] == "read_thing" for one in report["hosts"])
    assert report["hidden"] == {"tools": [], "behind": []}
    text = through(tmp_path, direct=server(), switches=switches).stdout
    assert "up_NAME" in text
    assert "delete_thing" in text


@pytest.mark.slow
def test_a_list_that_does_not_end_is_named(tmp_path: Path) -> None:
    ended = through(tmp_path, "--json", direct=server("--endless-cursor", *ONLY))
    cut = ended.report["lists_cut"]
    for side in ("direct", "gateway"):
        (words,) = cut[side]
        assert words.startswith("more tools follow after ")
        assert f"signoff: {side}: {words}; what follows is not compared" in ended.stderr


@pytest.mark.slow
def test_calls_are_compared_on_both_sides(tmp_path: Path) -> None:
    inputs = tmp_path / "inputs.json"
    inputs.write_text(json.dumps({"read_thing": {}}))
    words = ("--json", "--tools", "read_thing", "--inputs", str(inputs), "--approve", "always")
    same = through(tmp_path, *words, direct=server())
    assert same.status == 0
    (call,) = same.report["calls"]
    assert call["direct"] == call["gateway"]
    in_lines = [one for one in words if one != "--json"]
    last = through(tmp_path, *in_lines, direct=server()).stdout.splitlines()[-1]
    assert last == "all tools, hints and calls came through"
    denied = through(tmp_path, *words, direct=server(), switches=("--deny", "read_thing"))
    assert denied.status == 4
    (call,) = denied.report["calls"]
    assert call["gateway"]["error_code"] == -32001
    # The definitions came through: the tool is listed, and a call of it is denied.
    assert denied.report["parts"]["tools"]["lost"] == 0


ANSWER = {"id": 2**53 + 1, "ratio": 1.0, "name": "\u00dcn\u00efcode"}


@pytest.mark.parametrize(
    ("other", "status"),
    first_quick(
        [
            ({}, 0),
            ({"id": 2**53}, 4),
            ({"ratio": 1}, 4),
            ({"name": "U\u0308ni\u0308code"}, 4),
        ],
        several=True,
    ),
    ids=["same", "bigint", "int", "nfd"],
)
def test_values_are_compared_exactly(tmp_path: Path, other: dict[str, object], status: int) -> None:
    tool = {"name": "get_row", "inputSchema": {"type": "object"}}
    for name in ("direct", "gateway"):
        (tmp_path / f"{name}.json").write_text(json.dumps([tool]), encoding="utf-8")
    changed = dict(reversed((ANSWER | other).items()))
    sides = [
        [sys.executable, "-S", FILED, f"{name}.json", "gives", answer_of(value)]
        for name, value in (("direct", ANSWER), ("gateway", changed))
    ]
    words = ("through", "--json", "--tools", "get_row", "--approve", "always")
    ended = run(tmp_path, *words, "--", *sides[0], ":::", *sides[1])
    assert ended.status == status
    found = [one["words"] for one in ended.report["differences"] if one["part"] == "calls"]
    assert found == (["structuredContent has other values"] if status else [])


def answer_of(value: object) -> str:
    return json.dumps({"content": [], "structuredContent": value})


def test_a_call_that_is_not_approved_is_not_compared(tmp_path: Path) -> None:
    words = ("--tools", "read_thing", "--approve", "never")
    ended = through(tmp_path, *words, direct=server())
    assert ended.status == 3
    assert ended.stdout.splitlines()[-1] == (
        "no call was compared; the tools and hints came through"
    )
    assert "read_thing: denied: not compared" in ended.stderr


def test_results_that_vary_are_named(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(
        json.dumps([{"name": "clock", "inputSchema": {"type": "object"}}]), encoding="utf-8"
    )
    side = [sys.executable, "-S", FILED, "tools.json", "varies"]
    words = ("through", "--tools", "clock", "--approve", "always")
    ended = run(tmp_path, *words, "--", *side, ":::", *side)
    assert ended.status == 0
    assert ended.stdout.splitlines()[-1] == (
        "nothing else of tools, hints and calls was lost or changed; the results of 1 tool vary "
        "and were not compared"
    )


def test_tools_behind_one_that_executes_them_are_named(tmp_path: Path) -> None:
    report = through(tmp_path, "--json", direct=server(), switches=("--executor",)).report
    assert report["hidden"]["behind"] == ["execute_tool"]
    assert "delete_thing" in report["hidden"]["tools"]


def test_what_a_policy_denies_of_the_listed_tools_is_named(tmp_path: Path) -> None:
    words = ("--json", "--policy", "read-only-loop", "--trust")
    report = through(tmp_path, *words, direct=server()).report
    assert report["denied"]["by"] == "read-only-loop"
    assert "delete_thing" in report["denied"]["tools"]
    assert "read_thing" not in report["denied"]["tools"]


@pytest.mark.parametrize(
    "words",
    [
        ("--", "true"),
        ("--", "true", ":::"),
        ("--", ":::", "true"),
        ("--", "a", ":::", "b", ":::", "c"),
    ],
)
def test_two_servers_are_needed(tmp_path: Path, words: tuple[str, ...]) -> None:
    ended = run(tmp_path, "through", *words)
    assert ended.status == 2
    assert ":::" in ended.stderr


def test_the_side_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    ended = run(tmp_path, "through", "--", *server(), ":::", str(tmp_path / "missing"))
    assert ended.status == 5
    assert "gateway" in ended.stderr
