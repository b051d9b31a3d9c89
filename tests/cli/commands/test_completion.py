"""`signoff completion`: the shells themselves complete commands, verbs, options and choices."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from signoff.app.cli.command_table import all_commands
from tests.cli.running import run
from tests.manual import page

CASES = (
    ("signoff lin", "lint"),
    ("signoff lint --str", "--strict"),
    ("signoff policy ex", "explain"),
    ("signoff demo --graphics kit", "kitty"),
    ("signoff tools --as goo", "goose:smart"),
)


def script(shell: str, folder: Path) -> Path:
    ended = run(folder, "completion", shell)
    assert (ended.status, ended.stderr) == (0, "")
    place = folder / f"signoff.{shell}"
    place.write_text(ended.stdout, encoding="utf-8")
    return place


def ask_bash(place: Path, line: str) -> str:
    words = line.split(" ")
    commands = (
        f"source {place}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _shtab_signoff; "
        'echo "${COMPREPLY[@]}"'
    )
    return _said(["bash", "--norc", "-c", commands])


def ask_fish(place: Path, line: str) -> str:
    return _said(["fish", "--no-config", "-c", f'source {place}; complete -C "{line}"'])


def _said(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


@pytest.mark.parametrize(("shell", "ask"), [("bash", ask_bash), ("fish", ask_fish)])
def test_a_shell_completes_words(
    shell: str, ask: Callable[[Path, str], str], tmp_path: Path
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    place = script(shell, tmp_path)
    for line, word in CASES:
        assert word in ask(place, line).split(), line
    everything = ask(place, "signoff ").split()
    assert {one.name for _, one in all_commands()} <= set(everything)


def test_zsh_reads_the_script(tmp_path: Path) -> None:
    place = script("zsh", tmp_path)
    text = place.read_text(encoding="utf-8")
    assert text.startswith("#compdef signoff\n")
    assert all(f"    {one.name}:'" in text for _, one in all_commands())
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    subprocess.run(["zsh", "-f", "-n", str(place)], check=True, timeout=60)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_names_the_place_of_the_manual(shell: str, tmp_path: Path) -> None:
    head = script(shell, tmp_path).read_text(encoding="utf-8")[:600]
    (usage,) = [line[2:] for line in head.splitlines() if "Usage" in line]
    assert usage.removeprefix("Usage: ") in page("how-to/completion")
    assert "1) Copy" not in head


def test_another_shell_is_refused(tmp_path: Path) -> None:
    ended = run(tmp_path, "completion", "tcsh")
    assert ended.status == 2
    assert "tcsh" in ended.stderr
