"""A measurement that is interrupted, or whose host is lost, keeps what it found."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import ROOT, run, whole

HOST = ROOT / "tests" / "servers" / "measured_host.py"
ONLY = "hints/readOnly=true,answers/text,hints/none"
"""A host that hangs does so at the last of these."""


def stopped_at(
    folder: Path,
    number: int,
    until: str,
    *words: str,
    behaviour: str = "hangs",
    host: Path = HOST,
    only: str = ONLY,
) -> tuple[int, str, str]:
    """Measure on a terminal until its line has these words, then send the signal."""
    if sys.platform == "win32":
        pytest.skip("Windows has no pseudo-terminal")
    import pty

    main, other = pty.openpty()
    command = ["measure", "--only", only, *words, "--", sys.executable, str(host), behaviour]
    (folder / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "signoff.app", *command, str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=other,
        env=whole(folder, {"TMPDIR": str(folder / "tmp"), "XDG_DATA_HOME": str(folder / "data")}),
        text=True,
    )
    os.close(other)
    shown = ""
    deadline = time.monotonic() + 60
    while until not in shown and time.monotonic() < deadline:
        shown += os.read(main, 10_000).decode()
    process.send_signal(number)
    output, _ = process.communicate(timeout=60)
    while True:
        try:
            part = os.read(main, 10_000).decode()
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(main)
    return process.returncode, output, shown


def nothing_is_left(folder: Path) -> bool:
    """True if no folder and no process of a measurement is left."""
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(str(folder).encode() in one.read_bytes())
        except OSError:
            continue
    return not any(found) and not list((folder / "tmp").iterdir())


def test_an_interrupt_keeps_what_was_measured(tmp_path: Path) -> None:
    status, output, shown = stopped_at(tmp_path, signal.SIGINT, "2/3", "--json", "--save")
    report = json.loads(output)
    assert status == 130
    assert (report["complete"], report["measured"], report["probes"]) == (False, 2, 3)
    assert {one["probe"]: one["did"] for one in report["cells"]} == {
        "hints/readOnly=true": "ran",
        "answers/text": "ran",
    }
    assert report["conclusion"].startswith("Not complete (interrupted): 2 of 3 probes")
    assert "2/3  answers/text  ran" in shown
    assert "not saved: 2 of 3 probes were measured" in shown
    assert not (tmp_path / "data").exists()
    assert nothing_is_left(tmp_path)


@pytest.mark.slow
def test_the_end_of_the_session_keeps_it_too(tmp_path: Path) -> None:
    junit = tmp_path / "junit.xml"
    words = ("--expect-policy", "cautious", "--trust", "--junit", str(junit))
    status, output, _ = stopped_at(tmp_path, signal.SIGTERM, "2/3", *words)
    assert status == 143
    first, second = output.splitlines()[0].split(". ")[:2]
    assert first == (
        "The policy cautious is not proved: 1 of 1 decision as expected, the others not tried"
    )
    assert second == "Not complete (interrupted): 2 of 3 probes were measured"
    assert int(ElementTree.parse(junit).getroot().get("errors", "0")) > 0
    assert nothing_is_left(tmp_path)


@pytest.mark.slow
def test_a_stop_before_the_first_call_is_a_report(tmp_path: Path) -> None:
    status, output, _ = stopped_at(tmp_path, signal.SIGINT, "0/3", "--json")
    assert status == 130
    assert json.loads(output)["measured"] == 0
    assert nothing_is_left(tmp_path)


@pytest.mark.slow
def test_a_question_before_the_second_start_may_be_less(tmp_path: Path) -> None:
    words = ("--json",)
    status, output, shown = stopped_at(
        tmp_path, signal.SIGINT, "0/1 after one yes", *words, behaviour="asks"
    )
    report = json.loads(output)
    assert status == 130
    assert (report["complete"], report["measured"]) == (False, 3)
    (cell,) = (one for one in report["cells"] if one["probe"] == "hints/none")
    assert cell["why"].endswith("not tried again after one yes")
    assert "Not tried again after one yes: 1 call, which may then" in report["conclusion"]
    assert "3/3  hints/none  asked" in shown


def lost_after_a_start(folder: Path, *words: str) -> Any:
    """A host that ends in the middle, and cannot be started again."""
    program = folder / "agent"
    program.write_text(f'#!/bin/sh\nrm "$0"\nexec "{sys.executable}" "{HOST}" quits\n')
    program.chmod(0o755)
    only = "hints/readOnly=true,hints/none,answers/text"
    return run(folder, "measure", "--only", only, *words, "--", str(program))


@pytest.mark.skipif(sys.platform == "win32", reason="a script of the shell")
def test_a_host_that_is_lost_keeps_what_was_measured(tmp_path: Path) -> None:
    ended = lost_after_a_start(tmp_path, "--json")
    assert ended.status == 5
    report = ended.report
    assert (report["complete"], report["measured"], report["probes"]) == (False, 2, 3)
    assert [one["did"] for one in report["cells"]] == ["ran", "unknown"]
    assert "program not found" in report["stopped"]
    assert run(tmp_path, "measure", "--", str(tmp_path / "agent")).status == 2
