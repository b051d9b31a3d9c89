from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given

from signoff.app.approval.policies.policy import Policy, PolicyKind
from signoff.app.approval.policies.policy_text import (
    BUILT_IN_NAMES,
    built_in,
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


class TestChoosing:
    def test_cautious_is_the_default(self) -> None:
        assert chosen_policy("", "") is built_in("cautious")

    def test_a_policy_or_a_host(self) -> None:
        assert chosen_policy("first-use", "").name == "first-use"
        assert chosen_policy("", "vscode").kind is PolicyKind.HOST
        assert chosen_policy("", "VS Code").name == "vscode"
        assert chosen_policy("", "codex:exec").title == "Codex exec"
        assert chosen_policy("", "VS Code:Full Access").name == "vscode:full-access"
        assert chosen_policy("", "goose:auto").name == "goose"

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
    def test_what_there_is_not(self, policy: str, host: str, key: str) -> None:
        with pytest.raises(UsageError) as caught:
            chosen_policy(policy, host)
        PROSE.holds(key, str(caught.value))

    def test_columns(self) -> None:
        every = columns_named("")
        assert [policy.name for policy in every[:6]] == list(BUILT_IN_NAMES)
        assert all(policy.kind is PolicyKind.HOST for policy in every[6:])
        assert len(every) > 12
        assert [one.name for one in columns_named("codex, cautious,codex")] == ["codex", "cautious"]
        with pytest.raises(UsageError):
            columns_named("nobody")

    def test_a_host_whose_file_has_a_mistake_is_unknown_for_that_reason(self, folder: Path) -> None:
        hosts = folder.parent / "hosts"
        hosts.mkdir()
        (hosts / "goose.toml").write_text('name = "goose"\n', encoding="utf-8")
        with pytest.raises(UsageError) as caught:
            columns_named("goose")
        assert "goose.toml line 1" in str(caught.value)

    def test_columns_of_modes(self) -> None:
        named = columns_named("goose:smart,cautious", ["codex:exec", "goose:smart"])
        assert [one.name for one in named] == ["goose:smart", "cautious", "codex:exec"]
        assert [one.name for one in columns_named("", ["codex"])] == ["codex"]
        with pytest.raises(UsageError) as caught:
            columns_named("goose:smrat")
        assert "did you mean smart?" in str(caught.value)


class TestCommands:
    def test_list_names_all_and_what_is_wrong_with_own_ones(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (folder / "mine.toml").write_text(OWN, encoding="utf-8")
        (folder / "bad.toml").write_text('name = "bad"\n', encoding="utf-8")
        assert run_list(False) == ExitStatus.OK
        shown = capsys.readouterr().out
        for words in (*BUILT_IN_NAMES, "vscode, VS Code", "mine", "the default", "bad.toml line 1"):
            assert words in shown
        PROSE.holds(
            "list: allow-all", next(line for line in shown.splitlines() if "allow-all" in line)
        )
        assert run_list(True) == ExitStatus.OK
        report = json.loads(capsys.readouterr().out)
        by_name = {one["name"]: one for one in report["policies"]}
        assert by_name["allow-all"]["loud"]
        assert by_name["mine"]["kind"] == "own"
        codex = by_name["codex"]
        assert (codex["date"], codex["basis"], codex["mode"]) == ("2026-11-27", "read", "auto")
        measured = codex["modes"][0]
        assert (measured["name"], measured["basis"]) == ("codex:exec", "measured")
        assert any(words.strip().startswith("modes: auto (the") for words in shown.splitlines())
        assert report["default"] == "cautious"
        assert any("bad.toml line 1" in problem for problem in report["problems"])

    @pytest.mark.parametrize("name", BUILT_IN_NAMES)
    def test_show_prints_what_can_be_copied(
        self, name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run_show(name) == ExitStatus.OK
        assert capsys.readouterr().out == built_in_text(name)

    def test_show_prints_a_host(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run_show("codex") == ExitStatus.OK
        shown = capsys.readouterr().out
        assert read_policy(shown, "codex.toml", kind=PolicyKind.HOST).name == "codex"
        with pytest.raises(UsageError):
            run_show("nobody")

    def test_show_prints_the_part_of_a_mode(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run_show("goose:approve") == ExitStatus.OK
        shown = capsys.readouterr().out
        assert shown.startswith('[[mode]]\nname = "approve"\n')
        assert shown.count("[[mode]]") == shown.count("[[mode.rule]]") == 1
        with pytest.raises(UsageError) as caught:
            run_show("goose:aprove")
        assert "did you mean approve?" in str(caught.value)

    def test_check_says_what_is_sound(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = folder / "mine.toml"
        path.write_text(OWN, encoding="utf-8")
        assert run_check(str(path)) == ExitStatus.OK
        PROSE.holds("check: sound", capsys.readouterr().out)

    def test_check_names_every_mistake(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = folder / "mine.toml"
        path.write_text(OWN.replace("trust", "trusted").replace("/path", "path"), encoding="utf-8")
        assert run_check(str(path)) == ExitStatus.USAGE
        shown = capsys.readouterr()
        assert shown.out == ""
        assert [line.partition(":")[0] for line in shown.err.splitlines()] == [
            "mine.toml line 7",
            "mine.toml line 12",
        ]

    def test_check_reads_an_own_model_of_a_host(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = folder.parent / "hosts" / "mine.toml"
        path.parent.mkdir()
        head = 'title = "Mine"\nsource = "https://example.org"\ndate = 2026-11-15\n'
        path.write_text(head + OWN.replace('"allow"', '"hide"'), encoding="utf-8")
        assert run_check(str(path)) == ExitStatus.OK
        assert "mine: host rules, sound" in capsys.readouterr().out

    @pytest.mark.parametrize("keys", ["title source date", "basis", "default_mode"])
    def test_check_reads_host_rules_in_any_folder(
        self, keys: str, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        values = {
            "title": '"Mine"',
            "source": '"https://example.org"',
            "date": "2026-11-15",
            "basis": '"read"',
            "default_mode": '"auto"',
        }
        path = folder / "mine.toml"
        path.write_text(
            "".join(f"{key} = {values[key]}\n" for key in keys.split()) + OWN, encoding="utf-8"
        )
        run_check(str(path))
        shown = capsys.readouterr()
        if keys == "title source date":
            assert "mine: host rules, sound" in shown.out
            assert f"warning: host rules count only in the folder {folder.parent}" in shown.out
        else:
            assert shown.out == ""
            assert "title is missing" in shown.err

    def test_check_reads_a_policy_with_a_title_as_a_policy(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = folder / "mine.toml"
        path.write_text('title = "Mine"\ndate = 2026-11-15\n' + OWN, encoding="utf-8")
        assert run_check(str(path)) == ExitStatus.OK
        assert "mine: sound" in capsys.readouterr().out


def explained(how: Callable[[Policy, Case, Hiding], T], policy: Policy, judged: Case) -> T:
    server = Server("demo", "demo", "demo", Trust.UNTRUSTED)
    return how(policy, judged, Hiding(False, server, judged.tool, judged.arguments))


def lines_of(policy: Policy, judged: Case) -> list[str]:
    """The explanation of a call, a line each, with labels."""
    given = None if judged.arguments is None else dict(judged.arguments)
    lines = explain_lines(policy, judged, given)
    return [f"{line.label:<{line.indent}}{line.plain}" for line in lines]


class TestExplaining:
    POLICY = read_policy(OWN, "mine.toml")

    def test_the_verdict_the_rule_its_place_and_the_reasons(self) -> None:
        PROSE.holds(
            "explain: all of it", "\n".join(lines_of(self.POLICY, case({"path": "/etc/x"})))
        )

    def test_what_depends_on_the_arguments(self) -> None:
        text = "\n".join(lines_of(self.POLICY, case()))
        PROSE.holds("explain: without arguments", text)
        report = explained(explain_report, self.POLICY, case())
        assert report["verdict"]["depends"]
        PROSE.holds("explain: depends", report["rules"][0]["outcome"])

    def test_no_rule(self) -> None:
        lines = lines_of(self.POLICY, case({}, Trust.UNTRUSTED))
        PROSE.holds("explain: no rule", "\n".join(lines))
        assert "rule       none" in lines

    def test_as_json(self) -> None:
        report = explained(explain_report, self.POLICY, case({"path": "/tmp/x"}))
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
    def test_every_line_is_safe_to_show(self, policy: Policy, judged: Case) -> None:
        lines = lines_of(policy, judged)
        assert all(visible(line, max_blanks=100) == line for line in lines)
