from __future__ import annotations

from pathlib import Path

import pytest

from signoff.app.approval.policies.policy import PolicyKind
from signoff.app.hosts.folders import hosts_folder
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.storage.policy_files import find_hosts
from tests.approved import approved

PROSE = approved("storage")

MODEL = """
name = "{name}"
title = "{title}"
summary = "Runs everything."
source = "https://example.org"
date = 2026-11-20
doubts = "ignore"

[[rule]]
name = "all"
then = "allow"
reason = "it was so"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of own models, empty; nothing of the person who runs the tests is read."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    made = tmp_path / "signoff" / "hosts"
    made.mkdir(parents=True)
    return made


def write(folder: Path, name: str, title: str = "Mine", text: str = MODEL) -> None:
    filled = text.format(name=name, title=title)
    (folder / f"{name}.toml").write_text(filled, encoding="utf-8")


def test_without_own_files_there_are_those_that_come_with_the_program(folder: Path) -> None:
    assert hosts_folder() == folder
    found = find_hosts()
    assert [host.name for host in found.hosts] == list(host_names())
    assert found.problems == ()
    folder.rmdir()
    assert find_hosts() == found


def test_an_own_model_is_added_after_the_others(folder: Path) -> None:
    write(folder, "aider", "Aider")
    found = find_hosts()
    assert [host.name for host in found.hosts] == [*host_names(), "aider"]
    assert found.hosts[-1].kind is PolicyKind.HOST
    assert found.hosts[-1].title == "Aider"


def test_an_own_model_counts_in_place_of_the_one_of_the_same_name(folder: Path) -> None:
    write(folder, "vscode", "VS Code, mended")
    found = find_hosts()
    assert [host.name for host in found.hosts] == list(host_names())
    assert found.hosts[host_names().index("vscode")].title == "VS Code, mended"
    assert read_host("vscode").title == "VS Code"


def test_a_broken_model_is_named_with_its_line_and_nothing_stands_in_for_it(folder: Path) -> None:
    write(folder, "aider")
    write(folder, "codex", text=MODEL.replace('then = "allow"', 'then = "perhaps"'))
    found = find_hosts()
    assert [host.name for host in found.hosts] == [
        *(name for name in host_names() if name != "codex"),
        "aider",
    ]
    (problem,) = found.problems
    assert problem.startswith("codex.toml line 11: ")


def test_every_broken_model_is_named(folder: Path) -> None:
    (folder / "one.toml").write_bytes(b"\xff")
    (folder / "two.toml").mkdir()
    (folder / "three.toml").write_text("name = ", encoding="utf-8")
    (folder / "four.toml").symlink_to(folder / "gone")
    found = find_hosts()
    assert [host.name for host in found.hosts] == list(host_names())
    for name in ("one", "two", "three", "four"):
        assert sum(f"{name}.toml" in problem for problem in found.problems) == 1


def test_a_model_has_the_name_of_its_file_and_not_that_of_a_policy(folder: Path) -> None:
    (folder / "other.toml").write_text(MODEL.format(name="aider", title="A"), encoding="utf-8")
    write(folder, "cautious")
    found = find_hosts()
    assert [host.name for host in found.hosts] == list(host_names())
    PROSE.holds("models: other names", "\n".join(found.problems), FOLDER=folder)


def test_other_files_are_left_alone(folder: Path) -> None:
    (folder / "vscode.toml.orig").write_text("nonsense", encoding="utf-8")
    (folder / "README").write_text("nonsense", encoding="utf-8")
    assert find_hosts().problems == ()


def test_a_folder_that_is_none_is_named(folder: Path) -> None:
    folder.rmdir()
    folder.write_text("", encoding="utf-8")
    found = find_hosts()
    assert [host.name for host in found.hosts] == list(host_names())
    assert "cannot be read" in found.problems[0]


def test_a_relative_configuration_folder_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.app.storage.policy_files.hosts_folder", lambda: Path("here/hosts"))
    PROSE.holds("models: a relative folder", find_hosts().problems[0])
