"""A start that never greets: what is waited for is said, and how to leave, long before the end."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Iterator

import pytest

from signoff.app.core.calls import CallLimits
from signoff.app.core.start import LATE_SECONDS
from signoff.app.core.trust import Trust
from signoff.app.flows.live import NotConnected, Options, opened
from signoff.app.targets import Target

NEVER = "import sys; sys.stdin.read()"


@pytest.fixture
def address() -> Iterator[str]:
    """Where a connection is taken, and nothing answered."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"


async def _given_up(target: Target, late_seconds: float) -> None:
    options = Options(target, Trust.UNTRUSTED, CallLimits(), 0.7, late_seconds=late_seconds)
    with pytest.raises(NotConnected):
        async with opened(options):
            pass


def test_a_program_that_never_greets(capsys: pytest.CaptureFixture[str]) -> None:
    target = Target("mute", argv=(sys.executable, "-S", "-c", NEVER), protocol="legacy")
    asyncio.run(_given_up(target, 0.0))
    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith("signoff: mute is late: ")
    assert "--connect-timeout" in said
    assert "Ctrl+C leaves now" in said
    asyncio.run(_given_up(target, LATE_SECONDS))
    assert "late" not in capsys.readouterr().err


def test_a_url_that_never_greets(capsys: pytest.CaptureFixture[str], address: str) -> None:
    asyncio.run(_given_up(Target("mute", url=address), 0.0))
    assert "mute is late: " in capsys.readouterr().err
