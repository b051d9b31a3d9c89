"""A result that asks for input first: what has to be answered before the request is made again.

Spec 2026-07-28, basic/patterns/mrtr: the request is made again with `inputResponses`, one for each
of the `inputRequests`, and with `requestState` exactly as it came, where one came.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ...content.json.jsonio import JsonValue
from ..server_requests.elicitation import ELICIT
from ..server_requests.roots import LIST_ROOTS
from ..server_requests.sampling import SAMPLE

ROUNDS_MAX: Final = 10
"""So often a call is made at most before it has to be answered."""
INPUTS_MAX: Final = 20
"""Of one round."""
_KNOWN: Final = (ELICIT, SAMPLE, LIST_ROOTS)


@dataclass(frozen=True, slots=True)
class InputRound:
    """What one round asks for: params by key and method, in the order of the server."""

    requests: tuple[tuple[str, str, JsonValue], ...]
    state: str | None
    """`requestState`, which nobody but the server reads; None where none came."""

    def params(self, responses: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """What the request is made again with."""
        found: dict[str, JsonValue] = {}
        if self.requests:
            found["inputResponses"] = responses
        if self.state is not None:
            found["requestState"] = self.state
        return found


def read_round(result: JsonValue) -> InputRound | None:
    """What a raw result asks for; None where it is an answer, or asks for what nobody knows."""
    if not isinstance(result, dict) or result.get("resultType") != "input_required":
        return None
    asked, state = result.get("inputRequests", {}), result.get("requestState")
    if not isinstance(asked, dict) or not (state is None or isinstance(state, str)):
        return None
    if len(asked) > INPUTS_MAX or (not asked and state is None):
        return None
    requests = []
    for key, request in asked.items():
        method = request.get("method") if isinstance(request, dict) else None
        if not isinstance(request, dict) or method not in _KNOWN:
            return None
        requests.append((key, str(method), request.get("params")))
    return InputRound(tuple(requests), state)
