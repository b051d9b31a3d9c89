"""Remembered approvals with a date, on a computer whose clock is set forwards or back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.grants import Scope
from tests.cli.running import ROOT
from tests.e2e.program import signoff
from tests.e2e.shifting import TOOL, Folder, deny
from tests.e2e.terminal import Terminal

pytestmark = pytest.mark.started_anew
"""What has been imported already has looked for the clock, too."""

AS_IT_IS = 0.0
DAY = 86_400


def shifted(days: float) -> list[str]:
    """Signoff on a computer whose clock is that many days ahead."""
    code = (
        "import sys, time; real = time.time;"
        f"time.time = lambda: real() + {days * DAY};"
        "from signoff.app.cli.main import main; main()"
    )
    return [sys.executable, "-c", code]


def call(folder: Folder, days: float) -> dict[str, Any]:
    """One call by what is remembered alone, that many days ahead."""
    words = ["call", TOOL, "--trust", "--approve", "policy", "--json", "--", *folder.command]
    done = subprocess.run(
        [*shifted(days), *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        cwd=folder.path,
        env={
            "PATH": os.defpath,
            "HOME": str(folder.path),
            "PYTHONPATH": str(ROOT),
            "XDG_STATE_HOME": str(folder.state),
        },
    )
    report: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (0 if report["sent"] else 3)
    return report


# It starts one program after another: on a busy computer that takes more than a minute.
@pytest.mark.timeout(240)
def test_an_approval_with_a_date_is_honoured_neither_after_it_nor_before_it_was_given(
    tmp_path: Path,
) -> None:
    folder = Folder(tmp_path)
    asked = signoff("call", TOOL, "--trust", "--", *folder.command)
    state = {"XDG_STATE_HOME": str(folder.state)}
    with Terminal(asked, env=state, cwd=tmp_path) as terminal:
        terminal.wait_for("anything else denies")
        terminal.send("approve 7 days\n")
        assert terminal.wait_exit() == 0
    (grant,) = folder.grants()
    assert (grant.scope, grant.uses) == (Scope.UNTIL, 0)

    assert call(folder, AS_IT_IS)["decision"]["by"] == "remembered approval"
    assert call(folder, -2)["sent"] is False
    with folder.program(program=shifted(-2)) as program:
        text = program.ask()
        assert "cannot be remembered: the clock went back" in text
        assert "these arguments, this session" not in text
        deny(program.terminal)
    assert call(folder, +6)["decision"]["by"] == "remembered approval"
    assert call(folder, AS_IT_IS)["sent"] is False, "it was later than that already"
    assert call(folder, +8)["sent"] is False
    assert call(folder, +6)["sent"] is False, "what has ended does not come back"
    assert len(folder.calls) == 3
