"""Reports of lint for other programs, with names that a hostile server wrote."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.text import visible
from signoff.app.features.lint.linting import lint
from signoff.app.features.lint.report import (
    LintReport,
    report_json,
    report_lines,
    report_page,
    reports_junit,
    reports_sarif,
    told,
)
from signoff.app.features.lint.rule import Subject, sample
from signoff.app.presentation.exit_status import ExitStatus
from signoff.app.presentation.report_pages import page_markdown
from signoff.app.protocol.tool_reading import read_tools
from tests.approved import approved
from tests.cli.running import run

PROSE = approved("cli-definitions")

NAMES = st.text(st.characters(), min_size=1, max_size=20) | st.sampled_from(
    [
        "]]>",
        "<b>",
        "&amp;",
        "a|b",
        "\x1b[31m",
        "\x00",
        "\ud800",
        "\ufffe",
        "``` # x",
        "](javascript:x)",
    ]
)


def report(names: list[str], *, file: str = "", lines: tuple[int, ...] = ()) -> LintReport:
    entries: list[Any] = [
        {
            **sample(name, name, readOnlyHint="yes"),
            "inputSchema": {"type": "object", "properties": {name: True}},
        }
        for name in names
    ]
    tools = read_tools(entries)
    found = lint(Subject(tools))
    known = dict(enumerate(lines))
    shown = (told(one, known.get(one.tool.index, 0) if one.tool else 0, str) for one in found)
    return LintReport(visible(names[0]), file, len(tools), 0, tuple(shown), ExitStatus.OK)


@pytest.mark.slow
@given(st.lists(NAMES, min_size=1, max_size=3), st.booleans())
def test_every_report_can_be_read_whatever_names_are(names: list[str], strict: bool) -> None:
    one = report(names, file="tools é\x01.json", lines=(3, 5))
    root = ElementTree.fromstring(reports_junit([one], is_strict=strict).encode())
    assert int(root.get("tests", "")) == len(one.found) == len(root.findall(".//testcase"))
    assert int(root.get("failures", "")) == len(root.findall(".//failure"))
    text = page_markdown(report_page(one))
    text.encode()
    assert not re.search(r"[<>|`\[\]\x00-\x09\x0b-\x1f]", re.sub(r"^#+ ", "", text, flags=re.M))
    check_sarif(json.loads(json.dumps(reports_sarif([one]))))
    json.dumps(report_json(one))
    for pieces in report_lines(one):
        assert all(visible(words, max_blanks=20) == words for words, _ in pieces)


def check_sarif(log: Any) -> None:
    """What SARIF 2.1.0 wants of what is used of it here; its own schema is not ours to ship."""
    assert log["version"] == "2.1.0"
    assert set(log) == {"$schema", "version", "runs"}
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        for key in ("shortDescription", "fullDescription", "help"):
            assert rule[key]["text"]
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
    for result in run["results"]:
        assert result["message"]["text"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        for location in result.get("locations", ()):
            physical = location.get("physicalLocation", {})
            uri = physical.get("artifactLocation", {}).get("uri", "x")
            assert re.fullmatch(r"[A-Za-z0-9._~/%-]+", uri)
            assert physical.get("region", {}).get("startLine", 1) >= 1
        assert all(
            re.fullmatch("[0-9a-f]{64}", one) for one in result["partialFingerprints"].values()
        )


def test_a_finding_in_a_file_has_its_place_and_one_of_a_server_its_tool() -> None:
    in_file = reports_sarif([report(["a b", "c d"], file="x/t 1.json", lines=(3, 9))])
    places = [one["locations"][0]["physicalLocation"] for one in in_file["runs"][0]["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {"x/t%201.json"}
    assert {place["region"]["startLine"] for place in places} == {3, 9}
    of_server = reports_sarif([report(["a b"])])
    for one in of_server["runs"][0]["results"]:
        [location] = one["locations"]
        assert "physicalLocation" not in location
        assert location["logicalLocations"][0]["name"] == "a b"


@pytest.mark.parametrize(("strict", "failures"), [(False, 0), (True, 1)])
def test_warnings_fail_only_where_that_is_wanted(strict: bool, failures: int) -> None:
    tools = read_tools([sample("a b", "x", readOnlyHint=True, destructiveHint=True)])
    found = tuple(told(one, 0, str) for one in lint(Subject(tools)))
    shown = LintReport("a b", "", len(tools), 0, found, ExitStatus.OK)
    root = ElementTree.fromstring(reports_junit([shown], is_strict=strict))
    assert bool(int(root.get("failures", ""))) == bool(failures)


def test_nothing_found_is_one_case_that_passed() -> None:
    nothing = LintReport("x", "", 0, 0, (), ExitStatus.OK)
    root = ElementTree.fromstring(reports_junit([nothing], is_strict=True))
    assert [one.get("name") for one in root.iter("testcase")] == ["all rules"]


def test_what_is_true_of_every_tool_is_told_without_their_names() -> None:
    text = "\n".join(
        "".join(piece for piece, _ in line) for line in report_lines(report(["get_a", "get_b"]))
    )
    PROSE.holds("lint: of every tool", text)
    alone = "\n".join(
        "".join(piece for piece, _ in line) for line in report_lines(report(["get_a"]))
    )
    assert "each of" not in alone
    [row] = [row for row in alone.split("\n") if "has no title" in row]
    PROSE.holds("lint: of one tool", row)


def test_a_long_report_has_each_kind_of_note_in_one_line(tmp_path: Path) -> None:
    def tool(number: int) -> dict[str, object]:
        schema = {"type": "object", "properties": {f"p{number}{at}": {} for at in range(number)}}
        return {"name": f"tool{number}", "inputSchema": schema, "description": "Does it all."}

    (tmp_path / "tools.json").write_text(json.dumps({"tools": [tool(one) for one in range(12)]}))
    ended = run(tmp_path, "lint", "tools.json")
    notes = [line for line in ended.stdout.splitlines() if line.startswith("note")]
    kinds = {
        one["code"] for one in run(tmp_path, "lint", "tools.json", "--json").report["findings"]
    }
    assert [line for line in notes if ": tool1, tool2, tool3 and 8 more" in line]
    assert {line.split()[1] for line in notes} < kinds
    assert "--markdown or --json: all notes in full" in ended.stdout
    assert run(tmp_path, "lint", "tools.json", "--markdown").stdout.count("tool9") > 1


def test_what_hosts_would_decide_is_said_once_for_all_tools_of_a_rule(tmp_path: Path) -> None:
    def saves(name: str, words: str) -> dict[str, object]:
        parameter = {"type": "string", "description": words}
        schema = {"type": "object", "properties": {"filename": parameter}}
        hints = {"readOnlyHint": True, "openWorldHint": False}
        return {"name": name, "inputSchema": schema, "annotations": hints}

    tools = [saves("one", "File name to save the page to"), saves("two", "Save the log to a file")]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": tools}))
    lines = run(tmp_path, "lint", "tools.json").stdout.splitlines()
    at = next(place for place, line in enumerate(lines) if "read-only-saves-file" in line)
    assert [line.strip().partition(":")[0] for line in lines[at + 1 : at + 3]] == ["one", "two"]
    assert lines[at + 3].strip().startswith("for these 2 tools, hosts would decide otherwise")
    assert "hosts would" not in lines[at + 4]
