"""Servers that nobody here wrote: the reference server for every feature, and the one for git."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.program import quit_program, signoff, wait_for_armed_dialog
from tests.e2e.steps import (
    approve_by_chord,
    approve_by_key,
    approve_by_mouse,
    choose,
    deny,
    type_json,
    type_text,
    wait_for_start,
)
from tests.e2e.terminal import Terminal, processes_alive

PACKAGE = "@modelcontextprotocol/server-everything@2026.8.31"
FETCH_SECONDS = 240
ROOT = Path(__file__).resolve().parents[2]

needs_git_server = pytest.mark.skipif(
    importlib.util.find_spec("mcp_server_git") is None or shutil.which("git") is None,
    reason="mcp-server-git or git is not installed",
)


def _headless(*arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit status and the JSON object that `signoff call ... --json` prints."""
    done = subprocess.run(
        signoff("call", *arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
        cwd=ROOT,
    )
    return done.returncode, json.loads(done.stdout)


def _quit_and_leave_nothing(terminal: Terminal) -> None:
    below = terminal.remember_processes()
    assert below
    assert quit_program(terminal) == 0
    terminal.wait_until(lambda: not processes_alive(below))


# The reference server


@pytest.fixture(scope="session")
def everything() -> list[str]:
    """The command line of the server, once npm has fetched it."""
    npx = shutil.which("npx")
    if npx is None:
        pytest.skip("npx is not installed")
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [npx, "-y", f"--package={PACKAGE}", "--", "node", "-e", ""],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=FETCH_SECONDS,
                check=False,
                cwd=folder,
            )
        except subprocess.TimeoutExpired:
            pytest.skip(f"npm did not fetch {PACKAGE} within {FETCH_SECONDS} s")
    if done.returncode:
        pytest.skip(f"npm cannot fetch {PACKAGE}: {done.stderr.strip()[-400:]}")
    return ["npx", "-y", PACKAGE]


@pytest.mark.timeout(FETCH_SECONDS + 60)
def test_everything(everything: list[str]) -> None:
    # npx keeps what it fetched in the home folder.
    home = {"HOME": os.environ["HOME"]}
    with Terminal(signoff("--", *everything), env=home) as terminal:
        wait_for_start(terminal)
        terminal.wait_for(r"(?s)○ read-only \d+.* echo .*\+ additive \d")

        choose(terminal, "echo")
        type_text(terminal, "Grüße, 世界")
        terminal.press("f5")
        question = wait_for_armed_dialog(terminal)
        assert '"message": "Grüße, 世界"' in question
        approve_by_key(terminal)
        terminal.wait_for("echo +answered .*approved by you")
        terminal.wait_for("Echo: Grüße, 世界")

        choose(terminal, "get-structured-content")
        terminal.press("right")
        terminal.wait_for("● New York")
        terminal.press("f5")
        approve_by_chord(terminal)
        terminal.wait_for("get-structured-content +answered")
        terminal.wait_for("structuredContent matches its output schema")

        choose(terminal, "get-tiny-image", has_arguments=False)
        terminal.press("f5")
        approve_by_mouse(terminal)
        terminal.wait_for("image  PNG")
        terminal.press("f7")
        terminal.wait_for("[▀▄]{4}")
        terminal.press("escape")
        terminal.wait_for("╭─ Tools")

        choose(terminal, "trigger-long-running-operation")
        terminal.press("f5")
        approve_by_chord(terminal)
        terminal.wait_for(r"▰+▱+ +1/5")
        terminal.press("ctrl+x")
        terminal.wait_for("cancel sent|cancelled")
        _quit_and_leave_nothing(terminal)


@pytest.mark.timeout(FETCH_SECONDS + 60)
def test_everything_without_a_screen(everything: list[str]) -> None:
    arguments = ("echo", "--args", '{"message": "hi"}', "--json")
    status, told = _headless(*arguments, "--approve", "always", "--", *everything)
    assert (status, told["outcome"], told["sent"]) == (0, "ok", True)
    assert told["decision"]["by"] == "script"
    assert told["result"]["content"][0]["text"] == "Echo: hi"


# The server for git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit, a staged file and one that git does not know."""
    folder = tmp_path / "repository"
    folder.mkdir()
    _git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "kept.txt").write_text("kept\n")
    _git(folder, "add", "kept.txt")
    _git(folder, "commit", "--quiet", "--message=First")
    (folder / "staged.txt").write_text("staged\n")
    _git(folder, "add", "staged.txt")
    (folder / "new.txt").write_text("new\n")
    return folder


def _git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.org"]
    argv = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def _status(repository: Path) -> list[str]:
    return _git(repository, "status", "--porcelain").splitlines()


def _git_server(repository: Path) -> list[str]:
    return [sys.executable, "-P", "-m", "mcp_server_git", "--repository", str(repository)]


BEFORE = ["A  staged.txt", "?? new.txt"]


@needs_git_server
@pytest.mark.timeout(180)
def test_git(repository: Path) -> None:
    where = {"repo_path": str(repository)}
    with Terminal(signoff("--name", "git", "--", *_git_server(repository))) as terminal:
        wait_for_start(terminal)
        terminal.wait_for("! destructive 1")

        choose(terminal, "git_status")
        type_json(terminal, where)
        terminal.press("f5")
        approve_by_key(terminal)
        terminal.wait_for("git_status +answered")
        terminal.wait_for("new file: +staged.txt")

        choose(terminal, "git_reset")
        type_json(terminal, where)
        terminal.press("f5")
        assert "Signoff cannot undo this" in wait_for_armed_dialog(terminal)
        deny(terminal)
        terminal.wait_for("git_reset +denied by you")
        assert _status(repository) == BEFORE

        choose(terminal, "git_add")
        type_json(terminal, {**where, "files": ["new.txt"]})
        terminal.press("f5")
        approve_by_chord(terminal)
        terminal.wait_for("git_add +answered")
        assert _status(repository) == ["A  new.txt", "A  staged.txt"]
        _quit_and_leave_nothing(terminal)
    assert _git(repository, "rev-list", "--count", "HEAD").strip() == "1"


@needs_git_server
def test_git_without_a_screen(repository: Path) -> None:
    where = ("--args", json.dumps({"repo_path": str(repository)}), "--json")
    server = ("--", *_git_server(repository))

    status, told = _headless("git_reset", *where, "--trust", "--approve", "policy", *server)
    assert (status, told["outcome"], told["sent"]) == (3, "denied", False)
    assert _status(repository) == BEFORE

    status, told = _headless("git_status", *where, "--trust", "--approve", "policy", *server)
    assert (status, told["outcome"], told["sent"]) == (0, "ok", True)
    assert "staged.txt" in json.dumps(told["result"])
