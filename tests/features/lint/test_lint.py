"""`signoff lint` in processes of its own: servers, files, baselines, rules, what the log knows."""

from __future__ import annotations

import html
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from signoff.app.features.lint.linting import RULES
from signoff.app.features.lint.rule import NO_INPUT, sample, taking
from signoff.app.protocol.definitions.pins import write_pin
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.storage.audit_log import default_path
from tests.approved import approved
from tests.cli.running import Ended, run
from tests.servers import named, raw
from tests.tiers import first_quick

PROSE = approved("lint")

CLEAN = {
    **taking({"key": {"type": "string", "description": "Which row."}}),
    "title": "Read a row",
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
    "outputSchema": {
        "type": "object",
        "properties": {"value": {"type": "string"}},
        "required": ["value"],
    },
}
DOUBTFUL = {**CLEAN, "annotations": {}}


def lint(folder: Path, *words: str) -> Ended:
    return run(folder, "lint", *words)


def file_of(folder: Path, *entries: Any, name: str = "tools.json") -> str:
    folder.joinpath(name).write_text(json.dumps({"tools": entries}, indent=1))
    return name


def codes(ended: Ended) -> dict[str, str]:
    return {one["code"]: one["severity"] for one in ended.report["findings"]}


def test_the_bundled_server_is_doubtful_on_purpose(tmp_path: Path) -> None:
    ended = lint(tmp_path, "--strict", "--json", "--no-memory", "demo")
    assert ended.status == 1
    report = ended.report
    assert report["exit_status"] == 1
    assert report["counts"]["error"] == 0
    found = {(one["code"], one["tool"]): one for one in report["findings"]}
    assert ("contradictory-hints", "contradictory_tool") in found
    hosts = found["missing-effect-hints", "github_search_repos"]["hosts"]
    assert {"host": "Copilot code review", "does": "hidden", "would": "run"} in hosts


def test_a_server_is_greeted_and_nothing_is_called(tmp_path: Path) -> None:
    ended = lint(tmp_path, "--no-audit", "--no-memory", "--", *raw("--only", "old_echo"))
    assert ended.status == 0
    assert "warning  deprecated" in ended.stdout
    lines = [line.strip() for line in ended.stdout.splitlines() if "old_echo: " in line]
    PROSE.holds("lint: deprecated", "\n".join(lines))


@pytest.mark.parametrize(("strict", "status"), [((), 0), (("--strict",), 1)])
def test_warnings_end_it_only_where_that_is_wanted(
    strict: tuple[str, ...], status: int, tmp_path: Path
) -> None:
    assert lint(tmp_path, file_of(tmp_path, DOUBTFUL), *strict).status == status
    ended = lint(tmp_path, *strict, file_of(tmp_path, CLEAN))
    assert ended.status == 0
    assert "no problems found" in ended.stdout


def test_schemas_that_cannot_be_used_are_errors_also_the_costly_ones(tmp_path: Path) -> None:
    broken = {**CLEAN, "name": "broken", "inputSchema": {"type": "object", "required": "key"}}
    far = {**CLEAN, "name": "far", "outputSchema": {"type": "object", "$ref": "https://x.test/s"}}
    huge = {**CLEAN, "name": "huge", "inputSchema": {**NO_INPUT, "enum": list(range(9_000))}}
    ended = lint(tmp_path, file_of(tmp_path, broken, far, huge, CLEAN), "--json")
    assert ended.status == 4
    found = {
        one["tool"]: one["message"]
        for one in ended.report["findings"]
        if one["code"] == "unusable-schema"
    }
    assert set(found) == {"broken", "far", "huge"}
    PROSE.holds("lint: a reference elsewhere", found["far"])


def test_a_breaking_change_against_a_baseline_is_an_error(tmp_path: Path) -> None:
    tmp_path.joinpath("pin.json").write_text(write_pin("x", [CLEAN, sample("gone")]))
    changed = {**CLEAN, "inputSchema": {**CLEAN["inputSchema"], "required": ["key"]}}
    ended = lint(tmp_path, file_of(tmp_path, changed), "--pin", "pin.json", "--json")
    assert ended.status == 4
    assert codes(ended) == {"pin-breaking": "error", "pin-gone": "warning"}
    same = lint(tmp_path, "pin.json", "--pin", "pin.json", "--json")
    assert not {code for code in codes(same) if code.startswith("pin-")}


def test_rules_can_be_weighed_in_a_file(tmp_path: Path) -> None:
    name = file_of(tmp_path, DOUBTFUL)
    tmp_path.joinpath("rules.toml").write_text('[severity]\nmissing-effect-hints = "error"\n')
    assert lint(tmp_path, name, "--rules", "rules.toml").status == 4
    tmp_path.joinpath("rules.toml").write_text('[severity]\nmissing-effect-hints = "off"\n')
    assert lint(tmp_path, name, "--rules", "rules.toml", "--strict").status == 0
    tmp_path.joinpath("rules.toml").write_text('[severity]\nmising-effect-hints = "off"\n')
    ended = lint(tmp_path, name, "--rules", "rules.toml")
    assert ended.status == 2
    PROSE.holds("rules: a misspelt rule", ended.stderr)


@pytest.mark.slow
def test_what_the_audit_log_knows_of_answers_is_an_error(tmp_path: Path) -> None:
    log = ("--audit", "audit.jsonl", "--no-memory")
    tool = "generate_fantasy_character_broken"
    run(tmp_path, "call", tool, "demo", "--approve", "always", *log)
    run(tmp_path, "call", "generate_fantasy_character", "demo", "--approve", "always", *log)
    ended = lint(tmp_path, "demo", "--json", *log)
    assert ended.status == 4
    errors = [one["tool"] for one in ended.report["findings"] if one["severity"] == "error"]
    assert errors == [tool]
    tmp_path.joinpath("t.json").write_text(run(tmp_path, "tools", "demo", "--json").stdout)
    assert lint(tmp_path, "t.json", *log[:2]).status == 4
    assert lint(tmp_path, "t.json").status == 0


def test_only_a_given_log_counts_and_its_newest_record_is_named(tmp_path: Path) -> None:
    name, [tool] = file_of(tmp_path, CLEAN), read_tools([CLEAN])
    ended = {"event": "ended", "definition": tool.digest, "schema": "invalid"}
    records = [
        {**ended, "seq": 3, "ts": "2026-11-01T23:59:59.353+00:00"},
        {**ended, "seq": 9, "ts": "2026-11-02T01:00:00.000+02:00"},
        {**ended, "seq": 12, "definition": "0" * 64, "ts": "2026-11-03T00:00:00.000+00:00"},
    ]
    text = "".join(f"{json.dumps(one)}\n" for one in records)
    tmp_path.joinpath("log.jsonl").write_text(text)
    usual = default_path()
    usual.parent.mkdir(parents=True, exist_ok=True)
    usual.write_text(text)
    assert lint(tmp_path, name).status == 0
    ended_given = lint(tmp_path, name, "--audit", "log.jsonl", "--json")
    assert ended_given.status == 4
    [found] = [one for one in ended_given.report["findings"] if one["severity"] == "error"]
    assert "2 responses" in found["message"]
    assert "record 9 of 2026-11-01 23:00:00 UTC" in found["message"]


@pytest.mark.parametrize("log", ["none.jsonl", "."])
def test_a_log_that_cannot_be_read_is_no_clean_one(log: str, tmp_path: Path) -> None:
    ended = lint(tmp_path, file_of(tmp_path, CLEAN), "--audit", log)
    assert ended.status == 2
    assert "audit log" in ended.stderr


def test_the_shapes_for_other_programs(tmp_path: Path) -> None:
    other = {**CLEAN, "name": "read_rows", "title": "Read rows"}
    name = file_of(tmp_path, DOUBTFUL, other)
    sarif = lint(tmp_path, name, "--sarif", "-").report
    [result] = [
        one for one in sarif["runs"][0]["results"] if one["ruleId"] == "missing-effect-hints"
    ]
    place = result["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": name}, "region": {"startLine": 3}}
    root = ElementTree.fromstring(lint(tmp_path, name, "--junit", "-", "--strict").stdout)
    assert root.get("failures") == "1"
    assert "## warning: missing-effect-hints" in lint(tmp_path, name, "--markdown").stdout


def test_the_review_of_a_directory_names_its_clauses(tmp_path: Path) -> None:
    name = file_of(tmp_path, {**CLEAN, "annotations": {"readOnlyHint": True}})
    assert lint(tmp_path, name).status == 0
    ended = lint(tmp_path, name, "--review", "chatgpt", "--json")
    assert ended.status == 4
    (found,) = [one for one in ended.report["findings"] if "review" in one]
    assert found["code"] == "chatgpt-hint-not-set"
    assert found["clause"] == "Correct annotation"
    assert found["source"].startswith("https://developers.openai.com/")
    for shape in ("--markdown", "--junit=-", "--sarif=-", "--strict"):
        assert found["source"] in lint(tmp_path, name, "--review", "chatgpt", shape).stdout
    assert lint(tmp_path, name, "--review", "nobody").status == 2


def _words(shape: str) -> tuple[str, ...]:
    if shape in ("junit", "sarif"):
        return (f"--{shape}", "-")
    return () if shape == "plain" else (f"--{shape}",)


@pytest.mark.parametrize("shape", first_quick(["json", "sarif", "junit", "markdown", "plain"], 2))
def test_a_secret_that_a_server_repeats_is_masked(shape: str, tmp_path: Path) -> None:
    secret = "c0ffee-c0ffee-c0ffee"
    words = _words(shape)
    given = ("--env", f"API_KEY={secret}", "--no-audit", "--no-memory")
    ended = lint(tmp_path, *words, *given, "--", *named(f"get_{secret}", secret))
    assert ended.status == 0
    assert secret not in ended.stdout
    if shape == "json":
        assert ended.report["masked"]["repeated"] > 0
    shown = lint(tmp_path, *words, *given, "--show-secrets", "--", *named(secret))
    assert secret in shown.stdout.replace("&#45;", "-")


def test_rules_explain_themselves(tmp_path: Path) -> None:
    page = lint(tmp_path, "explain", "does-many-things")
    assert page.status == 0
    PROSE.holds("explain: a rule", page.stdout)
    listed = lint(tmp_path, "explain").stdout
    assert all(f"  {code}  " in listed for code in RULES)
    unknown = lint(tmp_path, "explain", "does-many")
    assert unknown.status == 2
    PROSE.holds("explain: an unknown rule", unknown.stderr)


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("nowhere.json",), "lint: no file"),
        (("a.json", "b.json"), "lint: two targets"),
        (("a.json", "--url", "http://127.0.0.1", "--capture", "x"), "lint: options of a server"),
        (("a.json", "--", "true"), "lint: file and server"),
        (("explain", "a", "b"), "explain: two codes"),
        ((), "lint: no target"),
        (("demo", "--pin", "nowhere.json"), "lint: no baseline"),
    ],
)
def test_what_makes_no_sense_is_told(words: tuple[str, ...], key: str, tmp_path: Path) -> None:
    ended = lint(tmp_path, *words)
    assert ended.status == 2
    PROSE.holds(key, ended.stderr)


def test_markdown_has_no_live_link_and_no_mention_of_a_server(tmp_path: Path) -> None:
    words = "https://evil.example/x WWW.evil.example @octocat #1 a@evil.example"
    schema = {"type": "object", "properties": {words: {"enum": [words, words]}}}
    name = file_of(tmp_path, {"name": words, "description": words, "inputSchema": schema})
    made = lint(tmp_path, name, "--markdown").stdout.replace(":&#47;&#47;", "").replace("&#46;", "")
    shown = html.unescape(made).replace("https://modelcontextprotocol.io", "")
    assert "octocat" in shown
    for live in ("://evil", "www.", "WWW.", "@octocat", "a@evil", "#1"):
        assert live not in shown
