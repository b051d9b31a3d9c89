from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given

from signoff.app.approval.policies.policy import Policy, PolicyKind
from signoff.app.approval.policies.policy_text import (
    BUILT_IN_NAMES,
    built_in_text,
    read_policy,
)
from signoff.app.approval.policies.verdicts import Case
from signoff.app.cli.output.printing import Hiding
from signoff.app.cli.targets.policies import chosen_policy, columns_named
from signoff.app.cli.targets.targets import UsageError
from signoff.app.content.text import visible
from signoff.app.features.policies.command import run_check, run_list, run_show
from signoff.app.features.policies.explain import explain_report
from signoff.app.presentation.exit_status import ExitStatus
from signoff.app.presentation.policies import explain_lines
from signoff.app.protocol.server import Server, Trust
from tests.approval.policy_cases import cases, policies, tool
from tests.approved import approved

PROSE = approved("cli-policy")

T = TypeVar("T")
Printed = pytest.CaptureFixture[str]
OWN = """\
name = "mine"
summary = "A test."

[[rule]]
name = "scratch"
tool = "delete_*"
argument = [{ at = "/path", glob = "/tmp/*" }]
then = "allow"

[[rule]]
name = "mine only"
trust = "trusted"
then = "ask"
result = "ask"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    found = tmp_path / "signoff" / "policies"
    found.mkdir(parents=True)
    return found


def case(arguments: dict[str, Any] | None = None, trust: Trust = Trust.TRUSTED) -> Case:
    return Case(tool("delete_file", destructive=True), trust, "demo", arguments)


@pytest.mark.parametrize(
    ("policy", "host", "name", "title"),
    [
        ("", "", "cautious", ""),
        ("first-use", "", "first-use", ""),
        ("", "vscode", "vscode", "VS Code"),
        ("", "VS Code", "vscode", "VS Code"),
        ("", "codex:exec", "codex:exec", "Codex exec"),
        ("", "VS Code:Full Access", "vscode:full-access", "VS Code full access"),
        ("", "goose:auto", "goose", "Goose"),
    ],
)
def test_a_policy_or_a_host_is_chosen(policy: str, host: str, name: str, title: str) -> None:
    found = chosen_policy(policy, host)
    assert (found.name, found.title) == (name, title)
    assert (found.kind is PolicyKind.HOST) is bool(host)


@pytest.mark.parametrize(
    ("policy", "host", "key"),
    [
        ("cautious", "vscode", "choose: a policy and a host"),
        ("vscode", "", "choose: a host as a policy"),
        ("cautios", "", "choose: an unknown policy"),
        ("", "vscod", "choose: an unknown host"),
        ("", "codex:exce", "choose: an unknown mode"),
        ("", "zed:plan", "choose: a mode of a host without modes"),
        ("./none.toml", "", "choose: no file"),
    ],
)
def test_what_there_is_not(policy: str, host: str, key: str) -> None:
    with pytest.raises(UsageError) as caught:
        chosen_policy(policy, host)
    PROSE.holds(key, str(caught.value))


def test_columns(folder: Path) -> None:
    every = columns_named("")
    assert [policy.name for policy in every[:6]] == list(BUILT_IN_NAMES)
    assert all(policy.kind is PolicyKind.HOST for policy in every[6:])
    assert len(every) > 12
    for words, hosts, names in (
        ("codex, cautious,codex", (), ["codex", "cautious"]),
        (
            "goose:smart,cautious",
            ("codex:exec", "goose:smart"),
            ["goose:smart", "cautious", "codex:exec"],
        ),
        ("", ("codex",), ["codex"]),
    ):
        assert [one.name for one in columns_named(words, hosts)] == names
    hosts_folder = folder.parent / "hosts"
    hosts_folder.mkdir()
    (hosts_folder / "zed.toml").write_text('name = "zed"\n', encoding="utf-8")
    for words, problem in (
        ("nobody", "nobody"),
        ("goose:smrat", "did you mean smart?"),
        ("zed", "zed.toml line 1"),
    ):
        with pytest.raises(UsageError, match=re.escape(problem)):
            columns_named(words)


def test_list_names_all_and_what_is_wrong_with_own_ones(folder: Path, capsys: Printed) -> None:
    (folder / "mine.toml").write_text(OWN, encoding="utf-8")
    (folder / "bad.toml").write_text('name = "bad"\n', encoding="utf-8")
    assert run_list(False) == ExitStatus.OK
    shown = capsys.readouterr().out
    for words in (*BUILT_IN_NAMES, "vscode, VS Code", "mine", "the default", "bad.toml line 1"):
        assert words in shown
    lines = shown.splitlines()
    PROSE.holds("list: allow-all", next(line for line in lines if "allow-all" in line))
    assert any(words.strip().startswith("modes: auto (the") for words in lines)
    assert run_list(True) == ExitStatus.OK
    report = json.loads(capsys.readouterr().out)
    by_name = {one["name"]: one for one in report["policies"]}
    assert (by_name["allow-all"]["loud"], by_name["mine"]["kind"]) == (True, "own")
    codex = by_name["codex"]
    assert (codex["date"], codex["basis"], codex["mode"]) == ("2026-11-27", "read", "auto")
    measured = codex["modes"][0]
    assert (measured["name"], measured["basis"]) == ("codex:exec", "measured")
    assert report["default"] == "cautious"
    assert any("bad.toml line 1" in problem for problem in report["problems"])


def test_show_prints_what_can_be_copied(capsys: Printed) -> None:
    for name in BUILT_IN_NAMES:
        assert run_show(name) == ExitStatus.OK
        assert capsys.readouterr().out == built_in_text(name)
    assert run_show("codex") == ExitStatus.OK
    shown = capsys.readouterr().out
    assert read_policy(shown, "codex.toml", kind=PolicyKind.HOST).name == "codex"
    assert run_show("goose:approve") == ExitStatus.OK
    shown = capsys.readouterr().out
    assert shown.startswith('[[mode]]\nname = "approve"\n')
    assert shown.count("[[mode]]") == shown.count("[[mode.rule]]") == 1
    for name, problem in (("nobody", "nobody"), ("goose:aprove", "did you mean approve?")):
        with pytest.raises(UsageError, match=re.escape(problem)):
            run_show(name)


def test_check_names_every_mistake_or_says_what_is_sound(folder: Path, capsys: Printed) -> None:
    path = folder / "mine.toml"
    path.write_text(OWN, encoding="utf-8")
    assert run_check(str(path)) == ExitStatus.OK
    PROSE.holds("check: sound", capsys.readouterr().out)
    path.write_text(OWN.replace("trust", "trusted").replace("/path", "path"), encoding="utf-8")
    assert run_check(str(path)) == ExitStatus.USAGE
    shown = capsys.readouterr()
    places = [line.partition(":")[0] for line in shown.err.splitlines()]
    assert (shown.out, places) == ("", ["mine.toml line 7", "mine.toml line 12"])


HOST = 'title = "Mine"\nsource = "https://example.org"\ndate = 2026-11-15\n'


@pytest.mark.parametrize(
    ("place", "text", "out", "err"),
    [
        ("hosts", HOST + OWN.replace('"allow"', '"hide"'), ["mine: host rules, sound"], ""),
        (
            "policies",
            HOST + OWN,
            ["mine: host rules, sound", "warning: host rules count only in the folder FOLDER"],
            "",
        ),
        ("policies", 'basis = "read"\n' + OWN, [], "title is missing"),
        ("policies", 'default_mode = "auto"\n' + OWN, [], "title is missing"),
        ("policies", 'title = "Mine"\ndate = 2026-11-15\n' + OWN, ["mine: sound"], ""),
    ],
    ids=["a host", "a host elsewhere", "a basis", "a default mode", "a policy with a title"],
)
def test_check_tells_host_rules_and_policies_apart(
    folder: Path, capsys: Printed, place: str, text: str, out: list[str], err: str
) -> None:
    path = folder.parent / place / "mine.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    assert run_check(str(path)) == (ExitStatus.USAGE if err else ExitStatus.OK)
    shown = capsys.readouterr()
    assert err in shown.err
    assert all(one.replace("FOLDER", str(folder.parent)) in shown.out for one in out)
    assert bool(shown.out) is bool(out)


def explained(how: Callable[[Policy, Case, Hiding], T], policy: Policy, judged: Case) -> T:
    server = Server("demo", "demo", "demo", Trust.UNTRUSTED)
    return how(policy, judged, Hiding(False, server, judged.tool, judged.arguments))


def lines_of(policy: Policy, judged: Case) -> list[str]:
    """The explanation of a call, a line each, with labels."""
    given = None if judged.arguments is None else dict(judged.arguments)
    lines = explain_lines(policy, judged, given)
    return [f"{line.label:<{line.indent}}{line.plain}" for line in lines]


POLICY = read_policy(OWN, "mine.toml")


@pytest.mark.parametrize(
    ("judged", "key"),
    [
        (case({"path": "/etc/x"}), "explain: all of it"),
        (case(), "explain: without arguments"),
        (case({}, Trust.UNTRUSTED), "explain: no rule"),
    ],
)
def test_the_verdict_the_rule_its_place_and_the_reasons(judged: Case, key: str) -> None:
    PROSE.holds(key, "\n".join(lines_of(POLICY, judged)))


def test_explained_as_json() -> None:
    report = explained(explain_report, POLICY, case())
    assert report["verdict"]["depends"]
    PROSE.holds("explain: depends", report["rules"][0]["outcome"])
    report = explained(explain_report, POLICY, case({"path": "/tmp/x"}))
    assert json.loads(json.dumps(report)) == report
    PROSE.holds("explain: reasons", "\n".join(report["verdict"].pop("reasons")))
    assert report["verdict"] == {
        "answer": "allow",
        "strong": False,
        "policy": "mine",
        "rule": "rule 1: scratch",
        "reviews_result": False,
        "unjudged": [],
        "source": "mine.toml line 4",
        "depends": False,
    }
    assert [one["outcome"] for one in report["rules"]] == ["fired", "not reached"]
    PROSE.holds("explain: demands", report["rules"][0]["demands"])
    assert report["judged_by"]["arguments"] == {"path": "/tmp/x"}


@given(policies(), cases())
def test_every_line_is_safe_to_show(policy: Policy, judged: Case) -> None:
    lines = lines_of(policy, judged)
    assert all(visible(line, max_blanks=100) == line for line in lines)
