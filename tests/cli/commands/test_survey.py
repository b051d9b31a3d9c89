"""`signoff matrix`, `diff` and `policy explain` in processes of their own, and common options."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.approved import approved
from tests.cli.running import Ended, run
from tests.servers import shifting
from tests.tiers import first_quick

PROSE = approved("cli-definitions")

TOOLS = ["change_definition", "look_inside", "look_outside", "shape_shifter", "sign_in"]
CHANGED = "shape_shifter"


class Target:
    """The server whose definition a file decides, and whether it was ever started."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shape = folder / "shape"
        self._started = folder / "started"
        self.shape("restore")

    def shape(self, name: str) -> None:
        self._shape.write_text(name)

    @property
    def was_started(self) -> bool:
        return self._started.exists()

    def run(self, *words: str) -> Ended:
        """A command with this server."""
        server = f'touch "$0"; exec "$1" -S "$2" "$3" "{self._folder}/calls"'
        files = [str(self._started), sys.executable, str(shifting.__file__), str(self._shape)]
        return run(self._folder, *words, "--", "sh", "-c", server, *files)

    @property
    def received(self) -> list[str]:
        """The tools that were called."""
        record = self._folder / "calls"
        lines = record.read_text().splitlines() if record.exists() else []
        return [json.loads(line)["tool"] for line in lines]


@pytest.fixture
def target(tmp_path: Path) -> Target:
    return Target(tmp_path)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "link", "br", "hr"):
            self.open.append(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


# The matrix


@pytest.mark.slow
def test_the_matrix_in_every_shape(target: Target) -> None:
    columns = ("--hosts", "cautious,vscode")
    report = target.run("matrix", "--json", *columns).report
    assert [one["name"] for one in report["columns"]] == ["cautious", "vscode"]
    assert sorted(one["name"] for one in report["tools"]) == TOOLS
    rows = {one["name"]: one["cells"] for one in report["tools"]}
    assert [cell["untrusted"]["answer"] for cell in rows["look_outside"]] == ["ask", "allow"]
    assert [cell["trusted"]["answer"] for cell in rows["look_outside"]] == ["allow", "allow"]

    markdown = target.run("matrix", "--markdown", "--only-differing", *columns).stdout
    row = next(line for line in markdown.splitlines() if "`look_outside`" in line)
    PROSE.holds("matrix: a row of Markdown", row)
    assert f"`{CHANGED}`" not in markdown

    page = target.run("matrix", "--html", "-", *columns).stdout
    tags = _Tags()
    tags.feed(page)
    assert tags.open == []
    assert tags.rows > len(TOOLS)
    assert "<script" not in page

    lines = target.run("matrix", *columns)
    row = next(line for line in lines.stdout.splitlines() if "look_outside" in line)
    assert row.split()[-2:] == ["ask│run", "run*"]
    assert max(map(len, lines.stdout.splitlines())) <= 120
    assert (lines.status, lines.stderr, target.received) == (0, "", [])


def test_every_policy_and_host_has_a_column(target: Target) -> None:
    names = [one["name"] for one in target.run("matrix", "--json").report["columns"]]
    assert names[0] == "cautious"
    assert {"allow-all", "vscode", "codex", "goose", "unattended-loop"} < set(names)


def test_each_host_of_as_is_a_column(target: Target) -> None:
    report = target.run("matrix", "--json", "--as", "codex:exec", "--as", "goose:smart").report
    assert [one["name"] for one in report["columns"]] == ["codex:exec", "goose:smart"]
    assert report["compared"] == ["codex:exec", "goose:smart"]
    assert [one["basis"] for one in report["columns"]] == ["measured", "read"]
    rows = {one["name"]: one["cells"] for one in report["tools"]}
    assert rows[CHANGED][0]["column"] == "codex:exec"


def test_the_mode_of_a_host_decides_a_call(target: Target) -> None:
    ended = target.run("policy", "explain", "look_outside", "--as", "goose:approve", "--json")
    verdict = ended.report["verdict"]
    assert (verdict["answer"], verdict["policy"]) == ("ask", "as Goose approve")


def test_a_column_that_there_is_not(target: Target) -> None:
    ended = target.run("matrix", "--hosts", "cautious,nonesuch")
    assert (ended.status, ended.stdout, target.was_started) == (2, "", False)
    assert "nonesuch" in ended.stderr


# The reasons


def test_why_without_arguments(target: Target) -> None:
    ended = target.run("policy", "explain", CHANGED, "--trust")
    assert (ended.status, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert lines[1].split()[0] == "decision"
    PROSE.holds("explain: a changed tool", ended.stdout)
    fired = [line for line in lines if "applies: " in line]
    assert [line.split()[:3] for line in fired] == [["›", "rule", "3:"]]
    assert target.received == []


def test_why_with_arguments(target: Target) -> None:
    words = ("policy", "explain", "change_definition", "-a", "announce=true", "--json")
    report = target.run(*words).report
    assert report["judged_by"]["arguments"] == {"announce": True}
    assert report["judged_by"]["argument_problems"] == []
    assert (report["verdict"]["answer"], report["verdict"]["strong"]) == ("ask", False)
    assert "fired" in {rule["outcome"] for rule in report["rules"]}
    wrong = target.run(*words[:3], "--args", '{"change": "explode"}', "--json").report
    (problem,) = wrong["judged_by"]["argument_problems"]
    assert "explode" in problem


def test_an_own_policy_goes_by_arguments_and_its_line_is_named(
    target: Target, tmp_path: Path
) -> None:
    rules = [
        'name = "mine"\nsummary = "refuses to break things"',
        '[[rule]]\ntool = "change_*"\nthen = "refuse"\nreason = "it breaks"',
        '[[rule.argument]]\nat = "/change"\nis = "break"',
        '[[rule]]\nthen = "allow"',
    ]
    (tmp_path / "mine.toml").write_text("\n".join(rules))
    explain = ("policy", "explain", "change_definition", "--policy", "./mine.toml", "--json")
    for change, answer, line in (("break", "refuse", 3), ("restore", "allow", 10)):
        verdict = target.run(*explain, "-a", f"change={change}").report["verdict"]
        assert verdict["answer"] == answer
        assert verdict["source"].endswith(f"mine.toml line {line}")


# The differences


@pytest.fixture
def pinned(target: Target, tmp_path: Path) -> Callable[..., Ended]:
    """`signoff diff` against a baseline of the definitions as they were at first."""
    ended = target.run("diff", "--pin", "pin.json", "--update")
    assert ended.status == 0
    PROSE.holds("diff: a baseline is written", ended.stdout)
    return lambda *words: target.run("diff", "--pin", "pin.json", *words)


@pytest.mark.slow
def test_what_changed_since_the_last_time(target: Target) -> None:
    first = target.run("diff", "--json")
    assert (first.status, first.report["first_seen"]) == (0, True)
    assert target.run("diff").stdout == "nothing changed\n"
    statuses = []
    for shape in ("reword", "restore", "weaken", "weaken", "break"):
        target.shape(shape)
        ended = target.run("diff")
        assert (CHANGED in ended.stdout) is (ended.status != 0)
        statuses.append(ended.status)
    assert statuses == [7, 7, 8, 0, 9]
    assert target.received == []


@pytest.mark.parametrize(
    ("shape", "status", "found"),
    first_quick(
        [
            ("restore", 0, set()),
            ("reword", 7, {"description"}),
            ("weaken", 8, {"hint-weakened"}),
            ("break", 9, {"newly-required"}),
        ],
        2,
        several=True,
    ),
)
def test_what_changed_since_the_baseline(
    target: Target, pinned: Callable[..., Ended], shape: str, status: int, found: set[str]
) -> None:
    target.shape(shape)
    ended = pinned("--json", "--no-memory")
    assert (ended.status, ended.report["exit_status"]) == (status, status)
    codes = {change["code"] for one in ended.report["changed"] for change in one["changes"]}
    assert codes == found


def test_what_was_read_only_and_may_destroy_now_is_not_harmless(
    target: Target, pinned: Callable[..., Ended]
) -> None:
    target.shape("weaken")
    assert pinned("--update").status == 8
    target.shape("restore")
    ended = pinned("--json")
    assert ended.status == 8
    (changed,) = ended.report["changed"]
    assert changed["class"] == "worsened"
    assert "hint-worsened" in {change["code"] for change in changed["changes"]}
    words = pinned().stdout
    PROSE.holds("diff: worsened", words)


@pytest.mark.slow
def test_a_baseline_is_updated_after_comparing(
    target: Target, pinned: Callable[..., Ended]
) -> None:
    target.shape("break")
    assert [pinned("--update").status, pinned().status] == [9, 0]


@pytest.mark.slow
def test_a_baseline_that_is_missing_or_was_tampered_with(
    target: Target, tmp_path: Path, pinned: Callable[..., Ended]
) -> None:
    (tmp_path / "started").unlink()
    missing = target.run("diff", "--pin", "nowhere.json")
    assert (missing.status, missing.stdout) == (2, "")
    PROSE.holds("diff: no baseline", missing.stderr)
    pin = tmp_path / "pin.json"
    whole = pin.read_text()
    for spoilt in (whole.replace("Repeats", "Removes"), whole[:-9], "{}"):
        pin.write_text(spoilt)
        ended = pinned()
        assert (ended.status, ended.stdout) == (2, "")
        assert ended.stderr.startswith("signoff: pin.json: ")
    assert pinned("--update").status == 2, "a spoilt baseline is not written over"
    assert pin.read_text() == "{}"
    assert not target.was_started


def test_nothing_to_compare_with(target: Target) -> None:
    ended = target.run("diff", "--no-memory")
    assert (ended.status, ended.stdout) == (2, "")
    assert "give --pin FILE" in ended.stderr
    assert target.run("diff", "--update").status == 2


# Options that every command with a server has


def test_a_broken_policy_is_named_with_its_line_and_nothing_is_started(
    target: Target, tmp_path: Path
) -> None:
    (tmp_path / "bad.toml").write_text('name = "x"\nsummary = "y"\n[[rule]]\nthen = "alow"\n')
    for words in (("tools",), ("call", CHANGED, "--approve", "always")):
        ended = target.run(*words, "--policy", "bad.toml")
        assert (ended.status, ended.stdout) == (2, "")
        assert "bad.toml line 4: " in ended.stderr
        assert "allow?" in ended.stderr
    assert not target.was_started


def test_by_the_rules_of_a_host(target: Target) -> None:
    words = ("call", "look_inside", "--approve", "policy", "--json")
    report = target.run(*words, "--as", "vscode").report
    assert (report["sent"], report["verdict"]["policy"]) == (True, "as VS Code")
    unknown = target.run("tools", "--as", "vscod")
    assert unknown.status == 2
    assert "vscode?" in unknown.stderr


@pytest.mark.parametrize("option", [(), ("--audit", "own.jsonl"), ("--no-audit",)])
def test_where_the_log_is_kept(target: Target, tmp_path: Path, option: tuple[str, ...]) -> None:
    usual, own = tmp_path / "state" / "signoff" / "audit.jsonl", tmp_path / "own.jsonl"
    assert target.run("tools", *option).status == 0
    assert (usual.exists(), own.exists()) == (not option, "--audit" in option)


def test_without_a_memory_nothing_is_kept(target: Target, tmp_path: Path) -> None:
    report: dict[str, Any] = target.run("tools", "--no-memory", "--no-audit", "--json").report
    assert sorted(one["name"] for one in report["tools"]) == TOOLS
    assert not (tmp_path / "state" / "signoff").exists()
