"""`signoff config`, and what the settings do to the other commands."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from signoff.app.storage.settings.actions import actions
from signoff.app.storage.settings.settings import SETTINGS
from tests.approved import approved
from tests.cli.running import Ended, run

PROSE = approved("cli-config")


class Kept:
    """A folder with a file of settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "config.toml"

    def write(self, text: str) -> None:
        self.file.write_text(text, encoding="utf-8")
        self.file.chmod(0o600)

    def run(self, *words: str, **environment: str) -> Ended:
        return run(self.folder, *words, **{"SIGNOFF_CONFIG": str(self.file)} | environment)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_path_prints_the_file_and_nothing_else(kept: Kept) -> None:
    assert kept.run("config", "path").stdout == f"{kept.file}\n"
    usual = kept.run("config", "path", XDG_CONFIG_HOME=str(kept.folder), SIGNOFF_CONFIG="")
    assert usual.status == 2
    assert "SIGNOFF_CONFIG is empty" in usual.stderr


def test_show_says_where_each_value_comes_from(kept: Kept) -> None:
    kept.write('theme = "nord"\ndecision_seconds = "off"\n[keys]\nmain.call = "ctrl+b"\n')
    ended = kept.run("config", "show", SIGNOFF_TIMEOUT="9", SIGNOFF_THEME="light")
    assert ended.status == 0
    rows = {line.split()[0]: line.split()[1:] for line in ended.stdout.splitlines()}
    assert rows["theme"] == ["light", "SIGNOFF_THEME"]
    assert rows["decision_seconds"] == ["off", "file", "line", "2"]
    assert rows["timeout"] == ["9", "SIGNOFF_TIMEOUT"]
    assert rows["max_time"] == ["600", "default"]
    assert rows["key"] == ["of", "main.call", "ctrl+b,", "f5,", "ctrl+enter"]


def test_show_as_json_has_all_of_it(kept: Kept) -> None:
    kept.write('theme = "drak"\ndecision_seconds = "off"\n[keys]\nmain.call = "ctrl+b"\n')
    report = kept.run("config", "show", "--json").report
    assert set(report["settings"]) == {one.name for one in SETTINGS}
    assert report["settings"]["decision_seconds"] == {"value": "off", "from": "file", "line": 2}
    assert report["keys"] == {"main.call": ["ctrl+b", "f5", "ctrl+enter"]}
    assert report["policy_is_known"] is True
    (mistake,) = report["mistakes"]
    assert (mistake["place"], mistake["line"]) == ("config.toml", 1)


def test_check_names_every_mistake_and_fails(kept: Kept) -> None:
    kept.write('them = "dark"\npolicy = "cautios"\n[keys]\nmain.call = "escape"\n')
    ended = kept.run("config", "check")
    assert ended.status == 2
    assert ended.stdout == ""
    PROSE.holds("check: mistakes", ended.stderr)
    kept.write('theme = "dark"')
    sound = kept.run("config", "check")
    assert sound.status == 0
    PROSE.holds("check: sound", sound.stdout, FILE=kept.file)


def test_another_file_can_be_checked_by_itself(kept: Kept) -> None:
    kept.write('them = "dark"')
    other = kept.folder / "a new one.toml"
    other.write_text('theme = "dark"\ntimeout = "soon"\n', encoding="utf-8")
    other.chmod(0o600)
    ended = kept.run("config", "check", other.name, SIGNOFF_THEME="no such theme")
    assert (ended.status, ended.stdout) == (2, "")
    assert f"{other.name} line 2" in ended.stderr
    assert "config.toml" not in ended.stderr
    assert "SIGNOFF_THEME" not in ended.stderr
    other.write_text('theme = "dark"\n', encoding="utf-8")
    sound = kept.run("config", "check", other.name)
    assert sound.status == 0
    PROSE.holds("check: sound", sound.stdout, FILE=other)
    missing = kept.run("config", "check", "nowhere.toml")
    assert missing.status == 2
    PROSE.holds("check: no file", missing.stderr, FILE=kept.folder / "nowhere.toml")


def test_a_policy_of_the_persons_own_that_lets_everything_run_is_not_kept(kept: Kept) -> None:
    mine = kept.folder / "mine.toml"
    mine.write_text('name = "mine"\nsummary = "all"\n[[rule]]\nname = "all"\nthen = "allow"\n')
    kept.write(f'policy = "{mine}"')
    ended = kept.run("config", "check")
    assert ended.status == 2
    PROSE.holds("check: a policy that runs everything", ended.stderr)


def editor(folder: Path, writes: str) -> str:
    """An editor that puts a line at the end of the file."""
    script = folder / "editor.py"
    script.write_text(
        f"import sys\nwith open(sys.argv[1], 'a') as file: file.write({writes!r})\n",
        encoding="utf-8",
    )
    return shlex.join([sys.executable, str(script)])


def test_edit_makes_the_file_and_checks_it_afterwards(kept: Kept) -> None:
    kept.file = kept.folder / "deep" / "er" / "config.toml"
    ended = kept.run("config", "edit", VISUAL="", EDITOR=editor(kept.folder, "[x]\n"))
    assert ended.status == 2
    PROSE.holds("edit: a mistake", ended.stderr)
    PROSE.holds("edit: the new file", kept.file.read_text(encoding="utf-8").partition("\n")[0])
    assert kept.file.stat().st_mode & 0o777 == 0o600
    kept.file.unlink()
    assert kept.run("config", "edit", EDITOR=editor(kept.folder, "\n"), VISUAL="").status == 0


def test_an_editor_that_fails_is_a_failure(kept: Kept) -> None:
    fails = shlex.join([sys.executable, "-c", "raise SystemExit(3)"])
    ended = kept.run("config", "edit", EDITOR=fails, VISUAL="")
    assert ended.status == 1
    assert "status 3" in ended.stderr


def test_edit_without_an_editor_says_so(kept: Kept) -> None:
    ended = kept.run("config", "edit", VISUAL="", EDITOR="no-such-editor")
    assert ended.status == 2
    PROSE.holds("edit: no editor", ended.stderr)


def test_keys_lists_every_action(kept: Kept) -> None:
    kept.write('[keys]\nmain.log = "alt+l"\n')
    report = kept.run("config", "keys", "--json").report
    assert set(report) == set(actions())
    assert report["main.log"]["keys"] == ["alt+l", "ctrl+l"]
    lines = kept.run("config", "keys").stdout.splitlines()
    assert any(line.startswith("main.log ") and "alt+l, ctrl+l" in line for line in lines)


def test_config_takes_no_server(kept: Kept) -> None:
    assert kept.run("config", "show", "--", "true").status == 2


def explained(ended: Ended) -> str:
    assert ended.status == 0, ended.stderr
    return next(line for line in ended.stdout.splitlines() if line.startswith("  policy "))


@pytest.mark.slow
def test_a_kept_policy_counts_and_an_option_before_it(kept: Kept) -> None:
    kept.write('policy = "read-only-loop"')
    words = ("policy", "explain", "delete_file", "demo")
    assert "read-only-loop" in explained(kept.run(*words))
    assert "first-use" in explained(kept.run(*words, SIGNOFF_POLICY="first-use"))
    assert "ask-always" in explained(kept.run(*words, "--policy", "ask-always"))
    assert "VS Code" in explained(kept.run(*words, "--as", "vscode"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ['policy = "cautios"', 'policy = "allow-all"', "policy", 'polcy = "first-use"']
)
def test_where_the_policy_cannot_be_known_everything_asks(kept: Kept, text: str) -> None:
    kept.write(text)
    ended = kept.run("policy", "explain", "calculate_sum", "demo")
    assert "ask-always" in explained(ended)
    PROSE.holds("policy: not known", ended.stderr.splitlines()[-1])
    given = kept.run("policy", "explain", "calculate_sum", "demo", "--policy", "cautious")
    assert "cautious" in explained(given)
    assert "(ask-always)" not in given.stderr


def test_a_mistake_keeps_no_command_from_its_work(kept: Kept) -> None:
    kept.write("bad = 1\n")
    ended = kept.run("tools", "demo", "--json")
    assert ended.status == 0
    assert ended.report["tools"]
    PROSE.holds("tools: a mistake", ended.stderr)


def test_kept_times_count(kept: Kept) -> None:
    kept.write("max_time = 0.5\n")
    words = ("call", "wait_without_total", "demo", "--approve", "always", "-a", "seconds=20")
    ended = kept.run(*words)
    assert ended.status == 6, ended.stderr + ended.stdout


@pytest.mark.parametrize("text", ['policy = "allow-all"', "policy"])
def test_show_names_the_policy_in_place_of_one_that_cannot_be_used(kept: Kept, text: str) -> None:
    kept.write(text)
    ended = kept.run("config", "show")
    [row] = [line for line in ended.stdout.splitlines() if line.startswith("policy ")]
    assert row.split()[1] == "ask-always"
    assert "cannot be used" in row
    settings = kept.run("config", "show", "--json").report["settings"]
    assert settings["policy"] == {"value": "ask-always", "from": "mistake"}
