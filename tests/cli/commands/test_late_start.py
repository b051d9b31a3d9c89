"""A start that never greets: what is waited for is said, and how to leave, long before the end."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import psutil
import pytest

from signoff.app.cli.targets.live import NotConnected, Options, opened
from signoff.app.engine.session_config import SessionConfig, Target
from signoff.app.protocol.server import LATE_SECONDS
from tests.approved import approved

PROSE = approved("cli-call")

NEVER = "import sys; sys.stdin.read()"


@pytest.fixture
def address() -> Iterator[str]:
    """Where a connection is taken, and nothing answered."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"


async def test_a_failure_between_the_start_and_the_bench_leaves_no_process(tmp_path: Path) -> None:
    class Fails(SessionConfig):
        def engine(self, *_: object, **__: object) -> NoReturn:
            while not (tmp_path / "started").exists():
                time.sleep(0.01)
            raise ValueError("no bench")

    code = f"import os, sys; open('started', 'w').write(str(os.getpid())); {NEVER}"
    argv = (sys.executable, "-S", "-c", f"import os; os.chdir({str(tmp_path)!r}); {code}")
    target = Target("mute", argv=argv, protocol="legacy")
    with pytest.raises(ValueError, match="no bench"):
        async with opened(Options(Fails(target))):
            pass
    assert not psutil.pid_exists(int((tmp_path / "started").read_text()))


async def _given_up(target: Target, late_seconds: float) -> None:
    options = Options(SessionConfig(target, connect_timeout=0.7), late_seconds=late_seconds)
    with pytest.raises(NotConnected):
        async with opened(options):
            pass


@pytest.mark.slow
def test_a_program_that_never_greets(capsys: pytest.CaptureFixture[str]) -> None:
    target = Target("mute", argv=(sys.executable, "-S", "-c", NEVER), protocol="legacy")
    asyncio.run(_given_up(target, 0.0))
    said = " ".join(capsys.readouterr().err.split())
    PROSE.holds("call: a slow server", said)
    assert "--connect-timeout" in said
    assert "Ctrl+C leaves now" in said
    asyncio.run(_given_up(target, LATE_SECONDS))
    assert "late" not in capsys.readouterr().err


def test_a_url_that_never_greets(capsys: pytest.CaptureFixture[str], address: str) -> None:
    asyncio.run(_given_up(Target("mute", url=address), 0.0))
    assert "mute is slow: " in capsys.readouterr().err


@pytest.mark.slow
async def test_the_end_of_stderr_is_with_the_note_and_with_the_failure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = f"import sys; [print('line', n, file=sys.stderr) for n in range(9)]; {NEVER}"
    target = Target("mute", argv=(sys.executable, "-S", "-c", code), protocol="legacy")
    options = Options(SessionConfig(target, connect_timeout=6.0), late_seconds=4.0)
    with pytest.raises(NotConnected) as caught:
        async with opened(options):
            pass
    for said in (str(caught.value), capsys.readouterr().err):
        shown = [line for line in said.splitlines() if line.startswith("stderr ┃ ")]
        assert shown[-5:] == [f"stderr ┃ line {n}" for n in range(4, 9)]
