"""Patterns of a flow that take too long on a text of the server."""

from __future__ import annotations

import pytest

from signoff.app.features.flows.run.checks import JUDGES

SLOW = "(a+)+b"
TEXT = "a" * 60
STOPPED = "used more than 1 s of processor time"


@pytest.mark.slow
async def test_a_slow_pattern_is_stopped() -> None:
    assert await JUDGES.search(SLOW, TEXT) == (False, STOPPED)
    assert await JUDGES.captured(SLOW, TEXT) == (None, STOPPED)


async def test_a_pattern_is_searched_and_captured() -> None:
    assert await JUDGES.search("b(c)", "abcd") == (True, "")
    assert await JUDGES.captured("b(c)", "abcd") == ("c", "")
    assert await JUDGES.captured("bc", "abcd") == ("bc", "")
