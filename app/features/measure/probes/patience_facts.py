"""How long a host waited for a slow tool, and what became of the call. Pure, over the log.

A host gave up when the server saw that it cancelled the call or made it again, or when its model
was asked to go on with a result of it, whichever came first: the server had not answered by then.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ....content.json.jsonio import JsonValue
from ....hosts.measured.patience import (
    ANSWERED,
    CALLS,
    CANCELLED,
    ENDED,
    GAVE_UP,
    REASON,
    SERVER,
    TOKEN,
    WAITED,
    WENT_ON,
    ServerFate,
)
from ..observing import RunEnd, Sighting
from .probe import Probe
from .probe_server import log_lines

CANCELLING: Final = "notifications/cancelled"


def patience_facts(
    probe: Probe, seen: Sequence[Sighting], log: str, end: RunEnd, next_tool: str
) -> dict[str, JsonValue]:
    """The facts of a slow call; `next_tool` is what the model called after it, empty for none."""
    entries = list(log_lines(log))
    places = [at for at, one in enumerate(entries) if _called(one) == probe.name]
    if not places:
        return {CALLS: 0}
    call = _Call(entries[places[0] :])
    answered, cancelled = call.answered, call.cancelled
    went_on = min((one.attempt.answered_at for one in seen if one.attempt.has_answer), default=None)
    ended = None
    if went_on is None and not end.reason:
        ended = next((_at(one) for one in call.entries if "end" in one), time.time())
    repeated = _at(entries[places[1]]) if len(places) > 1 else None
    cancelled_at = None if cancelled is None else _at(cancelled)
    given_up = [
        at
        for at in (cancelled_at, repeated, went_on, ended)
        if at is not None and (answered is None or at < answered)
    ]
    if not given_up:
        # Some hosts cancel every call, also one that was answered.
        cancelled = cancelled_at = None
    until = min(given_up, default=answered or time.time())
    facts: dict[str, JsonValue] = {
        WAITED: call.after(until),
        GAVE_UP: call.after(until) if given_up else None,
        CANCELLED: None if cancelled_at is None else call.after(cancelled_at),
        WENT_ON: None if went_on is None else call.after(went_on),
        ENDED: None if ended is None else call.after(ended),
        SERVER: call.fate_of_server(next_tool),
        CALLS: len(places),
    }
    if cancelled is not None:
        facts[REASON] = _params(cancelled.get("in")).get("reason")
    condition = probe.id.partition("/")[2]
    if condition == "progress":
        meta = _params(call.entries[0].get("in")).get("_meta")
        facts[TOKEN] = isinstance(meta, dict) and meta.get("progressToken") is not None
    if condition == "ping":
        facts[ANSWERED] = call.pings(until)
    return facts


class _Call(NamedTuple):
    entries: list[dict[str, Any]]
    """The log from the first call on."""

    def after(self, at: float) -> float:
        """Seconds from the call to a time."""
        return round(max(0.0, at - _at(self.entries[0])), 1)

    @property
    def _identity(self) -> Any:
        return self.entries[0]["in"].get("id")

    @property
    def answered(self) -> float | None:
        """When the server answered; None if it did not."""
        outs = ((one, one.get("out")) for one in self.entries)
        same = (
            _at(one)
            for one, message in outs
            if isinstance(message, dict)
            and "method" not in message
            and message.get("id") == self._identity
        )
        return next(same, None)

    @property
    def cancelled(self) -> dict[str, Any] | None:
        """The entry in which the host cancelled the call; None if it did not."""
        for one in self.entries:
            message = one.get("in")
            is_cancelling = isinstance(message, dict) and message.get("method") == CANCELLING
            if is_cancelling and str(_params(message).get("requestId")) == str(self._identity):
                return one
        return None

    def fate_of_server(self, next_tool: str) -> str:
        """What became of the server, as the call after this one shows."""
        starts = [one for one in self.entries if "start" in one]
        came = [one for one in self.entries if next_tool and _called(one) == next_tool]
        if starts:
            return ServerFate.RESTARTED
        if not next_tool:
            return ServerFate.NOT_SEEN
        return ServerFate.KEPT if came else ServerFate.GONE

    def pings(self, until: float) -> str:
        """`179 of 180`: answers to the pings that were sent before a time."""
        before = [one for one in self.entries if _at(one) <= until]
        asked = [m["id"] for one in before if isinstance(m := one.get("out"), dict) if _is_ping(m)]
        answers = {
            str(m.get("id"))
            for one in self.entries
            if isinstance(m := one.get("in"), dict) and "method" not in m and "result" in m
        }
        return f"{sum(str(one) in answers for one in asked)} of {len(asked)}"


def _is_ping(message: Mapping[str, Any]) -> bool:
    return message.get("method") == "ping" and "id" in message


def _called(entry: Mapping[str, Any]) -> str:
    message = entry.get("in")
    if not isinstance(message, dict) or message.get("method") != "tools/call":
        return ""
    return str(_params(message).get("name"))


def _params(message: Any) -> Mapping[str, Any]:
    params = message.get("params") if isinstance(message, dict) else None
    return params if isinstance(params, dict) else {}


def _at(entry: Mapping[str, Any]) -> float:
    at = entry.get("at")
    return float(at) if isinstance(at, int | float) else 0.0
