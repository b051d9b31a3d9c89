from __future__ import annotations

import asyncio
import signal
import sys
from types import SimpleNamespace

import pytest

from signoff.app.platforms import signals as signals_here


@pytest.fixture(params=["here", "windows"])
def signals(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> object:
    if request.param == "here":
        return signals_here
    monkeypatch.setattr(signal, "SIGBREAK", signal.SIGABRT, raising=False)
    return request.getfixturevalue("windows").load("signals")


async def test_every_signal_that_ends_is_heard_on_the_loop(signals: SimpleNamespace) -> None:
    heard: asyncio.Queue[int] = asyncio.Queue()
    before = {number: signal.getsignal(number) for number in signals.ENDING}
    try:
        for number in signals.ENDING:
            signals.hear(
                asyncio.get_running_loop(), number, lambda number=number: heard.put_nowait(number)
            )
            signal.raise_signal(number)
            assert await asyncio.wait_for(heard.get(), 5) == number
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_signal_after_the_loop_is_nothing(
    windows: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signal, "SIGBREAK", signal.SIGABRT, raising=False)
    loop = asyncio.new_event_loop()
    before = signal.getsignal(signal.SIGTERM)
    try:
        windows.load("signals").hear(loop, signal.SIGTERM, lambda: None)
        loop.close()
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_the_number_of_a_hang_up() -> None:
    if sys.platform != "win32":
        assert int(signal.SIGHUP) == signals_here.HANG_UP


def test_nothing_is_stopped_or_watched_on_windows(windows: SimpleNamespace) -> None:
    jobs, vanishing = windows.load("jobs"), windows.load("vanishing")
    before = signal.getsignal(signal.SIGTERM)
    called: list[object] = []
    with jobs.telling_of_stops(lambda: called.append(1), lambda: called.append(2), called.append):
        jobs.stop_until_continued(0)
    vanishing.hang_up_with_terminal()
    assert not vanishing.is_gone(0)
    assert "Windows" in jobs.why_not_suspended(0)
    assert (called, signal.getsignal(signal.SIGTERM)) == ([], before)
