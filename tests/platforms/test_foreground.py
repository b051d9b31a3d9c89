from __future__ import annotations

import sys
import time
from types import SimpleNamespace

import psutil
import pytest

from signoff.app.platforms import terminal as foreground_here


@pytest.fixture(params=["here", "windows"])
def foreground(request: pytest.FixtureRequest) -> object:
    if request.param == "here":
        return foreground_here
    return request.getfixturevalue("windows").load("terminal")


def python(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


def test_a_program_ends_with_its_status(foreground: SimpleNamespace) -> None:
    program = foreground.ForegroundProgram(python("import sys; sys.exit(3)"))
    while (status := program.look()) is None:
        time.sleep(0.01)
    program.close()
    assert status == 3


def test_one_that_still_runs_is_ended(foreground: SimpleNamespace) -> None:
    before = psutil.Process().children()
    program = foreground.ForegroundProgram(python("import time; time.sleep(600)"))
    assert program.look() is None
    (started,) = [one for one in psutil.Process().children() if one not in before]
    program.close()
    assert not started.is_running()


def test_one_that_is_not_there_cannot_be_started(foreground: SimpleNamespace) -> None:
    with pytest.raises(OSError, match="nothing"):
        foreground.ForegroundProgram(["/no/such/nothing"])
