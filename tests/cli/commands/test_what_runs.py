"""Remembered approvals without a screen: they hold for the program, the script and the values."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from signoff.app.approval.grants import Scope
from signoff.app.calls.call import Outcome
from signoff.app.cli.approving.question_text import question_lines
from signoff.app.presentation.exit_status import ExitStatus
from tests.cli.running import Command, Ended
from tests.engine.opened import Remembers, opened
from tests.servers import shifting

SECRET = "s3cret-value-of-the-key"


@pytest.fixture
async def approved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Calls the tool that was approved for a week, of a server that was started just so."""
    folder, state = tmp_path / "work", tmp_path / "state"
    for name in ("work", "one", "two"):
        (tmp_path / name).mkdir()
    for name in ("one", "two"):
        (tmp_path / name / "snake").symlink_to(sys.executable)
    script = Path(shutil.copy(shifting.__file__, folder / "server.py"))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", str(tmp_path / "one"), prepend=os.pathsep)
    argv = ["snake", "-S", script.name]
    store = state / "signoff"
    async with opened(argv=argv, env={"API_KEY": SECRET}, store=store) as one:
        one.engine.approver = Remembers(Scope.UNTIL, 7)
        assert (await one.call("shape_shifter", note="a")).outcome is Outcome.OK
        assert len(one.engine.memory.grants()) == 1

    def call(*words: str, key: str = SECRET, **environment: str) -> Ended:
        given = ["-a", "note=b", "--approve", "policy", "--json", "--env", f"API_KEY={key}", *words]
        place = {"XDG_STATE_HOME": str(state), **environment}
        words = ("call", "shape_shifter", *given, "--", *argv)
        return Command(folder, *words, **place).end()

    return call


async def test_the_very_same_start_runs(approved: Callable[..., Ended], tmp_path: Path) -> None:
    ended = approved()
    assert ended.status == ExitStatus.OK
    assert ended.report["decision"]["by"] == "remembered approval"
    runs = ended.report["server"]["runs"]
    assert [(file["role"], file["path"]) for file in runs["files"]] == [
        ("program", str(tmp_path / "one" / "snake")),
        ("script", str(tmp_path / "work" / "server.py")),
    ]
    assert list(runs["values"]) == ["API_KEY"]
    assert SECRET not in ended.stdout
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]
    log = "".join(path.read_text() for path in kept if path.suffix == ".jsonl")
    assert runs["files"][1]["sha256"] in log
    assert runs["values"]["API_KEY"] in log


@pytest.mark.parametrize("change", ["value", "script", "program"])
async def test_another_start_is_not_approved_and_says_why(
    approved: Callable[..., Ended], tmp_path: Path, change: str
) -> None:
    script = tmp_path / "work" / "server.py"
    if change == "value":
        ended, words = approved(key="another"), "API_KEY"
    elif change == "script":
        script.write_text(f"{script.read_text()}\n")
        ended, words = approved(), str(script)
    else:
        path = f"{tmp_path / 'two'}:{os.environ['PATH']}"
        words = str(tmp_path / "two" / "snake")
        ended = approved(PATH=path)
    assert ended.status == ExitStatus.NOT_APPROVED
    assert not ended.report["sent"]
    assert any(words in reason for reason in ended.report["verdict"]["reasons"])


async def test_a_question_on_lines_names_files_and_variables(
    tmp_path: Path,
) -> None:
    script = Path(shutil.copy(shifting.__file__, tmp_path / "server.py"))
    env = {"API_KEY": SECRET, "REGION": "eu"}
    async with opened(argv=[sys.executable, "-S", str(script)], env=env) as one:
        one.engine.approver = approver = Remembers(Scope.ONCE)
        await one.call("shape_shifter", note="a")
    lines = question_lines(approver.questions[0])
    at = next(at for at, line in enumerate(lines) if line.startswith("program"))
    assert any(line.startswith("server") for line in lines[:at])
    assert sys.executable in lines[at]
    assert all(words in lines[at] for words in (str(script), "API_KEY, REGION"))
    assert SECRET not in "\n".join(lines)
