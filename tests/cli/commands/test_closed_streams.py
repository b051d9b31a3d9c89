"""Standard streams that are closed at the start, or have no room: nothing breaks or is hidden."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.approved import approved
from tests.servers import raw
from tests.tiers import first_quick

PROSE = approved("cli-call")

if sys.platform == "win32":
    pytest.skip("closes streams as a shell of POSIX does", allow_module_level=True)

FULL = Path("/dev/full")


def shell(redirection: str, *words: str) -> subprocess.CompletedProcess[str]:
    """The ended command, whose streams are redirected as a shell has it."""
    argv = ("sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "signoff.app")
    return subprocess.run([*argv, *words], capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("redirection", first_quick(["<&-", "<&- 2>&-"]))
def test_a_call_is_answered_although_a_stream_is_closed(redirection: str) -> None:
    words = ("call", "read_thing", "--trust", "--no-audit", "--no-memory", "--", *raw())
    ended = shell(redirection, *words)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "outcome" in ended.stdout


@pytest.mark.slow
def test_without_standard_input_a_question_is_denied() -> None:
    words = ("call", "read_thing", "--no-trust", "--no-audit", "--no-memory", "--", *raw())
    assert shell("<&-", *words).returncode == 3


def test_without_standard_output_nothing_is_written_anywhere_else() -> None:
    words = ("call", "read_thing", "--trust", "--no-audit", "--no-memory", "--", *raw())
    ended = shell(">&-", *words)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("command", first_quick(["list", "show cautious"]))
def test_output_that_finds_no_room_is_an_error(command: str) -> None:
    ended = shell(f">{FULL}", "policy", *command.split())
    assert ended.returncode == 2
    PROSE.holds("call: output not written", ended.stderr)
