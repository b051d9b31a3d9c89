"""A slow tool of the probe server: nothing, or one sign of life every few seconds.

It answers when its time is over, or never if the host has cancelled the call before.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from .probe import Probe, text_result, tool_of

FAMILY: Final = "patience"
PATIENCE: Final = 900.0
"""Seconds after which the tool answers, if no others are given."""
FIRST: Final = 2.0
"""Seconds until the first sign of life: some libraries wait for 5."""
EVERY: Final = 5.0
"""Seconds between two signs of life."""
SLOW: Final = "slow-"
"""How the acts of these probes begin."""
CONDITIONS: Final = {
    "silence": "no word until the answer",
    "progress": "progress every 5 s, if the host asked for it",
    "log": "a log message every 5 s",
    "ping": "a ping every 5 s",
}
"""What the host hears while it waits."""
ANSWER: Final = "slow-answer-canary"
"""The text of the answer."""


def patience_probes() -> tuple[Probe, ...]:
    """One slow tool for each condition."""
    hints = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}
    return tuple(
        Probe(
            f"{FAMILY}/{condition}",
            FAMILY,
            tool_of(f"probe_p_{condition}", hints),
            {"note": f"word-{condition}"},
            text_result(ANSWER),
            f"{SLOW}{condition}",
            words=words,
        )
        for condition, words in CONDITIONS.items()
    )


def wait(
    act: str,
    params: Mapping[str, Any],
    seconds: float,
    cancelled: threading.Event,
    send: Callable[[dict[str, Any]], None],
) -> bool:
    """Wait with the signs of life of an act; returns False if the host cancelled the call."""
    until = time.monotonic() + seconds
    pause = min(FIRST, seconds / 4)
    step = 0
    while (left := until - time.monotonic()) > 0:
        if cancelled.wait(min(pause, left)):
            return False
        step += 1
        sign = _sign(act.removeprefix(SLOW), step, params)
        if left > pause and sign is not None:
            send({"jsonrpc": "2.0", **sign})
        pause = min(EVERY, seconds / 4)
    return True


def _sign(condition: str, step: int, params: Mapping[str, Any]) -> dict[str, Any] | None:
    """A sign of life; None if there is none to give."""
    match condition:
        case "progress":
            meta = params.get("_meta")
            token = meta.get("progressToken") if isinstance(meta, dict) else None
            if token is None:
                return None
            report = {"progressToken": token, "progress": step, "message": "still working"}
            return {"method": "notifications/progress", "params": report}
        case "log":
            words = {"level": "info", "logger": "probes", "data": "still working"}
            return {"method": "notifications/message", "params": words}
        case "ping":
            return {"id": f"ping-{step}", "method": "ping"}
    return None
