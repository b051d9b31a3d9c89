"""An audit log that cannot be written: said before anything is asked, and nothing may destroy."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.e2e.program import quit_program
from tests.e2e.shifting import Folder, Program, approve_by_chord
from tests.e2e.steps import OPEN_DIALOG

UNWRITABLE = "the audit log cannot be written"
FACTS = r"protocol +20\d\d-"
"""What the first section about a server has."""
DISK = 400_000
LIMIT = 60_000
LIMITED = (
    "import resource, sys;"
    f"resource.setrlimit(resource.RLIMIT_FSIZE, ({LIMIT}, {LIMIT}));"
    "from signoff.app.cli.main import main; main()"
)


def expect_refused(folder: Folder, program: Program, why: str) -> None:
    """What may destroy is refused without a question; what only reads runs, with the finding."""
    terminal, before = program.terminal, len(folder.calls)
    program.call()
    program.ended("denied by policy")
    assert OPEN_DIALOG not in terminal.text
    terminal.wait_for(lambda text: re.search(f"{UNWRITABLE}.*{why}", _unwrapped(text)))
    assert len(folder.calls) == before
    program.call("look_inside")
    program.ended("answered")
    assert OPEN_DIALOG not in terminal.text
    assert [call["tool"] for call in folder.calls[before:]] == ["look_inside"]
    terminal.press("f9")
    terminal.wait_for(FACTS)
    terminal.press("tab")
    terminal.wait_for(lambda text: not re.search(FACTS, text) and "audit-unwritable" in text)
    terminal.press("escape")
    terminal.wait_for(lambda text: "╭─ server" not in text)


def _unwrapped(text: str) -> str:
    """The text of the screen as one line, without frames and the panes behind a dialog."""
    rows = text.split("\n")
    for row in rows:
        if dialog := re.search(rf"╭─ {OPEN_DIALOG}.*?╮", row):
            rows = [one[dialog.start() : dialog.end()] for one in rows]
            break
    return re.sub(r"[│┃\s]+", " ", " ".join(rows))


def test_a_folder_in_the_way_of_the_log(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    (tmp_path / "log").mkdir()
    with folder.program("--audit", "log") as program:
        program.terminal.wait_for(r"\d problem")
        expect_refused(folder, program, "directory")
        # What neither only reads nor may destroy is asked about, and the question says so.
        assert UNWRITABLE in _unwrapped(program.ask("sign_in"))
        approve_by_chord(program.terminal)
        program.ended("answered")
        assert quit_program(program.terminal) == 0


def test_a_log_that_is_lost_while_the_question_is_open(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    log = tmp_path / "log"
    with folder.program("--audit", "log") as program:
        program.ask()
        program.remember("this tool, this session")
        log.rename(tmp_path / "elsewhere")
        log.mkdir()
        approve_by_chord(program.terminal)
        program.ended("(?s:not sent.*the audit log failed)")
        assert folder.calls == []
        assert folder.grants() == [], "what was not done is not remembered"
        assert quit_program(program.terminal) == 0


def test_a_log_that_may_not_grow(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with folder.program(program=[sys.executable, "-B", "-c", LIMITED]) as program:
        expect_refused(folder, program, "may not grow")
        assert quit_program(program.terminal) == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={DISK}", "tmpfs"]
    try:
        done = subprocess.run(["mount", *options, str(place)], capture_output=True, check=False)
    except OSError:
        pytest.skip("there is no mount")
    if done.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_disk_that_fills_up_and_is_emptied(tmp_path: Path, small_disk: Path) -> None:
    folder = Folder(tmp_path, state=small_disk)
    with folder.program() as program:
        program.ask()
        approve_by_chord(program.terminal)
        program.ended("answered")
        filling = small_disk / "filling"
        _fill(filling)
        expect_refused(folder, program, "the disk")
        filling.unlink()
        program.ask()
        approve_by_chord(program.terminal)
        program.ended("answered")
        assert quit_program(program.terminal) == 0
    proved = run(tmp_path, "audit", "verify", "--audit", str(folder.log))
    assert proved.status == 0, proved.stdout


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return


def test_without_a_screen_what_may_destroy_is_refused_whoever_approves(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    (tmp_path / "log").mkdir()
    options = ["--trust", "--audit", "log", "--json"]
    words = ["--approve", "always", *options, "--", *folder.command]
    refused = run(tmp_path, "call", "shape_shifter", *words)
    assert refused.status == 3
    assert refused.report["decision"]["by"] == "policy"
    assert UNWRITABLE in refused.report["reason"]
    assert run(tmp_path, "call", "look_inside", *words).status == 0
    assert [call["tool"] for call in folder.calls] == ["look_inside"]
